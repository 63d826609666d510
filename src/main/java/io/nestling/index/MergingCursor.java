/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.bytes.ByteComparison;

import java.util.Arrays;

/**
 * Merges several cursors into one key order. It shows all entries with equal keys, one after the other; a
 * reverse scan shows exactly the entries of a forward scan backwards.
 * <p> A step costs one comparison per level of a binary tree over the inputs, log2(n) levels, and allocates
 * nothing. It does not compare again a byte that a key is known to share with the key shown before.
 * <p> A limit of hidden entries ({@link HiddenLimitCursor}) stands above the merged cursor. An input that is incomplete is an
 * {@link IllegalStateException}: its end is not known.
 * <h2>Thread safety</h2> Used by one thread at a time. It shows of concurrent writes what its inputs show;
 * the order of its keys holds in any case.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Each input is on its first entry after the current one in the direction of the scan, or unpositioned if
 * it has none.</li>
 * <li>{@code prefixes[i]} is the length of the prefix that the key of input {@code i} shares with the key it
 * lost to; for the current input, with the key shown before; {@link #EXHAUSTED} if the input is
 * unpositioned.</li>
 * <li>Every input that the current one has beaten directly is on the path from the current one's leaf to
 * the root.</li>
 * </ol>
 * <h2>Pedigree</h2> A tree of losers (Knuth, volume 3, 5.4.1) with the prefix lengths of string merging
 * (offset-value codes, Conner 1977; LCP loser trees, Bingmann, Eberle and Sanders 2017).
 */
public final class MergingCursor extends DelegatingCursor {
    /** The current input before the first move and after the last entry. */
    private static final int UNPOSITIONED = -1;
    /** Shorter than any prefix, so that an input without entry loses to every other one. */
    private static final int EXHAUSTED = -1;
    private static final int ROOT = 1;

    /*
     * Input i is leaf n + i, the parent of node j is j / 2, and losers[j] is the input that lost at inner
     * node j. When the winner of the whole tree moves on, every input that it had beaten directly knows the
     * length of the prefix that it shares with the key just left, and the new key knows it from its own
     * cursor. All of them lie on the same side of the key just left. So the one with the longer prefix comes
     * first, without comparing bytes; the loser's prefix with the winner is the shorter of the two, which
     * is its own. With equal lengths the bytes are compared from there on, and the loser keeps the length
     * found.
     */
    private final EntryCursor[] inputs;
    private final boolean bySequence;
    private final int[] losers;
    private final int[] winners;
    private final int[] prefixes;
    /* Buffer and length of each input's key. */
    private final byte[][] keys;
    private final int[] lengths;
    private int current = UNPOSITIONED;
    private boolean forward = true;
    private boolean closed;
    private long comparedBytes;

