/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.PointIndex;
import io.nestling.index.PositionedCursor;
import io.nestling.memory.Backoff;
import io.nestling.memory.KeySource;
import io.nestling.memory.Slab;

/**
 * Walks the list of leaves over private copies of them. While one leaf is shown, the lines of the next one and then its
 * records are on their way, requested little by little.
 * <p>
 * The copy of a leaf holds all keys from its anchor to the anchor of the leaf that was next then. Going on, a neighbour
 * that died meanwhile, or no longer is one, is made up for by a seek to the anchor in between.
 * <h2>Thread safety</h2>
 * One thread at a time, under one guard from a move that positions to the last use of that position.
 */
final class WormholeCursor extends PositionedCursor {
    /*
     * Entries whose records are requested by a move that positions; the others wait for the walk to go on. A processor
     * forgets requests for which it has no buffer: some twenty lines in a row are too many.
     */
    private static final int FIRST_ENTRIES = 8;
    /* So many entries ahead of the walk records are requested, and a leaf is copied. */
    private static final int AHEAD = 16;
    /* Entries that are walked between two requests, and lines of the next leaf that are requested with each. */
    private static final int STRIDE = 4;
    private static final int STRIDE_LINES = 2;
    /* Keys of a leaf of which the longest tells how long those of the next one are likely to be. */
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
    /* Places from which on, and below which, a step is more than a step. */
    private int limit;
    private int bottom;
    /*
     * Places of the current copy between which records were requested, and the place in the one ahead up to which, or
     * backward from which on, they were.
     */
    private int requested;
    private int requestedFrom;
    private int requestedAhead;
    /* Lines of the next leaf that were requested. */
    private int neighbourLines;
    private boolean neighbourFetched;
    /* What most keys are likely to have at most, for requests, and how much longer they were lately than one of them. */
    private int likelyLength = Long.BYTES;
    private int excess;
    /* The entry that the last step came from: its place in the current copy, or -1 where it has none, and its payload then. */
    private int beforeAt = -1;
    private long before = PointIndex.NONE;
    private byte[] key = new byte[Long.BYTES];
    private int keyLength;
    private boolean keyRead;
    private byte[] keyBefore = {};
    private byte[] bound = {};
    private final LeftLeaves left;

    WormholeCursor(final Leaves leaves, final MetaSearch search, final LeafWalk walk) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
        this.search = search;
        this.walk = walk;
        this.current = new LeafSnapshot(leaves);
        this.ahead = new LeafSnapshot(leaves);
        this.left = new LeftLeaves(leaves);
    }

    @Override
    public boolean first() {
        for (int round = 0;; round++) {
            current.copy(offset(slab.getInt(TableLayout.FIRST_LEAF_OFFSET)));
            if (settle(0, 0, true)) {
                return valid;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    @Override
    public boolean last() {
        for (int round = 0;; round++) {
            copyLast();
            if (settle(current.count() - 1, current.count() - 1, false)) {
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
            if (settle(rank, current.requestedTo(rank), true)) {
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
            final int place = current.rank(wanted, offset, length, 1) - 1;
            if (settle(place, place, false)) {
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
            // The copy knows which leaf was next at its moment, and so where its keys end.
            if (current.copy(start, wanted, offset, length, hash)
                && (current.next() == 0 || !Anchor.admits(slab, offset(current.next()), wanted, offset, length))) {
                return;
            }
            Backoff.pause(round, leaves.failure());
        }
    }

    /**
     * Stands on an entry of the copied leaf, from which on some records were requested, or on the nearest one in a direction;
     * false if the move has to begin again.
     */
    private boolean settle(final int position, final int alreadyRequested, final boolean forward) {
        before = PointIndex.NONE;
        beforeAt = -1;
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
        beforeAt = at;
        keyRead = false;
        return ++at < limit || nextWithCare();
    }

    private boolean nextWithCare() {
        if (at >= current.count()) {
            return step(true);
        }
        lookAhead();
        return true;
    }

    /** Asks for what a walk forward reads soon, and finds out how far it may go until it has to ask again. */
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
        bottom = Math.max(0, at - STRIDE); // with care if the walk turns
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        beforeAt = at;
        keyRead = false;
        return --at >= bottom || previousWithCare();
    }

    private boolean previousWithCare() {
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
        limit = at; // with care if the walk turns
    }

    /** Asks for some more lines of the next leaf in a direction, which is copied after some more entries. */
    private void requestNeighbour(final int neighbour, final int entries) {
        final int rest = LeafSnapshot.LINES_OF_LEAF - neighbourLines;
        if (rest > 0 && neighbour != 0) {
            final int some = Math.min(rest, Math.max(STRIDE_LINES, rest * STRIDE / entries));
            ahead.request(offset(neighbour), neighbourLines, neighbourLines + some);
            neighbourLines += some;
        }
    }

    /** Asks for what is left of the next leaf if there is time until it has to be copied; returns whether it has. */
    private boolean requestRest(final int neighbour, final boolean hasTime) {
        if (!hasTime || neighbour == 0 || neighbourLines >= LeafSnapshot.LINES_OF_LEAF) {
            return false;
        }
        ahead.request(offset(neighbour), neighbourLines, LeafSnapshot.LINES_OF_LEAF);
        neighbourLines = LeafSnapshot.LINES_OF_LEAF;
        return true;
    }

    /**
     * Goes to the nearest entry in another leaf for a move that positions: all leaves on the way must have been as they were
     * copied at one moment, as a key may come at the end of one that is copied, and then another one where the cursor goes.
     *
     * @return whether they were, wherever the cursor stands now
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

    /** Goes to the nearest entry in another leaf. */
    private boolean step(final boolean forward) {
        before = current.payload(beforeAt);
        beforeAt = -1;
        do {
            if (!moveLeaf(forward)) {
                valid = false;
                return false;
            }
        } while (at < 0 || at >= current.count());
        return true;
    }

    /** Enters the next leaf in a direction, at its nearest entry or outside of it where it has none. */
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

    /** Enters the leaf that was copied as the next one. */
    private void enterNeighbour(final boolean forward) {
        final LeafSnapshot behind = current;
        current = ahead;
        ahead = behind;
        aheadCopied = false;
        learnLength(behind, requestedFrom, Math.min(requested, behind.count()));
        enter(forward ? 0 : current.count() - 1, forward);
    }

    /**
     * Learns from the records of a leaf that were requested how long keys are. A record of which a line was not requested is
     * waited for, which costs far more than lines that are requested in vain.
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

    /** Shows the current leaf from a place on, of which some records were requested. */
    private void enter(final int place, final boolean forward) {
        at = place;
        requested = forward ? Math.max(place, requestedAhead) : current.count();
        requestedFrom = forward ? 0 : Math.min(place + 1, requestedAhead);
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

    /** Copies the leaf that comes next. */
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

    /** Goes on from the border of the current copy where its neighbour is none any more. */
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
        final long payload = beforeAt < 0 ? before : current.payload(beforeAt);
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
