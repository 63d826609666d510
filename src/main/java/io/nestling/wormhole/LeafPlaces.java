/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

/**
 * Places of a leaf's entries ({@link LeafLayout}): where a key belongs among them, and how they make room for one or close
 * up behind one.
 * <h2>Thread safety</h2>
 * The writer only, and what changes a leaf while its state says that it is being rewritten. Readers call {@link #rank} alone,
 * and validate what it answers by the leaf's state.
 */
final class LeafPlaces {
    /* Up to so many keys that may be compared are requested together; of more of them, those of some steps of the search. */
    private static final int REQUESTED_KEYS = 8;
    private static final int AHEAD_STEPS = 3;
    private static final int SHORT_MASK = 0xFFFF;
    /* What a put that compared keys adds to the trust that the next one will, too, of which each write takes 1. */
    private static final int COMPARED_TRUST = 2;
    private static final int MAX_TRUST = 8;
    private static final int ENOUGH_TRUST = 5;

    private final Leaves leaves;
    private final Slab slab;
    private final KeySource keys;
    private final PrefetchVector lines = new PrefetchVector();
    private int trust;

    LeafPlaces(final Leaves leaves) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
    }

    /**
     * Asks for all entries of a leaf for a write, if most writes lately were puts that had to compare keys: these wait for
     * the words of entries in many lines before they can ask for the records.
     */
    void requestEntries(final long leaf) {
        if (trust >= ENOUGH_TRUST) {
            for (int at = ENTRIES_OFFSET; at < LEAF_BYTES; at += LINE_BYTES) {
                lines.add(slab, leaf + at);
            }
            lines.request();
        }
        trust = Math.max(trust - 1, 0);
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

    /** Returns the number of a leaf's entries, of which it has some, whose discriminators are below a given one. */
    static int rank(final Slab slab, final long leaf, final int count, final int discriminator) {
        final long first = leaf + DISCRIMINATORS_OFFSET;
        int low = 0;
        for (int size = count; size > 0;) {
            final int half = size + 1 >>> 1;
            final int found = slab.getShort(first + (low + half - 1 << 1)) & SHORT_MASK;
            low += found - discriminator >> Integer.SIZE - 1 & half; // no branch, which would be mispredicted
            size -= half;
        }
        return low;
    }

    /** Returns the place at which a key belongs that is not there. */
    int placeFor(
        final long leaf, final int count, final int discriminator, final byte[] key, final int offset, final int length) {
        final int first = firstPlace(leaf, count, discriminator);
        return isAt(leaf, first, count, discriminator) ? placeAmong(leaf, first, count, key, offset, length) : first;
    }

    /** Returns whether there is an entry at a place and has a discriminator. */
    boolean isAt(final long leaf, final int place, final int count, final int discriminator) {
        return place < count && discriminator(leaf, place) == discriminator;
    }

    /** Returns the first place whose discriminator is a given one or a greater one; the number of places if there is none. */
    int firstPlace(final long leaf, final int count, final int discriminator) {
        // Keys that come in order are put behind the last one without a search.
        return count == 0 || discriminator(leaf, count - 1) < discriminator
            ? count : rank(slab, leaf, count, discriminator);
    }

    /** Returns the place of a key that is not there among those that have its discriminator, of which the first one is given. */
    int placeAmong(
        final long leaf, final int first, final int count, final byte[] key, final int offset, final int length) {
        trust = Math.min(trust + COMPARED_TRUST, MAX_TRUST);
        int low = first;
        int high = rank(slab, leaf, count, discriminator(leaf, first) + 1);
        final boolean withLast = high == count;
        if (withLast) {
            // It is compared first, as keys may come in order; the others are on their way meanwhile.
            high--;
            keys.addTo(lines, payload(leaf, high), length);
        }
        int steps = request(leaf, low, high, length);
        if (withLast && compare(leaf, high, key, offset, length) < 0) {
            return count;
        }
        while (low < high) {
            if (steps == 0) {
                steps = request(leaf, low, high, length);
            }
            steps--;
            final int middle = low + high >>> 1;
            if (compare(leaf, middle, key, offset, length) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int compare(final long leaf, final int place, final byte[] key, final int offset, final int length) {
        return keys.compareKey(payload(leaf, place), key, offset, length);
    }

    /** Asks for the records that the next steps of a binary search may read; returns the number of these steps. */
    private int request(final long leaf, final int from, final int to, final int length) {
        final int steps = to - from <= REQUESTED_KEYS ? Integer.SIZE : AHEAD_STEPS;
        add(leaf, from, to, length, steps);
        lines.request();
        return steps;
    }

    private void add(final long leaf, final int from, final int to, final int length, final int steps) {
        if (from < to && steps > 0) {
            final int middle = from + to >>> 1;
            keys.addTo(lines, payload(leaf, middle), length);
            add(leaf, from, middle, length, steps - 1);
            add(leaf, middle + 1, to, length, steps - 1);
        }
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

    /** Returns the place of the entry in a slot, which is there. */
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
