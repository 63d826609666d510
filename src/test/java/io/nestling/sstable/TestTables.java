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
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeTombstone;
import io.nestling.index.ValueRules;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Makes tables and compares them with what they were made from. */
final class TestTables {
    /** Blocks of a few entries, so that small tables have many of them, and many index blocks. */
    static final SstableOptions SMALL_BLOCKS = SstableOptions.defaults().withBlockBytes(200);

    /** An expiry above 0 is to come; operands are put behind the value. */
    static final ValueRules RULES = new ValueRules(() -> 0, TestTables::concatenate);

    private TestTables() {
    }

    static void write(final Path path, final SstableOptions options, final List<TestEntry> entries)
        throws IOException {
        write(path, options, entries, List.of());
    }

    static void write(
        final Path path, final SstableOptions options, final List<TestEntry> entries,
        final List<RangeTombstone> ranges)
        throws IOException {
        try (SstableWriter writer = SstableWriter.create(path, options)) {
            feed(writer, entries, ranges);
        }
    }

    /** Gives everything to a sink, in the order of a flush. */
    static void feed(final EntrySink sink, final List<TestEntry> entries, final List<RangeTombstone> ranges)
        throws IOException {
        sink.begin(entries.size(), byteCount(entries), ranges.size());
        int range = 0;
        for (final TestEntry entry : entries) {
            for (; range < ranges.size()
                && Arrays.compareUnsigned(ranges.get(range).fromInclusive(), entry.key()) <= 0; range++) {
                give(sink, ranges.get(range));
            }
            sink.entry(entry);
        }
        for (; range < ranges.size(); range++) {
            give(sink, ranges.get(range));
        }
        sink.end();
    }

    private static void give(final EntrySink sink, final RangeTombstone range) throws IOException {
        sink.rangeTombstone(range.fromInclusive(), range.toExclusive(), range.sequence());
    }

    static long byteCount(final List<TestEntry> entries) {
        long bytes = 0;
        for (final TestEntry entry : entries) {
            bytes += entry.keyLength() + entry.valueLength();
        }
        return bytes;
    }

    /** Entries in order, with versions, tombstones, shared prefixes, runs of equal bytes and empty keys. */
    static List<TestEntry> randomEntries(final Random random, final int count) {
        final List<byte[]> keys = new ArrayList<>();
        final TreeSet<TestEntry> entries = new TreeSet<>(TestEntry.ORDER);
        final boolean expire = random.nextBoolean();
        long sequence = random.nextInt(1000);
        while (entries.size() < count) {
            final byte[] key = keys.isEmpty() || random.nextInt(4) != 0 ? randomKey(random, keys)
                : keys.get(random.nextInt(keys.size()));
            keys.add(key);
            sequence += 1 + random.nextInt(3);
            if (random.nextInt(5) == 0) {
                entries.add(TestEntry.tombstone(key, sequence));
            } else if (expire && random.nextInt(5) == 0) {
                entries.add(TestEntry.expiring(key, sequence, randomValue(random), random.nextBoolean() ? 0 : Long.MAX_VALUE));
            } else {
                entries.add(TestEntry.value(key, sequence, randomValue(random)));
            }
        }
        return new ArrayList<>(entries);
    }

    static byte[] randomKey(final Random random, final List<byte[]> others) {
        final int length = random.nextInt(random.nextInt(10) == 0 ? 100 : 12);
        final byte[] key = new byte[length];
        switch (random.nextInt(4)) {
            case 0 -> Arrays.fill(key, (byte) 0x00);
            case 1 -> Arrays.fill(key, (byte) 0xFF);
            case 2 -> random.nextBytes(key);
            default -> {
                for (int i = 0; i < length; i++) {
                    key[i] = (byte) ("abc".charAt(random.nextInt(3)));
                }
            }
        }
        if (!others.isEmpty() && random.nextBoolean()) {
            final byte[] other = others.get(random.nextInt(others.size()));
            System.arraycopy(other, 0, key, 0, Math.min(random.nextInt(other.length + 1), length));
        }
        return key;
    }

    static byte[] randomValue(final Random random) {
        final byte[] value = new byte[random.nextInt(random.nextInt(8) == 0 ? 400 : 20)];
        if (random.nextBoolean()) {
            random.nextBytes(value);
        }
        return value;
    }

    /** Range tombstones in order of their first keys. */
    static List<RangeTombstone> randomRanges(final Random random, final int count, final long maxSequence) {
        final List<RangeTombstone> ranges = new ArrayList<>();
        while (ranges.size() < count) {
            final byte[] from = randomKey(random, List.of());
            final byte[] to = randomKey(random, List.of());
            final boolean hasEnd = random.nextInt(8) > 0;
            if (!hasEnd || Arrays.compareUnsigned(from, to) < 0) {
                ranges.add(new RangeTombstone(from, hasEnd ? to : null, (long) (random.nextDouble() * maxSequence)));
            }
        }
        ranges.sort((left, right) -> Arrays.compareUnsigned(left.fromInclusive(), right.fromInclusive()));
        return ranges;
    }

