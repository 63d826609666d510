/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;

import java.util.List;

/**
 * Walks the keys of several tries: the cursor of a {@link MergeTrie}.
 * <h2>Invariants</h2>
 * <ol>
 * <li>{@code keys[i]} is the encoded position of {@code cursors[i]} and below it the number of the
 * source; both arrays are in heap order.
 * <li>The merge stands where the first cursor of the heap stands. All sources that have this position
 * stand there too, the others stand at later ones.
 * </ol>
 * In reverse a source with content comes to the node twice. Since all that have the node stood there
 * together the first time, those with content stand there together the second time, and no source is
 * there the first time then.
 */
final class MergeCursor implements TrieCursor {
    private static final int NUMBER_BITS = 32;

    private final MergeResolver resolver;
    private final boolean forward;
    private final TrieCursor[] cursors;
    private final long[] keys;
    /* Places in the heap of the cursors at this position, in the order of their sources. */
    private final int[] here;
    private long content;
    private boolean resolved;

    MergeCursor(
        final List<? extends Trie> tries, final MergeResolver resolver, final Direction direction) {
        this.resolver = resolver;
        this.forward = direction.isForward();
        final int count = tries.size();
        cursors = new TrieCursor[count];
        keys = new long[count];
        here = new int[count];
        // All begin at the root: the order of the sources is a heap.
        for (int i = 0; i < count; i++) {
            cursors[i] = tries.get(i).cursor(direction);
            keys[i] = i;
            updateKey(i);
        }
    }

    private void updateKey(final int place) {
        final long number = keys[place] & (1L << NUMBER_BITS) - 1;
        keys[place] = (long) CursorOrder.encode(cursors[place], forward) << NUMBER_BITS | number;
    }

    private static int position(final long key) {
        return (int) (key >>> NUMBER_BITS);
    }

    @Override
    public int depth() {
        return cursors[0].depth();
    }

    @Override
    public int incomingTransition() {
        return cursors[0].incomingTransition();
    }

    @Override
    public Direction direction() {
        return cursors[0].direction();
    }

    @Override
    public long content() {
        if (!resolved) {
            content = isAlone() ? cursors[0].content() : resolve();
            resolved = true;
        }
        return content;
    }

    /** Returns whether no other source has this position. */
    private boolean isAlone() {
        final int at = position(keys[0]);
        return position(keys[1]) != at && (keys.length == 2 || position(keys[2]) != at);
    }

    private long resolve() {
        final int count = collect();
        sortBySource(count);
        long result = PointIndex.NONE;
        for (int i = 0; i < count; i++) {
            final long next = cursors[here[i]].content();
            if (next != PointIndex.NONE) {
                result = result == PointIndex.NONE ? next : checked(result, next);
            }
        }
        return result;
    }

    private long checked(final long left, final long right) {
        final long result = resolver.resolve(left, right);
        if (result < 0) {
            throw new IllegalStateException(
                "payloads " + left + " and " + right + " were resolved to " + result + ", which is none");
        }
        return result;
    }

    /**
     * Finds the places of the cursors at this position, each behind its parent in the heap, which is among
     * them.
     */
    private int collect() {
        final int at = position(keys[0]);
        int count = 0;
        here[count++] = 0;
        for (int i = 0; i < count; i++) {
            final int child = 2 * here[i] + 1;
            for (int place = child; place < Math.min(child + 2, keys.length); place++) {
                if (position(keys[place]) == at) {
                    here[count++] = place;
                }
            }
        }
        return count;
    }

    private void sortBySource(final int count) {
        for (int i = 1; i < count; i++) {
            final int place = here[i];
            int to = i;
            for (; to > 0 && keys[here[to - 1]] > keys[place]; to--) {
                here[to] = here[to - 1];
            }
            here[to] = place;
        }
    }

    @Override
    public int advance() {
        resolved = false;
        // From the bottom of the heap up, so that what is below a place is in order when its cursor moves.
        for (int i = collect() - 1; i >= 0; i--) {
            cursors[here[i]].advance();
            settle(here[i]);
        }
        return depth();
    }

    @Override
    public int advanceMultiple(final TransitionsReceiver receiver) {
        if (!isAlone()) {
            return advance();
        }
        // No other source has anything below this position.
        resolved = false;
        cursors[0].advanceMultiple(receiver);
        settle(0);
        return depth();
    }

    @Override
    public int skipTo(final int depth, final int transition) {
        CursorOrder.checkSkip(this, depth);
        resolved = false;
        for (int i = collect() - 1; i >= 0; i--) {
            cursors[here[i]].skipTo(depth, transition);
            settle(here[i]);
        }
        while (CursorOrder.isBefore(cursors[0], depth, transition)) {
            cursors[0].skipTo(depth, transition);
            settle(0);
        }
        return depth();
    }

    /** Restores the order of the heap below a place whose cursor has moved. */
    private void settle(final int from) {
        updateKey(from);
        final TrieCursor cursor = cursors[from];
        final long key = keys[from];
        final int count = keys.length;
        int place = from;
        for (int child = 2 * place + 1; child < count; child = 2 * place + 1) {
            if (child + 1 < count && keys[child + 1] < keys[child]) {
                child++;
            }
            if (keys[child] > key) {
                break;
            }
            keys[place] = keys[child];
            cursors[place] = cursors[child];
            place = child;
        }
        keys[place] = key;
        cursors[place] = cursor;
    }
}
