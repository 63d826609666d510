/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.ScratchPool;

/**
 * Looks up the keys of a batch by the hash of all nodes: requests the buckets of several keys, then their nodes, then the records
 * of these.
 * <h2>Thread safety</h2>
 * Any number of threads, inside guards.
 */
final class HashLookup extends ScratchPool.Scratch {
    private static final int KEYS = 32;
    /* Keys whose lines are requested in a row: processors drop requests that they have no buffers for. */
    private static final int KEYS_AT_ONCE = 8;
    private static final ScratchPool<HashLookup> POOL = new ScratchPool<>(HashLookup::new);

    private final PrefetchVector lines = new PrefetchVector();
    private final long[] hashes = new long[KEYS];
    private final long[] candidates = new long[KEYS];

    private HashLookup() {
    }

    /** Looks keys up; sets {@link NodeHash#UNKNOWN} as payload where only the list can tell. */
    static void lookup(final Nodes nodes, final NodeHash table, final KeyBatch keys, final long[] payloads) {
        final HashLookup own = POOL.take();
        try {
            for (int from = 0; from < keys.size(); from += KEYS) {
                own.lookup(nodes, table, keys, payloads, from, Math.min(keys.size() - from, KEYS));
            }
        } finally {
            own.release();
        }
    }

    private void lookup(
        final Nodes nodes, final NodeHash table, final KeyBatch keys, final long[] payloads, final int from,
        final int count) {
        for (int i = 0; i < count; i++) {
            final int key = from + i;
            hashes[i] = nodes.hashOf(keys.array(key), keys.offset(key), keys.length(key));
            table.addTo(lines, hashes[i]);
            pace(i);
        }
        lines.request();
        for (int i = 0; i < count; i++) {
            candidates[i] = table.candidate(hashes[i]);
            if (candidates[i] > 0) {
                nodes.addTo(lines, (int) candidates[i]);
            }
            pace(i);
        }
        lines.request();
        final KeySource records = nodes.keys();
        for (int i = 0; i < count; i++) {
            if (candidates[i] > 0) {
                records.addTo(lines, nodes.payload((int) candidates[i]) & SkipListNodeLayout.PAYLOAD_MASK, keys.length(from + i));
            }
            pace(i);
        }
        lines.request();
        for (int i = 0; i < count; i++) {
            payloads[from + i] = finish(nodes, table, candidates[i], hashes[i], keys, from + i);
        }
    }

    private static long finish(
        final Nodes nodes, final NodeHash table, final long candidate, final long hash, final KeyBatch keys, final int key) {
        if (candidate == PointIndex.NONE) {
            return PointIndex.NONE;
        }
        final byte[] array = keys.array(key);
        final int offset = keys.offset(key);
        final int length = keys.length(key);
        if (candidate > 0) {
            final long payload = nodes.payloadOf((int) candidate, array, offset, length);
            if (payload >= 0) {
                return payload;
            }
        }
        return table.get(nodes, array, offset, length, hash);
    }

    private void pace(final int key) {
        if ((key & KEYS_AT_ONCE - 1) == KEYS_AT_ONCE - 1) {
            lines.request();
        }
    }
}
