/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

/**
 * The children of a node by their bytes: lists of bytes packed in words, whose unused bytes repeat a child, and bitmaps of 256
 * bits in four words.
 */
final class ChildMap {
    /** Words of a bitmap. */
    static final int WORDS = 4;
    /** Greatest number of children. */
    static final int CHILDREN = 256;
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHS = 0x8080_8080_8080_8080L;
    private static final long SMALL_HIGHS = HIGHS >>> 16;
    private static final int BYTE_MASK = 0xFF;

    private ChildMap() {
    }

    /** Returns whether one of the six low bytes of a word is a child. */
    static boolean smallContains(final long children, final int child) {
        final long difference = children ^ ONES * child;
        return (difference - ONES & ~difference & SMALL_HIGHS) != 0;
    }

    /** Returns whether one of the eight bytes of a word is a child. */
    static boolean contains(final long children, final int child) {
        final long difference = children ^ ONES * child;
        return (difference - ONES & ~difference & HIGHS) != 0;
    }

    static int at(final long children, final int i) {
        return (int) (children >>> Byte.SIZE * i) & BYTE_MASK;
    }

    static long with(final long children, final int i, final int child) {
        return children & ~((long) BYTE_MASK << Byte.SIZE * i) | (long) child << Byte.SIZE * i;
    }

    static void add(final long[] bits, final int from, final int child) {
        bits[from + (child >>> 6)] |= 1L << child;
    }

    static void remove(final long[] bits, final int child) {
        bits[child >>> 6] &= ~(1L << child);
    }

    /** Adds the {@code count} low bytes of a word to a bitmap. */
    static void addAll(final long children, final int count, final long[] bits, final int from) {
        for (int i = 0; i < count; i++) {
            add(bits, from, at(children, i));
        }
    }

    /** Returns the smallest child at or above one in a bitmap, or a negative number. */
    static int ceiling(final long[] bits, final int child) {
        if (child >= CHILDREN) {
            return -1;
        }
        int word = child >>> 6;
        long rest = bits[word] & -1L << child;
        while (rest == 0) {
            if (++word == WORDS) {
                return -1;
            }
            rest = bits[word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(rest);
    }

    /** Writes the children of a bitmap, one to {@code size} of them, into so many bytes; the greatest fills the last bytes. */
    static void pack(final long[] bits, final long[] list, final int size) {
        int child = ceiling(bits, 0);
        for (int i = 0; i < size; i++) {
            list[i >>> 3] = with(list[i >>> 3], i & Long.BYTES - 1, child);
            final int next = ceiling(bits, child + 1);
            child = next < 0 ? child : next;
        }
    }

    /** Removes and returns the first or last child of a bitmap of four words that is not empty. */
    static int poll(final long[] bits, final boolean first) {
        int word = first ? 0 : WORDS - 1;
        while (bits[word] == 0) {
            word += first ? 1 : -1;
        }
        final long rest = bits[word];
        final int bit = first ? Long.numberOfTrailingZeros(rest) : Long.SIZE - 1 - Long.numberOfLeadingZeros(rest);
        bits[word] = rest & ~(1L << bit);
        return (word << 6) + bit;
    }

    /** Removes all children from a bitmap of four words except those above one, or below it; it may become empty. */
    static void keepBehind(final long[] bits, final int child, final boolean above) {
        for (int i = 0; i < WORDS; i++) {
            final int index = child - (i << 6);
            final long below = index <= 0 ? 0 : index >= Long.SIZE ? -1L : (1L << index) - 1;
            final long self = index >= 0 && index < Long.SIZE ? 1L << index : 0;
            bits[i] &= above ? ~(below | self) : below;
        }
    }

    static int size(final long[] bits) {
        return Long.bitCount(bits[0]) + Long.bitCount(bits[1]) + Long.bitCount(bits[2]) + Long.bitCount(bits[3]);
    }
}
