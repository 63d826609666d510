/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

import java.lang.invoke.VarHandle;

/**
 * Private copy of a leaf's entries as they stood at one moment, in key order. Sorting happens here and never in the leaf.
 * <p> A copy is in order by discriminators at once; places from {@code low} to {@code high} also are in key order, with
 * their records on the way.
 * <h2>Thread safety</h2>
 * None; a cursor has its own.
 */
final class LeafSnapshot {
    private static final int LINES_OF_LEAF = LEAF_BYTES / LINE_BYTES;
    /* A record is likely to be read this far at least. */
    private static final int RECORD_BYTES_READ = 48;

    private final Leaves leaves;
    private final Slab slab;
    private final KeySource keys;
    private final EntryOrder order;
    /* One place more, for a word that is not present. */
    private final long[] payloads = new long[SLOTS + 1];
    private final long[] ordered = new long[SLOTS];
    private final byte[] slots = new byte[SLOTS];
    private final PrefetchVector lines = new PrefetchVector();
    private long leaf;
    private long state;
    private int next;
    private int previous;
    private int shared;
    private int count;
    private int low;
    private int high;

    LeafSnapshot(final Leaves leaves) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
        this.order = new EntryOrder(keys, payloads);
    }

    /** Asks for all lines of a leaf. */
    void request(final long wanted) {
        for (int i = 0; i < LINES_OF_LEAF; i++) {
            lines.add(slab, wanted + ((long) i << LINE_SHIFT));
        }
        lines.request();
    }

    /** Copies a leaf; returns whether it was alive. */
    boolean copy(final long wanted) {
        leaf = wanted;
        low = 0;
        high = 0;
        for (int round = 0;; round++) {
            state = leaves.state(wanted);
            if ((state & DEAD) != 0) {
                return false;
            }
            if ((state & REWRITING) == 0 && copyEntries() && isUnchanged()) {
                decode();
                order.arrange(sorted(state), count, shared);
                return true;
            }
            LeafWalk.pause(round);
        }
    }

    private boolean isUnchanged() {
        VarHandle.acquireFence();
        return sameVersion(state, leaves.state(leaf));
    }

    /* Slot numbers are read plainly and so in any order; the fence in isUnchanged comes before anything that they lead to. */
    /** Copies whatever there is; returns false if that makes no sense, so that a writer must be at work. */
    private boolean copyEntries() {
        next = leaves.next(leaf);
        previous = leaves.previous(leaf);
        shared = slab.getShort(leaf + SHARED_LENGTH_OFFSET) & 0xFFFF;
        final int sorted = Math.min(sorted(state), SLOTS);
        slab.getBytes(leaf + ORDER_OFFSET, slots, 0, sorted);
        long freeLow = -1L;
        long freeHigh = (1L << SLOTS - Long.SIZE) - 1;
        boolean allPresent = true;
        for (int i = 0; i < sorted; i++) {
            final int slot = slots[i];
            if (slot < 0 || slot >= SLOTS) {
                return false;
            }
            allPresent &= take(i, slot);
            freeLow &= slot < Long.SIZE ? ~(1L << slot) : -1L;
            freeHigh &= slot < Long.SIZE ? -1L : ~(1L << slot);
        }
        count = sorted;
        if (sorted < LeafLayout.count(state)) {
            takeTail(freeLow, 0);
            takeTail(freeHigh, Long.SIZE);
        }
        return allPresent;
    }

    /* An order that is just being written may name a slot twice; then there is not room for all that it does not name. */
    private void takeTail(final long slotsThere, final int base) {
        int copied = count;
        for (long rest = slotsThere; rest != 0 && copied < SLOTS; rest &= rest - 1) {
            copied += take(copied, base + Long.numberOfTrailingZeros(rest)) ? 1 : 0;
        }
        count = copied;
    }

    private boolean take(final int i, final int slot) {
        // Pairs with the release of the word, which covers the discriminator of an entry that is added meanwhile.
        final long word = slab.getLongAcquire(leaf + slotOffset(slot));
        payloads[i] = word;
        order.put(i, slab.getShort(leaf + discriminatorOffset(slot)) & 0xFFFF);
        return (word & PRESENT) != 0;
    }

    /** Replaces entry words by the payloads that they stand for. */
    private void decode() {
        for (int i = 0; i < count; i++) {
            payloads[i] = leaves.payload(payloads[i]);
        }
    }

    /** Asks for the records of the entries from one place to another. */
    void requestRecords(final int from, final int to) {
        for (int i = from; i < to; i++) {
            final long address = keys.address(payloads[order.index(i)]);
            lines.add(address);
            if ((address & LINE_BYTES - 1) > LINE_BYTES - RECORD_BYTES_READ) {
                lines.add(address + RECORD_BYTES_READ);
            }
        }
        lines.request();
    }

    /**
     * Brings at least the entries from one place to another into key order, so that their payloads can be read. They
     * adjoin those that are in order already.
     */
    void resolve(final int from, final int to) {
        if (from >= to) {
            return;
        }
        final int start = order.runStart(from);
        final int end = order.runEnd(to - 1);
        order.resolve(start, end);
        for (int i = start; i < end; i++) {
            ordered[i] = payloads[order.index(i)];
        }
        low = low == high ? start : Math.min(low, start);
        high = Math.max(high, end);
    }

    /** Number of entries whose keys are below a given one, which belongs to the leaf. */
    int rank(final byte[] key, final int offset, final int length) {
        final int wanted = Leaves.discriminator(state, shared, key, offset, length);
        int from = 0;
        int to = count;
        while (from < to) {
            final int middle = from + to >>> 1;
            if (order.discriminator(middle) < wanted) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        if (from == count || order.discriminator(from) != wanted) {
            return from;
        }
        to = order.runEnd(from);
        requestRecords(from, to);
        order.resolve(from, to);
        while (from < to) {
            final int middle = from + to >>> 1;
            if (keys.compareKey(payloads[order.index(middle)], key, offset, length) < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    long leaf() {
        return leaf;
    }

    long state() {
        return state;
    }

    int next() {
        return next;
    }

    int previous() {
        return previous;
    }

    int count() {
        return count;
    }

    /** First place that is in key order. */
    int low() {
        return low;
    }

    /** Place behind the last one that is in key order. */
    int high() {
        return high;
    }

    /** Payload of the entry at a place that is in key order. */
    long payload(final int place) {
        return ordered[place];
    }
}
