/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.jcstress.Blocks;
import io.nestling.memory.MemoryBudget;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A record that gets its value, and then its sequence number by a release: who finds the number by an acquire load sees the
 * value.
 * <p>
 * Weakened: the reader loads the value before the number, as plain loads would allow.
 */
final class RecordStress {
    private static final int ABSENT = -1;
    private static final byte[] OLD = {1, 1, 1, 1, 1, 1, 1, 1};
    private static final byte[] VALUE = {2, 2, 2, 2, 2, 2, 2, 2};
    private static final long BYTES = 16L << 20;
    private static final RecordStore RECORDS =
        new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), BYTES);
    private static final long FIRST = records();
    private static final Blocks BLOCKS = new Blocks(64);

    private static long records() {
        final long first = RECORDS.append(0, 1, RecordLayout.NO_RECORD, Long.BYTES);
        for (int i = 0; i <= Blocks.COUNT; i++) {
            RECORDS.append(0, 1, RecordLayout.NO_RECORD, Long.BYTES);
        }
        return first;
    }

    /** A record without number. */
    static class Record {
        /* They take 24 bytes each. */
        final long record = FIRST + (BLOCKS.next() >>> 6) * 3;

        Record() {
            final long word = RECORDS.versionWord(record);
            RECORDS.compareAndSetVersionWord(record, word, word & RecordLayout.KIND_MASK);
            RECORDS.putValue(record, OLD, 0, OLD.length);
        }

        final void write() {
            RECORDS.putValue(record, VALUE, 0, VALUE.length);
            RECORDS.putSequence(record, 1);
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "2"}, expect = Expect.ACCEPTABLE, desc = "absent or whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a record without its value")
    public static class Kept extends Record {
        /** Writes the record. */
        @Actor
        public void writer() {
            write();
        }

        /** Reads it. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = RecordLayout.sequence(RECORDS.versionWordAcquire(record)) == 0
                ? ABSENT : (byte) RECORDS.valueAsLong(record);
        }
    }

    /** In the other order. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "2"}, expect = Expect.ACCEPTABLE, desc = "absent or whole")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE_INTERESTING, desc = "a record without its value")
    public static class Weakened extends Record {
        /** Writes the record. */
        @Actor
        public void writer() {
            write();
        }

        /** Reads it. */
        @Actor
        public void reader(final I_Result r) {
            final byte value = (byte) RECORDS.valueAsLong(record);
            r.r1 = RecordLayout.sequence(RECORDS.versionWordAcquire(record)) == 0 ? ABSENT : value;
        }
    }
}
