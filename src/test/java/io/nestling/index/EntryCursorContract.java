/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.Effort;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * What every cursor with payloads does. A test of a cursor extends this and gives cursors over given content.
 */
public abstract class EntryCursorContract {
    private static final int WALKED_KEYS = 3_000;
    private static final int WANDERED_KEYS = Effort.count(200, 300, 300);
    private static final int MOVES = Effort.count(1_000, 3_000, 3_000);
    private static final int HEAVY_MOVES = Effort.count(200, 500, 500);

    private final Deque<AutoCloseable> owned = new ArrayDeque<>();

    /**
     * A new cursor over some content.
     *
     * @param content keys and payloads, all payloads different
     * @return an unpositioned cursor
     */
    protected abstract EntryCursor open(NavigableMap<byte[], Long> content);

    /** Tells whether the cursor can show a key. */
    protected boolean accepts(final byte[] key) {
        return true;
    }

    /** Has something closed after the test. */
    protected final <T extends AutoCloseable> T owns(final T closeable) {
        owned.addFirst(closeable);
        return closeable;
    }

    @AfterEach
    public final void closeOwned() throws Exception {
        while (!owned.isEmpty()) {
            owned.removeFirst().close();
        }
    }

    private static NavigableMap<byte[], Long> contentOf(final List<byte[]> keys) {
        final NavigableMap<byte[], Long> content = new TreeMap<>(Arrays::compareUnsigned);
        for (final byte[] key : keys) {
            content.put(key, 1_000L + content.size());
        }
        return content;
    }

    private List<byte[]> someKeys() {
        return KeyCorpus.named("random 8 bytes").filter(this::accepts).thinnedTo(20).keys();
    }

    private Stream<KeyCorpus> corpora() {
        return KeyCorpus.all().stream().map(corpus -> corpus.filter(this::accepts))
            .filter(corpus -> corpus.size() > 0);
    }

    @Test
    public void shouldStandNowhereAtFirst() {
        try (EntryCursor cursor = open(contentOf(someKeys()))) {
            assertStandsNowhere(cursor);
            assertFalse(cursor.next());
            assertFalse(cursor.previous());
            assertStandsNowhere(cursor);
        }
    }

    @Test
    public void shouldFindNothingInNothing() {
        try (EntryCursor cursor = open(contentOf(List.of()))) {
            assertFalse(cursor.first());
            assertFalse(cursor.last());
            assertFalse(cursor.next());
            assertFalse(cursor.previous());
            for (final byte[] key : someKeys()) {
                assertFalse(cursor.seek(key));
                assertFalse(cursor.seekLowerThan(key));
            }
            assertStandsNowhere(cursor);
        }
    }

    private static void assertStandsNowhere(final EntryCursor cursor) {
        assertFalse(cursor.valid());
        assertThrows(IllegalStateException.class, cursor::keyBuffer);
        assertThrows(IllegalStateException.class, cursor::keyLength);
        assertThrows(IllegalStateException.class, cursor::key);
        assertThrows(IllegalStateException.class, cursor::commonPrefix);
        assertThrows(IllegalStateException.class, cursor::payload);
    }

    @Test
    public void shouldStayNowhereAfterEitherEnd() {
        final NavigableMap<byte[], Long> content = contentOf(someKeys());
        try (EntryCursor cursor = open(content)) {
            assertTrue(cursor.last());
            assertFalse(cursor.next());
            assertStandsNowhere(cursor);
            assertFalse(cursor.previous(), "previous leaves a cursor nowhere that has run off the end");
            assertFalse(cursor.next());
            assertTrue(cursor.first());
            assertFalse(cursor.previous());
            assertStandsNowhere(cursor);
            assertFalse(cursor.next(), "next leaves a cursor nowhere that has run off the beginning");
            assertFalse(cursor.previous());
            assertTrue(cursor.seek(content.lastKey()));
            assertArrayEquals(content.lastKey(), cursor.key());
        }
    }

    @Test
    public void shouldTakeKeysFromTheMiddleOfAnArray() {
        final NavigableMap<byte[], Long> content = contentOf(someKeys());
        try (EntryCursor cursor = open(content)) {
            for (final byte[] key : content.keySet()) {
                final byte[] array = new byte[key.length + 5];
                Arrays.fill(array, (byte) 0x5A);
                System.arraycopy(key, 0, array, 2, key.length);
                assertTrue(cursor.seek(array, 2, key.length));
                assertArrayEquals(key, cursor.key());
                final byte[] lower = content.lowerKey(key);
                assertEquals(lower != null, cursor.seekLowerThan(array, 2, key.length));
                if (lower != null) {
                    assertArrayEquals(lower, cursor.key());
                }
            }
        }
    }

