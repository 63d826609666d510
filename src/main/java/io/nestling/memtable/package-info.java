/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The memtable: shards of an index over records, with versions, snapshots, atomic batches, tombstones and
 * ordered flush. It works with any {@link io.nestling.index.IndexFactory}.
 */
package io.nestling.memtable;
