/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.bytes.ByteComparison;
import io.nestling.bytes.KeyHash;
import io.nestling.index.PointIndex;
import io.nestling.index.PositionedCursor;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * Walks the list of leaves over private copies. While one leaf is visited, the lines of the next one, then its records, are
 * requested.
 * <p>
 * The copy of a leaf holds all keys from its anchor to the anchor of the next leaf at that moment. If that neighbour has died or
 * is no neighbour any more, the cursor seeks the anchor in between.
 * <h2>Thread safety</h2>
 * One thread at a time, inside one guard from a positioning move to the last use of that position.
 */
final class WormholeCursor extends PositionedCursor {
    /* Entries whose records a positioning move requests; the others are requested as the walk continues. Processors drop requests
       beyond about twenty lines in a row, for lack of buffers. */
    private static final int FIRST_ENTRIES = 8;
    /* Records are requested, and a leaf is copied, so many entries ahead of the walk. */
    private static final int AHEAD = 16;
    /* Entries between two requests. */
    private static final int STRIDE = 4;
    /* The lines of the next leaf are requested when so many entries are left. */
    private static final int NEAR = 2 * AHEAD;
    /* What is known of the next leaf in the direction of the walk. */
    private static final int UNKNOWN = 0;
    private static final int REQUESTED = 1;
    private static final int COPIED = 2;
    private static final int CHANGED = 3;
    private static final byte[] NO_BYTES = {};

    private final Leaves leaves;
    private final Slab slab;
    private final KeySource keys;
    private final MetaSearch search;
    private final KeyHash keyHash;
    private final WormholeLeafWalk walk;
    private LeafSnapshot current;
    private LeafSnapshot ahead;
    private boolean aheadForward;
    private int aheadState;
    private int at;
    /* Whether the cursor moved on from the last entry to which it was positioned: then it probably will again. */
    private boolean walked = true;
    /* Positions at and below which a step needs more than the copy. */
    private int limit;
    private int bottom;
    /* Expected greatest length of most keys, for requests. */
    private int likelyLength = Long.BYTES;
    /* The entry before the last step: its position in the current copy, or -1 if it has none, and its payload. */
    private int positionBefore = -1;
    private long before = PointIndex.NONE;
    private byte[] key = new byte[Long.BYTES];
    private int keyLength;
    private boolean keyRead;
    private byte[] keyBefore = {};
    private byte[] bound = {};
    private final PassedLeaves left;

