/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.index.RangeTombstone;
import io.nestling.memtable.KeepVersions;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Memtables whose tables have blocks of each shape, and what a flush of them should write. */
final class TestMemtables {
    private TestMemtables() {
    }

    /** What the table is made of. */
    enum Shape {
        EMPTY, ONE_ENTRY, RANGES_ONLY, MANY_BLOCKS, LONG_KEYS, LARGE_VALUES, VERSIONS, EVERYTHING
    }

    /** What a flush passes on. */
    static final class Content implements EntrySink {
        private final List<TestEntry> entries = new ArrayList<>();
        private final List<RangeTombstone> ranges = new ArrayList<>();

        @Override
        public void begin(final long entryCount, final long byteCount, final long rangeTombstoneCount) {
            // The writer of tables checks these.
        }

        @Override
        public void entry(final EntryView entry) {
            entries.add(new TestEntry(entry.key(), entry.sequence(), entry.kind(), entry.value(),
                entry.kind() == EntryKind.EXPIRING ? entry.expiry() : 0));
        }

        @Override
        public void rangeTombstone(final byte[] fromInclusive, final byte[] toExclusive, final long sequence) {
            ranges.add(new RangeTombstone(fromInclusive, toExclusive, sequence));
        }

        @Override
        public void end() {
            // Nothing is written.
        }

        /** Checks that a table is whole and holds exactly this. */
        void assertIn(final Path path) throws IOException {
            try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
                reader.verify();
                assertEquals(ranges, reader.rangeTombstones());
                TestTables.assertWalks(entries, cursor);
            }
        }
    }

    static Content content(final Memtable memtable) throws IOException {
        final Content content = new Content();
        memtable.flush(content);
        return content;
    }

    /** A memtable with content that the random numbers determine. */
    static Memtable open(final Shape shape, final Random random, final long firstSequence) {
        final IndexType[] indexes = IndexType.values();
        final Memtable memtable = Memtable.open(MemtableOptions.builder()
            .index(indexes[random.nextInt(indexes.length)]).shards(1 + random.nextInt(3)).capacityBytes(16 << 20)
            .keepVersions(shape == Shape.VERSIONS ? KeepVersions.ALL : KeepVersions.NEWEST)
            .firstSequence(firstSequence).build());
        fill(memtable, shape, random);
        return memtable;
    }

    private static void fill(final Memtable memtable, final Shape shape, final Random random) {
        switch (shape) {
            case EMPTY -> { }
            case ONE_ENTRY -> memtable.put(key(random, 9), noise(random, 100));
            case RANGES_ONLY -> ranges(memtable, random, 200, 300);
            case MANY_BLOCKS -> entries(memtable, random, 3000, 9, 300);
            case LONG_KEYS -> {
                entries(memtable, random, 40, 60_000, 10);
                ranges(memtable, random, 10, 60_000);
            }
            case LARGE_VALUES -> entries(memtable, random, 8, 9, 600_000);
            case VERSIONS -> {
                for (int i = 0; i < 2000; i++) {
                    memtable.put(TestEntry.bytes("k" + random.nextInt(50)), noise(random, random.nextInt(600)));
                }
            }
            case EVERYTHING -> {
                entries(memtable, random, 1500, 9, 300);
                ranges(memtable, random, 100, 200);
                entries(memtable, random, 300, 20, 20);
                entries(memtable, random, 3, 9, 300_000);
            }
            default -> throw new AssertionError("shape " + shape);
        }
    }

    private static void entries(
        final Memtable memtable, final Random random, final int count, final int keyBytes, final int valueBytes) {
        for (int i = 0; i < count; i++) {
            final byte[] key = key(random, keyBytes);
            if (i % 10 == 9) {
                memtable.delete(key);
            } else {
                memtable.put(key, noise(random, random.nextInt(valueBytes)));
            }
        }
    }

    private static void ranges(final Memtable memtable, final Random random, final int count, final int keyBytes) {
        for (int i = 0; i < count; i++) {
            final byte[] from = key(random, random.nextInt(keyBytes));
            final byte[] to = key(random, random.nextInt(keyBytes));
            final int order = Arrays.compareUnsigned(from, to);
            if (order != 0) {
                memtable.deleteRange(order < 0 ? from : to, order < 0 ? to : from);
            }
        }
    }

    private static byte[] key(final Random random, final int bytes) {
        final byte[] number = TestEntry.bytes(String.format(Locale.ROOT, "%08d", random.nextInt(100_000_000)));
        final byte[] key = Arrays.copyOf(number, Math.max(bytes, number.length));
        Arrays.fill(key, number.length, key.length, (byte) 'k');
        return key;
    }

    private static byte[] noise(final Random random, final int bytes) {
        final byte[] noise = new byte[bytes];
        random.nextBytes(noise);
        return noise;
    }
}