    /** What a lookup must find. */
    static LookupResult expected(
        final List<TestEntry> entries, final List<RangeTombstone> ranges, final byte[] key,
        final long maxSequence) {
        long deleted = -1;
        for (final RangeTombstone range : ranges) {
            if (range.covers(key) && range.sequence() <= maxSequence) {
                deleted = Math.max(deleted, range.sequence());
            }
        }
        final long end = deleted;
        final List<TestEntry> versions = entries.stream()
            .filter(entry -> Arrays.equals(entry.key(), key) && entry.sequence() <= maxSequence && entry.sequence() >= end)
            .sorted(Comparator.comparingLong(TestEntry::sequence).reversed()).toList();
        final List<byte[]> operands = new ArrayList<>();
        for (final TestEntry version : versions) {
            if (version.kind() == EntryKind.OPERAND) {
                operands.add(0, version.value());
                continue;
            }
            final boolean isAlive = version.kind() == EntryKind.VALUE
                || version.kind() == EntryKind.EXPIRING && version.expiry() > RULES.clock().getAsLong();
            final byte[] value = isAlive ? version.value() : null;
            return !operands.isEmpty() ? LookupResult.value(versions.get(0).sequence(), concatenate(key, value, operands))
                : isAlive ? LookupResult.value(version.sequence(), value) : LookupResult.tombstone(version.sequence());
        }
        if (!operands.isEmpty()) {
            return deleted < 0 ? LookupResult.operands(versions.get(0).sequence(), operands)
                : LookupResult.value(versions.get(0).sequence(), concatenate(key, null, operands));
        }
        return deleted < 0 ? LookupResult.ABSENT : LookupResult.tombstone(deleted);
    }

    private static byte[] concatenate(final byte[] key, final byte[] value, final List<byte[]> operands) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (value != null) {
            all.writeBytes(value);
        }
        operands.forEach(all::writeBytes);
        return all.toByteArray();
    }

    static void assertLookup(final LookupResult expected, final LookupResult actual, final String what) {
        assertEquals(expected.kind(), actual.kind(), what);
        assertEquals(expected.sequence(), actual.sequence(), what);
        assertArrayEquals(expected.value(), actual.value(), what);
    }

    /** Walks a cursor forwards and backwards and compares each entry and common prefix. */
    static void assertWalks(final List<TestEntry> expected, final EntryCursor cursor) {
        boolean found = cursor.first();
        for (int i = 0; i < expected.size(); i++) {
            assertTrue(found, "entry " + i + " is missing");
            assertEntry(expected, i, cursor, i - 1, i == 0);
            found = cursor.next();
        }
        assertFalse(found);
        assertFalse(cursor.valid());
        assertFalse(cursor.previous());
        found = cursor.last();
        for (int i = expected.size() - 1; i >= 0; i--) {
            assertTrue(found, "entry " + i + " is missing backwards");
            assertEntry(expected, i, cursor, i + 1, i == expected.size() - 1);
            found = cursor.previous();
        }
        assertFalse(found);
        assertFalse(cursor.valid());
        assertFalse(cursor.next());
    }

    /** Compares one entry, and the prefix that it shares with the one where the cursor came from. */
    static void assertEntry(
        final List<TestEntry> expected, final int at, final EntryCursor cursor, final int from,
        final boolean jumped) {
        final TestEntry entry = expected.get(at);
        assertTrue(entry.matches(cursor), () -> "entry " + at + " is not " + entry);
        assertEquals(jumped ? 0 : commonPrefix(entry.key(), expected.get(from).key()), cursor.commonPrefix(),
            () -> "common prefix of entry " + at + " with " + from);
    }

    static int commonPrefix(final byte[] left, final byte[] right) {
        final int mismatch = Arrays.mismatch(left, right);
        return mismatch < 0 ? left.length : mismatch;
    }

    /** Names in a directory, in order. */
    static List<String> names(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Returns the keys and values of tables, which it verifies. */
    static Map<String, String> content(final TableSet tables) throws IOException {
        final Map<String, String> content = new TreeMap<>();
        try (EntryCursor cursor = tables.scan()) {
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                content.put(new String(cursor.key(), StandardCharsets.US_ASCII),
                    new String(cursor.value(), StandardCharsets.US_ASCII));
            }
        }
        for (final SstableReader reader : tables.readers()) {
            reader.verify();
        }
        return content;
    }
}
