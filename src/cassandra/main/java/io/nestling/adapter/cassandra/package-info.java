/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A memtable for Apache Cassandra. {@code cassandra.yaml} names {@link io.nestling.adapter.cassandra.NestlingMemtable}, which
 * keeps the partitions of a table in a Nestling index, as Cassandra's own objects or as bytes off heap.
 */
package io.nestling.adapter.cassandra;
