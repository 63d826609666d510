/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

/**
 * Sparse node: two to six children in one block. Little endian.
 * <pre>
 *  byte  0       4       8      12      16      20      24              30      32
 *        +-------+-------+-------+-------+-------+-------+---------------+-------+
 *        | child | child | child | child | child | child |  transitions  | order |
 *        |   0   |   1   |   2   |   3   |   4   |   5   |  0 1 2 3 4 5  | word  |
 *        +-------+-------+-------+-------+-------+-------+---------------+-------+
 *
 *  field         offset  bytes  access (writer / reader)                          constant
 *  child[i]       0+4i     4    first plain, then putIntRelease / getIntAcquire   CHILDREN_OFFSET
 *  transition[i] 24+i      1    part of the meta word                             META_OFFSET
 *  order word    30        2    part of the meta word                             META_OFFSET
 *  meta word     24        8    putLongRelease / getLongAcquire                   META_OFFSET
 * </pre> Transitions and order word are one aligned word of 8 bytes. A child is added by a plain store of its pointer and one
 * release store of the meta word, so that a reader finds a child by transition and by order at the same moment, or not at all.
 * Unused transitions repeat transition 0, so that the first match is always a used one.
 * <p> The order word lists child indexes by ascending transition as base-6 digits, least significant first.
 * Child 0 never has the largest transition, so that the last digit is not 0 and peeling {@code order % 6},
 * {@code order /= 6} ends at 0.
 * <p>
 * Example: 'b','d' at 0,1 give order 1*6 + 0 = 6; adding 'a' at 2 gives 38; peeling 38 yields 2,0,1 = a,b,d.
 */
final class SparseNodeLayout {
    static final int CHILDREN_OFFSET = 0;
    static final int META_OFFSET = 24;
    static final int MAX_CHILDREN = 6;
    static final int ORDER_SHIFT = 48;
    static final int ORDER_BASE = 6;
    static final int TRANSITION_BITS = 8;
    private static final long LOW_BITS = 0x0000_0101_0101_0101L;
    private static final long HIGH_BITS = 0x0000_8080_8080_8080L;

    private SparseNodeLayout() {
    }

    /** Returns the index of the child for a transition, or -1. */
    static int indexOf(final long meta, final int transition) {
        final long difference = meta ^ transition * LOW_BITS;
        final long match = difference - LOW_BITS & ~difference & HIGH_BITS;
        return match == 0 ? -1 : Long.numberOfTrailingZeros(match) >>> 3;
    }

    static int transition(final long meta, final int index) {
        return (int) (meta >>> index * TRANSITION_BITS) & 0xFF;
    }

    static int order(final long meta) {
        return (int) (meta >>> ORDER_SHIFT);
    }

    /** Returns the number of children. */
    static int count(final long meta) {
        int count = 0;
        for (int order = order(meta); order != 0; order /= ORDER_BASE) {
            count++;
        }
        return count;
    }

    /** Returns the meta word with the least transition of a new node, to be followed by {@link #withChild} for the others. */
    static long firstChild(final int transition) {
        return transition * LOW_BITS;
    }

    /** Returns the meta word with one more child, at index {@code count}. */
    static long withChild(final long meta, final int count, final int transition) {
        // The base to the power of the new child's rank: above and below it are the digits of greater and lower transitions.
        int power = 1;
        int above = order(meta);
        for (int rank = 0; rank < count && transition(meta, above % ORDER_BASE) < transition; rank++) {
            power *= ORDER_BASE;
            above /= ORDER_BASE;
        }
        final long order = (above * ORDER_BASE + count) * power + order(meta) % power;
        final int shift = count * TRANSITION_BITS;
        final long transitions = meta & (1L << ORDER_SHIFT) - 1 & ~(0xFFL << shift);
        return transitions | (long) transition << shift | order << ORDER_SHIFT;
    }
}
