/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

@Timeout(60)
class MemtablePairTest {
    private static final long MEMORY_BYTES = 1 << 20;
    private static final byte[] VALUE = {1};

    private final LoadTotals totals = new LoadTotals();
    private final List<Memtable> written = new CopyOnWriteArrayList<>();

    private static MemtableOptions options(final long firstSequence) {
        return MemtableOptions.builder().index(IndexType.TRIE).shards(1).capacityBytes(MEMORY_BYTES)
            .firstSequence(firstSequence).build();
    }

    private MemtablePair pair(final MemtablePair.FullMemtables receiver) {
        return new MemtablePair(MemtablePairTest::options, 7, receiver, totals);
    }

    private static long put(final MemtablePair memtables, final int key) {
        return memtables.filling().put(new byte[] {(byte) key}, VALUE);
    }

    @Test
    void shouldFillOneMemtableWhileTheOtherIsWrittenAndLetTheThirdWait() throws Exception {
        final Semaphore permits = new Semaphore(0);
        final Semaphore begun = new Semaphore(0);
        final var second = Executors.newSingleThreadExecutor();
        try (MemtablePair memtables = pair(full -> {
            begun.release();
            permits.acquireUninterruptibly();
            written.add(full);
        })) {
            assertEquals(7, put(memtables, 1));
            final Memtable first = memtables.filling();
            memtables.rotate();
            begun.acquire(); // the first is being written, and goes on being so
            assertNotSame(first, memtables.filling());
            assertEquals(8, put(memtables, 2)); // writes go on meanwhile
            assertArrayEquals(VALUE, first.get(new byte[] {1}));

            final Future<?> rotation = second.submit(() -> {
                memtables.rotate();
                return null;
            });
            assertThrows(TimeoutException.class, () -> rotation.get(200, TimeUnit.MILLISECONDS));
            assertEquals(List.of(), written);

            permits.release(2);
            rotation.get();
            assertEquals(first, written.get(0));
            assertThrows(IllegalStateException.class, () -> first.get(new byte[] {1})); // its memory is back
            assertEquals(9, put(memtables, 3));
            permits.release();
            memtables.finish();
            assertEquals(3, written.size());
            assertEquals(3, totals.entries);
        } finally {
            second.shutdownNow();
        }
    }

    @Test
    void shouldWriteNothingThatIsEmpty() throws IOException {
        try (MemtablePair memtables = pair(written::add)) {
            assertTrue(memtables.isEmpty());
            memtables.finish();
        }
        try (MemtablePair memtables = pair(written::add)) {
            put(memtables, 1);
            assertFalse(memtables.isEmpty());
            memtables.rotate();
            assertTrue(memtables.isEmpty());
            memtables.finish();
        }
        assertEquals(1, written.size());
    }

    @Test
    void failedWriteThrowsAtTheNextCall() throws Exception {
        final CountDownLatch failed = new CountDownLatch(1);
        try (MemtablePair memtables = pair(full -> {
            failed.countDown();
            throw new IOException("no space");
        })) {
            put(memtables, 1);
            memtables.rotate();
            put(memtables, 2);
            failed.await();
            assertEquals("no space", assertThrows(CommandException.class, memtables::rotate).getMessage());
        }
        try (MemtablePair memtables = pair(full -> {
            throw new IOException("no space");
        })) {
            put(memtables, 1);
            memtables.rotate();
            final CommandException e = assertThrows(CommandException.class, () -> {
                while (true) {
                    memtables.checkFlush();
                    Thread.sleep(1);
                }
            });
            assertEquals("no space", e.getMessage());
        }
        try (MemtablePair memtables = pair(full -> {
            throw new IOException("no space");
        })) {
            put(memtables, 1);
            assertThrows(CommandException.class, memtables::finish);
        }
    }

    @Test
    void shouldEndAWriteThatIsAbandoned() throws Exception {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        try (MemtablePair memtables = pair(full -> {
            begun.countDown();
            try {
                Thread.sleep(TimeUnit.MINUTES.toMillis(1));
            } catch (final InterruptedException e) {
                interrupted.countDown();
                throw new IOException("interrupted");
            }
        })) {
            put(memtables, 1);
            memtables.rotate();
            begun.await();
            memtables.abandon();
            assertEquals(0, interrupted.getCount());
            assertTrue(memtables.abandoned());
        }
    }

    @Test
    void shouldKeepEverythingInOneMemtableWithoutAReceiver() throws IOException {
        try (MemtablePair memtables = pair(null)) {
            assertFalse(memtables.flushes());
            put(memtables, 1);
            memtables.finish();
            assertEquals(1, totals.entries);
            assertArrayEquals(VALUE, memtables.filling().get(new byte[] {1}));
        }
    }
}