    WormholeCursor(final Leaves leaves, final MetaSearch search, final KeyHash keyHash, final WormholeLeafWalk walk) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
        this.search = search;
        this.keyHash = keyHash;
        this.walk = walk;
        this.current = new LeafSnapshot(leaves);
        this.ahead = new LeafSnapshot(leaves);
        this.left = new PassedLeaves(leaves);
    }

    @Override
    public boolean first() {
        return seek(NO_BYTES, 0, 0, true);
    }

    @Override
    public boolean last() {
        checkOpen();
        for (int round = 0;; round++) {
            if (current.copy(offset(slab.getIntAcquire(TableLayout.LAST_LEAF_OFFSET))) && current.next() == 0
                && standAt(current.count() - 1, false)) {
                return valid;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    @Override
    public boolean seek(final byte[] wanted, final int offset, final int length) {
        return seek(wanted, offset, length, true);
    }

    @Override
    public boolean seekLowerThan(final byte[] wanted, final int offset, final int length) {
        return seek(wanted, offset, length, false);
    }

    private boolean seek(final byte[] wanted, final int offset, final int length, final boolean forward) {
        Objects.checkFromIndexSize(offset, length, wanted.length);
        checkOpen();
        likelyLength = Math.max(likelyLength, length);
        final boolean whole = walked;
        walked = false;
        for (int round = 0;; round++) {
            copyLeafOf(wanted, offset, length, whole);
            final int rank = current.rank(wanted, offset, length, forward && whole ? FIRST_ENTRIES : 1);
            if (standAt(forward ? rank : rank - 1, forward)) {
                return valid;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    /** Copies the leaf of a key, or only what is around the key. */
    private void copyLeafOf(final byte[] wanted, final int offset, final int length, final boolean whole) {
        final long hash = keyHash.hash(wanted, offset, length);
        final long version = slab.getLongAcquire(TableLayout.VERSION_OFFSET);
        final long place = search.find(wanted, offset, length);
        final int likely = search.route(place, wanted, offset, length);
        if (whole) {
            current.request(offset(likely));
        } else {
            current.request(offset(likely), hash);
        }
        int leaf = search.verifiedLeaf(place, likely, wanted, offset, length);
        if (leaf == 0) {
            leaf = slab.getInt(TableLayout.FIRST_LEAF_OFFSET);
        }
        if ((version & 1) == 0 && current.copy(offset(leaf), wanted, offset, length, hash, whole)
            && (current.state() & CHAINED) == 0) {
            VarHandle.acquireFence();
            if (slab.getLong(TableLayout.VERSION_OFFSET) == version) {
                return;
            }
        }
        long start = offset(leaf);
        for (int round = 0;; round++) {
            start = walk.find(start, wanted, offset, length);
            // The copy knows the next leaf as of its moment, and so where its keys end.
            if (current.copy(start, wanted, offset, length, hash, whole)
                && (current.next() == 0 || !Anchor.admits(slab, offset(current.next()), wanted, offset, length))) {
                return;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    /**
     * Makes an entry of the copied leaf, or the nearest one in a direction, the current entry. Returns false if the move must
     * begin again.
     */
    private boolean standAt(final int position, final boolean forward) {
        before = PointIndex.NONE;
        positionBefore = -1;
        keyRead = false;
        valid = true;
        setPosition(position);
        if (isOutside()) {
            return cross(forward);
        }
        current.requestRecords(forward ? at : at + 1 - FIRST_ENTRIES, forward ? at + FIRST_ENTRIES : at + 1, likelyLength);
        return true;
    }

    /** Goes to a position of the current copy, from which the next step is a slow one. */
    private void setPosition(final int position) {
        at = position;
        limit = position;
        bottom = position;
        aheadState = UNKNOWN;
    }

    private boolean isOutside() {
        return at < 0 || at >= current.count();
    }

    @Override
    public boolean next() {
        if (!valid) {
            return false;
        }
        positionBefore = at;
        keyRead = false;
        return ++at < limit || stepSlowly(true);
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        positionBefore = at;
        keyRead = false;
        return --at >= bottom || stepSlowly(false);
    }

    private boolean stepSlowly(final boolean forward) {
        if (isOutside()) {
            return step(forward);
        }
        if (!walked) {
            walked = true;
            final long payload = current.payload(positionBefore);
            if (!current.complete()) {
                return seekBehind(payload, forward);
            }
        }
        lookAhead(forward);
        return true;
    }

    /** Steps on from an entry in a leaf that has changed since a part of it was copied. */
    private boolean seekBehind(final long payload, final boolean forward) {
        before = payload;
        positionBefore = -1;
        final int length = keys.keyLength(before);
        bound = bound.length < length ? new byte[length] : bound;
        keys.copyKey(before, bound, 0);
        copyLeafOf(bound, 0, length, true);
        final int rank = current.rank(bound, 0, length, 1);
        final boolean isThere = rank < current.count() && keys.compareKey(current.payload(rank), bound, 0, length) == 0;
        enter(!forward ? rank - 1 : isThere ? rank + 1 : rank, forward);
        return !isOutside() || enterNext(forward);
    }

    /** Requests what a walk in a direction reads soon, and sets how far it may go before the next requests. */
    private void lookAhead(final boolean forward) {
        final int left = forward ? current.count() - at : at + 1;
        current.requestRecords(forward ? at : at + 1 - AHEAD, forward ? at + AHEAD : at + 1, likelyLength);
        if (aheadForward != forward) {
            aheadForward = forward;
            aheadState = UNKNOWN;
        }
        final int neighbour = neighbour(forward);
        if (left < NEAR && aheadState == UNKNOWN && neighbour != 0) {
            ahead.request(offset(neighbour));
            aheadState = REQUESTED;
        } else if (left < AHEAD && aheadState == REQUESTED) {
            aheadState = copyNeighbour(forward) ? COPIED : CHANGED;
        }
        if (left < AHEAD && aheadState == COPIED) {
            final int entries = AHEAD - left;
            ahead.requestRecords(forward ? 0 : ahead.count() - entries, forward ? entries : ahead.count(), likelyLength);
        }
        limit = forward ? Math.min(at + STRIDE, current.count()) : at; // a slow step if the walk turns
        bottom = forward ? at : Math.max(0, at - STRIDE);
    }

    private int neighbour(final boolean forward) {
        return forward ? current.next() : current.previous();
    }

    /**
     * Moves to the nearest entry in another leaf, for a positioning move. Returns whether all leaves on the way were as copied at
     * one moment, wherever the cursor is now: otherwise a key may come at the end of a copied leaf, and then another one where
     * the cursor moves to.
     */
    private boolean cross(final boolean forward) {
        // wormhole-concurrency.md, claim 12
        left.clear();
        do {
            if (neighbour(forward) == 0) {
                valid = false;
                return true;
            }
            left.add(current);
            if (!copyNeighbour(forward) || !left.areUnchanged()) {
                return false;
            }
            enterNeighbour(forward);
        } while (isOutside());
        return true;
    }

    /** Moves to the nearest entry in another leaf. */
    private boolean step(final boolean forward) {
        before = current.payload(positionBefore);
        positionBefore = -1;
        return enterNext(forward);
    }

    /** Enters the next leaf in a direction that has an entry. */
    private boolean enterNext(final boolean forward) {
        do {
            if (!moveLeaf(forward)) {
                valid = false;
                return false;
            }
        } while (isOutside());
        return true;
    }

    /** Enters the next leaf in a direction, at its nearest entry, or outside of it if it has none. */
    private boolean moveLeaf(final boolean forward) {
        // wormhole-concurrency.md, claim 11
        if (neighbour(forward) == 0) {
            return false;
        }
        if (aheadForward == forward && aheadState == COPIED || copyNeighbour(forward)) {
            enterNeighbour(forward);
        } else {
            seekBeyond(forward);
        }
        return true;
    }

    private boolean copyNeighbour(final boolean forward) {
        return ahead.copy(offset(neighbour(forward))) && (forward || ahead.next() == reference(current.leaf()));
    }

    /** Enters the leaf copied as the next one. */
    private void enterNeighbour(final boolean forward) {
        final LeafSnapshot behind = current;
        current = ahead;
        ahead = behind;
        // Waiting for a record's line that was not requested costs far more than requesting a line for nothing.
        likelyLength = behind.longestKey(likelyLength);
        enter(forward ? 0 : current.count() - 1, forward);
    }

    private void enter(final int position, final boolean forward) {
        setPosition(position);
        if (!isOutside()) {
            lookAhead(forward);
        }
    }

    /** Continues at the border of the current copy when its neighbour is none any more. */
    private void seekBeyond(final boolean forward) {
        final long border = forward ? offset(current.next()) : current.leaf();
        final int length = Anchor.length(slab, border);
        if (bound.length < length) {
            bound = new byte[length];
        }
        Anchor.copy(slab, border, bound);
        copyLeafOf(bound, 0, length, true);
        final int rank = current.rank(bound, 0, length, 1);
        enter(forward ? rank : rank - 1, forward);
    }

    @Override
    public long payload() {
        checkValid();
        return current.payload(at);
    }

    @Override
    public byte[] keyBuffer() {
        if (!keyRead) {
            readKey();
        }
        return key;
    }

    @Override
    public int keyLength() {
        if (!keyRead) {
            readKey();
        }
        return keyLength;
    }

    private void readKey() {
        checkValid();
        final long payload = current.payload(at);
        keyLength = keys.copyKeyIfFits(payload, key);
        if (key.length < keyLength) {
            key = new byte[Math.max(keyLength, 2 * key.length)];
            keys.copyKey(payload, key, 0);
        }
        keyRead = true;
    }

    @Override
    public int commonPrefix() {
        if (!keyRead) {
            readKey();
        }
        final long payload = positionBefore < 0 ? before : current.payload(positionBefore);
        if (payload == PointIndex.NONE) {
            return 0;
        }
        final int length = keys.copyKeyIfFits(payload, keyBefore);
        if (keyBefore.length < length) {
            keyBefore = new byte[Math.max(length, 2 * keyBefore.length)];
            keys.copyKey(payload, keyBefore, 0);
        }
        return ByteComparison.commonPrefix(keyBefore, 0, length, key, 0, keyLength);
    }

    @Override
    public void close() {
        super.close();
        keyRead = false;
    }
}
