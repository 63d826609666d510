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
 * operand needs: the record behind an operand stays as long as that is linked. A write of a
 * key looks at the first versions of it, and one in {@link #ALL_INTERVAL} at all of them, as many as snapshots, cursors and
 * writes under way may need; but seldom enough that a write takes about {@link #FIRST_VERSIONS} more steps for that.
 * <h2>Thread safety</h2>
 * One thread: the shard's only writer.
 */
final class RecordRecycler {
    /** Versions of a key that each write looks at. */
    private static final int FIRST_VERSIONS = 8;
    /** One in so many writes looks at all versions; more of large records. */
    private static final int ALL_INTERVAL = 32;
    /** Replaced records, or multiples of 4 KiB of them, after which the numbers read at are noted again. */
    private static final int RECORDS_A_LOOK = LoweredLimit.of("memtable.recordsALook", 64, 1);
    private static final int LARGE_SHIFT = 12;
    /** Records that wait, so that their older versions are loaded together. */
    private static final int TOGETHER = LoweredLimit.of("memtable.recycledTogether", 16, 1);
    /** Greatest record of a shard where records wait: so that what is not recycled yet takes little memory. */
    private static final long LARGEST_WAITING_BYTES = 512;
    /** Heap of the records that wait, once the shard has grown: header and elements of an array. */
    static final long HEAP_BYTES = 16 + (long) Long.BYTES * TOGETHER;

    private final MemtableState state;
    private final RecordStore records;
    private final ReadNumbersTracker tracker;
    private ReadNumbers numbers;
    private long toLook;
    private long moment;
    /* Steps of the last looks at all versions that later writes pay for. */
    private long stepsOwed;
    private long recycled;
    /* Records whose older versions are to be looked at, in the order of their writes: none is recycled before its turn. */
    private long[] waiting;
    private int waitingCount;

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
     * Recycles replaced records of a key, of which {@code newest} is numbered; once the shard has grown, together with those of
     * later writes. The first structure of a small shard leads to the records of the small slab later.
     */
    void recycle(final long newest, final long largestRecord, final boolean isSmall) {
        final long replaced = records.previous(newest);
        if (replaced == RecordLayout.NO_RECORD) {
            return;
        }
        if (isSmall) {
            recycleOlder(newest, true);
            return;
        }
        if (waiting == null) {
            waiting = new long[TOGETHER];
        }
        records.prefetch(replaced);
        waiting[waitingCount++] = newest;
        if (waitingCount == TOGETHER || largestRecord > LARGEST_WAITING_BYTES) {
            recycleWaiting();
        }
    }

    /** Recycles for the records that wait. Those that they replaced are in the caches; of these, the older ones are requested. */
    private void recycleWaiting() {
        final int count = waitingCount;
        waitingCount = 0;
        for (int i = 0; i < count; i++) {
            final long older = records.previous(records.previous(waiting[i]));
            if (older != RecordLayout.NO_RECORD) {
                records.prefetch(older);
            }
        }
        for (int i = 0; i < count; i++) {
            recycleOlder(waiting[i], false);
        }
    }

    private void recycleOlder(final long newest, final boolean isSmall) {
        // memtable-concurrency.md, claim 54
        long newer = records.previous(newest);
        final long large = records.valueLength(newest) >>> LARGE_SHIFT;
        toLook -= 1 + large;
        if (toLook < 0) {
            toLook = RECORDS_A_LOOK - 1;
            numbers = tracker.now();
        }
        // Random, since keys that are written in turns would always be looked at in the same way.
        stepsOwed = Math.max(0, stepsOwed - FIRST_VERSIONS);
        final boolean all = stepsOwed == 0 && (Hashing.mix64(moment++ ^ state.secret()) & ALL_INTERVAL - 1) <= large;
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
