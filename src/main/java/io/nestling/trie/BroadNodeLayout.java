/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import io.nestling.offheap.Slab;

/**
 * Node with 5 to 24 children in 128 bytes, two lines that a lookup can request at once:
 * <pre>
 * 0..23    transitions in the order in which they were added
 * 24..27   number of transitions, those whose child was removed counted
 * 28..31   zero
 * 32..127  pointers to the children in the same order; {@code NONE} where the child was removed
 * </pre> A child is added in place: its transition and pointer are stored first, and the release of the number publishes both. A
 * removed child's transition stays, so that a later child for it gets the same index.
 */
final class BroadNodeLayout {
    static final int COUNT_OFFSET = 24;
    static final int CHILDREN_OFFSET = 32;
    static final int MAX_CHILDREN = 24;
    static final int LINE_BYTES = 64;
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final int WORD_SHIFT = 3;
    private static final int BYTE_MASK = 0xFF;

    private BroadNodeLayout() {
    }

    static int count(final Slab slab, final long base) {
        return slab.getIntAcquire(base + COUNT_OFFSET);
    }

    static long childSlot(final long base, final int index) {
        return base + CHILDREN_OFFSET + ((long) index << TrieBlockLayout.POINTER_SHIFT);
    }

    /** Returns the index of the child for a transition, which may have been removed, or -1. */
    static int indexOf(final Slab slab, final long base, final int transition) {
        final int count = count(slab, base);
        for (int from = 0; from < count; from += Long.BYTES) {
            final long difference = slab.getLong(base + from) ^ transition * LOW_BITS;
            final long match = difference - LOW_BITS & ~difference & HIGH_BITS;
            if (match != 0) {
                // The lowest match is a true one; bytes behind the last transition are none.
                final int index = from + (Long.numberOfTrailingZeros(match) >>> WORD_SHIFT);
                return index < count ? index : -1;
            }
        }
        return -1;
    }

    static int transition(final Slab slab, final long base, final int index) {
        return (int) (slab.getLong(base + (index & -Long.BYTES)) >>> (index & Long.BYTES - 1) * Byte.SIZE) & BYTE_MASK;
    }

    /** Adds a child to a node with room; readers see all of it or nothing. */
    static void append(final Slab slab, final long base, final int transition, final int child) {
        // trie-concurrency.md, claim 1
        final int index = slab.getInt(base + COUNT_OFFSET);
        final long word = base + (index & -Long.BYTES);
        slab.putLong(word, slab.getLong(word) | (long) transition << (index & Long.BYTES - 1) * Byte.SIZE);
        slab.putInt(childSlot(base, index), child);
        slab.putIntRelease(base + COUNT_OFFSET, index + 1);
    }
}
