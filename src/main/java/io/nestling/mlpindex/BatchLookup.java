/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.NodeLayout.*;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.ScratchPool;
import io.nestling.offheap.Slab;

/**
 * Looks up the keys of a batch in groups of a few. While the buckets of one group are under way, those of the group before are
 * read, what their leaves lead to (such as records) is requested, and the keys of the group before that are compared.
 * <h2>Thread safety</h2>
 * Any number of threads; each call has its own lanes.
 */
final class BatchLookup extends ScratchPool.Scratch {
    /* Four to six lines a key: processors drop requests beyond about twenty, for lack of buffers. */
    private static final int GROUP = 4;
    private static final int LANES = 4 * GROUP;
    private static final int LANE_MASK = LANES - 1;
    private static final int BUCKETS = 4;
    private static final ScratchPool<BatchLookup> POOL = new ScratchPool<>(BatchLookup::new);

    private final long[] words = new long[LANES];
    private final long[] metas = new long[LANES];
    private final long[] buckets = new long[LANES * BUCKETS];
    private final PrefetchVector lines = new PrefetchVector();

    private BatchLookup() {
    }

    static void lookup(final Lookup lookup, final KeyBatch keys, final long[] payloads) {
        final BatchLookup lanes = POOL.take();
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
                request(lookup.table(), i & LANE_MASK, KeyWord.of(keys.array(i), keys.offset(i), keys.length(i)));
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

    private void request(final BucketTable table, final int lane, final long word) {
        words[lane] = word;
        final Slab slab = table.slab();
        final long n = table.buckets();
        int to = lane * BUCKETS;
        for (int hot = table.hotLevels(); hot != 0; hot = BucketTable.withoutFirstHot(hot)) {
            final long hash = table.hash(word, BucketTable.firstHot(hot));
            final long primary = BucketTable.primary(hash, n);
            final long secondary = BucketTable.secondary(hash, n);
            lines.add(slab, bucketOffset(primary));
            lines.add(slab, bucketOffset(secondary));
            if (to < (lane + 1) * BUCKETS) {
                buckets[to++] = primary;
                buckets[to++] = secondary;
            }
        }
    }

    private void findLeaf(final Lookup lookup, final int lane, final int length) {
        final int at = lane * BUCKETS;
        final long word = words[lane];
        final long early =
            lookup.table().findLeafIn(buckets[at], buckets[at + 1], buckets[at + 2], buckets[at + 3], word);
        final long meta = early == FREE ? lookup.findLeaf(word) : early;
        metas[lane] = meta;
        if (meta != FREE) {
            lookup.leaves().addTo(lines, meta, length);
        }
    }
}
