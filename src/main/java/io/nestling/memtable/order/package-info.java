/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Sorted order for keys whose index has none: {@link io.nestling.memtable.order.LazyKeySorter} sorts the keys of an unordered
 * index when a cursor asks for them, {@link io.nestling.memtable.order.RecoveredKeys} the records of a shard after a failure.
 * It knows records and keys, not memtables.
 */
package io.nestling.memtable.order;
