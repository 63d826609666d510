/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.StressThreads;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** The log of new keys: what is added is there once, whoever seals the log meanwhile. */
class KeySegmentTest {
    private static final int WRITER_SLOTS = 64;
    private static final long MIB = 1 << 20;

    @Test
    void shouldBringRecordsTogetherWhenItIsSealed() {
        final MemoryBudget budget = MemoryBudget.ofBytes(MIB);
        try (KeySegment segment = new KeySegment(SlabAllocator.direct(), budget, MIB, WRITER_SLOTS)) {
            for (int record = 1; record <= 1_000; record++) {
                assertTrue(segment.add(record, 0));
            }
            assertTrue(segment.taken() >= 1_000 && segment.taken() < 1_000 + KeySegment.CHUNK_ENTRIES);
            for (int times = 0; times < 2; times++) {
                final KeyEntries entries = segment.seal();
                assertEquals(1_000, entries.size());
                final BitSet records = new BitSet();
                for (int i = 0; i < entries.size(); i++) {
                    records.set((int) entries.record(i));
                }
                assertEquals(1_000, records.cardinality());
                assertFalse(segment.add(1_001, 0), "it is sealed");
            }
        }
        assertEquals(0, budget.used());
    }

    @Test
    void shouldBeFullAtTheEndOfItsSlab() {
        final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB);
        try (KeySegment segment = new KeySegment(SlabAllocator.direct(), budget, 2 * MIB, WRITER_SLOTS)) {
            int count = 0;
            while (segment.add(1 + count, 0)) {
                count++;
            }
            assertEquals(2 * MIB / KeyEntries.ENTRY_BYTES, count);
            assertFalse(segment.reserve(1));
            assertEquals(count, segment.seal().size());
        }
    }

    @Test
    void addThrowsSpaceExhaustedWhenTheBudgetIsUsedUp() {
        final MemoryBudget budget = MemoryBudget.ofBytes(64 << 10);
        try (KeySegment segment = new KeySegment(SlabAllocator.direct(), budget, 2 * MIB, WRITER_SLOTS)) {
            segment.reserve(3_000);
            assertThrows(SpaceExhaustedException.class, () -> segment.reserve(5_000));
            final AtomicLong count = new AtomicLong();
            assertThrows(SpaceExhaustedException.class, () -> {
                while (segment.add(1 + count.get(), 0)) {
                    count.incrementAndGet();
                }
            });
            assertEquals((64 << 10) / KeyEntries.ENTRY_BYTES, count.get());
            assertEquals(count.get(), segment.seal().size());
        }
    }

    @Test
    void shouldLoseNothingThatIsAddedWhileSegmentsAreSealed() throws Exception {
        // A sealed segment is closed at the end only, since a writer may still look at it; the budget holds more than these.
        final int mostSealed = 200;
        final MemoryBudget budget = MemoryBudget.fromSmall(64 * MIB);
        final int writers = 3;
        final int each = 30_000;
        final BitSet found = new BitSet();
        final List<KeySegment> sealed = new ArrayList<>();
        try (KeyLog log = new KeyLog(SlabAllocator.direct(), budget, 2 * MIB, WRITER_SLOTS)) {
            final StressThreads threads = new StressThreads();
            final CountDownLatch left = new CountDownLatch(writers);
            for (int writer = 0; writer < writers; writer++) {
                final int first = 1 + writer * each;
                final int writerSlot = writer;
                threads.start("writer " + writer, () -> {
                    for (int record = first; record < first + each; record++) {
                        log.add(record, writerSlot);
                    }
                    left.countDown();
                });
            }
            int twice = 0;
            for (boolean last = false; !last && threads.goOn();) {
                last = left.getCount() == 0; // before the log is taken
                final List<KeySegment> taken = new ArrayList<>();
                log.take(sealed.size() < mostSealed || last ? 1 : Long.MAX_VALUE, taken);
                for (final KeySegment segment : taken) {
                    final KeyEntries entries = segment.seal();
                    for (long i = 0; i < entries.size(); i++) {
                        twice += found.get((int) entries.record(i)) ? 1 : 0;
                        found.set((int) entries.record(i));
                    }
                    sealed.add(segment);
                }
            }
            threads.join();
            assertFalse(sealed.isEmpty());
            assertEquals(0, twice, "records that came twice");
            assertEquals(writers * each, found.cardinality());
            sealed.forEach(KeySegment::close);
        }
        assertEquals(0, budget.used());
    }

    /** Whoever takes segments may have no heap left to note them. */
    @Test
    void shouldKeepSegmentsThatTheTakerCannotNote() {
        final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB);
        final int records = (int) (5 * MIB / KeyEntries.ENTRY_BYTES);
        try (KeyLog log = new KeyLog(SlabAllocator.direct(), budget, 2 * MIB, WRITER_SLOTS)) {
            for (int record = 1; record <= records; record++) {
                log.add(record, 0);
            }
            final List<KeySegment> withoutRoom = new ArrayList<>() {
                private static final long serialVersionUID = 1L;

                @Override
                public boolean addAll(final Collection<? extends KeySegment> segments) {
                    throw new OutOfMemoryError("no room for " + segments.size());
                }
            };
            assertThrows(OutOfMemoryError.class, () -> log.take(1, withoutRoom));
            final List<KeySegment> segments = new ArrayList<>();
            assertNull(log.take(1, segments));
            assertEquals(3, segments.size());
            assertEquals(records, segments.stream().mapToLong(segment -> segment.seal().size()).sum());
            segments.forEach(KeySegment::close);
        }
        assertEquals(0, budget.used());
    }
}
