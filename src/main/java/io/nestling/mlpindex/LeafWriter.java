/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.NodeLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.memory.BlockAllocator;
import io.nestling.memory.KeySource;
import io.nestling.memory.Slab;

import java.util.Arrays;

/**
 * Makes leaves and changes what they hold. It computes the new meta of a leaf, whose store publishes the change; blocks that
 * become useless are retired after that store.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class LeafWriter {
    private static final int BOX_CLASS = 0;

    private final LeafReader leaves;
    private final RunWriter runs;
    private final BlockAllocator blocks;
    private final Slab slab;
    private final KeySource keys;
    private long before;
    /* A run or a box that the next store of the meta unlinks, or 0. */
    private long unlinkedRun;
    private long unlinkedBox;
    private long runCount;

    LeafWriter(final LeafReader leaves, final BlockAllocator blocks) {
        this.leaves = leaves;
        this.runs = new RunWriter(leaves.runs(), blocks);
        this.blocks = blocks;
        this.slab = blocks.slab();
        this.keys = leaves.keys();
    }

    /** Returns the number of runs that there are. */
    long runCount() {
        return runCount;
    }

    /** Returns the payload before the last change, or {@link PointIndex#NONE}. */
    long before() {
        return before;
    }

    /** Returns the meta of a new leaf for one key. */
    long create(final int length, final int level, final long payload) {
        if (payload <= MAX_LEAF_PAYLOAD) {
            return leaf(length == KeyWord.BYTES ? EXACT : SINGLE, level, payload);
        }
        if (length == KeyWord.BYTES) {
            return leaf(BOXED, level, box(payload));
        }
        final long run = runs.create(payload);
        runCount++;
        return leaf(RUN, level, run);
    }

    /** Takes back what a new leaf has that could not be stored, or one that was removed. */
    void discard(final long meta) {
        if (kind(meta) == RUN) {
            runCount--;
            runs.retire(payload(meta));
        } else if (kind(meta) == BOXED) {
            blocks.retire(payload(meta), BOX_CLASS);
        }
    }

    private long box(final long payload) {
        final long block = BlockClasses.allocate(blocks, BOX_CLASS);
        slab.putLong(block, payload);
        return block;
    }

    /** Returns the meta of a leaf to which a key of its word is added, or whose payload is replaced. */
    long put(final long meta, final byte[] key, final int offset, final int length, final long payload) {
        unlinkedRun = 0;
        unlinkedBox = 0;
        final int level = level(meta);
        final long held = payload(meta);
        if (kind(meta) == RUN) {
            before = runs.put(held, key, offset, length, payload);
            return leaf(RUN, level, runs.run());
        }
        before = leaves.payload(meta, key, offset, length);
        if (before == PointIndex.NONE) {
            return addToRun(meta, key, offset, length, payload);
        }
        if (kind(meta) == BOXED && payload > MAX_LEAF_PAYLOAD) {
            slab.putLongRelease(held, payload);
            return meta;
        }
        final long changed = create(length, level, payload);
        unlinkedBox = kind(meta) == BOXED ? held : 0;
        return changed;
    }

    private long addToRun(final long meta, final byte[] key, final int offset, final int length, final long payload) {
        final boolean exact = kind(meta) != SINGLE;
        final long other = kind(meta) == BOXED ? leaves.unbox(payload(meta)) : payload(meta);
        // A key that is the word itself sorts behind shorter ones and before longer ones, whose word it is.
        final boolean otherFirst = exact
            ? length > KeyWord.BYTES
            : keys.compareKey(other, key, offset, length) < 0;
        final long run = otherFirst ? runs.create(other, payload) : runs.create(payload, other);
        runCount++;
        unlinkedBox = kind(meta) == BOXED ? payload(meta) : 0;
        return leaf(RUN, level(meta), run);
    }

    /** Called after the new meta was stored. */
    void finish() {
        runs.finish();
        if (unlinkedRun != 0) {
            runs.retire(unlinkedRun);
            unlinkedRun = 0;
        }
        if (unlinkedBox != 0) {
            blocks.retire(unlinkedBox, BOX_CLASS);
            unlinkedBox = 0;
        }
    }

    /**
     * Returns the meta of a leaf from which a key is removed: the same if the key is not there, {@link NodeLayout#FREE} if
     * nothing remains. {@link #before} tells what was there.
     */
    long remove(final long meta, final byte[] key, final int offset, final int length) {
        unlinkedRun = 0;
        unlinkedBox = 0;
        if (kind(meta) != RUN) {
            before = leaves.payload(meta, key, offset, length);
            return before == PointIndex.NONE ? meta : FREE;
        }
        final long run = payload(meta);
        if (leaves.runs().isSingle(run)) {
            before = leaves.payload(meta, key, offset, length);
            return before == PointIndex.NONE ? meta : FREE;
        }
        final int kind = leaves.runs().isPair(run) ? kindOfOther(run, meta, key, offset, length) : RUN;
        before = runs.remove(run, key, offset, length);
        final long left = runs.run();
        if (kind == RUN || before == PointIndex.NONE) {
            return leaf(RUN, level(meta), left);
        }
        unlinkedRun = left;
        runCount--;
        return leaf(kind, level(meta), leaves.runs().entry(left, 0));
    }

    /**
     * Returns the kind of the leaf that the other key of a run of two will have without the run. The key is read for that before
     * the run is changed, as it may be one that cannot be read.
     */
    private int kindOfOther(
        final long run, final long meta, final byte[] key, final int offset, final int length) {
        final long first = leaves.runs().first(run);
        final long other = leaves.payload(meta, key, offset, length) == first ? leaves.runs().last(run) : first;
        if (other > MAX_LEAF_PAYLOAD) {
            return RUN;
        }
        return keys.keyLength(other) == KeyWord.BYTES ? EXACT : SINGLE;
    }

    /** Returns the greatest number of bytes of blocks that a number of keys may need. */
    long bytesFor(final long entries) {
        final long smallest = BlockClasses.bytes(BOX_CLASS);
        return entries * 3 * smallest + Math.min(entries, runCount) * (RunWriter.BYTES_PER_SPLIT + smallest);
    }

    /** A key source is needed as soon as keys are not their own words. */
    void checkLength(final byte[] key, final int offset, final int length) {
        if (length != KeyWord.BYTES && keys == KeySource.NONE) {
            throw new IllegalArgumentException("a key of " + length + " bytes, " + Arrays.toString(
                Arrays.copyOfRange(key, offset, offset + Math.min(length, 2 * KeyWord.BYTES)))
                + ": without records to find keys by, the index takes keys of " + KeyWord.BYTES + " bytes only");
        }
    }
}
