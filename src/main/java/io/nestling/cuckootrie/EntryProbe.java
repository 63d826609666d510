/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;
import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.memory.Backoff;
import io.nestling.memory.Slab;

import java.lang.invoke.VarHandle;

/**
 * Finds one entry in its two buckets and keeps a copy of it, its place, and the version that its bucket had
 * before it was read. The copy may be torn if the writer is at work: it counts only if {@link #isUnchanged}
 * says afterwards that the bucket still has that version.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the table meanwhile.
 */
final class EntryProbe {
    private static final int TRIES = 3;

    private long head;
    private long tail;
    private long line;
    private int cell;
    private int version;

    /** Returns the first word of the entry found last. */
    long head() {
        return head;
    }

    /** Returns the second word of the entry found last. */
    long tail() {
        return tail;
    }

    /** Returns the offset of its bucket. */
    long line() {
        return line;
    }

    /** Its cell there. */
    int cell() {
        return cell;
    }

    /** Returns the version of the bucket before it was read, an even number. */
    int version() {
        return version;
    }

    /** Reads the root, which may be absent (head 0). */
    void root(final NodeTable table) {
        read(table, ROOT_OFFSET, 0, 0);
    }

    /** Looks for the child of a node of a given color. */
    boolean byParent(final NodeTable table, final long hash, final int code, final int parentColor) {
        return find(table, hash, code << SYMBOL_SHIFT | parentColor << PARENT_COLOR_SHIFT, BY_PARENT_MASK);
    }

    /** Looks for the entry of a given color. */
    boolean byColor(final NodeTable table, final long hash, final int code, final int color) {
        return find(table, hash, code << SYMBOL_SHIFT | color << COLOR_SHIFT, BY_COLOR_MASK);
    }

    /** Looks for the entry whose identity is given under a mask. */
    boolean find(final NodeTable table, final long hash, final int identity, final int mask) {
        final NameHash names = table.hash();
        final long buckets = table.buckets();
        if (read(table, NodeTable.offsetOf(hash, buckets), identity | names.tag(hash), mask)) {
            return true;
        }
        final long other = names.alternate(hash);
        return read(
            table, NodeTable.offsetOf(other, buckets), identity | SECONDARY | names.tag(other), mask);
    }

    /** Looks for an entry in the bucket at an offset. */
    boolean read(final NodeTable table, final long at, final int wanted, final int mask) {
        final Slab slab = table.slab();
        final int before = versionBefore(table, slab, at);
        // Without a branch: which cell matches is anyone's guess.
        final int match = slab.matchInts(at, CELL_BYTES, wanted, mask);
        if (match == 0) {
            return false;
        }
        cell = Integer.numberOfTrailingZeros(match);
        final long offset = cellOffset(at, cell);
        head = slab.getLong(offset);
        tail = slab.getLong(offset + Long.BYTES - 1) >>> Byte.SIZE;
        line = at;
        version = before;
        return true;
    }

    /** For the writer: looks for an entry where it was seen last; wanted is the lower half of its first word. */
    boolean again(final NodeTable table, final long at, final int wanted) {
        return read(table, at, wanted, -1);
    }

    /**
     * Looks for a node whose place is known, and elsewhere if it is not there.
     *
     * @param table the table
     * @param at offset of the bucket where it should be
     * @param hash hash of its name
     * @param wanted what identifies it there
     * @param mask bits of that which count
     * @return false if it is nowhere, which means that the node above was read torn or has changed
     */
    boolean readNode(final NodeTable table, final long at, final long hash, final int wanted, final int mask) {
        return read(table, at, wanted, mask) || readElsewhere(table, hash, wanted, mask);
    }

    private boolean readElsewhere(final NodeTable table, final long hash, final int wanted, final int mask) {
        final int identity = wanted & mask & ~(TAG_MASK | SECONDARY);
        // More than once: it may be on its way between its two buckets.
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            if (find(table, hash, identity, mask)) {
                return true;
            }
            Backoff.pause(attempt, table.failure());
        }
        return false;
    }

    private static int versionBefore(final NodeTable table, final Slab slab, final long at) {
        int before = slab.getIntAcquire(at + VERSION_OFFSET);
        int spins = 0;
        while ((before & 1) != 0) {
            Backoff.pause(++spins, table.failure());
            before = slab.getIntAcquire(at + VERSION_OFFSET);
        }
        return before;
    }

    /** Returns whether the entry found last was read whole. */
    boolean isWhole(final NodeTable table) {
        return isUnchanged(table, line, version);
    }

    /** Tells the same, and whether the bucket of the node above still has a version. */
    boolean isWholeBelow(final NodeTable table, final long above, final int versionAbove) {
        VarHandle.acquireFence();
        final Slab slab = table.slab();
        return slab.getIntAcquire(line + VERSION_OFFSET) == version
            && slab.getIntAcquire(above + VERSION_OFFSET) == versionAbove;
    }

    /** Returns whether a bucket still has a version, so that all that was read there since is right. */
    static boolean isUnchanged(final NodeTable table, final long line, final int version) {
        VarHandle.acquireFence();
        return table.slab().getIntAcquire(line + VERSION_OFFSET) == version;
    }
}
