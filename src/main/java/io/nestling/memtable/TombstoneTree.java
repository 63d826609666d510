/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static io.nestling.memtable.TombstoneLayout.CELL_OLDER_OFFSET;
import static io.nestling.memtable.TombstoneLayout.NONE;
import static io.nestling.memtable.TombstoneLayout.boundOffset;
import static io.nestling.memtable.TombstoneLayout.count;
import static io.nestling.memtable.TombstoneLayout.linkOffset;
import static io.nestling.memtable.TombstoneLayout.offset;
import static io.nestling.memtable.TombstoneLayout.olderOffset;
import static io.nestling.memtable.TombstoneLayout.prefix;
import static io.nestling.memtable.TombstoneLayout.sequenceOffset;

import io.nestling.bytes.KeyChunk;
import io.nestling.offheap.Slab;

/**
 * The range tombstones as of one write: a balanced tree of the nodes in {@link TombstoneLayout} over all bounds. Each slot
 * of each node has the sequence number of the newest range tombstone that covers it and not its parent's slot as a whole, and a
 * chain of those before, from new to old. A key's newest range tombstone as of a sequence number is the newest one of the slots
 * on its path. Bounds that are too new for a reader only divide ranges that are alike for it.
 * <p>
 * A lookup among n bounds visits log n nodes, with some 10 slots each if keys are random.
 * <h2>Thread safety</h2>
 * Immutable once published. Readers hold a guard of the epochs, since nodes that a later tree has replaced are used again.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Bounds ascend in a node; the first one of all is the empty key, and that of a child is the bound of its slot.</li>
 * <li>Sequence numbers descend along a chain.</li>
 * </ol>
 */
final class TombstoneTree {
    static final TombstoneTree EMPTY = new TombstoneTree(null, NONE, 0, 0);
    private static final int STRIDE = 4;

    private final Slab slab;
    private final int root;
    private final int height;
    private final long tombstones;
    /** Sequence number of the newest range tombstone; set before the tree is published. */
    long last;

    TombstoneTree(final Slab slab, final int root, final int height, final long tombstones) {
        this.slab = slab;
        this.root = root;
        this.height = height;
        this.tombstones = tombstones;
    }

    Slab slab() {
        return slab;
    }

    int root() {
        return root;
    }

    /** Returns the number of levels above the leaves. */
    int height() {
        return height;
    }

    /** Returns the number of range tombstones. */
    long tombstones() {
        return tombstones;
    }

    /** Returns the number of the newest range tombstone at or below a sequence number that covers a key, or 0. */
    long newestCovering(final byte[] key, final int length, final long visible) {
        if (this == EMPTY) {
            return 0;
        }
        final long chunk = KeyChunk.at(key, 0, length, 0);
        long newest = 0;
        int node = root;
        for (int level = height;; level--) {
            final int slot = search(slab, node, chunk, key, length);
            newest = Math.max(newest, asOf(slab, node, slot, visible));
            if (level == 0) {
                return newest;
            }
            node = slab.getInt(linkOffset(node, slot));
        }
    }

    /** Returns the last slot of a node that begins at or before a key; the first one does. */
    static int search(final Slab slab, final int node, final long chunk, final byte[] key, final int length) {
        // Without a branch, and such that all lines of prefixes are requested at once.
        int slot = STRIDE * (notAbove(slab, node, STRIDE, chunk) + notAbove(slab, node, 2 * STRIDE, chunk)
            + notAbove(slab, node, 3 * STRIDE, chunk));
        slot += notAbove(slab, node, slot + 1, chunk) + notAbove(slab, node, slot + 2, chunk)
            + notAbove(slab, node, slot + 3, chunk);
        if (prefix(slab, node, slot) != chunk) {
            return slot;
        }
        int high = Math.min(slot, count(slab, node) - 1); // slots that are not in use have the greatest prefix
        int low = 0;
        int middle = high;
        while (low < high) {
            if (compare(slab, prefix(slab, node, middle), slab.getInt(boundOffset(node, middle)), chunk, key, length) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
            middle = low + high + 1 >>> 1;
        }
        return low;
    }

    private static int notAbove(final Slab slab, final int node, final int slot, final long chunk) {
        return Long.compareUnsigned(prefix(slab, node, slot), chunk) <= 0 ? 1 : 0;
    }

    /** Compares a bound with a key, whose first eight bytes are its chunk. */
    static int compare(
        final Slab slab, final long prefix, final int bound, final long chunk, final byte[] key, final int length) {
        if (prefix != chunk) {
            return Long.compareUnsigned(prefix, chunk);
        }
        final int own = boundLength(slab, bound);
        final int shared = Math.min(own, length);
        for (int i = Long.BYTES; i < shared; i++) {
            final int difference = (slab.getByte(offset(bound) + Integer.BYTES + i) & 0xFF) - (key[i] & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        return own - length;
    }

    private static int boundLength(final Slab slab, final int bound) {
        return bound < 0 ? ~bound : slab.getInt(offset(bound));
    }

    /** Returns the bytes of a bound. */
    static byte[] bytes(final Slab slab, final long prefix, final int bound) {
        final byte[] bytes = new byte[boundLength(slab, bound)];
        if (bound >= 0) {
            slab.getBytes(offset(bound) + Integer.BYTES, bytes, 0, bytes.length);
        }
        for (int i = 0; i < bytes.length && bound < 0; i++) {
            bytes[i] = (byte) (prefix >>> (Long.BYTES - 1 - i << 3));
        }
        return bytes;
    }

    /** Returns the number of the newest range tombstone at or below a sequence number that covers a slot as a whole, or 0. */
    static long asOf(final Slab slab, final int node, final int slot, final long visible) {
        final long sequence = slab.getLong(sequenceOffset(node, slot));
        return sequence <= visible ? sequence : olderThan(slab, slab.getInt(olderOffset(node, slot)), visible);
    }

    private static long olderThan(final Slab slab, final int newest, final long visible) {
        for (int cell = newest; cell != NONE; cell = slab.getInt(offset(cell) + CELL_OLDER_OFFSET)) {
            final long sequence = slab.getLong(offset(cell));
            if (sequence <= visible) {
                return sequence;
            }
        }
        return 0;
    }
}
