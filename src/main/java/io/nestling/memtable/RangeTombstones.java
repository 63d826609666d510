/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.FragmentTree.Fragment;

import java.util.ArrayList;
import java.util.List;

/**
 * The range tombstones of one memtable, on the heap. Each write of some makes a new state: a {@link FragmentTree} that
 * says which one is the newest around each key. A reader takes the state as of its sequence number, so that it meets no
 * newer ones. All states are kept, since no one knows what is still read.
 * <p>
 * With n fragments in the tree, a lookup takes O(log n) steps however the range tombstones overlap, and a new state takes
 * some 2 log2(n) + 8 fragments of its own, however many of them it covers. All of that is charged to the budget.
 * <h2>Thread safety</h2>
 * A {@link Change} needs the lock from its beginning to its end; everything else may be called by any thread and never waits.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Sequence numbers ascend from state to state.</li>
 * <li>A state of rank r has a jump to the 2^r - 1st state before it.</li>
 * </ol>
 * <h2>Pedigree</h2>
 * Jumps: E. Myers, "An applicative random-access stack", Information Processing Letters 17 (1983).
 */
final class RangeTombstones {
    private static final long NONE = 0;
    private static final State EMPTY = new State();
    /* Bytes on the heap, with compressed references: a state; a range tombstone with the headers of its two arrays. */
    private static final int STATE_BYTES = 32;
    private static final int TOMBSTONE_BYTES = 32 + 2 * 16;
    /** The part of the heap that they may take. */
    private static final int HEAP_SHARE = 2;

    private final MemoryBudget budget;
    private final long maxBytes = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    private final ShardLock lock = new ShardLock(0);
    private volatile State newest = EMPTY;
    private volatile long bytes;
    private volatile long count;

    RangeTombstones(final MemoryBudget budget) {
        this.budget = budget;
    }

    /** A range tombstone as it was written. */
    static final class RangeTombstone {
        private final byte[] from;
        private final byte[] to;
        private final RangeTombstone older;
        private long sequence;

        private RangeTombstone(final byte[] from, final byte[] to, final long sequence, final RangeTombstone older) {
            this.from = from;
            this.to = to;
            this.sequence = sequence;
            this.older = older;
        }

        byte[] from() {
            return from;
        }

        byte[] to() {
            return to;
        }

        long sequence() {
            return sequence;
        }
    }

    /** What a reader sees from the sequence number of the last range tombstone on. */
    private static final class State {
        private final RangeTombstone last;
        private final Fragment tree;
        private final State previous;
        private final State jump;
        private final int rank;

        State() {
            this.last = new RangeTombstone(null, null, NONE, null);
            this.tree = null;
            this.previous = this;
            this.jump = this;
            this.rank = 0;
        }

        State(final State previous, final RangeTombstone last, final Fragment tree) {
            final boolean isDouble = previous.rank == previous.jump.rank && previous.rank > 0;
            this.last = last;
            this.tree = tree;
            this.previous = previous;
            this.jump = isDouble ? previous.jump.jump : previous;
            this.rank = isDouble ? previous.rank + 1 : 1;
        }
    }

    /** Locks of shards, and behind them the lock that a {@link Change} needs. */
    List<ShardLock> lockAfter(final List<ShardLock> shards) {
        final List<ShardLock> locks = new ArrayList<>(shards);
        locks.add(lock);
        return locks;
    }

    /**
     * Range tombstones that are added together. Everything that can fail comes before {@code publish}.
     * <h2>Thread safety</h2>
     * The holder of the lock.
     */
    final class Change {
        private RangeTombstone last = newest.last;
        private Fragment tree = newest.tree;
        private State state;
        private long charged;
        private int added;

        /**
         * Adds a range tombstone above all before, and charges it.
         *
         * @param offset what its sequence number will be above the first of its batch
         * @throws SpaceExhaustedException if there is no space for it
         */
        void add(final byte[] from, final byte[] to, final int offset) {
            charge(TOMBSTONE_BYTES + aligned(from.length) + aligned(to.length));
            last = new RangeTombstone(from.clone(), to.clone(), offset, last);
            tree = FragmentTree.cover(tree, last);
            added++;
        }

