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

import io.nestling.index.BoundedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexFactory;
import io.nestling.index.MergingCursor;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.ReferenceIndex;
import io.nestling.testing.Seeds;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The limit of hidden entries of a cursor, and the counters of hidden entries. */
class HiddenLimitTest {
    private static final int WRITES = 100;
    private static final int[] LIMITS = {1, 3, 33};

    static Stream<Arguments> configurations() {
        return TestIndexes.all().flatMap(index -> Stream.of(
            Arguments.of(index, 1, Sharding.byHash()), Arguments.of(index, 4, Sharding.byHash()),
            Arguments.of(index, 3, Sharding.byRanges(new byte[] {3}, new byte[] {6, 6}))));
    }

    private static Memtable open(final IndexFactory index, final int shards, final Sharding sharding) {
        return Memtable.open(
            MemtableOptions.builder().index(index).shards(shards).sharding(sharding).capacityBytes(16 << 20).build());
    }

    private static Memtable open(final int shards) {
        return open(ReferenceIndex.concurrentFactory(), shards, Sharding.byHash());
    }

    /** Random writes, most of them deletes; the middle of them and the end are the states to scan. */
    @ParameterizedTest
    @MethodSource("configurations")
    void shouldStopAtTheLimitAndGoOn(final IndexFactory index, final int shards, final Sharding sharding) {
        final Random random = Seeds.random("HiddenLimitTest " + index + " " + shards);
        final MemtableModel model = new MemtableModel(1);
        try (Memtable memtable = open(index, shards, sharding)) {
            if (random.nextBoolean()) {
                MemtableChecks.grown(memtable);
            }
            write(memtable, model, random);
            final Snapshot middle = memtable.snapshot();
            write(memtable, model, random);
            final Snapshot end = memtable.snapshot();
            for (final Snapshot snapshot : List.of(middle, end)) {
                // An index without order may not show the keys that the snapshot does not see.
                final Scan scan = new Scan(memtable, model, snapshot, index.ordered() || snapshot == end);
                for (final int limit : LIMITS) {
                    scan.run(limit, true);
                    scan.run(limit, false);
                }
            }
        }
    }

    private static void write(final Memtable memtable, final MemtableModel model, final Random random) {
        for (int i = 0; i < WRITES; i++) {
            final WriteBatch batch = new WriteBatch();
            if (random.nextInt(60) == 0) {
                final byte first = (byte) random.nextInt(8);
                batch.deleteRange(new byte[] {first}, new byte[] {(byte) (first + 1), (byte) random.nextInt(3)});
            } else if (random.nextInt(3) == 0) {
                batch.put(key(random), new byte[random.nextInt(4)]);
            } else {
                batch.delete(key(random));
            }
            model.apply(batch.iterator().next());
            memtable.write(batch);
        }
    }

