/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.Hashing;
import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;

/**
 * Recycles replaced records of a shard: those between whose number and that of the next newer version nobody reads, and that no
 * operand needs: the record behind an operand stays as long as that is linked.
 * <p>
 * A record waits until the numbers read at were noted twice behind its write. Then most readers from before it have left, and the
 * record that it replaced can go. Its turn looks at the first versions behind it, and one turn in {@link #ALL_INTERVAL} at all of
 * them, as many as snapshots, cursors and writes under way may need; but seldom enough that a write takes about
 * {@link #FIRST_VERSIONS} more steps for that.
 * <h2>Thread safety</h2>
 * One thread: the shard's only writer.
 */
final class RecordRecycler {
    /** Versions of a key that each turn looks at. */
    private static final int FIRST_VERSIONS = 8;
    /** One in so many turns looks at all versions; more of large records. */
    private static final int ALL_INTERVAL = 32;
    /** Records that replace another one, or 512 bytes of them each, after which the numbers read at are noted again. */
    private static final int RECORDS_A_LOOK = LoweredLimit.of("memtable.recordsALook", 64, 1);
    private static final int LARGE_SHIFT = 9;
    /* Heap of the records that wait: header and elements of an array. */
    private static final long HEAP_BYTES = 16 + 2L * Long.BYTES * RECORDS_A_LOOK;

    private final MemtableState state;
    private final RecordStore records;
    private final ReadNumbersTracker tracker;
    private ReadNumbers numbers;
    private long toLook;
    private long moment;
    /* Steps of the last looks at all versions that later writes pay for. */
    private long stepsOwed;
    private long recycled;
    /*
     * Records whose older versions are to be looked at, in the order of their writes: none is recycled before its turn. Null
     * until the first one comes, and while the budget has no room for it.
     */
    private long[] waiting;
    private int waitingCount;
    /* The first of these, which were written before the numbers were noted last. */
    private int notedCount;

    RecordRecycler(final MemtableState state, final RecordStore records) {
        this.state = state;
        this.records = records;
        this.tracker = new ReadNumbersTracker(state.rangeTombstones()::numbersRead, state.epochs());
    }

    /** Returns the number of records that were recycled, exact while no thread writes. */
    long recycled() {
        return recycled;
    }

    /**
     * Recycles replaced records of a key, of which {@code newest} is numbered: at once if the shard is small or none can wait,
     * else when it is its turn. The first structure of a small shard leads to the records of the small slab later.
     */
    void recycle(final long newest, final boolean isSmall) {
        if (records.previous(newest) == RecordLayout.NO_RECORD) {
            return;
        }
        toLook -= 1 + (records.bytesOf(newest) >>> LARGE_SHIFT);
        final boolean looks = toLook <= 0;
        if (looks) {
            toLook = RECORDS_A_LOOK;
            numbers = tracker.now();
        }
        if (isSmall || !canWait()) {
            recycleOlder(newest, isSmall);
            return;
        }
        waiting[waitingCount++] = newest;
        if (looks) {
            recycleNoted();
        }
    }

    private boolean canWait() {
        if (waiting == null && state.heap().tryAdd(HEAP_BYTES)) {
            waiting = new long[2 * RECORDS_A_LOOK];
        }
        return waiting != null;
    }

    /** Recycles for the records that were written before the numbers were noted the last time but one. */
    private void recycleNoted() {
        for (int i = 0; i < notedCount; i++) {
            records.prefetch(records.previous(waiting[i]));
        }
        for (int i = 0; i < notedCount; i++) {
            recycleOlder(waiting[i], false);
        }
        waitingCount -= notedCount;
        System.arraycopy(waiting, notedCount, waiting, 0, waitingCount);
        notedCount = waitingCount;
    }

    private void recycleOlder(final long newest, final boolean isSmall) {
        // memtable-concurrency.md, claim 54
        // Random, since keys that are written in turns would always be looked at in the same way.
        final long large = records.bytesOf(newest) >>> LARGE_SHIFT;
        stepsOwed = Math.max(0, stepsOwed - FIRST_VERSIONS);
        final boolean all = stepsOwed == 0 && (Hashing.mix64(moment++ ^ state.secret()) & ALL_INTERVAL - 1) <= large;
        long newer = newest;
        long end = RecordLayout.sequence(records.versionWord(newer));
        long older = records.previous(newer);
        for (int i = 0; older != RecordLayout.NO_RECORD && (all || i < FIRST_VERSIONS); i++) {
            final long sequence = RecordLayout.sequence(records.versionWord(older));
            if (numbers.mayRead(sequence, end) || OperandReader.isOperand(records, newer)
                || !isSmall && records.isInSmallSlab(older) || !records.recyclePrevious(newer, state.epochs())) {
                newer = older;
                end = sequence;
            } else {
                recycled++;
            }
            stepsOwed += all ? 1 : 0;
            older = records.previous(newer);
        }
    }
}
