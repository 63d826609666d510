/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

/**
 * Reads what a leaf holds for a key, by the leaf's kind.
 * <h2>Thread safety</h2>
 * Any number of readers inside guards, each with its own position.
 */
final class LeafReader {
    private final Slab slab;
    private final KeySource keys;
    private final Runs runs;

    LeafReader(final Runs runs, final KeySource keys) {
        this.slab = runs.slab();
        this.runs = runs;
        this.keys = keys;
    }

    Runs runs() {
        return runs;
    }

    KeySource keys() {
        return keys;
    }

    /** Returns the payload of a key that has the word of a leaf, or {@link PointIndex#NONE}. */
    long payload(final long meta, final byte[] key, final int offset, final int length) {
        if (kind(meta) == EXACT) {
            return length == KeyWord.BYTES ? MlpNodeLayout.payload(meta) : PointIndex.NONE;
        }
        return otherPayload(meta, key, offset, length);
    }

    private long otherPayload(final long meta, final byte[] key, final int offset, final int length) {
        final long payload = MlpNodeLayout.payload(meta);
        if (kind(meta) == RUN) {
            return payloadInRun(payload, key, offset, length);
        }
        if (kind(meta) == SINGLE) {
            return length != KeyWord.BYTES && keys.compareKey(payload, key, offset, length) == 0 ? payload : PointIndex.NONE;
        }
        return length == KeyWord.BYTES ? unbox(payload) : PointIndex.NONE;
    }

    private long payloadInRun(final long run, final byte[] key, final int offset, final int length) {
        final Scratch scratch = Scratch.POOL.take();
        try {
            runs.search(run, key, offset, length, scratch.position);
            return scratch.position.equal ? scratch.position.payload : PointIndex.NONE;
        } finally {
            scratch.release();
        }
    }

    long unbox(final long block) {
        return slab.getLongAcquire(block);
    }

    /** Adds the lines that a lookup of a leaf reads next, for a key of some length, to the lines to prefetch. */
    void addTo(final PrefetchVector lines, final long meta, final int length) {
        if (kind(meta) == EXACT || kind(meta) == SINGLE) {
            keys.addTo(lines, MlpNodeLayout.payload(meta), length);
        } else {
            lines.add(slab.address(MlpNodeLayout.payload(meta)));
        }
    }
}
