/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

/**
 * The key order of a leaf's entries ({@link LeafLayout}): finds positions, inserts and removes entries.
 * <h2>Thread safety</h2>
 * The writer only; changes require the state's REWRITING bit. Readers call {@link #rank} alone, and validate the result by the
 * leaf's state.
 */
final class LeafOrder {
    private static final int SHORT_MASK = 0xFFFF;
    /* What a put that compared keys adds to the expectation that the next one will, too; each write takes 1 away. */
    private static final int COMPARED_TRUST = 2;
    private static final int MAX_TRUST = 8;
    private static final int ENOUGH_TRUST = 5;

    private final Leaves leaves;
    private final Slab slab;
    private final KeySearch search;
    private final long[] payloads = new long[SLOTS];
    private final PrefetchVector lines = new PrefetchVector();
    private int trust;

    LeafOrder(final Leaves leaves) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.search = new KeySearch(leaves.keys());
    }

    /** Requests the entries of a leaf, all at once. */
    void requestEntries(final long leaf) {
        for (int at = ENTRIES_OFFSET; at < LEAF_BYTES; at += LINE_BYTES) {
            lines.add(slab, leaf + at);
        }
        lines.request();
    }

    /**
     * Requests the entries of a leaf for a write if most recent writes were puts that compared keys: these need the words of
     * entries in many lines before they can request the records.
     */
    void requestLikelyEntries(final long leaf) {
        if (trust >= ENOUGH_TRUST) {
            requestEntries(leaf);
        }
        trust = Math.max(trust - 1, 0);
    }

    int slot(final long leaf, final int position) {
        return slab.getByte(leaf + ORDER_OFFSET + position);
    }

    int discriminator(final long leaf, final int position) {
        return slab.getShort(leaf + discriminatorOffset(position)) & SHORT_MASK;
    }

    void set(final long leaf, final int position, final int slot, final int discriminator) {
        slab.putByte(leaf + ORDER_OFFSET + position, (byte) slot);
        slab.putShort(leaf + discriminatorOffset(position), (short) discriminator);
    }

    /** Returns the number of a leaf's entries whose discriminators are below a given one. */
    static int rank(final Slab slab, final long leaf, final int count, final int discriminator) {
        final long first = leaf + DISCRIMINATORS_OFFSET;
        int low = 0;
        for (int size = count; size > 0;) {
            final int half = size + 1 >>> 1;
            final int found = slab.getShort(first + (low + half - 1 << 1)) & SHORT_MASK;
            low += found - discriminator >> Integer.SIZE - 1 & half; // no branch: it would be mispredicted
            size -= half;
        }
        return low;
    }

    /** Returns the position for an absent key. */
    int positionFor(
        final long leaf, final int count, final int discriminator, final byte[] key, final int offset, final int length) {
        final int first = rank(slab, leaf, count, discriminator);
        return isAt(leaf, first, count, discriminator) ? positionAmong(leaf, first, count, key, offset, length) : first;
    }

    /** Returns whether the entry at a position exists and has a discriminator. */
    boolean isAt(final long leaf, final int position, final int count, final int discriminator) {
        return position < count && discriminator(leaf, position) == discriminator;
    }

    /** Returns the position for an absent key among those with its discriminator, given the first of these. */
    int positionAmong(
        final long leaf, final int first, final int count, final byte[] key, final int offset, final int length) {
        trust = Math.min(trust + COMPARED_TRUST, MAX_TRUST);
        final int end = rank(slab, leaf, count, discriminator(leaf, first) + 1);
        for (int i = first; i < end; i++) {
            payloads[i] = leaves.payload(slab.getLong(leaf + slotOffset(slot(leaf, i))));
        }
        if (end == count && leaves.keys().compareKey(payloads[end - 1], key, offset, length) < 0) {
            return count; // keys may ascend
        }
        return search.rank(payloads, first, end, key, offset, length);
    }

    /** Inserts an entry at a position of a leaf with {@code count} entries. */
    void insert(final long leaf, final int position, final int count, final int slot, final int discriminator) {
        final int moved = count - position;
        if (moved >= Long.BYTES) {
            moveUp(leaf + ORDER_OFFSET + position, moved, Byte.BYTES);
            moveUp(leaf + discriminatorOffset(position), moved << 1, Short.BYTES);
        } else {
            for (int i = count; i > position; i--) {
                set(leaf, i, slot(leaf, i - 1), discriminator(leaf, i - 1));
            }
        }
        set(leaf, position, slot, discriminator);
    }

    /** Moves eight or more bytes up by a few, eight at a time. */
    private void moveUp(final long from, final int bytes, final int by) {
        final long lowest = slab.getLong(from);
        for (long at = from + bytes - Long.BYTES; at > from; at -= Long.BYTES) {
            slab.putLong(at + by, slab.getLong(at));
        }
        slab.putLong(from + by, lowest);
    }

    /** Returns the position of the entry in a taken slot. */
    int positionOf(final long leaf, final int slot) {
        int position = 0;
        while (slot(leaf, position) != slot) {
            position++;
        }
        return position;
    }

    /** Removes the entry at a position of a leaf with {@code count} entries. */
    void remove(final long leaf, final int position, final int count) {
        for (int i = position + 1; i < count; i++) {
            set(leaf, i - 1, slot(leaf, i), discriminator(leaf, i));
        }
    }
}