    private static byte[] key(final Random random) {
        final byte[] key = new byte[random.nextInt(4)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) random.nextInt(8);
        }
        return key;
    }

    /** A scan that goes on from each continuation key, with the same cursor or a new one, beside the model's. */
    private static final class Scan {
        private final Memtable memtable;
        private final Snapshot snapshot;
        private final boolean exact;
        private final List<byte[]> keys;
        private final List<byte[]> shown;
        private final Set<byte[]> shownSet;

        Scan(final Memtable memtable, final MemtableModel model, final Snapshot snapshot, final boolean exact) {
            this.memtable = memtable;
            this.snapshot = snapshot;
            this.exact = exact;
            this.keys = model.allKeys();
            this.shown = model.visible(snapshot.sequence()).stream().map(MemtableModel.Version::key).toList();
            this.shownSet = new TreeSet<>(Arrays::compareUnsigned);
            shownSet.addAll(shown);
        }

        void run(final int limit, final boolean forward) {
            final int step = forward ? 1 : -1;
            int at = forward ? 0 : keys.size() - 1;
            int found = forward ? 0 : shown.size() - 1;
            EntryCursor cursor = snapshot.cursor(limit);
            boolean more = forward ? cursor.first() : cursor.last();
            while (more || cursor.isIncomplete()) {
                int passed = 0;
                while (exact && passed < limit && at >= 0 && at < keys.size() && !shownSet.contains(keys.get(at))) {
                    passed++;
                    at += step;
                }
                if (more) {
                    assertFalse(cursor.isIncomplete());
                    assertArrayEquals(shown.get(found), cursor.key());
                    assertTrue(!exact || Arrays.equals(keys.get(at), cursor.key()), "the limit should have stopped the move");
                    at += step;
                    found += step;
                    more = forward ? cursor.next() : cursor.previous();
                } else {
                    assertFalse(cursor.valid());
                    assertFalse(cursor.next());
                    assertFalse(cursor.previous());
                    final byte[] key = cursor.continuationKey();
                    if (exact) {
                        assertEquals(limit, passed);
                        final byte[] expected = forward ? keys.get(at) : Arrays.copyOf(keys.get(at), keys.get(at).length + 1);
                        assertArrayEquals(expected, key, () -> KeyCorpus.text(key));
                    }
                    if (at % 2 == 0) {
                        cursor.close();
                        cursor = snapshot.cursor(limit);
                    }
                    more = forward ? cursor.seek(key) : cursor.seekLowerThan(key);
                }
            }
            assertEquals(forward ? shown.size() : -1, found);
            assertThrows(IllegalStateException.class, cursor::continuationKey);
            cursor.close();
        }
    }

    @Test
    void shouldRefuseALimitBelowOne() {
        try (Memtable memtable = open(2)) {
            final Snapshot snapshot = memtable.snapshot();
            for (final int limit : new int[] {0, -7}) {
                final String message = assertThrows(
                    IllegalArgumentException.class, () -> snapshot.cursor(limit)).getMessage();
                assertEquals("expected a limit of at least 1 hidden entry but was " + limit, message);
            }
            snapshot.close();
            assertThrows(IllegalStateException.class, () -> snapshot.cursor(1));
        }
    }

    @Test
    void shouldStopBehindTheLongestKey() {
        final byte[] longest = new byte[65_535];
        final byte[] above = {1};
        try (Memtable memtable = open(1)) {
            memtable.put(new byte[0], new byte[1]);
            memtable.delete(longest);
            memtable.delete(above);
            try (EntryCursor cursor = memtable.snapshot().cursor(1)) {
                assertFalse(cursor.last());
                assertArrayEquals(new byte[65_536], cursor.continuationKey());
                assertTrue(cursor.seekLowerThan(cursor.continuationKey()));
                assertEquals(0, cursor.keyLength());
            }
        }
    }

    /** What lies outside of the bounds is the end, not an incomplete move. */
    @Test
    void shouldStopWithinBoundsOnly() {
        try (Memtable memtable = open(4)) {
            for (int i = 0; i < 100; i++) {
                memtable.delete(new byte[] {(byte) i});
            }
            final byte[] from = {20};
            final byte[] to = {40};
            for (int limit = 1; limit < 50; limit++) {
                try (EntryCursor cursor = BoundedCursor.of(memtable.snapshot().cursor(limit), from, to)) {
                    assertFalse(cursor.first());
                    int stops = 0;
                    for (; cursor.isIncomplete(); stops++) {
                        assertEquals(20 + (stops + 1) * limit, cursor.continuationKey()[0]);
                        assertFalse(cursor.seek(cursor.continuationKey()));
                    }
                    assertEquals(19 / limit, stops);
                    assertThrows(IllegalStateException.class, cursor::continuationKey);
                    assertFalse(cursor.last());
                    for (stops = 0; cursor.isIncomplete(); stops++) {
                        assertFalse(cursor.seekLowerThan(cursor.continuationKey()));
                    }
                    assertEquals(19 / limit, stops);
                }
            }
        }
    }

    @Test
    void shouldRefuseToMergeACursorThatStopped() {
        try (Memtable memtable = open(1); Memtable other = open(1)) {
            memtable.delete(new byte[] {1});
            memtable.delete(new byte[] {2});
            memtable.put(new byte[] {3}, new byte[1]);
            other.put(new byte[] {2}, new byte[1]);
            try (MergingCursor merged = MergingCursor.of(memtable.snapshot().cursor(1), other.cursor())) {
                final String message = assertThrows(IllegalStateException.class, merged::first).getMessage();
                assertEquals("input 0 of 2 stopped at its limit of hidden entries: limit the merged cursor instead", message);
                assertFalse(merged.valid());
                assertThrows(IllegalStateException.class, () -> merged.seek(new byte[0]));
                assertTrue(merged.last());
                assertThrows(IllegalStateException.class, merged::previous);
                assertFalse(merged.valid());
                assertThrows(IllegalStateException.class, () -> merged.seekLowerThan(new byte[] {3}));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void shouldCountWhatScansPassAndShow(final IndexFactory index, final int shards, final Sharding sharding) {
        try (Memtable memtable = open(index, shards, sharding)) {
            final WriteBatch batch = new WriteBatch();
            for (int i = 0; i < 1_000; i++) {
                final byte[] key = {(byte) (i & 7), (byte) (i >>> 3), 1};
                batch.put(key, new byte[1]);
                if (i % 10 != 0) {
                    batch.delete(key);
                }
            }
            memtable.write(batch);
            // A cursor over ranges looks for the last key of a range again when it enters the next one.
            final int again = sharding.isByRanges() ? 60 : 0;
            memtable.flush(new CollectingSink());
            assertCounts(memtable, 0, 0, 0);
            final EntryCursor closedTwice = memtable.cursor();
            assertEquals(100, count(closedTwice));
            closedTwice.close();
            closedTwice.close();
            assertCounts(memtable, 900, 100, again);
            try (EntryCursor cursor = memtable.snapshot().cursor(1_000)) {
                assertEquals(100, count(cursor));
            }
            assertCounts(memtable, 1_800, 200, again);
            memtable.deleteRange(new byte[0], new byte[] {8});
            final EntryCursor open = memtable.cursor();
            assertFalse(open.last());
            assertTrue(memtable.stats().hiddenEntriesPassed() > 1_800 + 1_000 - shards * 160, "most is counted before close");
            open.close();
            assertCounts(memtable, 2_800, 200, again);
        }
    }

    private static int count(final EntryCursor cursor) {
        int count = 0;
        for (boolean more = cursor.first(); more; more = cursor.next()) {
            count++;
        }
        return count;
    }

    private static void assertCounts(final Memtable memtable, final long hidden, final long shown, final int again) {
        final MemtableStats stats = memtable.stats();
        assertEquals((double) hidden, stats.hiddenEntriesPassed(), again);
        assertEquals((double) shown, stats.entriesShown(), again);
    }

    /** A cursor that turns round and seeks counts each entry as often as it reads it. */
    @Test
    void shouldCountWhatACursorReadsAgain() {
        try (Memtable memtable = open(1)) {
            final List<byte[]> keys = Stream.iterate(0, i -> i < 40, i -> i + 1)
                .map(i -> new byte[] {i.byteValue()}).collect(Collectors.toList());
            keys.forEach(memtable::delete);
            memtable.put(new byte[] {20}, new byte[1]);
            try (EntryCursor cursor = memtable.cursor()) {
                assertTrue(cursor.first());
                assertFalse(cursor.previous());
                assertTrue(cursor.seek(new byte[] {20}));
                assertFalse(cursor.next());
            }
            assertCounts(memtable, 20 + 20 + 19, 2, 0);
        }
    }
}
