/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import com.sun.management.ThreadMXBean;
import io.nestling.index.ListCursor.Item;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.ReferenceIndex;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MergingCursorTest {
    private static final int MAX_INPUTS = 16;

    private static byte[] bytes(final int... values) {
        final byte[] key = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            key[i] = (byte) values[i];
        }
        return key;
    }

    /** Entries of several inputs, each sorted as its cursor shows them. */
    private static List<List<Item>> randomInputs(
        final KeyCorpus corpus, final int inputs, final boolean repeatsInside, final Random random) {
        final List<List<Item>> lists = new ArrayList<>();
        long payload = 0;
        for (int i = 0; i < inputs; i++) {
            final List<Item> items = new ArrayList<>();
            final TreeSet<byte[]> seen = new TreeSet<>(Arrays::compareUnsigned);
            final int size = random.nextInt(4) == 0 ? 0 : random.nextInt(25);
            for (int j = 0; j < size; j++) {
                final byte[] key = corpus.key(random.nextInt(corpus.size()));
                if (seen.add(key) || repeatsInside) {
                    items.add(new Item(key, payload++, random.nextInt(6), key));
                }
            }
            items.sort(Comparator.comparing(Item::key, Arrays::compareUnsigned)
                .thenComparing(Comparator.comparingLong(Item::sequence).reversed()));
            lists.add(items);
        }
        return lists;
    }

    private static MergingCursor merge(final List<List<Item>> inputs, final boolean bySequence) {
        final EntryCursor[] cursors = inputs.stream().map(ListCursor::new).toArray(EntryCursor[]::new);
        return bySequence ? MergingCursor.bySequence(cursors) : MergingCursor.of(cursors);
    }

    /**
     * All entries in the order in which a merge should show them: a stable sort of the inputs one after the
     * other.
     */
    private static List<CursorModel.Shown> merged(final List<List<Item>> inputs, final boolean bySequence) {
        final Comparator<Item> byKey = Comparator.comparing(Item::key, Arrays::compareUnsigned);
        return inputs.stream().flatMap(List::stream)
            .sorted(bySequence ? byKey.thenComparing(Comparator.comparingLong(Item::sequence).reversed())
                : byKey)
            .map(item -> new CursorModel.Shown(item.key(), item.payload()))
            .collect(Collectors.toList());
    }

    @Test
    void shouldMoveAsOneSortedListOfAllInputs() {
        final Random random = Seeds.random("MergingCursorTest.shouldMoveAsOneSortedListOfAllInputs");
        for (final KeyCorpus whole : KeyCorpus.all()) {
            final KeyCorpus corpus = whole.thinnedTo(60);
            for (int inputs = 0; inputs <= MAX_INPUTS; inputs++) {
                for (int variant = 0; variant < 4; variant++) {
                    final boolean bySequence = (variant & 1) != 0;
                    final List<List<Item>> lists = randomInputs(corpus, inputs, (variant & 2) != 0, random);
                    final CursorModel model =
                        new CursorModel(merge(lists, bySequence), merged(lists, bySequence));
                    model.walkForward();
                    model.walkReverse();
                    model.wander(random, 150, corpus.keys(), key -> true);
                }
            }
        }
    }

    @Test
    void shouldMergeMerges() {
        final Random random = Seeds.random("MergingCursorTest.shouldMergeMerges");
        final KeyCorpus corpus = KeyCorpus.named("small alphabet").thinnedTo(40);
        for (int i = 0; i < 100; i++) {
            final boolean bySequence = random.nextBoolean();
            final List<List<Item>> lists = randomInputs(corpus, 9, false, random);
            final List<EntryCursor> inner = new ArrayList<>();
            for (int from = 0; from < lists.size(); from += 3) {
                inner.add(merge(lists.subList(from, from + 3), bySequence));
            }
            final EntryCursor[] cursors = inner.toArray(new EntryCursor[0]);
            final CursorModel model = new CursorModel(
                bySequence ? MergingCursor.bySequence(cursors) : MergingCursor.of(cursors),
                merged(lists, bySequence));
            model.walkForward();
            model.walkReverse();
            model.wander(random, 300, corpus.keys(), key -> true);
        }
    }

    @Test
    void shouldShowEqualKeysByInputOrBySequence() {
        final byte[] key = bytes(1);
        final List<List<Item>> inputs = List.of(
            List.of(new Item(key, 0, 5, key)), List.of(new Item(key, 1, 9, key)),
            List.of(new Item(key, 2, 5, key)));
        assertEquals(List.of(0L, 1L, 2L), payloads(merge(inputs, false), Direction.FORWARD));
        assertEquals(List.of(2L, 1L, 0L), payloads(merge(inputs, false), Direction.REVERSE));
        assertEquals(List.of(1L, 0L, 2L), payloads(merge(inputs, true), Direction.FORWARD));
        assertEquals(List.of(2L, 0L, 1L), payloads(merge(inputs, true), Direction.REVERSE));
    }

    private static List<Long> payloads(final EntryCursor cursor, final Direction direction) {
        final List<Long> payloads = new ArrayList<>();
        boolean found = direction.isForward() ? cursor.first() : cursor.last();
        while (found) {
            payloads.add(cursor.payload());
            found = direction.isForward() ? cursor.next() : cursor.previous();
        }
        return payloads;
    }

    private static final int PREFIX_BYTES = 2_000;
    private static final int SUFFIX_BYTES = 2;

    /** Inputs whose keys share a long prefix and take turns. */
    private static List<List<Item>> longPrefixes(final int inputs, final int keysEach) {
        final List<List<Item>> lists = new ArrayList<>();
        for (int i = 0; i < inputs; i++) {
            final List<Item> items = new ArrayList<>();
            for (int j = 0; j < keysEach; j++) {
                final int number = j * inputs + i;
                final byte[] key = new byte[PREFIX_BYTES + SUFFIX_BYTES];
                Arrays.fill(key, (byte) 'p');
                key[PREFIX_BYTES] = (byte) (number >> 8);
                key[PREFIX_BYTES + 1] = (byte) number;
                items.add(new Item(key, number, number, null));
            }
            lists.add(items);
        }
        return lists;
    }

    @Test
    void shouldCompareALongSharedPrefixOnce() {
        final int inputs = 8;
        final int keysEach = 500;
        for (final Direction direction : Direction.values()) {
            final MergingCursor cursor = merge(longPrefixes(inputs, keysEach), false);
            assertEquals(inputs * keysEach, payloads(cursor, direction).size());
            final long first = (inputs - 1L) * (PREFIX_BYTES + SUFFIX_BYTES);
            final long each = SUFFIX_BYTES * 3L; // three levels of the tree
            assertTrue(cursor.comparedBytes() >= (inputs - 1L) * PREFIX_BYTES,
                () -> cursor.comparedBytes() + " bytes");
            assertTrue(cursor.comparedBytes() <= first + each * inputs * keysEach,
                () -> direction + ": " + cursor.comparedBytes() + " bytes compared");
        }
    }

    /** Shows garbage where its key agrees with the one before. */
    private static final class GarblingCursor extends ForwardingCursor {
        private final byte[] garbled = new byte[PREFIX_BYTES + SUFFIX_BYTES];
        private final Random random;

        GarblingCursor(final EntryCursor cursor, final Random random) {
            super(cursor);
            this.random = random;
        }

        @Override
        public byte[] keyBuffer() {
            random.nextBytes(garbled);
            System.arraycopy(
                super.keyBuffer(), commonPrefix(), garbled, commonPrefix(), keyLength() - commonPrefix());
            return garbled;
        }
    }

    @Test
    void shouldNotLookAtBytesKnownToBeShared() {
        final Random random = Seeds.random("MergingCursorTest.shouldNotLookAtBytesKnownToBeShared");
        final List<List<Item>> inputs = longPrefixes(7, 50);
        final EntryCursor[] cursors = inputs.stream()
            .map(items -> new GarblingCursor(new ListCursor(items), random)).toArray(EntryCursor[]::new);
        final MergingCursor cursor = MergingCursor.of(cursors);
        long expected = 0;
        for (boolean found = cursor.first(); found; found = cursor.next()) {
            assertEquals(expected++, cursor.payload());
        }
        assertEquals(350, expected);
        for (boolean found = cursor.last(); found; found = cursor.previous()) {
            assertEquals(--expected, cursor.payload());
        }
        assertEquals(0, expected);
    }

    @Test
    void shouldAllocateNothingPerMove() {
        final MergingCursor cursor = merge(longPrefixes(8, 200), false);
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long thread = Thread.currentThread().getId();
        long moves = turnAndWalk(cursor, 20); // classes are loaded
        final long before = threads.getThreadAllocatedBytes(thread);
        moves += turnAndWalk(cursor, 200);
        final long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertTrue(moves > 220 * 1_600, () -> "too few moves");
        assertTrue(allocated < 64 << 10, () -> allocated + " bytes allocated by 400,000 moves");
    }

    private static long turnAndWalk(final MergingCursor cursor, final int rounds) {
        long moves = 0;
        for (int i = 0; i < rounds; i++) {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                moves++;
                if (moves % 10 == 0 && !cursor.previous()) {
                    cursor.first();
                }
            }
        }
        return moves;
    }

    @Test
    void shouldKeepTheOrderWhileInputsGrow() {
        final Random random = Seeds.random("MergingCursorTest.shouldKeepTheOrderWhileInputsGrow");
        for (int round = 0; round < 200; round++) {
            final KeyCorpus whole = KeyCorpus.all().get(random.nextInt(KeyCorpus.all().size()));
            final KeyCorpus corpus = whole.thinnedTo(80);
            final List<OrderedIndex> indexes = new ArrayList<>();
            final TreeSet<byte[]> old = new TreeSet<>(Arrays::compareUnsigned);
            final List<byte[]> later = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                indexes.add(
                    (OrderedIndex) ReferenceIndex.factory().create(IndexContext.standalone(64 << 20)));
            }
            for (final byte[] key : corpus.keys()) {
                if (random.nextInt(3) == 0) {
                    later.add(key);
                } else {
                    old.add(key);
                    indexes.get(random.nextInt(4)).put(key, 0, key.length, 1);
                }
            }
            final EntryCursor[] cursors = indexes.stream().map(OrderedIndex::cursor)
                .toArray(EntryCursor[]::new);
            try (MergingCursor cursor = MergingCursor.of(cursors)) {
                walkWhileInputsGrow(cursor, old, later, indexes, random);
            }
        }
    }

    /**
     * What was there from the start is shown in order; what is written meanwhile may be shown, in order too.
     */
    private static void walkWhileInputsGrow(
        final MergingCursor cursor, final TreeSet<byte[]> old, final List<byte[]> later,
        final List<OrderedIndex> indexes, final Random random) {
        boolean forward = random.nextBoolean();
        boolean found = forward ? cursor.first() : cursor.last();
        while (found && !later.isEmpty()) {
            final byte[] from = cursor.key();
            if (random.nextBoolean()) {
                final byte[] key = later.remove(later.size() - 1);
                indexes.get(random.nextInt(indexes.size())).put(key, 0, key.length, 2);
            }
            forward = random.nextInt(4) == 0 ? !forward : forward;
            found = forward ? cursor.next() : cursor.previous();
            final byte[] nearest = forward ? old.higher(from) : old.lower(from);
            assertTrue(found || nearest == null, () -> "nothing after " + KeyCorpus.text(from));
            if (found) {
                final byte[] to = cursor.key();
                final int sign = forward ? 1 : -1;
                assertTrue(sign * Arrays.compareUnsigned(to, from) > 0,
                    () -> KeyCorpus.text(to) + " is shown after " + KeyCorpus.text(from));
                assertTrue(nearest == null || sign * Arrays.compareUnsigned(to, nearest) <= 0,
                    () -> KeyCorpus.text(nearest) + " is left out after " + KeyCorpus.text(from));
                assertEquals(IndexFixture.commonPrefix(from, to), cursor.commonPrefix());
            }
        }
    }

    @Test
    void shouldShowTheEntryOfItsInput() {
        final MergingCursor cursor = merge(
            List.of(List.of(new Item(bytes(1), 10, 100, bytes(7, 8))),
                List.of(new Item(bytes(2), 20, 200, null))), false);
        assertTrue(cursor.first());
        final byte[] copied = new byte[3];
        assertEquals(2, cursor.copyValue(copied, 1));
        assertArrayEquals(bytes(0, 7, 8), copied);
        assertArrayEquals(bytes(7, 8), cursor.value());
        assertEquals(2, cursor.valueLength());
        assertEquals(EntryKind.VALUE, cursor.kind());
        assertEquals(100, cursor.sequence());
        assertEquals(10, cursor.payload());
        assertTrue(cursor.next());
        assertNull(cursor.value());
        assertEquals(EntryKind.TOMBSTONE, cursor.kind());
        assertEquals(200, cursor.sequence());
    }

    @Test
    void shouldCloseEveryInputOnceEvenIfSomeThrow() {
        final IllegalStateException one = new IllegalStateException("one");
        final IllegalStateException two = new IllegalStateException("two");
        final List<ListCursor> inputs = List.of(
            new ListCursor(List.of()), throwingOnClose(one), new ListCursor(List.of()), throwingOnClose(two),
            new ListCursor(List.of()));
        final MergingCursor cursor = MergingCursor.of(inputs.toArray(new EntryCursor[0]));
        assertSame(one, assertThrows(IllegalStateException.class, cursor::close));
        assertArrayEquals(new Throwable[] {two}, one.getSuppressed());
        cursor.close();
        inputs.forEach(input -> assertEquals(1, input.timesClosed()));
    }

    private static ListCursor throwingOnClose(final RuntimeException exception) {
        return new ListCursor(List.of()) {
            @Override
            public void close() {
                super.close();
                throw exception;
            }
        };
    }

    @Test
    void everyMoveThrowsIllegalStateExceptionWhenClosed() {
        final MergingCursor cursor = merge(List.of(List.of(ListCursor.item(bytes(1), 1))), false);
        assertTrue(cursor.first());
        cursor.close();
        assertFalse(cursor.valid());
        assertThrows(IllegalStateException.class, cursor::payload);
        assertThrows(IllegalStateException.class, cursor::first);
        assertThrows(IllegalStateException.class, cursor::last);
        assertThrows(IllegalStateException.class, cursor::next);
        assertThrows(IllegalStateException.class, cursor::previous);
        assertThrows(IllegalStateException.class, () -> cursor.seek(bytes(1)));
        assertThrows(IllegalStateException.class, () -> cursor.seekLowerThan(bytes(1)));
    }

    @Test
    void shouldStandNowhereAfterAnInputThrew() {
        final boolean[] broken = {false};
        final ListCursor failing = new ListCursor(
            List.of(ListCursor.item(bytes(1), 1), ListCursor.item(bytes(3), 3),
                ListCursor.item(bytes(4), 4))) {
            @Override
            public boolean next() {
                if (broken[0]) {
                    throw new IllegalStateException("cannot read");
                }
                return super.next();
            }
        };
        final MergingCursor cursor =
            MergingCursor.of(failing, new ListCursor(List.of(ListCursor.item(bytes(2), 2))));
        assertTrue(cursor.first());
        broken[0] = true;
        assertThrows(IllegalStateException.class, cursor::next);
        assertFalse(cursor.valid());
        assertFalse(cursor.next());
        assertTrue(cursor.last());
        assertTrue(cursor.previous());
        assertTrue(cursor.previous());
        assertThrows(IllegalStateException.class, cursor::next);
        assertFalse(cursor.valid());
        broken[0] = false;
        assertEquals(List.of(1L, 2L, 3L, 4L), payloads(cursor, Direction.FORWARD));
    }

    @Test
    void ofThrowsNullPointerExceptionWhenAnInputIsMissing() {
        final NullPointerException e = assertThrows(
            NullPointerException.class, () -> MergingCursor.of(new ListCursor(List.of()), null));
        assertEquals("input 1 of 2", e.getMessage());
    }
}
