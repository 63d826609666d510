/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.PointIndex;
import io.nestling.index.PositionedCursor;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;

/**
 * Walks the list of leaves over private copies. While one leaf is visited, the lines of the next one, then its records, are
 * requested little by little.
 * <p>
 * The copy of a leaf holds all keys from its anchor to the anchor of the next leaf at that moment. If that neighbour has died or
 * is no neighbour any more, the cursor seeks the anchor in between.
 * <h2>Thread safety</h2>
 * One thread at a time, inside one guard from a positioning move to the last use of that position.
 * <p> Longer than 450 lines: both directions work on one copy of a leaf.
 */
final class WormholeCursor extends PositionedCursor {
    /* Entries whose records a positioning move requests; the others are requested as the walk continues. Processors drop requests
       beyond about twenty lines in a row, for lack of buffers. */
    private static final int FIRST_ENTRIES = 8;
    /* Records are requested, and a leaf is copied, so many entries ahead of the walk. */
    private static final int AHEAD = 16;
    /* Entries between two requests, and lines of the next leaf that each request includes. */
    private static final int STRIDE = 4;
    private static final int STRIDE_LINES = 2;
    /* Sampled keys of a leaf; the longest one predicts the length of those in the next leaf. */
    private static final int SAMPLED_KEYS = 4;

    private final Leaves leaves;
    private final Slab slab;
    private final KeySource keys;
    private final MetaSearch search;
    private final LeafWalk walk;
    private LeafSnapshot current;
    private LeafSnapshot ahead;
    private boolean aheadForward;
    private boolean aheadCopied;
    private int at;
    /* Positions at and below which a step needs more than the copy. */
    private int limit;
    private int bottom;
    /* Range of positions of the current copy whose records were requested, and the end (backward: the start) of that range in the
       next copy. */
    private int requested;
    private int requestedFrom;
    private int requestedAhead;
    /* Number of lines of the next leaf that were requested. */
    private int neighbourLines;
    private boolean neighbourFetched;
    /* Expected greatest length of most keys, for requests, and how much longer they recently were. */
    private int likelyLength = Long.BYTES;
    private int excess;
    /* The entry before the last step: its position in the current copy, or -1 if it has none, and its payload. */
    private int positionBefore = -1;
    private long before = PointIndex.NONE;
    private byte[] key = new byte[Long.BYTES];
    private int keyLength;
    private boolean keyRead;
    private byte[] keyBefore = {};
    private byte[] bound = {};
    private final PassedLeaves left;

