/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.Collection;

/** Shows tests of other packages what memtables are charged for their objects on the heap. */
public final class ChargedHeap {
    /* Those of a small shard that stay with it when it moves to its index. */
    private static final long POINTERS = 120;

    private ChargedHeap() {
    }

    /** Returns the bytes charged to some memtables in which nothing was sorted. */
    public static long of(final Collection<Memtable> memtables) {
        long bytes = 0;
        for (final Memtable memtable : memtables) {
            bytes += memtable.state().heap().bytes();
            for (final MemtableStats.ShardStats shard : memtable.stats().shards()) {
                bytes += Math.min(shard.entries(), POINTERS) * Long.BYTES;
            }
        }
        return bytes;
    }
}