    private MergingCursor(final EntryCursor[] inputs, final boolean bySequence) {
        this.inputs = inputs.clone();
        this.bySequence = bySequence;
        this.losers = new int[inputs.length];
        this.winners = new int[2 * inputs.length];
        this.prefixes = new int[inputs.length];
        this.keys = new byte[inputs.length][];
        this.lengths = new int[inputs.length];
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
     * @return an unpositioned cursor
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
     * @return an unpositioned cursor
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
            prefixes[i] = enter(i, goForward) ? 0 : exhausted(i);
        }
        return build();
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        startAnew(true);
        for (int i = 0; i < inputs.length; i++) {
            prefixes[i] = arrive(i, inputs[i].seek(key, offset, length)) ? 0 : exhausted(i);
        }
        return build();
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        startAnew(false);
        for (int i = 0; i < inputs.length; i++) {
            prefixes[i] = arrive(i, inputs[i].seekLowerThan(key, offset, length)) ? 0 : exhausted(i);
        }
        return build();
    }

    private void startAnew(final boolean goForward) {
        checkOpen();
        current = UNPOSITIONED; // stays so if an input throws
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
        if (moving == UNPOSITIONED) {
            checkOpen();
            return false;
        }
        if (forward != goForward) {
            return turn(moving, goForward);
        }
        current = UNPOSITIONED; // stays so if the input throws
        prefixes[moving] = move(moving, goForward) ? inputs[moving].commonPrefix() : exhausted(moving);
        return replay(moving);
    }

    /**
     * Changes the direction: moves every input to the other side of the current entry, and steps on from there.
     */
    private boolean turn(final int moving, final boolean goForward) {
        current = UNPOSITIONED; // stays so if an input throws
        for (int i = 0; i < inputs.length; i++) {
            if (i != moving) {
                crossOver(i, moving, goForward);
            }
        }
        prefixes[moving] = move(moving, goForward) ? inputs[moving].commonPrefix() : exhausted(moving);
        forward = goForward;
        return build();
    }

    /**
     * Moves an input to its first entry after the pivot's in a direction. Before, it is on the other side or unpositioned.
     */
    private void crossOver(final int input, final int pivot, final boolean goForward) {
        boolean found = inputs[input].valid() ? move(input, goForward) : enter(input, goForward);
        int prefix = found ? prefixBetween(pivot, input, 0) : exhausted(input);
        if (found && !comesFirst(pivot, input, prefix, goForward)) {
            // An entry was written between the two meanwhile.
            found = seekBehind(input, pivot, goForward);
            prefix = found ? prefixBetween(pivot, input, 0) : exhausted(input);
        }
        prefixes[input] = prefix;
    }

    /** Seeks the pivot's key in an input and moves to the first entry after the pivot's in a direction. */
    private boolean seekBehind(final int input, final int pivot, final boolean goForward) {
        boolean found = arrive(input, inputs[input].seek(keys[pivot], 0, lengths[pivot]));
        while (found && !follows(input, pivot)) {
            found = move(input, true);
        }
        if (!goForward) {
            found = found ? move(input, false) : enter(input, false);
            while (found && follows(input, pivot)) {
                found = move(input, false);
            }
        }
        return found;
    }

    private boolean follows(final int input, final int pivot) {
        return comesFirst(pivot, input, prefixBetween(pivot, input, 0), true);
    }

    /** Returns the prefix of an input without entry, unless it stopped before its end. */
    private int exhausted(final int input) {
        if (inputs[input].isIncomplete()) {
            throw new IllegalStateException("input " + input + " of " + inputs.length
                + " stopped at its limit of hidden entries: limit the merged cursor instead");
        }
        return EXHAUSTED;
    }

    private boolean move(final int input, final boolean goForward) {
        return arrive(input, goForward ? inputs[input].next() : inputs[input].previous());
    }

    private boolean enter(final int input, final boolean goForward) {
        return arrive(input, goForward ? inputs[input].first() : inputs[input].last());
    }

    private boolean arrive(final int input, final boolean found) {
        if (found) {
            keys[input] = inputs[input].keyBuffer();
            lengths[input] = inputs[input].keyLength();
        }
        return found;
    }

    /** Plays every match; all prefixes are lengths shared with the same key. */
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
        current = prefixes[winner] == EXHAUSTED ? UNPOSITIONED : winner;
        return current != UNPOSITIONED;
    }

    /** Stores the loser of two inputs at a node and returns the winner. */
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
     * Returns the length of the prefix that the keys of two inputs share, given that they share the first {@code known}
     * bytes.
     */
    private int prefixBetween(final int left, final int right, final int known) {
        final int leftLength = lengths[left];
        final int rightLength = lengths[right];
        final int shared = known + ByteComparison.commonPrefix(
            keys[left], known, leftLength - known, keys[right], known, rightLength - known);
        comparedBytes += Math.min(shared + 1, Math.min(leftLength, rightLength)) - known;
        return shared;
    }

    /**
     * Returns whether the left input's entry comes before the right one's, given the exact length of their
     * common prefix.
     */
    private boolean comesFirst(final int left, final int right, final int shared, final boolean ascending) {
        return compare(left, right, shared) < 0 == ascending;
    }

    private int compare(final int left, final int right, final int shared) {
        if (shared < lengths[left] && shared < lengths[right]) {
            return Byte.compareUnsigned(keys[left][shared], keys[right][shared]);
        }
        if (lengths[left] != lengths[right]) {
            return lengths[left] - lengths[right];
        }
        final int newerFirst = bySequence ? Long.compare(inputs[right].sequence(), inputs[left].sequence()) : 0;
        return newerFirst != 0 ? newerFirst : left - right;
    }

    /** Returns the number of bytes compared so far. */
    long comparedBytes() {
        return comparedBytes;
    }

    @Override
    public boolean valid() {
        return current != UNPOSITIONED;
    }

    @Override
    public byte[] keyBuffer() {
        return keys[input()];
    }

    @Override
    public int keyLength() {
        return lengths[input()];
    }

    @Override
    public int commonPrefix() {
        return prefixes[input()];
    }

    /**
     * Returns the number of the input whose entry is shown.
     *
     * @return number of the input, from 0
     * @throws IllegalStateException if the cursor is not on an entry
     */
    public int input() {
        if (current == UNPOSITIONED) {
            throw notValid();
        }
        return current;
    }

    @Override
    protected EntryCursor delegate() {
        return inputs[input()];
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
        current = UNPOSITIONED;
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
