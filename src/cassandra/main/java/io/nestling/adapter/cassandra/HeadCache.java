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

    private final ConcurrentHashMap<Integer, Kept> heads = new ConcurrentHashMap<>(1);

    /** The newest head of a partition that was read, and the version that its record was made with. */
    private record Kept(long made, PartitionHead head) {
    }

    /** The head of a partition's record that was made with a version, or null. */
    PartitionHead get(final int number, final long made) {
        final Kept kept = heads.get(number);
        return kept != null && kept.made == made ? kept.head : null;
    }

    /** Keeps a head in place of older ones of its partition. */
    void put(final int number, final long made, final PartitionHead head) {
        if (heads.size() >= MOST_HEADS && !heads.containsKey(number)) {
            heads.clear();
        }
        heads.merge(number, new Kept(made, head), (before, fresh) -> before.made > fresh.made ? before : fresh);
    }
}
