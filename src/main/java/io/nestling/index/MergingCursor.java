/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.bytes.ByteComparison;

import java.util.Arrays;

/**
 * The entries of several cursors in one order. Entries with equal keys are all shown, one after the other; a
 * reverse walk shows exactly the entries of a forward walk backwards.
 * <p> A step costs one comparison per level of a binary tree over the inputs, log2(n) levels, and nothing is
 * allocated. A byte that a key is known to share with the key shown before is not looked at again.
 * <h2>Thread safety</h2> Used by one thread at a time. It shows of concurrent writes what its inputs show;
 * the order of its keys holds in any case.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Each input stands on its first entry after the current one in the direction of the walk, or nowhere if
 * there is none.</li>
 * <li>{@code prefixes[i]} is the length of the prefix that the key of input {@code i} shares with the key it
 * lost to; for the current input, with the key shown before; {@link #EXHAUSTED} if the input stands
 * nowhere.</li>
 * <li>Every input that the current one has beaten directly stands on the way from the current one's leaf to
 * the root.</li>
 * </ol>
 * <h2>Pedigree</h2> A tree of losers (Knuth, volume 3, 5.4.1) with the prefix lengths of string merging
 * (offset-value codes, Conner 1977; LCP loser trees, Bingmann, Eberle and Sanders 2017).
 */
public final class MergingCursor extends DelegatingCursor {
    /** The current input before the first move and after the last entry. */
    private static final int NOWHERE = -1;
    /** Shorter than any prefix, so that an input without entry loses to every other one. */
    private static final int EXHAUSTED = -1;
    private static final int ROOT = 1;

    /*
     * Input i is leaf n + i, the parent of node j is j / 2, and losers[j] is the input that lost at inner
     * node j. When the winner of the whole tree moves on, every input that it had beaten directly knows the
     * length of the prefix that it shares with the key just left, and the new key knows it from its own
     * cursor. All of them lie on the same side of the key just left. So the one with the longer prefix comes
     * first, without a look at the bytes; the loser's prefix with the winner is the shorter of the two, which
     * is its own. With equal lengths the bytes are compared from there on, and the loser keeps what was
     * found.
     */
    private final EntryCursor[] inputs;
    private final boolean bySequence;
    private final int[] losers;
    private final int[] winners;
    private final int[] prefixes;
    private int current = NOWHERE;
    private boolean forward = true;
    private boolean closed;
    private long comparedBytes;

