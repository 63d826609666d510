/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.index.KeyBatch;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.ScratchPool;
import io.nestling.offheap.Slab;

/**
 * Looks up the keys of a batch in groups of a few. While the buckets of one group are under way, those of the group before are
 * read and their records requested, and the keys of the group before that are compared.
 * <h2>Thread safety</h2>
 * Any number of threads; each call has its own lanes.
 */
final class CoCuckooBatchLookup extends ScratchPool.Scratch {
    /* Two lines a key and one or two of its record: processors drop requests beyond about twenty. */
    private static final int GROUP = 4;
    private static final int LANES = 4 * GROUP;
    private static final int LANE_MASK = LANES - 1;
    private static final ScratchPool<CoCuckooBatchLookup> POOL = new ScratchPool<>(CoCuckooBatchLookup::new);

    private final long[] hashes = new long[LANES];
    private final long[] buckets0 = new long[LANES];
    private final long[] buckets1 = new long[LANES];
    private final long[] words = new long[LANES];
    private final PrefetchVector lines = new PrefetchVector();

    private CoCuckooBatchLookup() {
    }

    static void lookup(final RegionReader reader, final KeyHash keyHash, final KeyBatch keys, final long[] payloads) {
        final CoCuckooBatchLookup lanes = POOL.take();
        try {
            lanes.run(reader, keyHash, keys, payloads);
        } finally {
            lanes.release();
        }
    }

    private void run(final RegionReader reader, final KeyHash keyHash, final KeyBatch keys, final long[] payloads) {
        final int size = keys.size();
        for (int from = 0; from < size + 2 * GROUP; from += GROUP) {
            for (int i = from; i < Math.min(size, from + GROUP); i++) {
                request(reader, i & LANE_MASK, keyHash.hash(keys.array(i), keys.offset(i), keys.length(i)));
            }
            lines.request();
            for (int i = Math.max(0, from - GROUP); i < Math.min(size, from); i++) {
                findSlot(reader, i & LANE_MASK, keys.length(i));
            }
            for (int i = Math.max(0, from - 2 * GROUP); i < Math.min(size, from - GROUP); i++) {
                payloads[i] = check(reader, i & LANE_MASK, keys, i);
            }
        }
    }

    private void request(final RegionReader reader, final int lane, final long hash) {
        final long region = reader.directory().region(hash);
        final int buckets = bucketsOf(region);
        final int primary = primary(hash, buckets);
        final long bucket0 = bucketOffset(base(region), primary);
        final long bucket1 = bucketOffset(base(region), secondary(hash, buckets, primary));
        final Slab slab = reader.slab();
        hashes[lane] = hash;
        buckets0[lane] = bucket0;
        buckets1[lane] = bucket1;
        lines.add(slab, bucket0);
        lines.add(slab, bucket1);
    }

    private void findSlot(final RegionReader reader, final int lane, final int length) {
        final long slot = reader.likelySlot(hashes[lane], buckets0[lane], buckets1[lane]);
        final long word = slot == NULL ? 0 : reader.slab().getLongAcquire(slot);
        words[lane] = word;
        if (isPresent(word)) {
            reader.keys().addTo(lines, payload(word), length);
        }
    }

    private long check(final RegionReader reader, final int lane, final KeyBatch keys, final int i) {
        final long word = words[lane];
        if (isPresent(word)
            && reader.keys().compareKey(payload(word), keys.array(i), keys.offset(i), keys.length(i)) == 0) {
            return payload(word);
        }
        return reader.search(hashes[lane], keys.array(i), keys.offset(i), keys.length(i));
    }
}
