/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Decoded heads of a few wide partitions, for those with many range tombstones, which each read would decode anew.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class HeadCache {
    /** Size from which a head is kept. */
    static final int LEAST_BYTES = 512;

    private static final int MOST_HEADS = 16;

    private final ConcurrentHashMap<Key, PartitionHead> heads = new ConcurrentHashMap<>(1);

    /**
     * Names one state of one partition's head, and is never used for another one.
     *
     * @param number number of the wide partition
     * @param made version that its record was made with
     */
    record Key(int number, long made) {
    }

    static Key keyOf(final RecordArena arena, final long record) {
        return new Key(arena.getInt(record, Records.NUMBER_OFFSET), arena.getLong(record, Records.MADE_OFFSET));
    }

    PartitionHead get(final Key key) {
        return heads.get(key);
    }

    void put(final Key key, final PartitionHead head) {
        if (heads.size() >= MOST_HEADS) {
            heads.clear();
        }
        heads.put(key, head);
    }
}
