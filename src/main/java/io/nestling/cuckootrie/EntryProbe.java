/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;
import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.Backoff;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;

/**
 * Finds an entry in its two buckets and keeps a copy of it, its location, and the version of its bucket before the read. The copy
 * may be torn: it counts only if {@link #isUnchanged} finds the same version afterwards.
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

    /** Returns the payload of the entry found last, which must be a leaf. */
    long payload() {
        return CuckooTrieEntryLayout.payload(head, tail);
    }

    /** Returns the offset of the bucket of the entry found last. */
    long line() {
        return line;
    }

    /** Returns the cell of the entry found last. */
    int cell() {
        return cell;
    }

    /** Returns the version of the bucket before it was read; even. */
    int version() {
        return version;
    }

    /** Reads the root, which may be absent (head 0). */
    void root(final NodeTable table) {
        read(table, ROOT_OFFSET, 0, 0);
    }

    /** Finds the child of a node of a given color. */
    boolean byParent(final NodeTable table, final long hash, final int code, final int parentColor) {
        return find(table, hash, code << SYMBOL_SHIFT | parentColor << PARENT_COLOR_SHIFT, BY_PARENT_MASK);
    }

    /** Finds the entry with an identity under a mask. */
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

    /** Finds an entry in the bucket at an offset. */
    boolean read(final NodeTable table, final long at, final int wanted, final int mask) {
        final Slab slab = table.slab();
        final int before = versionBefore(table, slab, at);
        // No branch: the matching cell is unpredictable.
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

    /** Counts the entries of a name in the bucket at an offset, which it adds to those passed. */
    int count(final NodeTable table, final long at, final int wanted, final NodePath passed) {
        passed.add(at, versionBefore(table, table.slab(), at));
        return Integer.bitCount(table.slab().matchInts(at, CELL_BYTES, wanted, BY_NAME_MASK));
    }

    /**
     * Finds a node in the bucket at an offset, where it should be, else in its other bucket, by those bits of {@code wanted} that
     * {@code mask} has. Returns false if it is in neither: the node above was torn or has changed.
     */
    boolean readNode(final NodeTable table, final long at, final long hash, final int wanted, final int mask) {
        return read(table, at, wanted, mask) || readElsewhere(table, hash, wanted, mask);
    }

    private boolean readElsewhere(final NodeTable table, final long hash, final int wanted, final int mask) {
        final int identity = wanted & mask & ~(TAG_MASK | SECONDARY);
        // More than once: the entry may be moving between its two buckets.
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

    /** Returns whether the entry was read whole and the bucket of the node above still has a version. */
    boolean isWholeBelow(final NodeTable table, final long above, final int versionAbove) {
        VarHandle.acquireFence();
        final Slab slab = table.slab();
        return slab.getIntAcquire(line + VERSION_OFFSET) == version
            && slab.getIntAcquire(above + VERSION_OFFSET) == versionAbove;
    }

    /** Returns whether a bucket still has a version, so that all reads there since are consistent. */
    static boolean isUnchanged(final NodeTable table, final long line, final int version) {
        VarHandle.acquireFence();
        return table.slab().getIntAcquire(line + VERSION_OFFSET) == version;
    }
}
