/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.Slab;

/**
 * Places of a leaf's entries ({@link LeafLayout}): where a key belongs among them, and how they make room for one or close
 * up behind one.
 * <h2>Thread safety</h2>
 * The writer only, and what changes a leaf while its state says that it is being rewritten.
 */
final class LeafPlaces {
    /** No place among the sorted entries: the tail. */
    static final int IN_TAIL = -1;
    /* Up to so many entries with the same discriminator a new key is compared with; beside more of them it joins the tail. */
    private static final int COMPARED_ENTRIES = 2;
    private static final int SHORT_MASK = 0xFFFF;

    private final Leaves leaves;
    private final Slab slab;
    private final KeySource keys;

    LeafPlaces(final Leaves leaves) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
    }

    int slot(final long leaf, final int place) {
        return slab.getByte(leaf + ORDER_OFFSET + place);
    }

    int discriminator(final long leaf, final int place) {
        return slab.getShort(leaf + discriminatorOffset(place)) & SHORT_MASK;
    }

    void set(final long leaf, final int place, final int slot, final int discriminator) {
        slab.putByte(leaf + ORDER_OFFSET + place, (byte) slot);
        slab.putShort(leaf + discriminatorOffset(place), (short) discriminator);
    }

    /** Number of a leaf's first entries, of those that are sorted, whose discriminators are below a given one. */
    static int rank(final Slab slab, final long leaf, final int sorted, final int discriminator) {
        final long first = leaf + DISCRIMINATORS_OFFSET;
        int low = 0;
        for (int size = sorted; size > 0;) {
            final int half = size + 1 >>> 1;
            final int found = slab.getShort(first + (low + half - 1 << 1)) & SHORT_MASK;
            low += found - discriminator >> Integer.SIZE - 1 & half; // no branch, which would be mispredicted
            size -= half;
        }
        return low;
    }

    /** Place at which a key that is not there belongs among the sorted entries, or {@link #IN_TAIL}. */
    int placeFor(
        final long leaf, final int sorted, final int discriminator, final byte[] key, final int offset, final int length) {
        if (sorted > 0 && isLast(leaf, sorted - 1, discriminator, key, offset, length)) {
            return sorted;
        }
        final int rank = rank(slab, leaf, sorted, discriminator);
        int place = rank;
        for (; place < sorted && discriminator(leaf, place) == discriminator; place++) {
            if (place == rank + COMPARED_ENTRIES) {
                return IN_TAIL;
            }
        }
        while (place > rank && keys.compareKey(payload(leaf, place - 1), key, offset, length) > 0) {
            place--;
        }
        return place;
    }

    /** Whether a key is above that at a place: keys that come in order are put in their places whatever they share. */
    private boolean isLast(
        final long leaf, final int place, final int discriminator, final byte[] key, final int offset, final int length) {
        final int last = discriminator(leaf, place);
        return last < discriminator
            || last == discriminator && keys.compareKey(payload(leaf, place), key, offset, length) < 0;
    }

    private long payload(final long leaf, final int place) {
        return leaves.payload(slab.getLong(leaf + slotOffset(slot(leaf, place))));
    }

    /** Makes room for an entry at a place of a leaf that has a number of them, and puts it there. */
    void insert(final long leaf, final int place, final int count, final int slot, final int discriminator) {
        final int moved = count - place;
        if (moved >= Long.BYTES) {
            moveUp(leaf + ORDER_OFFSET + place, moved, Byte.BYTES);
            moveUp(leaf + discriminatorOffset(place), moved << 1, Short.BYTES);
        } else {
            for (int i = count; i > place; i--) {
                set(leaf, i, slot(leaf, i - 1), discriminator(leaf, i - 1));
            }
        }
        set(leaf, place, slot, discriminator);
    }

    /** Moves eight bytes or more up by a few, eight at a time. */
    private void moveUp(final long from, final int bytes, final int by) {
        final long lowest = slab.getLong(from);
        for (long at = from + bytes - Long.BYTES; at > from; at -= Long.BYTES) {
            slab.putLong(at + by, slab.getLong(at));
        }
        slab.putLong(from + by, lowest);
    }

    /** Place of the entry in a slot, which is there. */
    int placeOf(final long leaf, final int slot) {
        int place = 0;
        while (slot(leaf, place) != slot) {
            place++;
        }
        return place;
    }

    /** Takes an entry out of its place in a leaf that has a number of them. */
    void remove(final long leaf, final int place, final int count) {
        for (int i = place + 1; i < count; i++) {
            set(leaf, i - 1, slot(leaf, i), discriminator(leaf, i));
        }
    }
}
