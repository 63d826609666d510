/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.Slab;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The top levels of the trie: the set of prefixes of three bytes, as bitmaps made on demand. It replaces all nodes at levels 0 to
 * 2, needs no hashing, and its lines mostly are cached.
 * <pre>
 *  roots[256], on the heap, by the first byte: offset of a table, or 0
 *  table, 1 KiB:   256 numbers of bitmaps, four bytes each, by the second byte: offset / 32, or 0
 *  bitmap, 32 bytes: one bit for each third byte
 * </pre>
 * A bit is set before the first leaf below it is written, and cleared after the last one was removed, so that a clear bit proves
 * that no key has the prefix. A bitmap or table that becomes empty is unlinked.
 * <h2>Thread safety</h2>
 * One writer; readers inside guards. Every change is a release store of one word; readers load words with acquire.
 */
final class FlatLevels {
    private static final int FANOUT = 256;
    private static final int BYTE_MASK = FANOUT - 1;
    private static final int PAIRS = FANOUT * FANOUT;
    private static final int BITMAP_CLASS = 0;
    private static final int BITMAP_SHIFT = 5;
    private static final int TABLE_CLASS = BlockClasses.of(FANOUT * Integer.BYTES);
    private static final int POINTER_SHIFT = 2;
    private static final long UNSIGNED_INT_MASK = 0xFFFF_FFFFL;

    private final AtomicLongArray roots = new AtomicLongArray(FANOUT);
    private final BlockAllocator blocks;
    private final Slab slab;
    /* Number of bitmaps by first byte; the writer's. */
    private final int[] bitmaps = new int[FANOUT];
    private int bitmapCount;
    private int tableCount;

    FlatLevels(final BlockAllocator blocks) {
        this.blocks = blocks;
        this.slab = blocks.slab();
    }

    private static int pair(final long word) {
        return (int) (word >>> Long.SIZE - 2 * Byte.SIZE);
    }

    /** Returns the bitmap of two bytes, or 0. */
    private long bitmap(final int pair) {
        final long table = roots.getAcquire(pair >>> Byte.SIZE);
        return table == 0 ? 0 : (slab.getIntAcquire(slot(table, pair)) & UNSIGNED_INT_MASK) << BITMAP_SHIFT;
    }

    private static long slot(final long table, final int pair) {
        return table + ((long) (pair & BYTE_MASK) << POINTER_SHIFT);
    }

    private static long wordOffset(final long bitmap, final int third) {
        return bitmap + (third >>> 6 << 3);
    }

    /** Returns whether a key with a word's first three bytes may be present. */
    boolean contains(final long word) {
        final long bitmap = bitmap(pair(word));
        final int third = KeyWord.byteAt(word, 2);
        return bitmap != 0 && (slab.getLongAcquire(wordOffset(bitmap, third)) >>> third & 1) != 0;
    }

    /** Copies the third bytes that follow two bytes, given as a number. */
    void copyBits(final int pair, final long[] bits) {
        final long bitmap = bitmap(pair);
        for (int i = 0; i < ChildMap.WORDS; i++) {
            bits[i] = bitmap == 0 ? 0 : slab.getLongAcquire(bitmap + ((long) i << 3));
        }
    }

    /** Returns the nearest pair of bytes with a bitmap, from a given one on up or down; negative if there is none. */
    int nextPair(final int start, final boolean forward) {
        final int step = forward ? 1 : -1;
        int pair = start;
        while (pair >= 0 && pair < PAIRS) {
            final long table = roots.getAcquire(pair >>> Byte.SIZE);
            if (table == 0) {
                pair = forward ? (pair | BYTE_MASK) + 1 : (pair & ~BYTE_MASK) - 1;
            } else if (slab.getIntAcquire(slot(table, pair)) != 0) {
                return pair;
            } else {
                pair += step;
            }
        }
        return -1;
    }

    /**
     * Allocates the bitmap of a prefix, so that {@link #set} cannot fail.
     *
     * @throws SpaceExhaustedException if no block is left
     */
    void prepare(final long word) {
        final int pair = pair(word);
        final int first = pair >>> Byte.SIZE;
        if (roots.getPlain(first) == 0) {
            roots.setRelease(first, BlockClasses.allocate(blocks, TABLE_CLASS));
            tableCount++;
        }
        if (bitmap(pair) != 0) {
            return;
        }
        final long bitmap;
        try {
            bitmap = BlockClasses.allocate(blocks, BITMAP_CLASS);
        } catch (final SpaceExhaustedException e) {
            removeTableIfEmpty(first);
            throw e;
        }
        slab.putIntRelease(slot(roots.getPlain(first), pair), (int) (bitmap >>> BITMAP_SHIFT));
        bitmaps[first]++;
        bitmapCount++;
    }

    /** Sets the bit of a prefix after {@link #prepare}. */
    void set(final long word) {
        final int third = KeyWord.byteAt(word, 2);
        final long at = wordOffset(bitmap(pair(word)), third);
        slab.putLongRelease(at, slab.getLong(at) | 1L << third);
    }

    /** Clears the bit of a prefix. */
    void clear(final long word) {
        final int third = KeyWord.byteAt(word, 2);
        final int pair = pair(word);
        final long bitmap = bitmap(pair);
        final long at = wordOffset(bitmap, third);
        slab.putLongRelease(at, slab.getLong(at) & ~(1L << third));
        long any = 0;
        for (int i = 0; i < ChildMap.WORDS; i++) {
            any |= slab.getLong(bitmap + ((long) i << 3));
        }
        if (any == 0) {
            final int first = pair >>> Byte.SIZE;
            slab.putIntRelease(slot(roots.getPlain(first), pair), 0);
            blocks.retire(bitmap, BITMAP_CLASS);
            bitmaps[first]--;
            bitmapCount--;
            removeTableIfEmpty(first);
        }
    }

    private void removeTableIfEmpty(final int first) {
        if (bitmaps[first] == 0) {
            final long table = roots.getPlain(first);
            roots.setRelease(first, 0);
            blocks.retire(table, TABLE_CLASS);
            tableCount--;
        }
    }

    /** Returns the greatest number of bytes of blocks for a number of new prefixes. */
    long bytesFor(final long prefixes) {
        return Math.min(prefixes, PAIRS - bitmapCount) * BlockClasses.bytes(BITMAP_CLASS)
            + Math.min(prefixes, FANOUT - tableCount) * BlockClasses.bytes(TABLE_CLASS);
    }

    /** Returns the number of bytes of blocks in use. */
    long bytesUsed() {
        return bitmapCount * BlockClasses.bytes(BITMAP_CLASS) + tableCount * BlockClasses.bytes(TABLE_CLASS);
    }
}
