/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import java.util.concurrent.ConcurrentHashMap;

/**
 * A cache of decoded large heads of wide partitions, which otherwise each read would decode.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class HeadCache {
    /** Least size of a cached head. */
    static final int MIN_BYTES = 512;

    private static final int MAX_HEADS = 16;

    private final ConcurrentHashMap<Integer, Kept> heads = new ConcurrentHashMap<>(1);

    /** The newest head of a partition that was read, and the version that created its record. */
    private record Kept(long created, PartitionHead head) {
    }

    /** Returns the head of a partition's record that a version created, or null. */
    PartitionHead get(final int number, final long created) {
        final Kept kept = heads.get(number);
        return kept != null && kept.created == created ? kept.head : null;
    }

    /** Caches a head, unless a newer one of its partition is cached. */
    void put(final int number, final long created, final PartitionHead head) {
        if (heads.size() >= MAX_HEADS && !heads.containsKey(number)) {
            heads.clear();
        }
        heads.merge(number, new Kept(created, head), (before, fresh) -> before.created > fresh.created ? before : fresh);
    }
}
