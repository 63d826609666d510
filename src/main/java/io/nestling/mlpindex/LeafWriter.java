/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;

import java.util.Arrays;

/**
 * Makes leaves and changes what they hold. It computes a leaf's new meta, whose store publishes the change; blocks that the
 * change replaces are retired after that store.
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
    /* A box that the next store of the meta unlinks, or 0. */
    private long unlinkedBox;
    private long runCount;

    LeafWriter(final LeafReader leaves, final BlockAllocator blocks) {
        this.leaves = leaves;
        this.runs = new RunWriter(leaves.runs(), blocks);
        this.blocks = blocks;
        this.slab = blocks.slab();
        this.keys = leaves.keys();
    }

    /** Returns the payload that the last change replaced or removed, or {@link PointIndex#NONE}. */
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

    /** Frees the blocks of a new leaf that could not be stored, or of a removed one. */
    void discard(final long meta) {
        if (kind(meta) == RUN) {
            runCount--;
            runs.retire(payload(meta));
        } else if (kind(meta) == BOXED) {
            blocks.retire(payload(meta), BOX_CLASS);
        }
    }

    private long box(final long payload) {
        final long block = MlpBlockClasses.allocate(blocks, BOX_CLASS);
        slab.putLong(block, payload);
        return block;
    }

    private long find(final long meta, final byte[] key, final int offset, final int length) {
        return kind(meta) == RUN ? runs.find(payload(meta), key, offset, length) : leaves.payload(meta, key, offset, length);
    }

    /** Returns the meta of a leaf with a key added, or with its payload replaced, if {@code replaces} says so. */
    long put(
        final long meta, final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        final int level = level(meta);
        final long held = payload(meta);
        if (kind(meta) == RUN) {
            before = runs.put(held, key, offset, length, payload, replaces);
            return leaf(RUN, level, runs.run());
        }
        before = leaves.payload(meta, key, offset, length);
        if (before != PointIndex.NONE && !replaces) {
            return meta;
        }
        final boolean boxed = kind(meta) == BOXED;
        if (boxed && before != PointIndex.NONE && payload > MAX_LEAF_PAYLOAD) {
            slab.putLongRelease(held, payload);
            return meta;
        }
        final long changed = before == PointIndex.NONE
            ? addToRun(meta, key, offset, length, payload)
            : create(length, level, payload);
        unlinkedBox = boxed ? held : 0;
        return changed;
    }

    private long addToRun(final long meta, final byte[] key, final int offset, final int length, final long payload) {
        final boolean exact = kind(meta) != SINGLE;
        final long other = kind(meta) == BOXED ? leaves.unbox(payload(meta)) : payload(meta);
        // A key that equals the word sorts behind shorter keys and before longer ones of the same word.
        final boolean otherFirst = exact
            ? length > KeyWord.BYTES
            : keys.compareKey(other, key, offset, length) < 0;
        final long run = otherFirst ? runs.create(other, payload) : runs.create(payload, other);
        runCount++;
        return leaf(RUN, level(meta), run);
    }

    /** Retires what the change replaced; called after the new meta was stored. */
    void finish() {
        runs.finish();
        if (unlinkedBox != 0) {
            blocks.retire(unlinkedBox, BOX_CLASS);
            unlinkedBox = 0;
        }
    }

    /**
     * Returns the meta of a leaf without a key: the same if the key is absent, {@link MlpNodeLayout#FREE} if nothing remains.
     * {@link #before} returns the removed payload.
     */
    long remove(final long meta, final byte[] key, final int offset, final int length) {
        before = find(meta, key, offset, length);
        if (before == PointIndex.NONE) {
            return meta;
        }
        if (kind(meta) != RUN) {
            return FREE;
        }
        if (runs.hasOnly(1)) {
            return FREE;
        }
        // The key that remains is read before the run changes, as reading may fail.
        final long other = runs.hasOnly(2) ? runs.other() : PointIndex.NONE;
        final int kind = other == PointIndex.NONE || other > MAX_LEAF_PAYLOAD ? RUN
            : keys.keyLength(other) == KeyWord.BYTES ? EXACT : SINGLE;
        runs.removeFound();
        if (kind == RUN) {
            return leaf(RUN, level(meta), runs.run());
        }
        runs.unlink(runs.run());
        runCount--;
        return leaf(kind, level(meta), other);
    }

    /** Returns the greatest number of bytes of blocks for a number of keys. */
    long bytesFor(final long entries) {
        final long smallest = MlpBlockClasses.bytes(BOX_CLASS);
        return entries * 3 * smallest + Math.min(entries, runCount) * (RunWriter.BYTES_PER_SPLIT + smallest);
    }

    /** Checks that a key equals its word if the index has no key source. */
    void checkLength(final byte[] key, final int offset, final int length) {
        if (length != KeyWord.BYTES && keys == KeySource.NONE) {
            throw new IllegalArgumentException(
                "expected a key of " + KeyWord.BYTES + " bytes, as the index has no key source, but was " + length + " bytes: "
                    + Arrays.toString(Arrays.copyOfRange(key, offset, offset + Math.min(length, 2 * KeyWord.BYTES))));
        }
    }
}
