/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The range tombstones of one memtable, kept twice: as they were written, for flushes, and cut into fragments
 * that do not overlap, so that a lookup finds everything that covers a key in one place. They lie on the
 * heap; an estimate of their bytes is charged to the budget.
 * <h2>Thread safety</h2>
 * {@code charge} and {@code add} need the lock; everything else may be called by any thread and never waits.
 * <h2>Invariants</h2>
 * <ol>
 * <li>A fragment reaches from its start to the start of the next one. Its sequence numbers are those of all
 * range tombstones that cover it, descending.</li>
 * <li>At each step of {@code add}, a lookup finds for every key what it found before, or the new sequence
 * number besides.</li>
 * </ol>
 */
final class RangeTombstones {
    private static final long NONE = 0;
    private static final long[] NO_SEQUENCES = {};
    /* Two fragments, a list element, the arrays and their headers. */
    private static final long FIXED_BYTES = 320;

    private final MemoryBudget budget;
    private final ShardLock lock = new ShardLock(0);
    private final ConcurrentSkipListMap<byte[], long[]> fragments =
        new ConcurrentSkipListMap<>(ByteComparison::compare);
    private final Queue<RangeTombstone> written = new ConcurrentLinkedQueue<>();
    private volatile long bytes;
    private volatile long count;

    RangeTombstones(final MemoryBudget budget) {
        this.budget = budget;
    }

    /** A range tombstone as it was written. */
    record RangeTombstone(byte[] from, byte[] to, long sequence) {
    }

    /** Locks of shards, and behind them the lock that {@code charge} and {@code add} need. */
    List<ShardLock> lockAfter(final List<ShardLock> shards) {
        final List<ShardLock> locks = new ArrayList<>(shards);
        locks.add(lock);
        return locks;
    }

    /**
     * Charges a range tombstone to the budget, before it is added.
     *
     * @return the bytes charged
     * @throws SpaceExhaustedException if they are not there
     */
    long charge(final byte[] from, final byte[] to) {
        final long covered = fragments.subMap(from, true, to, false).size();
        final long needed = FIXED_BYTES + 2L * (from.length + to.length) + covered * Long.BYTES;
        if (!budget.tryAcquire(needed)) {
            throw new SpaceExhaustedException(
                "a range tombstone needs " + needed + " bytes, the budget has " + budget.remaining()
                + " left of "
                    + budget.capacity());
        }
        bytes += needed;
        return needed;
    }

    /** Gives back what was charged for range tombstones that were not added. */
    void discharge(final long charged) {
        if (charged > 0) {
            budget.release(charged);
            bytes -= charged;
        }
    }

    /** Adds a range tombstone whose sequence number is greater than all before. The arrays are kept. */
    void add(final byte[] from, final byte[] to, final long sequence) {
        split(from);
        split(to);
        for (final Map.Entry<byte[], long[]> fragment : fragments.subMap(from, true, to, false).entrySet()) {
            final long[] before = fragment.getValue();
            final long[] after = new long[before.length + 1];
            after[0] = sequence;
            System.arraycopy(before, 0, after, 1, before.length);
            fragments.put(fragment.getKey(), after);
        }
        written.add(new RangeTombstone(from, to, sequence));
        count++;
    }

    private void split(final byte[] at) {
        final Map.Entry<byte[], long[]> fragment = fragments.floorEntry(at);
        if (fragment == null) {
            fragments.put(at, NO_SEQUENCES);
        } else if (ByteComparison.compare(fragment.getKey(), at) != 0) {
            fragments.put(at, fragment.getValue());
        }
    }

    /**
     * Whether there are any; false only if none was visible when the caller read the visible sequence number.
     */
    boolean isEmpty() {
        return count == 0;
    }

    long count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    /** The newest range tombstone at or below a sequence number that covers a key: its number, or 0. */
    long newestCovering(final byte[] key, final long visible) {
        if (isEmpty()) {
            return NONE;
        }
        // A fragment that is split between the two calls gets only numbers above the visible one; those are
        // skipped.
        final byte[] start = fragments.floorKey(key);
        return start == null ? NONE : newestAt(start, visible);
    }

    private long newestAt(final byte[] start, final long visible) {
        for (final long sequence : fragments.get(start)) {
            if (sequence <= visible) {
                return sequence;
            }
        }
        return NONE;
    }

    /** Start of the fragment that a key lies in, or null if it lies before all. */
    byte[] fragmentStart(final byte[] key) {
        return fragments.floorKey(key);
    }

    /** End of the fragment that a key lies in, or null if it lies in the last one. */
    byte[] fragmentEnd(final byte[] key) {
        return fragments.higherKey(key);
    }

    /** Those at or below a sequence number by first key, of equal ones the newest first. */
    List<RangeTombstone> inOrder(final long visible) {
        final List<RangeTombstone> list = new ArrayList<>();
        for (final RangeTombstone tombstone : written) {
            if (tombstone.sequence <= visible) {
                list.add(tombstone);
            }
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
