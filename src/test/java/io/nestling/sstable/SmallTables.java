/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeTombstone;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.KeyShape;
import io.nestling.testing.SeededSecrets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * Writes and reads one small table after another, each with blocks and entries of its own that follow from its seed. One in two
 * has a block size at which some entries just fit into a block, or just do not.
 */
public final class SmallTables implements LongConsumer {
    private static final int MOST_KEYS = 80;
    private static final int MOST_VERSIONS = 4;
    private static final int MOST_RANGES = 6;
    private static final int MOST_LOOKUPS = 60;
    /* An upper bound of what a block has beside keys and values, about: lengths, tags and one restart point. */
    private static final int OVERHEAD_BYTES = 24;

    private Random random;
    private List<TestEntry> entries;
    private List<RangeTombstone> ranges;
    private SstableOptions options;

    @Override
    public void accept(final long seed) {
        random = new Random(seed * SeededSecrets.SPREAD);
        entries = entries(KeyShape.draw(random, MOST_KEYS));
        final long last = entries.stream().mapToLong(TestEntry::sequence).max().orElse(0) + 2;
        ranges = TestTables.randomRanges(random, random.nextInt(3) == 0 ? random.nextInt(MOST_RANGES) : 0, last);
        options = SstableOptions.defaults()
            .withCompression(random.nextBoolean() ? Compression.LZ4 : Compression.NONE).withBlockBytes(blockBytes());
        try {
            final Path directory = Files.createTempDirectory("nestling-tables");
            final Path path = directory.resolve("table.sst");
            try {
                TestTables.write(path, options, entries, ranges);
                check(path, last);
            } finally {
                Files.deleteIfExists(path);
                Files.delete(directory);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(this + ": " + e, e);
        } catch (final AssertionError e) {
            throw new AssertionError(this + ": " + e, e);
        }
    }

    @Override
    public String toString() {
        return entries.size() + " entries, " + ranges.size() + " ranges, " + options;
    }

    /** No key at all, or some, of which a few are prolonged; each has up to some versions of all kinds. */
    private List<TestEntry> entries(final KeyCorpus keys) {
        final TreeSet<TestEntry> all = new TreeSet<>(TestEntry.ORDER);
        final int count = random.nextInt(10) == 0 ? 0 : keys.size();
        final int longShare = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 0;
        final int longest = random.nextInt(KeyCorpus.MAX_KEY_BYTES + 1);
        long sequence = random.nextInt(3);
        for (int i = 0; i < count; i++) {
            byte[] key = keys.key(i);
            if (random.nextInt(100) < longShare) {
                key = Arrays.copyOf(key, Math.max(key.length, random.nextInt(4) == 0 ? KeyCorpus.MAX_KEY_BYTES : longest));
            }
            final int versions = random.nextInt(4) == 0 ? 1 + random.nextInt(MOST_VERSIONS) : 1;
            for (int version = 0; version < versions; version++) {
                sequence += random.nextInt(8) == 0 ? 1L << random.nextInt(40) : 1;
                all.add(entry(key, sequence));
            }
        }
        return new ArrayList<>(all);
    }

    private TestEntry entry(final byte[] key, final long sequence) {
        if (random.nextInt(6) == 0) {
            return TestEntry.tombstone(key, sequence);
        }
        final byte[] value = TestTables.randomValue(random);
        return random.nextInt(6) == 0
            ? TestEntry.expiring(key, sequence, value, random.nextBoolean() ? 0 : Long.MAX_VALUE)
            : TestEntry.value(key, sequence, value);
    }

    /** The least size, any size, or about that of a few of the entries. */
    private int blockBytes() {
        final int draw = random.nextInt(4);
        long bytes = draw == 0 ? SstableOptions.MIN_BLOCK_BYTES : random.nextInt(1 << 4 + random.nextInt(12));
        if (draw > 1) {
            final int from = random.nextInt(entries.size() + 1);
            final int to = Math.min(entries.size(), from + 1 + random.nextInt(20));
            bytes = TestTables.byteCount(entries.subList(from, to)) + random.nextInt(OVERHEAD_BYTES * (to - from + 1));
        }
        return (int) Math.max(SstableOptions.MIN_BLOCK_BYTES, Math.min(SstableOptions.MAX_BLOCK_BYTES, bytes));
    }

    private void check(final Path path, final long last) throws IOException {
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            reader.verify();
            assertEquals(entries.size(), reader.entryCount());
            assertEquals(ranges, reader.rangeTombstones());
            TestTables.assertWalks(entries, cursor);
            for (int left = MOST_LOOKUPS; left > 0; left--) {
                final byte[] key = someKey();
                final long sequence = random.nextBoolean() ? Long.MAX_VALUE : (long) (random.nextDouble() * last);
                final LookupResult expected = TestTables.expected(entries, ranges, key, sequence);
                TestTables.assertLookup(expected, reader.lookup(key, sequence), KeyCorpus.text(key) + "@" + sequence);
                seek(key, cursor);
            }
        }
    }

    private byte[] someKey() {
        final byte[] key = entries.isEmpty() ? new byte[random.nextInt(3)] : entries.get(random.nextInt(entries.size())).key();
        return KeyCorpus.neighbour(key, random.nextInt(2) * random.nextInt(KeyCorpus.NEIGHBOURS));
    }

    /** Seeks a key, or below it, and takes a few steps from there. */
    private void seek(final byte[] key, final EntryCursor cursor) {
        int at = 0;
        while (at < entries.size() && Arrays.compareUnsigned(entries.get(at).key(), key) < 0) {
            at++;
        }
        final boolean below = random.nextBoolean();
        at = below ? at - 1 : at == entries.size() ? -1 : at;
        assertEquals(at >= 0, below ? cursor.seekLowerThan(key) : cursor.seek(key), () -> "seek " + KeyCorpus.text(key));
        int before = -1;
        for (int steps = random.nextInt(6); at >= 0; steps--) {
            TestTables.assertEntry(entries, at, cursor, before, before < 0);
            if (steps <= 0) {
                assertTrue(cursor.valid());
                return;
            }
            final boolean forward = random.nextBoolean();
            before = at;
            at = forward ? at + 1 < entries.size() ? at + 1 : -1 : at - 1;
            assertEquals(at >= 0, forward ? cursor.next() : cursor.previous());
        }
        assertFalse(cursor.valid());
    }
}
