/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The range tombstones of one memtable, off the heap. Each change derives a {@link TombstoneTree} from the one before; a reader
 * takes the newest tree, which shows the range tombstones as of any sequence number that is read at.
 * <p>
 * With n range tombstones, a lookup and a write take O(log n) steps however they overlap, and the tree takes memory for two
 * slots each. While s snapshots and cursors are open at numbers of their own, a new bound copies up to s older numbers, and a
 * read at an old one passes up to s numbers at each level. All memory is charged.
 * <h2>Thread safety</h2>
 * A {@link Change} needs the lock from its beginning to its end; everything else may be called by any thread and does not
 * wait for the lock. Lookups are called inside a guard of the epochs, in which the caller has read its sequence number or has
 * found its snapshot open.
 */
final class RangeTombstones {
    private final SnapshotRegistry snapshots;
    private final EpochReclaimer epochs;
    private final TombstoneSpace space;
    private final TombstoneWriter writer;
    private final ShardLock lock = new ShardLock(0);
    private volatile TombstoneTree newest = TombstoneTree.EMPTY;
    private volatile long bytes;
    private final ReadNumbersTracker numbers;
    private final boolean listsAllWindows;
    /* Open windows, linked from new to old. Changed by stores alone, so that an error leaves the list whole. */
    private TombstoneWindow windows;
    private int windowCount;

    /**
     * Creates an empty set, which takes no memory, and later up to {@code maxBytes} off the heap. If it {@code listsAllWindows},
     * then those that see no range tombstone, too: for records, which are recycled.
     */
    RangeTombstones(
        final SlabAllocator allocator, final MemoryBudget budget, final EpochReclaimer epochs, final long maxBytes,
        final SnapshotRegistry snapshots, final boolean listsAllWindows) {
        this.epochs = epochs;
        this.snapshots = snapshots;
        this.space = new TombstoneSpace(
            allocator, budget, epochs, maxBytes, TombstoneLayout.NODE_BYTES, TombstoneLayout.CELL_BYTES);
        this.writer = new TombstoneWriter(space);
        this.numbers = new ReadNumbersTracker(this::numbersRead, epochs);
        this.listsAllWindows = listsAllWindows;
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
        private TombstoneTree tree;
        private int added;
        private int lastOffset;

        private Change() {
            if (space.isQuiescent()) {
                space.reclaim();
            }
            writer.begin(newest, numbers.now());
        }

        /**
         * Adds a range tombstone newer than all before, the write at an offset in its batch, and charges it; throws if the
         * budget, or the slab, has no space for it. Without an end, {@code to} is null.
         */
        void add(final byte[] from, final byte[] to, final int offset) {
            writer.add(from, to, offset);
            lastOffset = offset;
            added++;
        }

        /** Creates the new tree. */
        void prepare() {
            tree = writer.tree(newest.tombstones() + added);
        }

        /** Publishes the range tombstones, given the first sequence number of the batch. Cannot fail. */
        void publish(final long firstSequence) {
            writer.number(firstSequence);
            tree.last = firstSequence + lastOffset;
            bytes = space.bytes();
            newest = tree;
        }

        /** Releases what was charged; nothing was published. */
        void abandon() {
            space.undo();
        }
    }

    /** Begins a change; the caller holds the lock. */
    Change change() {
        return new Change();
    }

    /** Returns whether there are none. If true, none was visible at a sequence number that the caller read before. */
    boolean isEmpty() {
        return newest == TombstoneTree.EMPTY;
    }

    /** Returns whether a window is listed whatever it sees. */
    boolean listsAllWindows() {
        return listsAllWindows;
    }

    /** Returns the newest tree. */
    TombstoneTree newest() {
        return newest;
    }

    EpochReclaimer epochs() {
        return epochs;
    }

    long count() {
        return newest.tombstones();
    }

    /** Returns the bytes charged. */
    long bytes() {
        return bytes;
    }

    /** Returns the number of the newest range tombstone at or below a sequence number that covers a key, or 0. */
    long newestCovering(final byte[] key, final int length, final long visible) {
        return newest.newestCovering(key, length, visible);
    }

    /** Returns whether a range tombstone at or below one sequence number and above another one covers a key. */
    boolean isCovered(final byte[] key, final int length, final long visible, final long sequence) {
        final TombstoneTree tree = newest;
        return tree.last > sequence && tree.newestCovering(key, length, visible) > sequence;
    }

    // ---- windows: readers that outlast their guards ----

    /** Keeps what a window reads until it is closed. */
    synchronized void open(final TombstoneWindow window) {
        window.older = windows;
        if (windows != null) {
            windows.newer = window;
        }
        windows = window;
        windowCount++;
    }

    synchronized void close(final TombstoneWindow window) {
        if (window.isOpen) {
            window.isOpen = false;
            if (window.newer == null) {
                windows = window.older;
            } else {
                window.newer.older = window.older;
            }
            if (window.older != null) {
                window.older.newer = window.newer;
            }
            windowCount--;
        }
    }

    /** Returns the visible number, then those of the open snapshots and windows. */
    long[] numbersRead() {
        return addWindows(snapshots.capture());
    }

    private synchronized long[] addWindows(final long[] sequences) {
        final long[] all = Arrays.copyOf(sequences, sequences.length + windowCount);
        int count = sequences.length;
        for (TombstoneWindow window = windows; window != null; window = window.older) {
            all[count++] = window.visible();
        }
        return all;
    }

    /** Releases the memory. May be called again, also after it has thrown. */
    void close() {
        bytes = 0;
        space.close();
    }
}