    private MergingCursor(final EntryCursor[] inputs, final boolean bySequence) {
        this.inputs = inputs.clone();
        this.bySequence = bySequence;
        this.losers = new int[inputs.length];
        this.winners = new int[2 * inputs.length];
        this.prefixes = new int[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i] == null) {
                throw new NullPointerException("input " + i + " of " + inputs.length);
            }
        }
    }

    /**
     * Merges cursors by key; of equal keys, the one of the earlier input comes first.
     *
     * @param inputs the cursors, which are moved and closed through the new one only
     * @return a cursor that stands nowhere
     * @throws NullPointerException if an input is null
     */
    public static MergingCursor of(final EntryCursor... inputs) {
        return new MergingCursor(inputs, false);
    }

    /**
     * Merges cursors by key; of equal keys, the one with the greater sequence number comes first, then that
     * of the earlier input. Where one input shows a key more than once, it must do so in this order.
     *
     * @param inputs cursors with sequence numbers, which are moved and closed through the new one only
     * @return a cursor that stands nowhere
     * @throws NullPointerException if an input is null
     */
    public static MergingCursor bySequence(final EntryCursor... inputs) {
        return new MergingCursor(inputs, true);
    }

    @Override
    public boolean first() {
        return enterAll(true);
    }

    @Override
    public boolean last() {
        return enterAll(false);
    }

    private boolean enterAll(final boolean goForward) {
        startAnew(goForward);
        for (int i = 0; i < inputs.length; i++) {
            prefixes[i] = enter(inputs[i], goForward) ? 0 : EXHAUSTED;
        }
        return build();
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        startAnew(true);
        for (int i = 0; i < inputs.length; i++) {
            prefixes[i] = inputs[i].seek(key, offset, length) ? 0 : EXHAUSTED;
        }
        return build();
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        startAnew(false);
        for (int i = 0; i < inputs.length; i++) {
            prefixes[i] = inputs[i].seekLowerThan(key, offset, length) ? 0 : EXHAUSTED;
        }
        return build();
    }

    private void startAnew(final boolean goForward) {
        checkOpen();
        current = NOWHERE; // stays so if an input throws
        forward = goForward;
    }

    @Override
    public boolean next() {
        return step(true);
    }

    @Override
    public boolean previous() {
        return step(false);
    }

    private boolean step(final boolean goForward) {
        final int moving = current;
        if (moving == NOWHERE) {
            checkOpen();
            return false;
        }
        if (forward != goForward) {
            return turn(moving, goForward);
        }
        current = NOWHERE; // stays so if the input throws
        prefixes[moving] = move(inputs[moving], goForward) ? inputs[moving].commonPrefix() : EXHAUSTED;
        return replay(moving);
    }

    /**
     * Takes the other direction: brings every input to the other side of the current entry, and goes on from
     * there.
     */
    private boolean turn(final int moving, final boolean goForward) {
        current = NOWHERE; // stays so if an input throws
        final EntryCursor pivot = inputs[moving];
        for (int i = 0; i < inputs.length; i++) {
            if (i != moving) {
                crossOver(i, moving, goForward);
            }
        }
        prefixes[moving] = move(pivot, goForward) ? pivot.commonPrefix() : EXHAUSTED;
        forward = goForward;
        return build();
    }

    /**
     * Moves an input to its first entry after the pivot's in a direction; it stands on the other side or
     * nowhere.
     */
    private void crossOver(final int input, final int pivot, final boolean goForward) {
        final EntryCursor cursor = inputs[input];
        boolean found = cursor.valid() ? move(cursor, goForward) : enter(cursor, goForward);
        int prefix = found ? prefixBetween(pivot, input, 0) : EXHAUSTED;
        if (found && !comesFirst(pivot, input, prefix, goForward)) {
            // An entry was written between the two meanwhile. Look for the place anew.
            found = placeAfter(input, pivot, goForward);
            prefix = found ? prefixBetween(pivot, input, 0) : EXHAUSTED;
        }
        prefixes[input] = prefix;
    }

    /** Seeks the pivot's key in an input and goes to the first entry after the pivot's. */
    private boolean placeAfter(final int input, final int pivot, final boolean goForward) {
        final EntryCursor cursor = inputs[input];
        final EntryCursor target = inputs[pivot];
        boolean found = cursor.seek(target.keyBuffer(), 0, target.keyLength());
        while (found && !follows(input, pivot)) {
            found = cursor.next();
        }
        if (!goForward) {
            found = found ? cursor.previous() : cursor.last();
            while (found && follows(input, pivot)) {
                found = cursor.previous();
            }
        }
        return found;
    }

    private boolean follows(final int input, final int pivot) {
        return comesFirst(pivot, input, prefixBetween(pivot, input, 0), true);
    }

    private static boolean move(final EntryCursor cursor, final boolean goForward) {
        return goForward ? cursor.next() : cursor.previous();
    }

    private static boolean enter(final EntryCursor cursor, final boolean goForward) {
        return goForward ? cursor.first() : cursor.last();
    }

    /** Plays every match, all prefixes being lengths shared with one and the same key. */
    private boolean build() {
        final int n = inputs.length;
        if (n == 0) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            winners[n + i] = i;
        }
        for (int node = n - 1; node >= ROOT; node--) {
            winners[node] = play(node, winners[2 * node], winners[2 * node + 1]);
        }
        return crown(winners[ROOT]);
    }

    /** Plays the matches of an input that has moved, up to the root. */
    private boolean replay(final int moved) {
        int winner = moved;
        for (int node = (inputs.length + moved) / 2; node >= ROOT; node /= 2) {
            winner = play(node, winner, losers[node]);
        }
        return crown(winner);
    }

    private boolean crown(final int winner) {
        current = prefixes[winner] == EXHAUSTED ? NOWHERE : winner;
        return current != NOWHERE;
    }

    /** Notes the loser of two inputs at a node and returns the winner. */
    private int play(final int node, final int left, final int right) {
        final int prefix = prefixes[left];
        boolean leftWins = prefix > prefixes[right];
        if (prefix == prefixes[right] && prefix != EXHAUSTED) {
            final int shared = prefixBetween(left, right, prefix);
            leftWins = comesFirst(left, right, shared, forward);
            prefixes[leftWins ? right : left] = shared;
        }
        losers[node] = leftWins ? right : left;
        return leftWins ? left : right;
    }

    /**
     * Length of the prefix that the keys of two inputs share, given that they share the first {@code known}
     * bytes.
     */
    private int prefixBetween(final int left, final int right, final int known) {
        final int leftLength = inputs[left].keyLength();
        final int rightLength = inputs[right].keyLength();
        final int shared = known + ByteComparison.commonPrefix(
            inputs[left].keyBuffer(), known, leftLength - known, inputs[right].keyBuffer(), known,
                rightLength - known);
        comparedBytes += Math.min(shared + 1, Math.min(leftLength, rightLength)) - known;
        return shared;
    }

    /**
     * Tells whether the left input's entry comes before the right one's, given the exact length of their
     * common prefix.
     */
    private boolean comesFirst(final int left, final int right, final int shared, final boolean ascending) {
        return compare(left, right, shared) < 0 == ascending;
    }

    private int compare(final int left, final int right, final int shared) {
        final EntryCursor a = inputs[left];
        final EntryCursor b = inputs[right];
        if (shared < a.keyLength() && shared < b.keyLength()) {
            return Byte.compareUnsigned(a.keyBuffer()[shared], b.keyBuffer()[shared]);
        }
        if (a.keyLength() != b.keyLength()) {
            return a.keyLength() - b.keyLength();
        }
        final int newerFirst = bySequence ? Long.compare(b.sequence(), a.sequence()) : 0;
        return newerFirst != 0 ? newerFirst : left - right;
    }

    /** Bytes of one key that were compared with another one so far. */
    long comparedBytes() {
        return comparedBytes;
    }

    @Override
    public boolean valid() {
        return current != NOWHERE;
    }

    @Override
    public int commonPrefix() {
        if (current == NOWHERE) {
            throw standsNowhere();
        }
        return prefixes[current];
    }

    /**
     * Returns which input's entry is shown.
     *
     * @return number of the input, from 0
     * @throws IllegalStateException if the cursor stands on no entry
     */
    public int input() {
        if (current == NOWHERE) {
            throw standsNowhere();
        }
        return current;
    }

    @Override
    EntryCursor standing() {
        if (current == NOWHERE) {
            throw standsNowhere();
        }
        return inputs[current];
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the cursor is closed");
        }
    }

    /**
     * Closes every input, even if one of them throws: the first exception is thrown when all are closed, and
     * carries the others. Closing twice does nothing.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        current = NOWHERE;
        Arrays.fill(prefixes, EXHAUSTED);
        RuntimeException failure = null;
        for (final EntryCursor input : inputs) {
            try {
                input.close();
            } catch (final RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else if (failure != e) {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
