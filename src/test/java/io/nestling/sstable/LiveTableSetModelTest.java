/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeTombstone;
import io.nestling.index.VisibleCursor;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random flushes, merges at floors of snapshots and openings, against all writes there were: lookups, and scans both ways, at any
 * sequence number at or above the greatest floor, of the newest state and of states that readers keep.
 * <p>
 * Planted faults that were seen: tombstones dropped although a table beside the inputs has an older value, or only if it has a
 * newer one; a version at the floor itself taken for one above it; range tombstones that hide versions above the floor; range
 * tombstones dropped by their first key alone, all or those without end; a manifest without the greatest sequence number.
 */
class LiveTableSetModelTest {
    private static final int KEYS = 25;

    @TempDir
    Path parent;
    private Path directory;
    private final FileOperations operations = FaultyFileOperations.failingAt(0).withoutForcing();

    /** Every write so far, in order of sequence numbers. */
    private final List<TestEntry> entries = new ArrayList<>();
    private final List<RangeTombstone> ranges = new ArrayList<>();
    private long sequence;
    private long floor;

    /** Tables that a reader keeps, and what it must see in them. */
    private record Reader(TableSet tables, long sequence, long floor) {
    }

    @Test
    void shouldShowWhatWasWritten() throws IOException {
        final Random random = Seeds.random("LiveTableSetModelTest");
        final int rounds = Effort.count(25, 800, 30_000);
        for (int round = 0; round < rounds; round++) {
            directory = Files.createDirectory(parent.resolve("round" + round));
            entries.clear();
            ranges.clear();
            sequence = 0;
            floor = 0;
            try {
                run(random);
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError("round " + round + ": " + e.getMessage(), e);
            }
        }
    }

