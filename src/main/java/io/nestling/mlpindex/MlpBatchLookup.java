/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.ScratchPool;

/**
 * Looks up the keys of a batch in groups of a few. While the buckets of one group are under way, those of the group before are
 * read, what their leaves lead to (such as records) is requested, and the keys of the group before that are compared.
 * <h2>Thread safety</h2>
 * Any number of threads; each call has its own lanes.
 */
final class MlpBatchLookup extends ScratchPool.Scratch {
    /* Four to six lines a key: processors drop requests beyond about twenty, for lack of buffers. */
    private static final int GROUP = 4;
    private static final int LANES = 4 * GROUP;
    private static final int LANE_MASK = LANES - 1;
    private static final ScratchPool<MlpBatchLookup> POOL = new ScratchPool<>(MlpBatchLookup::new);

    private final long[] words = new long[LANES];
    private final long[] metas = new long[LANES];
    private final PrefetchVector lines = new PrefetchVector();

    private MlpBatchLookup() {
    }

    static void lookup(final Lookup lookup, final KeyBatch keys, final long[] payloads) {
        final MlpBatchLookup lanes = POOL.take();
        try {
            lanes.run(lookup, keys, payloads);
        } finally {
            lanes.release();
        }
    }

    private void run(final Lookup lookup, final KeyBatch keys, final long[] payloads) {
        final int size = keys.size();
        for (int from = 0; from < size + 2 * GROUP; from += GROUP) {
            for (int i = from; i < Math.min(size, from + GROUP); i++) {
                words[i & LANE_MASK] = KeyWord.of(keys.array(i), keys.offset(i), keys.length(i));
                lookup.table().addHotTo(lines, words[i & LANE_MASK]);
            }
            lines.request();
            for (int i = Math.max(0, from - GROUP); i < Math.min(size, from); i++) {
                findLeaf(lookup, i & LANE_MASK, keys.length(i));
            }
            for (int i = Math.max(0, from - 2 * GROUP); i < Math.min(size, from - GROUP); i++) {
                final long meta = metas[i & LANE_MASK];
                payloads[i] = meta == FREE
                    ? PointIndex.NONE
                    : lookup.leaves().payload(meta, keys.array(i), keys.offset(i), keys.length(i));
            }
        }
    }

    private void findLeaf(final Lookup lookup, final int lane, final int length) {
        final long meta = lookup.findLeaf(words[lane]);
        metas[lane] = meta;
        if (meta != FREE) {
            lookup.leaves().addTo(lines, meta, length);
        }
    }
}