    WormholeCursor(final Leaves leaves, final MetaSearch search, final LeafWalk walk) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
        this.search = search;
        this.walk = walk;
        this.current = new LeafSnapshot(leaves);
        this.ahead = new LeafSnapshot(leaves);
        this.left = new PassedLeaves(leaves);
    }

    @Override
    public boolean first() {
        for (int round = 0;; round++) {
            current.copy(offset(slab.getInt(TableLayout.FIRST_LEAF_OFFSET)));
            if (standAt(0, 0, true)) {
                return valid;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    @Override
    public boolean last() {
        for (int round = 0;; round++) {
            copyLast();
            if (standAt(current.count() - 1, current.count() - 1, false)) {
                return valid;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    private void copyLast() {
        int leaf = slab.getIntAcquire(TableLayout.LAST_LEAF_OFFSET);
        for (int round = 0;; round++) {
            if (current.copy(offset(leaf))) {
                if (current.next() == 0) {
                    return;
                }
                leaf = current.next();
            } else {
                leaf = leaves.previous(offset(leaf));
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    @Override
    public boolean seek(final byte[] wanted, final int offset, final int length) {
        java.util.Objects.checkFromIndexSize(offset, length, wanted.length);
        for (int round = 0;; round++) {
            copyLeafOf(wanted, offset, length);
            likelyLength = length + excess;
            final int rank = current.rank(wanted, offset, length, FIRST_ENTRIES);
            if (standAt(rank, current.requestedTo(rank), true)) {
                return valid;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    @Override
    public boolean seekLowerThan(final byte[] wanted, final int offset, final int length) {
        java.util.Objects.checkFromIndexSize(offset, length, wanted.length);
        for (int round = 0;; round++) {
            copyLeafOf(wanted, offset, length);
            final int position = current.rank(wanted, offset, length, 1) - 1;
            if (standAt(position, position, false)) {
                return valid;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    private void copyLeafOf(final byte[] wanted, final int offset, final int length) {
        final long version = slab.getLongAcquire(TableLayout.VERSION_OFFSET);
        final int likely = search.search(wanted, offset, length);
        current.request(offset(likely));
        final long hash = search.hasher().hash();
        int leaf = search.verified(likely, wanted, offset);
        search.hasher().release();
        if (leaf == 0) {
            leaf = slab.getInt(TableLayout.FIRST_LEAF_OFFSET);
        }
        if ((version & 1) == 0 && current.copy(offset(leaf), wanted, offset, length, hash) && (current.state() & CHAINED) == 0) {
            java.lang.invoke.VarHandle.acquireFence();
            if (slab.getLong(TableLayout.VERSION_OFFSET) == version) {
                return;
            }
        }
        long start = offset(leaf);
        for (int round = 0;; round++) {
            start = walk.find(start, wanted, offset, length);
            // The copy knows the next leaf as of its moment, and so where its keys end.
            if (current.copy(start, wanted, offset, length, hash)
                && (current.next() == 0 || !Anchor.admits(slab, offset(current.next()), wanted, offset, length))) {
                return;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    /**
     * Makes an entry of the copied leaf, or the nearest one in a direction, the current entry; records from it on were partly
     * requested. Returns false if the move must begin again.
     */
    private boolean standAt(final int position, final int alreadyRequested, final boolean forward) {
        before = PointIndex.NONE;
        positionBefore = -1;
        aheadCopied = false;
        neighbourLines = 0;
        neighbourFetched = false;
        requestedAhead = 0;
        keyRead = false;
        at = position;
        valid = true;
        if (at < 0 || at >= current.count()) {
            requested = current.count();
            requestedFrom = requested;
            return cross(forward);
        }
        requested = Math.min(current.count(), at + (forward ? FIRST_ENTRIES : 1));
        requestedFrom = forward ? at : Math.max(0, requested - FIRST_ENTRIES);
        current.requestRecords(forward ? alreadyRequested : requestedFrom, requested, likelyLength);
        limit = at;
        bottom = at;
        return true;
    }

    @Override
    public boolean next() {
        if (!valid) {
            return false;
        }
        positionBefore = at;
        keyRead = false;
        return ++at < limit || nextSlowly();
    }

    private boolean nextSlowly() {
        if (at >= current.count()) {
            return step(true);
        }
        lookAhead();
        return true;
    }

    /** Requests what a walk forward reads soon, and sets how far it may go before the next requests. */
    private void lookAhead() {
        final int count = current.count();
        final int wanted = at + AHEAD;
        if (requested < count) {
            final int to = Math.min(count, Math.max(wanted, requested + STRIDE));
            current.requestRecords(requested, to, likelyLength);
            requested = to;
        }
        if (wanted >= count) {
            if (!neighbourFetched && !requestRest(current.next(), at + STRIDE < count)) {
                fetchNeighbour(true);
            }
            if (aheadCopied && aheadForward) {
                final int to = Math.min(ahead.count(), wanted - count);
                if (to > requestedAhead) {
                    ahead.requestRecords(requestedAhead, to, likelyLength);
                    requestedAhead = to;
                }
            }
        } else {
            requestNeighbour(current.next(), count - wanted);
        }
        limit = Math.min(at + STRIDE, count);
        bottom = Math.max(0, at - STRIDE); // the slow step if the walk turns
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        positionBefore = at;
        keyRead = false;
        return --at >= bottom || previousSlowly();
    }

    private boolean previousSlowly() {
        if (at < 0) {
            return step(false);
        }
        lookBack();
        return true;
    }

    /** As {@link #lookAhead}, for a walk backward. */
    private void lookBack() {
        final int wanted = at - AHEAD;
        final int from = Math.max(0, wanted);
        if (from < requestedFrom) {
            current.requestRecords(from, requestedFrom, likelyLength);
            requestedFrom = from;
        }
        if (wanted < 0) {
            if (!neighbourFetched && !requestRest(current.previous(), at > STRIDE)) {
                fetchNeighbour(false);
            }
            if (aheadCopied && !aheadForward) {
                final int first = Math.max(0, ahead.count() + wanted);
                if (first < requestedAhead) {
                    ahead.requestRecords(first, requestedAhead, likelyLength);
                    requestedAhead = first;
                }
            }
        } else {
            requestNeighbour(current.previous(), wanted + 1);
        }
        bottom = Math.max(0, at - STRIDE);
        limit = at; // the slow step if the walk turns
    }

    /** Requests some more lines of the next leaf in a direction, which will be copied after {@code entries} entries. */
    private void requestNeighbour(final int neighbour, final int entries) {
        final int rest = LeafSnapshot.LINES_OF_LEAF - neighbourLines;
        if (rest > 0 && neighbour != 0) {
            final int some = Math.min(rest, Math.max(STRIDE_LINES, rest * STRIDE / entries));
            ahead.request(offset(neighbour), neighbourLines, neighbourLines + some);
            neighbourLines += some;
        }
    }

    /** Requests the remaining lines of the next leaf if there is time until it is copied; returns whether there is. */
    private boolean requestRest(final int neighbour, final boolean hasTime) {
        if (!hasTime || neighbour == 0 || neighbourLines >= LeafSnapshot.LINES_OF_LEAF) {
            return false;
        }
        ahead.request(offset(neighbour), neighbourLines, LeafSnapshot.LINES_OF_LEAF);
        neighbourLines = LeafSnapshot.LINES_OF_LEAF;
        return true;
    }

    /**
     * Moves to the nearest entry in another leaf, for a positioning move. All leaves on the way must have been as copied at one
     * moment: otherwise a key may come at the end of a copied leaf, and then another one where the cursor moves to.
     *
     * @return whether they were, wherever the cursor is now
     */
    private boolean cross(final boolean forward) {
        left.clear();
        do {
            final int neighbour = forward ? current.next() : current.previous();
            if (neighbour == 0) {
                valid = false;
                return true;
            }
            left.add(current);
            if (!copyNeighbour(neighbour, forward) || !left.areUnchanged()) {
                return false;
            }
            requestedAhead = forward ? 0 : ahead.count();
            enterNeighbour(forward);
        } while (at < 0 || at >= current.count());
        return true;
    }

    /** Moves to the nearest entry in another leaf. */
    private boolean step(final boolean forward) {
        before = current.payload(positionBefore);
        positionBefore = -1;
        do {
            if (!moveLeaf(forward)) {
                valid = false;
                return false;
            }
        } while (at < 0 || at >= current.count());
        return true;
    }

    /** Enters the next leaf in a direction, at its nearest entry, or outside of it if it has none. */
    private boolean moveLeaf(final boolean forward) {
        final int neighbour = forward ? current.next() : current.previous();
        if (neighbour == 0) {
            return false;
        }
        if (!aheadCopied || aheadForward != forward || ahead.leaf() != offset(neighbour)) {
            if (!copyNeighbour(neighbour, forward)) {
                seekBeyond(neighbour, forward);
                return true;
            }
            requestedAhead = forward ? 0 : ahead.count();
        }
        enterNeighbour(forward);
        return true;
    }

    /** Enters the leaf copied as the next one. */
    private void enterNeighbour(final boolean forward) {
        final LeafSnapshot behind = current;
        current = ahead;
        ahead = behind;
        aheadCopied = false;
        learnLength(behind, requestedFrom, Math.min(requested, behind.count()));
        enter(forward ? 0 : current.count() - 1, forward);
    }

    /**
     * Learns the length of keys from the requested records of a leaf. Waiting for a record's line that was not requested costs
     * far more than requesting a line for nothing.
     */
    private void learnLength(final LeafSnapshot behind, final int from, final int to) {
        if (from >= to) {
            return;
        }
        int sum = 0;
        int longest = 0;
        for (int i = 0; i < SAMPLED_KEYS; i++) {
            final int length = keys.keyLength(behind.payload(from + i * (to - from) / SAMPLED_KEYS));
            sum += length;
            longest = Math.max(longest, length);
        }
        likelyLength = longest;
        excess = longest - sum / SAMPLED_KEYS;
    }

    /** Visits the current leaf from a position on; some of its records were requested. */
    private void enter(final int position, final boolean forward) {
        at = position;
        requested = forward ? Math.max(position, requestedAhead) : current.count();
        requestedFrom = forward ? 0 : Math.min(position + 1, requestedAhead);
        requestedAhead = 0;
        neighbourLines = 0;
        neighbourFetched = false;
        limit = at;
        bottom = at;
        if (at >= 0 && at < current.count()) {
            if (forward) {
                lookAhead();
            } else {
                lookBack();
            }
        }
    }

    private boolean copyNeighbour(final int neighbour, final boolean forward) {
        return ahead.copy(offset(neighbour)) && (forward || ahead.next() == reference(current.leaf()));
    }

    /** Copies the next leaf. */
    private void fetchNeighbour(final boolean forward) {
        neighbourFetched = true;
        final int neighbour = forward ? current.next() : current.previous();
        if (neighbour == 0 || !copyNeighbour(neighbour, forward)) {
            return;
        }
        aheadCopied = true;
        aheadForward = forward;
        requestedAhead = forward ? 0 : ahead.count();
    }

    /** Continues at the border of the current copy when its neighbour is none any more. */
    private void seekBeyond(final int neighbour, final boolean forward) {
        final long border = forward ? offset(neighbour) : current.leaf();
        final int length = Anchor.length(slab, border);
        if (bound.length < length) {
            bound = new byte[length];
        }
        Anchor.copy(slab, border, bound);
        copyLeafOf(bound, 0, length);
        final int rank = current.rank(bound, 0, length, 1);
        requestedAhead = forward ? 0 : current.count();
        aheadCopied = false;
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
        valid = false;
        keyRead = false;
    }
}