        /**
         * Charges what is to be published beside the range tombstones.
         *
         * @throws SpaceExhaustedException if there is no space for it
         */
        void prepare() {
            charge(STATE_BYTES + (long) Fragment.BYTES * FragmentTree.notShared(tree, newest.tree));
            state = new State(newest, last, tree);
        }

        private void charge(final long needed) {
            if (bytes + needed > maxBytes) {
                throw new SpaceExhaustedException("a range tombstone needs " + needed
                    + " bytes of the heap, those of the memtable have " + bytes + " of at most " + maxBytes);
            }
            if (!budget.tryAcquire(needed)) {
                throw new SpaceExhaustedException("a range tombstone needs " + needed + " bytes, the budget has "
                    + budget.remaining() + " left of " + budget.capacity());
            }
            charged += needed;
            bytes += needed;
        }

        /** Shows the range tombstones to readers, given the first sequence number of the batch. Nothing here can fail. */
        void publish(final long firstSequence) {
            RangeTombstone tombstone = last;
            for (int i = 0; i < added; i++) {
                tombstone.sequence += firstSequence;
                tombstone = tombstone.older;
            }
            count += added;
            newest = state;
        }

        /** Gives back what was charged; nothing was published. */
        void abandon() {
            discharge(charged);
            charged = 0;
        }
    }

    /** Begins a change. */
    Change change() {
        return new Change();
    }

    private static long aligned(final int length) {
        return length + Long.BYTES - 1L & -Long.BYTES;
    }

    private void discharge(final long charged) {
        if (charged > 0) {
            budget.release(charged);
            bytes -= charged;
        }
    }

    /** Returns whether there are none; true only if none was visible when the caller read the visible sequence number. */
    boolean isEmpty() {
        return newest == EMPTY;
    }

    long count() {
        return count;
    }

    /** Bytes charged. */
    long bytes() {
        return bytes;
    }

    private State state(final long visible) {
        State state = newest;
        while (state.last.sequence > visible) {
            state = state.jump.last.sequence > visible ? state.jump : state.previous;
        }
        return state;
    }

    /** The fragments as of a sequence number that is visible: they stay as they are. */
    Fragment fragments(final long visible) {
        return isEmpty() ? null : state(visible).tree;
    }

    /** The newest range tombstone at or below a sequence number that covers a key: its number, or 0. */
    long newestCovering(final byte[] key, final long visible) {
        return isEmpty() ? NONE : newest(FragmentTree.at(state(visible).tree, key, key.length));
    }

    /** Returns whether a range tombstone at or below one sequence number and above another one covers a key. */
    boolean isCovered(final byte[] key, final long visible, final long sequence) {
        if (isEmpty()) {
            return false;
        }
        final State state = state(visible);
        return state.last.sequence > sequence && newest(FragmentTree.at(state.tree, key, key.length)) > sequence;
    }

    /** Sequence number of the newest range tombstone that covers a fragment, or 0. */
    static long newest(final Fragment fragment) {
        return fragment == null || fragment.newest() == null ? NONE : fragment.newest().sequence;
    }

    /** Those at or below a sequence number by first key, of equal ones the newest first. */
    List<RangeTombstone> inOrder(final long visible) {
        final List<RangeTombstone> list = new ArrayList<>();
        for (RangeTombstone tombstone = state(visible).last; tombstone != EMPTY.last; tombstone = tombstone.older) {
            list.add(tombstone);
        }
        list.sort((a, b) -> {
            final int byKey = ByteComparison.compare(a.from, b.from);
            return byKey != 0 ? byKey : Long.compare(b.sequence, a.sequence);
        });
        return list;
    }

    /** Gives the charged bytes back. */
    void close() {
        discharge(bytes);
    }
}
