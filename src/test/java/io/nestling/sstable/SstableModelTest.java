/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeTombstone;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random tables against the sorted list that they were written from. */
class SstableModelTest {
    @TempDir
    Path directory;

    @Test
    void shouldAgreeWithTheModelAtEverySmallSize() throws IOException {
        final Random random = Seeds.random("SstableModelTest small");
        for (int size = 0; size <= 50; size++) {
            check(random, size, randomOptions(random));
        }
    }

    @Test
    void shouldAgreeWithTheModelAtLargerSizes() throws IOException {
        final Random random = Seeds.random("SstableModelTest larger");
        for (final int size : new int[] {200, 500, 1000, 3000}) {
            for (int round = 0; round < 3; round++) {
                check(random, size, randomOptions(random));
            }
        }
    }

    private static SstableOptions randomOptions(final Random random) {
        return SstableOptions.defaults()
            .withCompression(random.nextBoolean() ? Compression.LZ4 : Compression.NONE)
            .withBlockBytes(new int[] {64, 100, 300, 1000, 16 << 10}[random.nextInt(5)]);
    }

    private void check(final Random random, final int size, final SstableOptions options) throws IOException {
        final List<TestEntry> entries = TestTables.randomEntries(random, size);
        final long maxSequence = entries.stream().mapToLong(TestEntry::sequence).max().orElse(100) + 10;
        final List<RangeTombstone> ranges = TestTables.randomRanges(random, random.nextInt(8), maxSequence);
        final Path path = directory.resolve(size + "-" + random.nextLong() + ".sst");
        TestTables.write(path, options, entries, ranges);
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
            assertEquals(size, reader.entryCount());
            assertEquals(ranges, reader.rangeTombstones());
            assertEquals(entries.stream().map(entry -> Arrays.toString(entry.key())).distinct().count(),
                reader.properties().keyCount());
            try (EntryCursor cursor = reader.cursor()) {
                TestTables.assertWalks(entries, cursor);
                walkAtRandom(random, entries, cursor);
            }
            for (int i = 0; i < Math.min(300, 10 + size); i++) {
                final byte[] key = someKey(random, entries);
                final long sequence = random.nextBoolean() ? Long.MAX_VALUE
                    : (long) (random.nextDouble() * maxSequence);
                final LookupResult expected = TestTables.expected(entries, ranges, key, sequence);
                TestTables.assertLookup(expected, reader.lookup(key, sequence), Arrays.toString(key) + "@"
                    + sequence);
                assertArrayEquals(expected.value(), reader.get(key, sequence));
            }
        }
    }

    private static void walkAtRandom(final Random random, final List<TestEntry> entries,
        final EntryCursor cursor) {
        int at = -1;
        for (int step = 0; step < 400; step++) {
            final int before = at;
            final int move = random.nextInt(12);
            if (move < 4) {
                at = at < 0 || at + 1 == entries.size() ? -1 : at + 1;
                assertEquals(at >= 0, cursor.next());
            } else if (move < 8) {
                at = at - 1 < 0 ? -1 : at - 1;
                assertEquals(at >= 0, cursor.previous());
            } else {
                at = jump(random, move, entries, cursor);
            }
            assertEquals(at >= 0, cursor.valid());
            if (at >= 0) {
                TestTables.assertEntry(entries, at, cursor, before, move >= 8);
            }
        }
    }

    private static int jump(
        final Random random, final int move, final List<TestEntry> entries, final EntryCursor cursor) {
        final byte[] key = someKey(random, entries);
        final byte[] padded = new byte[key.length + 4];
        System.arraycopy(key, 0, padded, 2, key.length);
        int at = 0;
        switch (move) {
            case 8:
                at = entries.isEmpty() ? -1 : 0;
                assertEquals(at >= 0, cursor.first());
                return at;
            case 9:
                at = entries.size() - 1;
                assertEquals(at >= 0, cursor.last());
                return at;
            case 10:
                while (at < entries.size() && Arrays.compareUnsigned(entries.get(at).key(), key) < 0) {
                    at++;
                }
                at = at == entries.size() ? -1 : at;
                assertEquals(at >= 0, cursor.seek(padded, 2, key.length));
                return at;
            default:
                at = entries.size() - 1;
                while (at >= 0 && Arrays.compareUnsigned(entries.get(at).key(), key) >= 0) {
                    at--;
                }
                assertEquals(at >= 0, cursor.seekLowerThan(padded, 2, key.length));
                return at;
        }
    }

    private static byte[] someKey(final Random random, final List<TestEntry> entries) {
        if (entries.isEmpty() || random.nextInt(4) == 0) {
            return TestTables.randomKey(random, List.of());
        }
        final byte[] key = entries.get(random.nextInt(entries.size())).key();
        return switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(key, key.length + 1);
            case 1 -> Arrays.copyOf(key, Math.max(0, key.length - 1));
            default -> key;
        };
    }

    @Test
    void shouldFindEachOfManyVersionsThatSpanBlocks() throws IOException {
        final int versions = 500;
        final List<TestEntry> entries = new ArrayList<>();
        entries.add(TestEntry.value("a", 7, "before"));
        for (int i = versions; i > 0; i--) {
            entries.add(TestEntry.value("key", 10L * i, "version " + i));
        }
        entries.add(TestEntry.value("key2", 1, "after"));
        final Path path = directory.resolve("versions.sst");
        TestTables.write(path, SstableOptions.defaults().withBlockBytes(64), entries);
        try (SstableReader reader = SstableReader.open(path)) {
            reader.verify();
            assertTrue(reader.properties().dataBlockCount() > 100);
            assertEquals(3, reader.properties().keyCount());
            final byte[] key = TestEntry.bytes("key");
            for (int i = 1; i <= versions; i++) {
                for (int above = 0; above < 10; above++) {
                    assertArrayEquals(TestEntry.bytes("version " + i), reader.get(key, 10L * i + above));
                }
            }
            assertEquals(LookupResult.ABSENT, reader.lookup(key, 9));
            assertEquals(LookupResult.ABSENT, reader.lookup(key, -1));
            try (EntryCursor cursor = reader.cursor()) {
                assertTrue(cursor.seek(key));
                assertEquals(10L * versions, cursor.sequence());
                assertTrue(cursor.seekLowerThan(TestEntry.bytes("key2")));
                assertEquals(10, cursor.sequence());
                assertFalse(cursor.seekLowerThan(TestEntry.bytes("a")));
            }
        }
    }
}