    private void run(final Random random) throws IOException {
        final List<Reader> readers = new ArrayList<>();
        LiveTableSet live = LiveTableSet.open(directory, operations);
        try {
            for (int step = 0; step < 20; step++) {
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> flush(live, random);
                    case 3, 4 -> merge(live, random);
                    case 5 -> readers.add(new Reader(live.acquire(), sequence, floor));
                    case 6 -> {
                        live.close();
                        live = LiveTableSet.open(directory, operations);
                        assertEquals(sequence, live.directory().greatestSequence());
                    }
                    default -> {
                        if (!readers.isEmpty()) {
                            close(readers.remove(random.nextInt(readers.size())), random);
                        }
                    }
                }
                try (TableSet tables = live.acquire()) {
                    check(new Reader(tables, sequence, floor), random);
                }
            }
            for (final Reader reader : readers) {
                close(reader, random);
            }
        } finally {
            live.close();
        }
        try (TableSet tables = TableSet.open(directory)) {
            check(new Reader(tables, sequence, floor), random);
            for (final SstableReader reader : tables.readers()) {
                reader.verify();
            }
        }
        assertEquals(List.of(), TableSet.unlistedFiles(directory), "replaced tables are gone");
    }

    private void close(final Reader reader, final Random random) throws IOException {
        check(reader, random);
        reader.tables.close();
    }

    private static byte[] key(final int number) {
        return TestEntry.bytes(String.format(Locale.ROOT, "%02d", number));
    }

    private void flush(final LiveTableSet live, final Random random) throws IOException {
        final TreeSet<TestEntry> table = new TreeSet<>(TestEntry.ORDER);
        final List<RangeTombstone> tableRanges = new ArrayList<>();
        final int around = random.nextInt(KEYS);
        final int width = 1 + random.nextInt(random.nextBoolean() ? 4 : KEYS);
        for (int i = random.nextInt(20); i >= 0; i--) {
            final int from = (around + random.nextInt(width)) % KEYS;
            sequence++;
            switch (random.nextInt(6)) {
                case 0 -> tableRanges.add(new RangeTombstone(key(from), random.nextInt(6) == 0 ? null
                    : key(from + 1 + random.nextInt(random.nextBoolean() ? 3 : KEYS)), sequence));
                case 1, 2 -> table.add(TestEntry.tombstone(key(from), sequence));
                default -> table.add(TestEntry.value(key(from), sequence, TestEntry.bytes("v" + sequence)));
            }
        }
        tableRanges.sort(Comparator.comparing(RangeTombstone::fromInclusive, Arrays::compareUnsigned));
        final Path path = live.nextTable();
        try (SstableWriter writer = SstableWriter.create(path, options(random), operations)) {
            TestTables.feed(writer, new ArrayList<>(table), tableRanges);
        }
        live.add(path);
        entries.addAll(table);
        ranges.addAll(tableRanges);
    }

    private static SstableOptions options(final Random random) {
        return SstableOptions.defaults().withBlockBytes(64 + random.nextInt(200));
    }

    private void merge(final LiveTableSet live, final Random random) throws IOException {
        try (TableSet tables = live.acquire()) {
            final List<SstableReader> inputs = new ArrayList<>();
            final boolean all = random.nextInt(3) == 0;
            for (final SstableReader reader : tables.readers()) {
                if (all || random.nextBoolean()) {
                    inputs.add(reader);
                }
            }
            if (inputs.isEmpty()) {
                return;
            }
            floor = switch (random.nextInt(4)) {
                case 0 -> floor;
                case 1 -> floor + (long) (random.nextDouble() * (sequence + 1 - floor));
                default -> sequence;
            };
            final MergeOptions options = MergeOptions.defaults().withSnapshotFloor(floor).withTables(options(random))
                .withMaxTableBytes(1 + random.nextInt(random.nextBoolean() ? 400 : 4000));
            final MergeResult result = live.merge(inputs, options, bytes -> { });
            checkSmall(live, result);
        }
    }

    /** Where one merge took all, nothing is left that no reader at the floor or above can see. */
    private void checkSmall(final LiveTableSet live, final MergeResult result) throws IOException {
        try (TableSet tables = live.acquire()) {
            if (tables.readers().size() != result.tables().size()) {
                return;
            }
            long kept = 0;
            for (final SstableReader reader : tables.readers()) {
                kept += reader.entryCount();
                for (final RangeTombstone range : reader.rangeTombstones()) {
                    assertEquals(true, range.sequence() > floor);
                }
            }
            assertEquals(result.entries(), kept);
            final Map<String, Boolean> floors = new TreeMap<>();
            for (final SstableReader reader : tables.readers()) {
                try (EntryCursor cursor = reader.cursor()) {
                    for (boolean more = cursor.first(); more; more = cursor.next()) {
                        if (cursor.sequence() <= floor) {
                            assertEquals(EntryKind.VALUE, cursor.kind(), "a tombstone at the bottom");
                            assertEquals(null, floors.put(text(cursor.key()), true), "two versions at the floor");
                        }
                    }
                }
            }
        }
    }

    /** Compares what a reader sees at a sequence number at or above its floor. */
    private void check(final Reader reader, final Random random) throws IOException {
        final long at = random.nextInt(4) == 0 ? reader.sequence
            : reader.floor + (long) (random.nextDouble() * (reader.sequence + 1 - reader.floor));
        final TreeMap<String, String> expected = new TreeMap<>();
        for (int number = 0; number < KEYS; number++) {
            final LookupResult model = TestTables.expected(entries, ranges, key(number), at);
            final LookupResult found = reader.tables.lookup(key(number), at);
            final String what = "key " + number + " at " + at + ", floor " + reader.floor;
            // A merge may drop tombstones, so that a deleted key is absent.
            if (model.kind() == LookupResult.Kind.VALUE) {
                TestTables.assertLookup(model, found, what);
                expected.put(text(key(number)), text(model.value()));
            } else {
                assertEquals(null, found.value(), what);
            }
        }
        try (EntryCursor cursor = VisibleCursor.of(reader.tables.versions(), at)) {
            final TreeMap<String, String> forward = new TreeMap<>();
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                forward.put(text(cursor.key()), text(cursor.value()));
            }
            assertEquals(expected, forward, "forward at " + at);
            final TreeMap<String, String> backward = new TreeMap<>();
            for (boolean more = cursor.last(); more; more = cursor.previous()) {
                backward.put(text(cursor.key()), text(cursor.value()));
            }
            assertEquals(expected, backward, "backward at " + at);
        }
    }

    private static String text(final byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