    @Test
    public void shouldGiveKeysThatStayAsTheyAreWhenTheCursorMoves() {
        final NavigableMap<byte[], Long> content = contentOf(someKeys());
        final List<byte[]> shown = new ArrayList<>();
        try (EntryCursor cursor = open(content)) {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                shown.add(cursor.key());
            }
        }
        int i = 0;
        assertEquals(content.size(), shown.size());
        for (final byte[] key : content.keySet()) {
            assertArrayEquals(key, shown.get(i++));
        }
    }

    @TestFactory
    public Stream<DynamicTest> shouldWalkInBothDirections() {
        return corpora().map(corpus -> corpus.thinnedTo(WALKED_KEYS))
            .map(corpus -> dynamicTest(corpus.name(), () -> {
            final NavigableMap<byte[], Long> content = contentOf(corpus.keys());
            try (EntryCursor cursor = open(content)) {
                final CursorModel model = new CursorModel(cursor, CursorModel.entriesOf(content));
                model.walkForward();
                model.walkReverse();
                model.walkForward();
            }
        }));
    }

    @TestFactory
    public Stream<DynamicTest> shouldSeekEveryKeyAndItsNeighbours() {
        return corpora().map(corpus -> corpus.thinnedTo(WANDERED_KEYS))
            .map(corpus -> dynamicTest(corpus.name(), () -> {
            final NavigableMap<byte[], Long> content = contentOf(corpus.keys());
            try (EntryCursor cursor = open(content)) {
                final CursorModel model = new CursorModel(cursor, CursorModel.entriesOf(content));
                for (final byte[] key : corpus.keys()) {
                    for (int variant = 0; variant < KeyCorpus.NEIGHBOURS; variant++) {
                        final byte[] target = KeyCorpus.neighbour(key, variant);
                        if (accepts(target)) {
                            model.seek(target);
                            model.seekLowerThan(target);
                        }
                    }
                }
            }
        }));
    }

    @TestFactory
    public Stream<DynamicTest> shouldTurnAtEveryEntry() {
        return corpora().map(corpus -> corpus.thinnedTo(WANDERED_KEYS))
            .map(corpus -> dynamicTest(corpus.name(), () -> {
            final NavigableMap<byte[], Long> content = contentOf(corpus.keys());
            try (EntryCursor cursor = open(content)) {
                final CursorModel model = new CursorModel(cursor, CursorModel.entriesOf(content));
                for (final byte[] key : content.keySet()) {
                    model.seek(key);
                    if (model.next()) {
                        model.previous();
                    }
                    model.seekLowerThan(key);
                    if (model.previous()) {
                        model.next();
                        model.next();
                        model.previous();
                    }
                }
            }
        }));
    }

    @TestFactory
    public Stream<DynamicTest> shouldMoveAsASortedListDoes() {
        final long seed = Seeds.seed(getClass().getSimpleName() + ".shouldMoveAsASortedListDoes");
        return corpora().map(corpus -> corpus.thinnedTo(WANDERED_KEYS))
            .map(corpus -> dynamicTest(corpus.name(), () -> {
            final Random random = new Random(seed + corpus.name().hashCode());
            final List<byte[]> kept = new ArrayList<>(corpus.keys());
            kept.removeIf(key -> random.nextInt(4) == 0);
            final List<byte[]> targets = new ArrayList<>(corpus.keys());
            for (int i = 0; i < corpus.size(); i++) {
                targets.add(KeyCorpus.neighbour(corpus.key(i), random.nextInt(KeyCorpus.NEIGHBOURS)));
            }
            final NavigableMap<byte[], Long> content = contentOf(kept);
            try (EntryCursor cursor = open(content)) {
                new CursorModel(cursor, CursorModel.entriesOf(content)).wander(
                    random, corpus.isHeavy() ? HEAVY_MOVES : MOVES, targets, this::accepts);
            }
        }));
    }

    @Test
    public void shouldNotMindBeingClosedTwice() {
        final EntryCursor cursor = open(contentOf(someKeys()));
        assertTrue(cursor.first());
        cursor.close();
        assertDoesNotThrow(cursor::close);
    }

    @Test
    public void shouldStayOnNoEntryOnceClosed() {
        final NavigableMap<byte[], Long> content = contentOf(someKeys());
        ClosedCursor.closeAndCheck(open(content));
        ClosedCursor.closeAndCheck(open(contentOf(List.of())));
        for (final Consumer<EntryCursor> moves : List.<Consumer<EntryCursor>>of(
            cursor -> assertTrue(cursor.first()), cursor -> assertTrue(cursor.last()),
            cursor -> assertTrue(cursor.first() && cursor.next()), cursor -> assertTrue(cursor.last() && cursor.previous()),
            cursor -> assertFalse(cursor.last() && cursor.next()))) {
            final EntryCursor cursor = open(content);
            moves.accept(cursor);
            ClosedCursor.closeAndCheck(cursor);
        }
    }
}
