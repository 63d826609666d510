/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.testing.Effort;
import io.nestling.testing.ReaderFuzzer;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fuzzes {@link SstableReader}: tables whose parts were changed and whose checksums are right. Content that cannot be right must
 * come as {@link CorruptTableException}. A table that {@code verify} takes for sound must answer the same in every way.
 * <p>
 * Seen to fail with these faults: a filter's length that is not compared with the number of entries, a directory's and a value's
 * length that is only compared with 255 times the stored one, range tombstones that share bytes at restart points, a block that
 * the directory names a thousand times, a restart point that is not compared with the end of the block, a raw length of a packed
 * block beyond 2 MiB.
 */
@Tag("robustness")
class SstableFuzzTest implements ReaderFuzzer.Target {
    private static final String NAME = "sstable";
    /* Each of four cursors that a run opens may unpack one block of the greatest size before it finds it damaged. */
    private static final long FIXED_BYTES = 4L * TableBlockLayout.MAX_RAW_BYTES;
    private static final long FACTOR = 24;

    @TempDir
    Path directory;

    @Test
    void shouldReplayInputs() throws Exception {
        new ReaderFuzzer(NAME, this).replay();
    }

    @Test
    void shouldFindNothing() throws Exception {
        new ReaderFuzzer(NAME, this).search(Effort.seconds(0, 20, 300),
            FuzzedTable.seeds(directory, Seeds.random(NAME)), TableMutator::mutate);
    }

    @Override
    public long allocationLimit(final byte[] input) {
        return FIXED_BYTES + FACTOR * FuzzedTable.contentBytes(input);
    }

    @Override
    public String read(final byte[] input) throws IOException {
        final Path path = directory.resolve("fuzzed.sst");
        FuzzedTable.put(path, input);
        final StringBuilder outcome = new StringBuilder();
        try (SstableReader reader = SstableReader.open(path)) {
            final List<byte[]> keys = new ArrayList<>();
            final long limit = FuzzedTable.contentBytes(input);
            try (EntryCursor cursor = reader.cursor()) {
                outcome.append(FuzzedTable.walk(cursor, limit, keys));
            }
            final Set<String> lookups = new TreeSet<>();
            for (final byte[] key : keys) {
                try {
                    reader.lookup(key, key.length);
                    lookups.add(reader.lookup(key).kind().name());
                } catch (final CorruptTableException e) {
                    lookups.add(ReaderFuzzer.site(e));
                }
            }
            outcome.append(lookups);
            reader.verify();
            return outcome.append(" sound").toString();
        } catch (final CorruptTableException e) {
            return outcome.append(ReaderFuzzer.site(e)).toString();
        }
    }

    @Override
    public void compare(final byte[] input) throws IOException {
        try (SstableReader reader = SstableReader.open(directory.resolve("fuzzed.sst"))) {
            reader.verify();
            final List<TestEntry> entries = new ArrayList<>();
            try (EntryCursor cursor = reader.cursor()) {
                for (boolean more = cursor.first(); more; more = cursor.next()) {
                    entries.add(entry(cursor));
                }
                assertEquals(reader.entryCount(), entries.size());
                final List<TestEntry> backwards = new ArrayList<>();
                for (boolean more = cursor.last(); more; more = cursor.previous()) {
                    backwards.add(entry(cursor));
                }
                Collections.reverse(backwards);
                assertEquals(entries.size(), backwards.size());
                for (int i = 0; i < entries.size(); i++) {
                    assertEquals(0, TestEntry.ORDER.compare(entries.get(i), backwards.get(i)));
                    assertTrue(i == 0 || TestEntry.ORDER.compare(entries.get(i - 1), entries.get(i)) < 0, "order of " + i);
                    assertArrayEquals(entries.get(i).value(), backwards.get(i).value());
                }
            }
            for (final TestEntry entry : entries.size() > 200 ? entries.subList(0, 200) : entries) {
                TestTables.assertLookup(
                    TestTables.expected(entries, reader.rangeTombstones(), entry.key(), entry.sequence()),
                    reader.lookup(entry.key(), entry.sequence(), TestTables.RULES), "lookup of " + entry);
            }
        } catch (final CorruptTableException e) {
            // Only of sound tables is there more to say.
        }
    }

    private static TestEntry entry(final EntryCursor cursor) {
        final byte[] key = Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength());
        return switch (cursor.kind()) {
            case TOMBSTONE -> TestEntry.tombstone(key, cursor.sequence());
            case VALUE -> TestEntry.value(key, cursor.sequence(), cursor.value());
            case EXPIRING -> TestEntry.expiring(key, cursor.sequence(), cursor.value(), cursor.expiry());
            case OPERAND -> TestEntry.operand(key, cursor.sequence(), cursor.value());
            case RANGE_TOMBSTONE -> throw new AssertionError("a range tombstone is not an entry");
        };
    }
}
