/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.KeyCorpus;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** What every index with cursors does, besides {@link PointIndexContract}. */
public abstract class OrderedIndexContract extends PointIndexContract {
    /** The cursor of the index, over content put in random order. */
    @Nested
    public class CursorOfIndex extends EntryCursorContract {
        @Override
        protected EntryCursor open(final NavigableMap<byte[], Long> content) {
            final IndexFixture fixture = owns(OrderedIndexContract.this.open());
            final List<byte[]> keys = new ArrayList<>(content.keySet());
            java.util.Collections.shuffle(keys, new Random(18));
            for (final byte[] key : keys) {
                fixture.register(content.get(key), key);
                fixture.put(key, content.get(key));
            }
            return fixture.cursor();
        }

        @Override
        protected boolean accepts(final byte[] key) {
            return OrderedIndexContract.this.accepts(key);
        }
    }

    @Test
    public void shouldShowWhatWasWrittenBeforeItIsPositioned() {
        final List<byte[]> keys = sortedKeys(5);
        try (IndexFixture fixture = open(); EntryCursor cursor = fixture.cursor()) {
            assertFalse(cursor.first());
            fixture.put(keys.get(2));
            assertTrue(cursor.first());
            assertArrayEquals(keys.get(2), cursor.key());
            fixture.put(keys.get(1));
            assertTrue(cursor.seekLowerThan(keys.get(2)));
            assertArrayEquals(keys.get(1), cursor.key());
            fixture.put(keys.get(3));
            assertTrue(cursor.seek(keys.get(3)));
            assertArrayEquals(keys.get(3), cursor.key());
            assertTrue(cursor.previous());
            assertArrayEquals(keys.get(2), cursor.key());
            fixture.put(keys.get(4));
            assertTrue(cursor.last());
            assertArrayEquals(keys.get(4), cursor.key());
            fixture.remove(keys.get(4));
            assertTrue(cursor.last());
            assertArrayEquals(keys.get(3), cursor.key());
            fixture.remove(keys.get(1));
            assertTrue(cursor.seek(keys.get(1)));
            assertArrayEquals(keys.get(2), cursor.key());
        }
    }

    @TestFactory
    public Stream<DynamicTest> shouldSeekKeysThatAreLongerThanAnyIs() {
        return LongKeys.datasets().entrySet().stream().map(dataset -> dynamicTest(dataset.getKey(), () -> {
            try (IndexFixture fixture = open(); EntryCursor cursor = fixture.cursor()) {
                dataset.getValue().stream().filter(this::accepts).forEach(fixture::put);
                for (final byte[] query : LongKeys.longerThan(dataset.getValue())) {
                    final byte[] padded = new byte[query.length + 3];
                    System.arraycopy(query, 0, padded, 2, query.length);
                    final boolean above = cursor.seek(padded, 2, query.length);
                    assertStandsOn(fixture.model().ceilingKey(query), above, cursor, "seek", query);
                    final boolean below = cursor.seekLowerThan(padded, 2, query.length);
                    assertStandsOn(fixture.model().lowerKey(query), below, cursor, "seekLowerThan", query);
                }
            }
        }));
    }

    private static void assertStandsOn(
        final byte[] expected, final boolean found, final EntryCursor cursor, final String what, final byte[] query) {
        assertEquals(expected != null, found, () -> what + " " + KeyCorpus.text(query));
        if (found) {
            IndexFixture.assertKey(expected, cursor, what + " " + KeyCorpus.text(query));
        }
    }

    @Test
    public void shouldGoOnFromAKeyThatWasRemoved() {
        final List<byte[]> keys = sortedKeys(7);
        try (IndexFixture fixture = open(); EntryCursor cursor = fixture.cursor()) {
            keys.forEach(fixture::put);
            final int guard = fixture.context().epochs().enter();
            assertTrue(cursor.seek(keys.get(2)));
            fixture.remove(keys.get(2));
            assertTrue(cursor.next());
            assertArrayEquals(keys.get(3), cursor.key());
            fixture.remove(keys.get(3));
            fixture.remove(keys.get(4));
            // What was removed since the seek may still be shown, all else must be.
            assertTrue(cursor.next());
            assertTrue(!Arrays.equals(keys.get(4), cursor.key()) || cursor.next());
            assertArrayEquals(keys.get(5), cursor.key());
            fixture.remove(keys.get(5));
            assertTrue(cursor.next());
            assertArrayEquals(keys.get(6), cursor.key());
            while (Arrays.compareUnsigned(keys.get(1), cursor.key()) < 0) {
                assertTrue(cursor.previous());
            }
            assertArrayEquals(keys.get(1), cursor.key());
            fixture.context().epochs().exit(guard);
        }
    }

    @Test
    public void shouldLetCursorsMoveIndependently() {
        final Random random = new Random(seed("shouldLetCursorsMoveIndependently"));
        try (IndexFixture fixture = open()) {
            final List<byte[]> keys = distinctKeys(random, 500);
            keys.forEach(fixture::put);
            final List<CursorModel.Shown> entries = CursorModel.entriesOf(fixture.model());
            final List<EntryCursor> cursors = new ArrayList<>();
            final List<CursorModel> models = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                cursors.add(fixture.cursor());
                models.add(new CursorModel(cursors.get(i), entries));
            }
            for (int i = 0; i < 1_000; i++) {
                models.get(random.nextInt(models.size())).wander(random, 5, keys, this::accepts);
            }
            cursors.get(0).close();
            models.get(1).wander(random, 100, keys, this::accepts);
            cursors.forEach(EntryCursor::close);
            fixture.check();
        }
    }

    @Test
    public void shouldShowThePayloadPutLast() {
        final List<byte[]> keys = sortedKeys(3);
        try (IndexFixture fixture = open(); EntryCursor cursor = fixture.cursor()) {
            keys.forEach(fixture::put);
            assertTrue(cursor.last());
            fixture.put(keys.get(1));
            assertTrue(cursor.seek(keys.get(1)));
            assertEquals(fixture.model().get(keys.get(1)), cursor.payload());
        }
    }

    @Test
    public void cursorThrowsIllegalStateExceptionWhenTheIndexIsClosed() {
        final IndexFixture fixture = open();
        final List<byte[]> keys = sortedKeys(20);
        keys.forEach(fixture::put);
        final EntryCursor cursor = fixture.cursor();
        assertTrue(cursor.first());
        fixture.close();
        assertThrows(IllegalStateException.class, cursor::first);
        assertThrows(IllegalStateException.class, cursor::last);
        assertThrows(IllegalStateException.class, () -> cursor.seek(keys.get(3)));
        assertThrows(IllegalStateException.class, () -> cursor.seekLowerThan(keys.get(3)));
        assertThrows(IllegalStateException.class, () -> ((OrderedIndex) fixture.index()).cursor());
        cursor.close();
    }

    private List<byte[]> sortedKeys(final int count) {
        final List<byte[]> keys = distinctKeys(new Random(19), count);
        keys.sort(Arrays::compareUnsigned);
        return keys;
    }
}
