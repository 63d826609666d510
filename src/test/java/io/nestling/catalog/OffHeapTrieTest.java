/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Seeds;
import io.nestling.trie.view.MergeResolver;
import io.nestling.trie.view.Trie;
import io.nestling.trie.view.TrieCursor;
import io.nestling.trie.view.TriePath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

class OffHeapTrieTest {
    private static final long BYTES = 16 << 20;

    private static byte[] bytes(final String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] key(final long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static NavigableMap<String, Long> entries(final Trie trie, final Direction direction) {
        final NavigableMap<String, Long> entries = new TreeMap<>();
        trie.forEachEntry(direction, (buffer, length, payload) ->
            assertNull(entries.put(new String(buffer, 0, length, UTF_8), payload)));
        return entries;
    }

    private static void assertClosed(final Executable call) {
        assertTrue(assertThrows(IllegalStateException.class, call).getMessage().contains("closed"));
    }

    @Test
    void shouldPutGetReplaceAndRemove() {
        try (OffHeapTrie trie = OffHeapTrie.open(BYTES)) {
            final long empty = trie.bytesUsed();
            assertEquals(PointIndex.NONE, trie.get(bytes("a")));
            assertEquals(PointIndex.NONE, trie.put(bytes("a"), 1));
            assertEquals(PointIndex.NONE, trie.put(new byte[0], 2));
            assertEquals(1, trie.put(bytes("a"), PointIndex.MAX_PAYLOAD));
            assertEquals(PointIndex.MAX_PAYLOAD, trie.get(bytes("a")));
            assertEquals(2, trie.get(new byte[0]));
            assertEquals(2, trie.size());
            assertTrue(trie.bytesUsed() > empty);
            assertEquals(PointIndex.NONE, trie.remove(bytes("b")));
            assertEquals(PointIndex.MAX_PAYLOAD, trie.remove(bytes("a")));
            assertEquals(PointIndex.NONE, trie.get(bytes("a")));
            assertEquals(1, trie.size());
        }
    }

    @Test
    void shouldShowViews() {
        try (OffHeapTrie older = OffHeapTrie.open(BYTES); OffHeapTrie newer = OffHeapTrie.open(BYTES)) {
            older.put(bytes("lynx"), 1);
            older.put(bytes("mole"), 2);
            older.put(bytes("mouse"), 3);
            newer.put(bytes("mouse"), 4);
            newer.put(bytes("newt"), 5);
            try (OffHeapTrie.Reader first = newer.reader(); OffHeapTrie.Reader second = older.reader()) {
                final Trie both = Trie.merge(List.of(first, second), MergeResolver.FIRST);
                for (final Direction direction : Direction.values()) {
                    assertEquals(Map.of("lynx", 1L, "mole", 2L, "mouse", 4L, "newt", 5L), entries(both, direction));
                    assertEquals(Map.of("mole", 2L, "mouse", 4L), entries(both.subtrie(bytes("m"), bytes("n")), direction));
                    assertEquals(Map.of("mouse", 3L), entries(second.intersect(first), direction));
                    assertEquals(direction, first.cursor(direction).direction());
                }
                final List<Long> payloads = new ArrayList<>();
                both.forEachPayload(Direction.REVERSE, payloads::add);
                assertEquals(List.of(5L, 4L, 2L, 1L), payloads);
                newer.put(bytes("owl"), 6);
                assertEquals(5, entries(both, Direction.FORWARD).size());
            }
        }
    }

    @Test
    void shouldReadBesideAWriter() throws InterruptedException {
        final int kept = 1_000;
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (OffHeapTrie trie = OffHeapTrie.open(BYTES)) {
            for (long i = 0; i < kept; i++) {
                trie.put(key(i << 8), i);
            }
            final CountDownLatch reading = new CountDownLatch(1);
            final Thread writer = new Thread(() -> {
                try {
                    reading.await();
                    final Random random = Seeds.random("OffHeapTrieTest.shouldReadBesideAWriter");
                    while (!Thread.currentThread().isInterrupted()) {
                        final byte[] key = key((long) random.nextInt(kept) << 8 | 1 + random.nextInt(8));
                        if (random.nextBoolean()) {
                            trie.put(key, kept);
                        } else {
                            trie.remove(key);
                        }
                    }
                } catch (final Throwable e) {
                    failure.set(e);
                }
            });
            writer.start();
            try {
                for (int round = 0; round < 100; round++) {
                    final List<Long> payloads = new ArrayList<>();
                    try (OffHeapTrie.Reader reader = trie.reader()) {
                        reading.countDown();
                        reader.forEachPayload(Direction.FORWARD, payload -> {
                            if (payload != kept) {
                                payloads.add(payload);
                            }
                        });
                    }
                    assertEquals(kept, payloads.size());
                    for (int i = 0; i < kept; i++) {
                        assertEquals(i, payloads.get(i));
                    }
                    assertEquals(round, trie.get(key((long) round << 8)));
                }
            } finally {
                writer.interrupt();
                writer.join();
            }
        }
        assertNull(failure.get());
    }

    @Test
    void shouldThrowOnceItIsClosed() {
        final OffHeapTrie trie = OffHeapTrie.open(BYTES);
        trie.put(bytes("a"), 1);
        trie.close();
        trie.close();
        assertClosed(() -> trie.put(bytes("b"), 1));
        assertClosed(() -> trie.remove(bytes("a")));
        assertClosed(() -> trie.get(bytes("a")));
        assertClosed(trie::size);
        assertClosed(trie::bytesUsed);
        assertClosed(trie::reader);
    }

    @Test
    void shouldThrowFromCursorsOfAClosedReader() {
        try (OffHeapTrie trie = OffHeapTrie.open(BYTES)) {
            trie.put(bytes("a"), 1);
            trie.put(bytes("b"), 2);
            final OffHeapTrie.Reader reader = trie.reader();
            final TrieCursor cursor = reader.cursor(Direction.FORWARD);
            assertEquals(1, cursor.advance());
            assertEquals(1, cursor.content());
            reader.close();
            try (OffHeapTrie.Reader other = trie.reader()) {
                reader.close();
                assertClosed(() -> reader.cursor(Direction.FORWARD));
                assertClosed(cursor::content);
                assertClosed(cursor::advance);
                assertClosed(() -> cursor.advanceMultiple(null));
                assertClosed(() -> cursor.skipTo(1, 'b'));
                assertClosed(() -> cursor.advanceToContent(new TriePath()));
                assertEquals(2, entries(other, Direction.FORWARD).size());
            }
        }
    }

    @Test
    void shouldWaitForReadersBeforeItGivesMemoryBack() throws InterruptedException {
        final OffHeapTrie trie = OffHeapTrie.open(BYTES);
        trie.put(bytes("a"), 1);
        final Thread closer = new Thread(trie::close);
        try (OffHeapTrie.Reader reader = trie.reader()) {
            closer.start();
            while (isOpen(trie)) {
                Thread.onSpinWait();
            }
            assertClosed(() -> trie.put(bytes("b"), 1)); // and does not wait for the thread that closes
            assertTrue(closer.isAlive());
            assertEquals(Map.of("a", 1L), entries(reader, Direction.FORWARD));
        }
        closer.join();
        assertFalse(closer.isAlive());
    }

    private static boolean isOpen(final OffHeapTrie trie) {
        try {
            return trie.size() > 0;
        } catch (final IllegalStateException e) {
            return false;
        }
    }

    @Test
    void shouldChangeNothingWhenItIsFull() {
        try (OffHeapTrie trie = OffHeapTrie.open(256 << 10)) {
            final Random random = Seeds.random("OffHeapTrieTest.shouldChangeNothingWhenItIsFull");
            final NavigableMap<Long, Long> expected = new TreeMap<>(Long::compareUnsigned);
            final SpaceExhaustedException full = assertThrows(SpaceExhaustedException.class, () -> {
                while (true) {
                    final long key = random.nextLong();
                    trie.put(key(key), expected.size());
                    expected.put(key, (long) expected.size());
                }
            });
            assertTrue(expected.size() > 1_000, full.getMessage());
            assertTrue(trie.bytesUsed() <= 256 << 10);
            assertEquals(expected.size(), trie.size());
            try (OffHeapTrie.Reader reader = trie.reader()) {
                final List<Long> payloads = new ArrayList<>();
                reader.forEachPayload(Direction.FORWARD, payloads::add);
                assertEquals(new ArrayList<>(expected.values()), payloads);
            }
            expected.forEach((key, payload) -> assertEquals(payload, trie.get(key(key))));
        }
    }

    @Test
    void shouldRefuseBadArguments() {
        assertThrows(IllegalArgumentException.class, () -> OffHeapTrie.open(0));
        assertThrows(IllegalArgumentException.class, () -> OffHeapTrie.open(-1));
        assertThrows(SpaceExhaustedException.class, () -> OffHeapTrie.open(1));
        try (OffHeapTrie trie = OffHeapTrie.open(BYTES)) {
            assertThrows(IllegalArgumentException.class, () -> trie.put(bytes("a"), -1));
            assertThrows(IllegalArgumentException.class, () -> trie.put(bytes("a"), PointIndex.MAX_PAYLOAD + 1));
            assertThrows(IllegalArgumentException.class, () -> trie.put(new byte[PointIndex.MAX_KEY_BYTES + 1], 1));
            assertThrows(NullPointerException.class, () -> trie.put(null, 1));
            assertThrows(NullPointerException.class, () -> trie.get(null));
            assertThrows(NullPointerException.class, () -> trie.remove(null));
            assertEquals(0, trie.size());
            assertEquals(PointIndex.NONE, trie.get(new byte[PointIndex.MAX_KEY_BYTES + 1]));
            assertEquals(PointIndex.NONE, trie.put(new byte[PointIndex.MAX_KEY_BYTES], 1));
        }
    }
}
