/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Records of several appenders to one store. */
@Tag("bridge")
class RecordAppenderTest {
    private static final long MIB = 1 << 20;
    private static final int KIND = 1;

    private static long word(final boolean hasPrevious) {
        return RecordLayout.versionWord(0, KIND, hasPrevious, true);
    }

    @Test
    void shouldKeepTheRecordsOfEachAppender() {
        final Random random = Seeds.random("RecordAppenderTest");
        final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, 2 * MIB)) {
            final RecordAppender[] appenders = new RecordAppender[3];
            for (int i = 0; i < appenders.length; i++) {
                appenders[i] = new RecordAppender(store, budget);
            }
            final List<Long> pointers = new ArrayList<>();
            final List<byte[]> contents = new ArrayList<>();
            long bytes = 0;
            while (bytes < 5 * MIB) {
                final byte[] content = new byte[random.nextInt(random.nextInt(20) == 0 ? 20_000 : 60)];
                random.nextBytes(content);
                final boolean hasPrevious = random.nextBoolean();
                final long record = appenders[random.nextInt(3)].append(
                    word(hasPrevious), hasPrevious ? 77 : RecordLayout.NO_RECORD, content, 0, content.length, content.length);
                store.putValue(record, content, 0, content.length);
                pointers.add(record);
                contents.add(content);
                bytes += RecordLayout.recordBytes(word(hasPrevious), content.length, content.length);
                assertEquals(hasPrevious ? 77 : RecordLayout.NO_RECORD, store.previous(record));
            }
            for (int i = 0; i < pointers.size(); i++) {
                final byte[] content = contents.get(i);
                assertEquals(0, store.compareKey(pointers.get(i), content, 0, content.length));
                final byte[] value = new byte[content.length];
                assertEquals(content.length, store.copyValue(pointers.get(i), value, 0));
                assertArrayEquals(content, value);
            }
            long unused = 0;
            for (final RecordAppender appender : appenders) {
                unused += appender.bytesUnused();
            }
            assertTrue(unused <= 3 * (32 << 10), unused + " bytes unused");
            final long used = store.bytesUsed() - unused;
            assertTrue(used >= bytes && used < bytes * 1.1, used + " bytes used for " + bytes);
        }
        assertEquals(0, budget.used());
    }

    @Test
    void shouldAddLinksToARecord() {
        final MemoryBudget budget = MemoryBudget.ofBytes(4 * MIB);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, 4 * MIB)) {
            final RecordAppender appender = new RecordAppender(store, budget);
            final long first = appender.append(word(false), RecordLayout.NO_RECORD, new byte[0], 0, 0, 0);
            int moved = 0;
            for (int length = 0; length < 900; length++) {
                final byte[] content = new byte[length];
                new Random(length).nextBytes(content);
                final long record = appender.append(word(false), RecordLayout.NO_RECORD, content, 0, length, length);
                store.putValue(record, content, 0, length);
                if (length % 10 == 0) {
                    appender.append(word(false), RecordLayout.NO_RECORD, content, 0, 0, 0); // is in the way
                }
                final int links = length % 3 == 0
                    ? RecordLayout.HAS_PREVIOUS | RecordLayout.HAS_SKIP : RecordLayout.HAS_PREVIOUS;
                final long linked = appender.addLinks(record, links, length % 7 == 0);
                moved += linked == record ? 0 : 1;
                if (length % 7 == 0) {
                    assertNotEquals(record, linked);
                    assertEquals(word(false), store.versionWordAcquire(record));
                    assertEquals(0, store.compareKey(record, content, 0, length));
                }
                assertEquals(word(false) | links, store.versionWordAcquire(linked));
                new VersionLinks(store, true, 1).link(linked, first);
                assertEquals(first, store.previous(linked));
                assertEquals(0, store.compareKey(linked, content, 0, length));
                final byte[] value = new byte[length];
                store.copyValue(linked, value, 0);
                assertArrayEquals(content, value);
            }
            assertTrue(moved >= 200 && moved < 850, moved + " records moved");
        }
    }

    @Test
    void shouldTakeTheLastRecordBack() {
        final MemoryBudget budget = MemoryBudget.ofBytes(MIB);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, MIB)) {
            final RecordAppender appender = new RecordAppender(store, budget);
            for (final int length : new int[] {3, 100, 5_000, 200_000}) {
                appender.append(word(false), 0, new byte[1], 0, 1, length);
                final long used = store.bytesUsed() - appender.bytesUnused();
                for (int times = 0; times < 50; times++) {
                    appender.retract(appender.append(word(false), 0, new byte[1], 0, 1, length));
                }
                assertEquals(used, store.bytesUsed() - appender.bytesUnused());
            }
        }
    }

    @Test
    void shouldNumberARecordOnce() {
        final MemoryBudget budget = MemoryBudget.ofBytes(MIB);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, MIB)) {
            final long record = new RecordAppender(store, budget).append(word(false), 0, new byte[] {9}, 0, 1, 0);
            final long numbered = RecordLayout.versionWord(12, KIND, false, true);
            assertTrue(store.compareAndSetVersionWord(record, word(false), numbered));
            assertFalse(store.compareAndSetVersionWord(record, word(false), numbered + (1 << RecordLayout.SEQUENCE_SHIFT)));
            assertEquals(12, RecordLayout.sequence(store.versionWordAcquire(record)));
            assertTrue(store.compareAndSetVersionWord(record, numbered, numbered | RecordLayout.SUPERSEDED));
            assertEquals(12, RecordLayout.sequence(store.versionWord(record)));
            assertEquals(KIND, RecordLayout.kind(store.versionWord(record)));
        }
    }

    @Test
    void appendThrowsSpaceExhaustedOnlyWhenTheRecordItselfDoesNotFit() {
        final MemoryBudget budget = MemoryBudget.ofBytes(64 << 10);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, MIB)) {
            final RecordAppender appender = new RecordAppender(store, budget);
            final int[] count = new int[1];
            assertThrows(SpaceExhaustedException.class, () -> {
                while (true) {
                    appender.append(word(false), 0, new byte[8], 0, 8, 8);
                    count[0]++;
                }
            });
            assertTrue(32 * count[0] > (64 << 10) - 64 - 1024 / 8, count[0] + " records of 32 bytes");
        }
    }
}
