/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static io.nestling.memtable.TombstoneLayout.END_OFFSET;
import static io.nestling.memtable.TombstoneLayout.END_PREFIX_OFFSET;
import static io.nestling.memtable.TombstoneLayout.NONE;
import static io.nestling.memtable.TombstoneLayout.SAME_START_OFFSET;
import static io.nestling.memtable.TombstoneLayout.UNUSED_PREFIX;
import static io.nestling.memtable.TombstoneLayout.boundOffset;
import static io.nestling.memtable.TombstoneLayout.count;
import static io.nestling.memtable.TombstoneLayout.linkOffset;
import static io.nestling.memtable.TombstoneLayout.offset;
import static io.nestling.memtable.TombstoneLayout.prefix;

import io.nestling.bytes.KeyChunk;
import io.nestling.index.RangeTombstone;
import io.nestling.offheap.Claim;
import io.nestling.offheap.Slab;

/**
 * A position among the range tombstones as of a sequence number. It caches the leaf and the slot around a cursor's key, so that
 * most keys need no lookup, and goes from one range tombstone to the next, by first key, the newest first of equal ones.
 * <h2>Thread safety</h2>
 * One thread, inside a guard of the epochs for each call but {@code close} and {@code next}. It is created in the guard in
 * which the caller has read the sequence number or has found its snapshot open, unless another window at that number is open.
 */
final class TombstoneWindow implements AutoCloseable {
    private static final byte[] FIRST_KEY = {};

    /* Links of the list of open windows. */
    TombstoneWindow newer;
    TombstoneWindow older;
    boolean isOpen;

    private final boolean seesNone;
    private final RangeTombstones tombstones;
    private final long visible;
    private Slab slab;
    /* Nodes stay as they are while the epoch is this one; bounds and tombstones always do. */
    private long epoch = -1;
    private int leaf;
    private int slot;
    /* Of the slots above the leaf. */
    private long inherited;
    private int leafEnd;
    private long leafEndPrefix;
    /* The slot: no key lies in it before it is positioned. */
    private int start;
    private long startPrefix = UNUSED_PREFIX;
    private int end;
    private long endPrefix = UNUSED_PREFIX;
    private long newest;
    /* The range tombstone that next() has moved to, and the one to try next. */
    private int tombstone;
    private int sameStart;

    /** Creates a window on the range tombstones as of a visible sequence number. */
    TombstoneWindow(final RangeTombstones tombstones, final long visible) {
        this.tombstones = tombstones;
        this.visible = visible;
        this.seesNone = tombstones.isEmpty();
        if (!seesNone || tombstones.listsAllWindows()) {
            isOpen = true;
            tombstones.open(this);
        }
    }

    long visible() {
        return visible;
    }

    /** Returns whether there was no range tombstone when it was created. */
    boolean seesNone() {
        return seesNone;
    }

    /** Returns the sequence number of the newest range tombstone that covers a key, or 0. */
    long newestCovering(final byte[] key, final int length) {
        if (seesNone) {
            return 0;
        }
        final long chunk = KeyChunk.at(key, 0, length, 0);
        if (Long.compareUnsigned(chunk, startPrefix) <= 0 || Long.compareUnsigned(chunk, endPrefix) >= 0) {
            seek(chunk, key, length);
        }
        return newest;
    }

    private void seek(final long chunk, final byte[] key, final int length) {
        if (start != NONE && !isBehind(startPrefix, start, chunk, key, length)
            && (end == NONE || isBehind(endPrefix, end, chunk, key, length))) {
            return;
        }
        if (epoch != tombstones.epochs().epoch()
            || isBehind(prefix(slab, leaf, 0), slab.getInt(boundOffset(leaf, 0)), chunk, key, length)
            || leafEnd != NONE && !isBehind(leafEndPrefix, leafEnd, chunk, key, length)) {
            seekLeaf(chunk, key, length);
        }
        slot = TombstoneTree.search(slab, leaf, chunk, key, length);
        final boolean isLast = slot + 1 == count(slab, leaf);
        startPrefix = prefix(slab, leaf, slot);
        start = slab.getInt(boundOffset(leaf, slot));
        endPrefix = isLast ? leafEndPrefix : prefix(slab, leaf, slot + 1);
        end = isLast ? leafEnd : slab.getInt(boundOffset(leaf, slot + 1));
        newest = Math.max(inherited, TombstoneTree.asOf(slab, leaf, slot, visible));
    }

    /** Returns whether a bound lies behind a key. */
    private boolean isBehind(final long prefix, final int bound, final long chunk, final byte[] key, final int length) {
        return TombstoneTree.compare(slab, prefix, bound, chunk, key, length) > 0;
    }

    private void seekLeaf(final long chunk, final byte[] key, final int length) {
        epoch = tombstones.epochs().epoch(); // before the tree: what it leads to is unlinked in this epoch or later
        final TombstoneTree tree = tombstones.newest();
        slab = tree.slab();
        inherited = 0;
        leafEnd = NONE;
        leafEndPrefix = UNUSED_PREFIX;
        int node = tree.root();
        for (int level = tree.height(); level > 0; level--) {
            final int at = TombstoneTree.search(slab, node, chunk, key, length);
            inherited = Math.max(inherited, TombstoneTree.asOf(slab, node, at, visible));
            if (at + 1 < count(slab, node)) {
                leafEndPrefix = prefix(slab, node, at + 1);
                leafEnd = slab.getInt(boundOffset(node, at + 1));
            }
            node = slab.getInt(linkOffset(node, at));
        }
        leaf = node;
    }

    // ---- the range tombstones themselves ----

    /**
     * Returns the first range tombstone or the next one, null behind the last, in a guard of its own. Not to be mixed with
     * lookups.
     */
    RangeTombstone next(final MemtableState state) {
        final Claim guard = state.enter();
        try {
            return advance() ? new RangeTombstone(from(), to(), sequence()) : null;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    /** Moves to the first range tombstone or the next one; returns false behind the last. */
    boolean advance() {
        if (seesNone) {
            return false;
        }
        while (true) {
            while (sameStart != NONE) {
                tombstone = sameStart;
                sameStart = slab.getInt(offset(tombstone) + SAME_START_OFFSET);
                if (sequence() <= visible) {
                    return true;
                }
            }
            if (start != NONE && end == NONE) {
                return false;
            }
            final byte[] key = start == NONE ? FIRST_KEY : TombstoneTree.bytes(slab, endPrefix, end);
            seek(KeyChunk.at(key, 0, key.length, 0), key, key.length);
            sameStart = slab.getInt(linkOffset(leaf, slot));
        }
    }

    long sequence() {
        return slab.getLong(offset(tombstone));
    }

    byte[] from() {
        return TombstoneTree.bytes(slab, startPrefix, start);
    }

    /** Returns the end, or null if it has none. */
    byte[] to() {
        final int bound = slab.getInt(offset(tombstone) + END_OFFSET);
        return bound == NONE ? null : TombstoneTree.bytes(slab, slab.getLong(offset(tombstone) + END_PREFIX_OFFSET), bound);
    }

    @Override
    public void close() {
        if (isOpen) {
            tombstones.close(this);
        }
    }
}
