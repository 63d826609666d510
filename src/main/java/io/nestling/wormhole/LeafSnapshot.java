/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.offheap.Backoff;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;

/**
 * Private copy of a leaf's payloads in key order, as of one moment: of all, or of some around the position of a key, to which
 * {@link #complete} adds the others.
 * <h2>Thread safety</h2>
 * None; a cursor has its own.
 */
final class LeafSnapshot {
    private static final int BYTE_MASK = 0xFF;
    /* Sampled keys, of which the longest one predicts the length of those in the next leaf. */
    private static final int SAMPLED_KEYS = 4;

    private final Leaves leaves;
    private final Slab slab;
    private final KeySource keys;
    private final KeySearch search;
    private final long[] payloads = new long[SLOTS];
    private final PrefetchVector lines = new PrefetchVector();
    private long leaf;
    private long state;
    private int next;
    private int previous;
    private int shared;
    private int count;
    /* Positions with the discriminator of the wanted key, and the one among several whose entry has its tag, or -1. */
    private int runStart;
    private int runEnd;
    private int likely;
    /* Positions that were copied. */
    private int copiedFrom;
    private int copiedTo;
    /* Positions whose records were requested. */
    private int requestedFrom;
    private int requestedTo;

    LeafSnapshot(final Leaves leaves) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
        this.search = new KeySearch(keys);
    }

    /** Requests all lines of a leaf. */
    void request(final long wanted) {
        add(wanted, LEAF_BYTES);
        lines.request();
    }

    /** Requests the lines of a leaf that tell the position of the key of a hash, and its own. */
    void request(final long wanted, final long hash) {
        add(wanted, ENTRIES_OFFSET);
        lines.add(slab, wanted + lineOffset(homeLine(hash)));
        lines.request();
    }

    private void add(final long wanted, final int end) {
        for (int at = 0; at < end; at += LINE_BYTES) {
            lines.add(slab, wanted + at);
        }
    }

    /** Copies a leaf; returns whether it was alive. */
    boolean copy(final long wanted) {
        return copy(wanted, null, 0, 0, 0, true);
    }

    /**
     * Copies a leaf for a later {@link #rank} of a key with a hash: the whole leaf, or only the entries before, at and behind the
     * key's position; returns whether the leaf was alive.
     */
    boolean copy(
        final long wanted, final byte[] key, final int offset, final int length, final long hash, final boolean whole) {
        leaf = wanted;
        requestedFrom = 0;
        requestedTo = 0;
        for (int round = 0;; round++) {
            state = leaves.state(wanted);
            if ((state & DEAD) != 0) {
                return false;
            }
            if ((state & REWRITING) == 0 && copyEntries(key, offset, length, hash, whole)) {
                return true;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    /** Copies what is there; returns false if it makes no sense, so that a writer must be changing it. */
    private boolean copyEntries(
        final byte[] key, final int offset, final int length, final long hash, final boolean whole) {
        // wormhole-concurrency.md, claims 9, 10 and 13
        next = slab.getInt(leaf + NEXT_OFFSET);
        previous = slab.getInt(leaf + PREVIOUS_OFFSET);
        shared = slab.getShort(leaf + SHARED_LENGTH_OFFSET) & 0xFFFF;
        count = Math.min(LeafLayout.count(state), SLOTS);
        if (key != null) {
            final int wanted = Leaves.discriminator(state, shared, key, offset, length);
            runStart = LeafOrder.rank(slab, leaf, count, wanted);
            runEnd = LeafOrder.rank(slab, leaf, count, wanted + 1);
            likely = runEnd - runStart > 1 ? tagged(probe(hash)) : -1;
        }
        copiedFrom = whole ? 0 : Math.max(0, runStart - 1);
        copiedTo = whole ? count : Math.min(count, runEnd + 1);
        return isCopied(whole ? copyAll() : copySome());
    }

    /**
     * Copies all of a leaf of which a part was copied; returns whether the leaf was as it had been then. If it was not, the copy
     * is lost.
     */
    boolean complete() {
        if (copiedTo - copiedFrom == count) {
            return true;
        }
        copiedFrom = 0;
        copiedTo = count;
        return isCopied(copyAll());
    }

    /** Copies all entry words; returns whether all are present, and whether any leads to a block. */
    private long copyAll() {
        final long words = leaf + ENTRIES_OFFSET;
        long all = PRESENT;
        long any = 0;
        for (int from = 0; from < count; from += Long.BYTES) {
            long slots = slab.getLong(leaf + ORDER_OFFSET + from);
            final int to = Math.min(count, from + Long.BYTES);
            for (int i = from; i < to; i++) {
                final int slot = Math.min((int) slots & BYTE_MASK, SLOTS - 1); // the order may be torn
                slots >>>= Byte.SIZE;
                final long word = slab.getLong(words + (slot << 3));
                all &= word;
                any |= word;
                payloads[i] = word & (PAYLOAD_MASK | IN_BLOCK);
            }
        }
        return all & PRESENT | any & IN_BLOCK;
    }

    /** Copies the entry words of the positions to copy; returns as {@link #copyAll}. */
    private long copySome() {
        long all = PRESENT;
        long any = 0;
        for (int i = copiedFrom; i < copiedTo; i++) {
            final long word = slab.getLong(leaf + slotOffset(slot(i)));
            all &= word;
            any |= word;
            payloads[i] = word & (PAYLOAD_MASK | IN_BLOCK);
        }
        return all & PRESENT | any & IN_BLOCK;
    }

    /** Returns the slot at a position, or the last one if the order is torn. */
    private int slot(final int position) {
        return Math.min(slab.getByte(leaf + ORDER_OFFSET + position) & BYTE_MASK, SLOTS - 1);
    }

    /** Returns whether the leaf is as it was when the copy began, given what its words said; reads payload blocks then. */
    private boolean isCopied(final long flags) {
        // The reads so far were plain, and so in any order; what they lead to is read behind the fence.
        VarHandle.acquireFence();
        if (!sameVersion(state, slab.getLong(leaf + STATE_OFFSET)) || (flags & PRESENT) == 0) {
            return false;
        }
        if ((flags & IN_BLOCK) != 0) {
            for (int i = copiedFrom; i < copiedTo; i++) {
                payloads[i] = leaves.payload(payloads[i]);
            }
        }
        return true;
    }

    /**
     * Requests the records of entries from one position up to another one, as far as they were copied and not requested before,
     * and of those in between; for keys of a likely length.
     */
    void requestRecords(final int from, final int to, final int keyLength) {
        final int first = Math.max(copiedFrom, from);
        final int end = Math.min(copiedTo, to);
        if (requestedFrom == requestedTo) {
            requestedFrom = first;
            requestedTo = first;
        }
        for (int i = requestedTo; i < end; i++) {
            keys.addTo(lines, payloads[i], keyLength);
        }
        for (int i = first; i < requestedFrom; i++) {
            keys.addTo(lines, payloads[i], keyLength);
        }
        lines.request();
        requestedTo = Math.max(requestedTo, end);
        requestedFrom = Math.min(requestedFrom, first);
    }

    /** Returns the greatest length of some keys whose records were requested, or a given one if there are none. */
    int longestKey(final int otherwise) {
        final int requested = requestedTo - requestedFrom;
        int longest = requested == 0 ? otherwise : 0;
        for (int i = 0; i < SAMPLED_KEYS && requested > 0; i++) {
            longest = Math.max(longest, keys.keyLength(payloads[requestedFrom + i * requested / SAMPLED_KEYS]));
        }
        return longest;
    }

    /** Returns a position with the wanted key's discriminator whose entry word matches a probe, or -1. */
    private int tagged(final long probe) {
        int found = -1;
        for (int position = runStart; position < runEnd; position++) {
            found = ((slab.getLong(leaf + slotOffset(slot(position))) ^ probe) & PROBE_MASK) == 0 ? position : found;
        }
        return found;
    }

    /**
     * Returns the number of entries with smaller keys than a given one, which belongs to the leaf and was named when it was
     * copied. Requests the records of the entries from there on that a walk reads first, as far as that is known before keys are
     * compared.
     */
    int rank(final byte[] key, final int offset, final int length, final int ahead) {
        // wormhole-concurrency.md, claim 14
        if (likely >= 0) {
            requestRecords(likely, likely + ahead, length);
            if (keys.compareKey(payloads[likely], key, offset, length) == 0) {
                return likely; // the key is present, and its position known without a search
            }
        } else if (runEnd - runStart <= 1) {
            requestRecords(runStart, runStart + ahead, length);
        }
        return search.rank(payloads, runStart, runEnd, key, offset, length);
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

    long payload(final int position) {
        return payloads[position];
    }
}
