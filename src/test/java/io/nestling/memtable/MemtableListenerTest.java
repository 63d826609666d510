/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Effort;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of listeners, and errors that they throw. */
class MemtableListenerTest {
    private static final int ROUNDS = Effort.count(50, 300, 3_000);

    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final List<LogRecord> logged = Collections.synchronizedList(new ArrayList<>());
    private final Logger logger = Logger.getLogger(Memtable.class.getPackageName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(final LogRecord entry) {
            logged.add(entry);
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    @BeforeEach
    void keepLog() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void logAgain() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    /** Notes each call, and then does something. */
    private final class Noting implements MemtableListener {
        private final Runnable then;

        Noting(final Runnable then) {
            this.then = then;
        }

        @Override
        public void full(final Memtable memtable) {
            assertTrue(memtable.isFull());
            calls.add("full");
            then.run();
        }

        @Override
        public void frozen(final Memtable memtable) {
            assertThrows(FrozenException.class, () -> memtable.delete(new byte[1]));
            calls.add("frozen");
            then.run();
        }

        @Override
        public void flushed(final Memtable memtable, final FlushResult result) {
            calls.add("flushed " + result.entries());
            then.run();
        }
    }

    private static Memtable open(final MemtableListener listener) {
        return Memtable.open(
            MemtableOptions.builder().index(IndexType.TRIE).shards(1).capacityBytes(1 << 20).listener(listener).build());
    }

    private static int fill(final Memtable memtable) {
        int keys = 0;
        try {
            for (; !memtable.isFull(); keys++) {
                memtable.put(new byte[] {(byte) (keys >> 8), (byte) keys}, new byte[2_000]);
            }
        } catch (final SpaceExhaustedException e) {
            // full, too
        }
        return keys;
    }

    private void liveThrough(final Runnable then, final int expectedLogs) {
        try (Memtable memtable = open(new Noting(then))) {
            final int keys = fill(memtable);
            assertEquals(List.of("full"), calls);
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(new byte[3], new byte[1 << 20]));
            final WriteBatch large = new WriteBatch().put(new byte[3], new byte[1 << 20]);
            assertThrows(SpaceExhaustedException.class, () -> memtable.write(large));
            memtable.freeze();
            memtable.freeze();
            assertThrows(UncheckedIOException.class, () -> memtable.flush(new CollectingSink(1)));
            memtable.flush(new CollectingSink());
            memtable.flush(new CollectingSink());
            assertEquals(List.of("full", "frozen", "flushed " + keys, "flushed " + keys), calls);
            assertArrayEquals(new byte[2_000], memtable.get(new byte[2]));
            assertEquals(expectedLogs, logged.size());
        }
        assertEquals(4, calls.size(), "closing is no event");
    }

    @Test
    void shouldTellThatItIsFullIfTheFirstWriteIsRefused() {
        try (Memtable memtable = open(new Noting(() -> { }))) {
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(new byte[3], new byte[1 << 20]));
            assertEquals(memtable.isFull() ? List.of("full") : List.of(), calls);
            assertTrue(memtable.isFull());
        }
    }

    @Test
    void shouldTellEachEventOnce() {
        liveThrough(() -> { }, 0);
    }

    @Test
    void shouldLogWhatAListenerThrowsAndGoOn() {
        liveThrough(() -> {
            throw new IllegalArgumentException("planted");
        }, 4);
        assertTrue(logged.get(0).getMessage().contains("threw at event full of memtable"), logged.get(0).getMessage());
        assertEquals("planted", logged.get(0).getThrown().getMessage());
        calls.clear();
        logged.clear();
        liveThrough(() -> {
            throw new AssertionError("planted");
        }, 4);
    }

    @Test
    void shouldTellThatItIsFullAfterABatchAndAReservedWrite() {
        try (Memtable memtable = open(new Noting(() -> { }))) {
            final WriteBatch large = new WriteBatch().put(new byte[1], new byte[1 << 20]);
            assertThrows(SpaceExhaustedException.class, () -> memtable.write(large));
            assertEquals(List.of("full"), calls);
        }
        calls.clear();
        try (Memtable memtable = open(new Noting(() -> { })); SequenceReservation reserved = memtable.reserveSequences(1)) {
            assertThrows(SpaceExhaustedException.class, () -> reserved.put(new byte[1], new byte[1 << 20], reserved.first()));
            assertEquals(List.of("full"), calls);
        }
    }

    /** The methods are called without locks: a listener may use its memtable. */
    @Test
    void shouldLetAListenerFreezeItsMemtable() {
        try (Memtable memtable = open(new MemtableListener() {
            @Override
            public void full(final Memtable full) {
                full.freeze();
            }

            @Override
            public void frozen(final Memtable frozen) {
                calls.add("frozen " + frozen.flush(new CollectingSink()).entries());
            }
        })) {
            int keys = 0;
            while (calls.isEmpty()) {
                memtable.put(new byte[] {(byte) (keys >> 8), (byte) keys++}, new byte[2_000]);
            }
            assertEquals(List.of("frozen " + keys), calls, "the write that filled it counts");
        }
    }

    @Test
    void shouldCloseWhenTheLastOwnerLeaves() {
        final Memtable memtable = open(new Noting(() -> { }));
        memtable.put(new byte[] {1}, new byte[] {2});
        assertTrue(memtable.tryRetain());
        final Snapshot snapshot = memtable.snapshot();
        memtable.release();
        assertArrayEquals(new byte[] {2}, snapshot.get(new byte[] {1}));
        memtable.release();
        assertThrows(IllegalStateException.class, () -> snapshot.get(new byte[] {1}));
        assertFalse(memtable.tryRetain());
        assertEquals("expected an owner of the memtable but all have released it",
            assertThrows(IllegalStateException.class, memtable::release).getMessage());
        MemtableChecks.allGivenBack(memtable);
        memtable.close();
        final Memtable closed = open(new Noting(() -> { }));
        assertTrue(closed.tryRetain());
        closed.close();
        assertFalse(closed.tryRetain(), "closed at once, whatever owners it has");
        MemtableChecks.allGivenBack(closed);
        closed.release();
        closed.release();
    }

    @Test
    void shouldNotRetainBesideTheLastRelease() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            final Memtable memtable = open(new Noting(() -> { }));
            memtable.put(new byte[] {1}, new byte[] {2});
            final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(new Thread(() -> {
                    try {
                        while (memtable.tryRetain()) {
                            assertArrayEquals(new byte[] {2}, memtable.get(new byte[] {1}));
                            memtable.release();
                        }
                    } catch (final Throwable e) {
                        failures.add(e);
                    }
                }));
            }
            threads.forEach(Thread::start);
            memtable.release();
            for (final Thread thread : threads) {
                // Readers that meet each other keep it open; each leaves at last.
                thread.join(2);
            }
            memtable.close();
            for (final Thread thread : threads) {
                thread.join();
            }
            failures.removeIf(failure -> failure instanceof IllegalStateException); // closed above, beside a read
            assertEquals(List.of(), failures);
            MemtableChecks.allGivenBack(memtable);
        }
    }
}
