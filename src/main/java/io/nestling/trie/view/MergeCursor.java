/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;

import java.util.List;

/**
 * Walks the keys of several tries. It moves the cursors of the sources side by side in a heap by position, so that each source
 * walks a shared path once, and paths are compared by depth and transition alone.
 * <h2>Invariants</h2>
 * <ol>
 * <li>{@code keys[i]} is the encoded position of {@code cursors[i]} and below it the number of the
 * source; both arrays are in heap order.
 * <li>The merge is at the position of the first cursor of the heap. All sources with this position are there too, the others are
 * at later ones.
 * </ol>
 * In reverse a source with content comes to the node twice. All sources with the node were there together the first time, so that
 * those with content are there together the second time, and no source is there for the first time then.
 */
final class MergeCursor implements TrieCursor {
    private static final int NUMBER_BITS = 32;

    private final MergeResolver resolver;
    private final boolean forward;
    private final TrieCursor[] cursors;
    private final long[] keys;
    /* Heap indexes of the cursors at this position, in the order of their sources. */
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

    private void updateKey(final int index) {
        final long number = keys[index] & (1L << NUMBER_BITS) - 1;
        keys[index] = (long) CursorOrder.encode(cursors[index], forward) << NUMBER_BITS | number;
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
                "expected the resolver to return a payload of at least 0 for " + left + " and " + right + " but was " + result);
        }
        return result;
    }

    /**
     * Finds the heap indexes of the cursors at this position, each behind its parent in the heap, which is among them.
     */
    private int collect() {
        final int at = position(keys[0]);
        int count = 0;
        here[count++] = 0;
        for (int i = 0; i < count; i++) {
            final int child = 2 * here[i] + 1;
            for (int index = child; index < Math.min(child + 2, keys.length); index++) {
                if (position(keys[index]) == at) {
                    here[count++] = index;
                }
            }
        }
        return count;
    }

    private void sortBySource(final int count) {
        for (int i = 1; i < count; i++) {
            final int index = here[i];
            int to = i;
            for (; to > 0 && keys[here[to - 1]] > keys[index]; to--) {
                here[to] = here[to - 1];
            }
            here[to] = index;
        }
    }

    @Override
    public int advance() {
        resolved = false;
        // From the bottom of the heap up, so that everything below an index is in order when its cursor moves.
        for (int i = collect() - 1; i >= 0; i--) {
            cursors[here[i]].advance();
            siftDown(here[i]);
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
        siftDown(0);
        return depth();
    }

    @Override
    public int skipTo(final int depth, final int transition) {
        CursorOrder.checkSkip(this, depth);
        resolved = false;
        for (int i = collect() - 1; i >= 0; i--) {
            cursors[here[i]].skipTo(depth, transition);
            siftDown(here[i]);
        }
        while (CursorOrder.isBefore(cursors[0], depth, transition)) {
            cursors[0].skipTo(depth, transition);
            siftDown(0);
        }
        return depth();
    }

    /** Restores the order of the heap below an index whose cursor has moved. */
    private void siftDown(final int from) {
        updateKey(from);
        final TrieCursor cursor = cursors[from];
        final long key = keys[from];
        final int count = keys.length;
        int index = from;
        for (int child = 2 * index + 1; child < count; child = 2 * index + 1) {
            if (child + 1 < count && keys[child + 1] < keys[child]) {
                child++;
            }
            if (keys[child] > key) {
                break;
            }
            keys[index] = keys[child];
            cursors[index] = cursors[child];
            index = child;
        }
        keys[index] = key;
        cursors[index] = cursor;
    }
}
