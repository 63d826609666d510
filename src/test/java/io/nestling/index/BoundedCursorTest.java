/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BoundedCursorTest {
    private static byte[] bytes(final int... values) {
        final byte[] key = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            key[i] = (byte) values[i];
        }
        return key;
    }

    private static ListCursor cursorOf(final NavigableMap<byte[], Long> content) {
        return new ListCursor(content.entrySet().stream()
            .map(entry -> ListCursor.item(entry.getKey(), entry.getValue())).collect(Collectors.toList()));
    }

    private static NavigableMap<byte[], Long> contentOf(final List<byte[]> keys) {
        final NavigableMap<byte[], Long> content = new TreeMap<>(Arrays::compareUnsigned);
        keys.forEach(key -> content.put(key, (long) content.size()));
        return content;
    }

    private static NavigableMap<byte[], Long> range(
        final NavigableMap<byte[], Long> content, final byte[] from, final byte[] to) {
        if (from != null && to != null && Arrays.compareUnsigned(from, to) > 0) {
            return new TreeMap<>(Arrays::compareUnsigned);
        }
        final NavigableMap<byte[], Long> tail = from == null ? content : content.tailMap(from, true);
        return to == null ? tail : tail.headMap(to, false);
    }

    @Test
    void shouldShowTheRangeAndNothingElse() {
        final Random random = Seeds.random("BoundedCursorTest.shouldShowTheRangeAndNothingElse");
        for (final KeyCorpus whole : KeyCorpus.all()) {
            final KeyCorpus corpus = whole.thinnedTo(150);
            final List<byte[]> keys = new ArrayList<>(corpus.keys());
            keys.removeIf(key -> random.nextInt(3) == 0);
            final NavigableMap<byte[], Long> content = contentOf(keys);
            for (int i = 0; i < 40; i++) {
                final byte[] from = bound(corpus, random);
                final byte[] to = bound(corpus, random);
                final CursorModel model = new CursorModel(
                    BoundedCursor.of(cursorOf(content), from, to),
                    CursorModel.entriesOf(range(content, from, to)));
                model.walkForward();
                model.walkReverse();
                model.wander(random, 200, corpus.keys(), key -> true);
            }
        }
    }

    private static byte[] bound(final KeyCorpus corpus, final Random random) {
        return random.nextInt(6) == 0 ? null : KeyCorpus.neighbour(
            corpus.key(random.nextInt(corpus.size())),
            random.nextInt(2) * random.nextInt(KeyCorpus.NEIGHBOURS));
    }

    @Test
    void shouldBoundARangeOfEqualKeys() {
        final List<ListCursor.Item> items = new ArrayList<>();
        final List<CursorModel.Shown> shown = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            final byte[] key = bytes(5, i / 3);
            items.add(ListCursor.item(key, i));
            if (i >= 3 && i < 9) {
                shown.add(new CursorModel.Shown(key, i));
            }
        }
        final CursorModel model =
            new CursorModel(BoundedCursor.of(new ListCursor(items), bytes(5, 1), bytes(5, 3)), shown);
        model.walkForward();
        model.walkReverse();
        model.wander(new Random(1), 500, List.of(bytes(5, 0), bytes(5, 1), bytes(5, 2), bytes(5, 3)),
            key -> true);
    }

    @Test
    void shouldShowNothingWhenTheBoundsCross() {
        final NavigableMap<byte[], Long> content = contentOf(List.of(bytes(1), bytes(2), bytes(3)));
        for (final byte[] to : List.of(bytes(1), bytes(2))) {
            final BoundedCursor cursor = BoundedCursor.of(cursorOf(content), bytes(2), to);
            assertFalse(cursor.first());
            assertFalse(cursor.last());
            assertFalse(cursor.seek(bytes(1)));
            assertFalse(cursor.seek(bytes(2)));
            assertFalse(cursor.seekLowerThan(bytes(3)));
            assertFalse(cursor.seekLowerThan(bytes(2)));
            assertFalse(cursor.valid());
        }
    }

    @Test
    void shouldNotBeMovedByLaterChangesOfTheBounds() {
        final NavigableMap<byte[], Long> content = contentOf(List.of(bytes(1), bytes(2), bytes(3), bytes(4)));
        final byte[] from = bytes(2);
        final byte[] to = bytes(4);
        final BoundedCursor cursor = BoundedCursor.of(cursorOf(content), from, to);
        from[0] = 1;
        to[0] = 9;
        assertTrue(cursor.first());
        assertArrayEquals(bytes(2), cursor.key());
        assertTrue(cursor.last());
        assertArrayEquals(bytes(3), cursor.key());
    }

    @Test
    void shouldShowTheOtherCursorsEntry() {
        final ListCursor inner = new ListCursor(List.of(
            new ListCursor.Item(bytes(1), 10, 100, bytes(7, 8)),
            new ListCursor.Item(bytes(2), 20, 200, null)));
        final BoundedCursor cursor = BoundedCursor.of(inner, null, null);
        assertTrue(cursor.first());
        assertArrayEquals(bytes(7, 8), cursor.value());
        assertEquals(2, cursor.valueLength());
        assertEquals(EntryKind.VALUE, cursor.kind());
        assertEquals(100, cursor.sequence());
        assertTrue(cursor.next());
        assertNull(cursor.value());
        assertEquals(EntryKind.TOMBSTONE, cursor.kind());
        assertEquals(20, cursor.payload());
        cursor.close();
        assertEquals(1, inner.timesClosed());
        assertFalse(cursor.valid());
        assertThrows(IllegalStateException.class, cursor::sequence);
    }

    @Test
    void ofThrowsNullPointerExceptionWhenThereIsNoCursor() {
        assertThrows(NullPointerException.class, () -> BoundedCursor.of(null, null, null));
    }
}
