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
 * The range tombstones of one memtable, on the heap. Each change adds a state: a {@link FragmentTree} that maps each key
 * to the newest range tombstone around it. A reader takes the state as of its sequence number, so that it sees no
 * newer ones. All states are kept, since a reader may be at any of them.
 * <p>
 * With n fragments in the tree, a lookup takes O(log n) steps however the range tombstones overlap, and a new state takes
 * some 2 log2(n) + 8 fragments of its own, however many it covers. All of that is charged to the budget.
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
    /** They may take one part in so many of the heap. */
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

    /** The range tombstones as of the sequence number of the last one. */
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

    /** Returns locks of shards, and behind them the lock that a {@link Change} needs. */
    List<ShardLock> lockAfter(final List<ShardLock> shards) {
        final List<ShardLock> locks = new ArrayList<>(shards);
        locks.add(lock);
        return locks;
    }

    /**
     * Adds range tombstones together. Everything that can fail comes before {@code publish}.
     * <h2>Thread safety</h2>
     * One thread: the holder of the lock.
     */
    final class Change {
        private RangeTombstone last = newest.last;
        private Fragment tree = newest.tree;
        private State state;
        private long charged;
        private int added;

        /**
         * Adds a range tombstone newer than all before, and charges it.
         *
         * @param offset its sequence number less the first one of its batch
         * @throws SpaceExhaustedException if the heap's share or the budget has no space for it
         */
        void add(final byte[] from, final byte[] to, final int offset) {
            charge(TOMBSTONE_BYTES + aligned(from.length) + aligned(to.length));
            last = new RangeTombstone(from.clone(), to.clone(), offset, last);
            tree = FragmentTree.cover(tree, last);
            added++;
        }

        /**
         * Creates the new state and charges it.
         *
         * @throws SpaceExhaustedException if the heap's share or the budget has no space for it
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

        /** Publishes the range tombstones, given the first sequence number of the batch. Cannot fail. */
        void publish(final long firstSequence) {
            RangeTombstone tombstone = last;
            for (int i = 0; i < added; i++) {
                tombstone.sequence += firstSequence;
                tombstone = tombstone.older;
            }
            count += added;
            newest = state;
        }

        /** Releases what was charged; nothing was published. */
        void abandon() {
            discharge(charged);
            charged = 0;
        }
    }

    /** Begins a change; the caller holds the lock. */
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

    /** Returns whether there are none. If true, none was visible at a sequence number that the caller read before. */
    boolean isEmpty() {
        return newest == EMPTY;
    }

    long count() {
        return count;
    }

    /** Returns the bytes charged. */
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

    /** Returns the fragments, which never change, as of a visible sequence number; null if there are none. */
    Fragment fragments(final long visible) {
        return isEmpty() ? null : state(visible).tree;
    }

    /** Returns the number of the newest range tombstone at or below a sequence number that covers a key, or 0. */
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

    /** Returns the sequence number of the newest range tombstone that covers a fragment, or 0. */
    static long newest(final Fragment fragment) {
        return fragment == null || fragment.newest() == null ? NONE : fragment.newest().sequence;
    }

    /** Returns those at or below a sequence number, ordered by first key, the newest first of equal ones. */
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

    /** Releases the charged bytes. */
    void close() {
        discharge(bytes);
    }
}
