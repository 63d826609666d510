/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.index.EntryCursor;
import io.nestling.testing.ByteMutations;
import io.nestling.testing.Effort;
import io.nestling.testing.ReaderFuzzer;
import io.nestling.testing.Seeds;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fuzzes {@link TableSet}: up to three tables, some of them sound, others changed as in {@link SstableFuzzTest}. An input has the
 * length of each table in four bytes before it.
 * <p>
 * Seen to fail with these faults: a filter's length that is not compared with the number of entries; a scan that turns round and
 * takes for granted that it finds its key again, which is how it was once.
 */
@Tag("robustness")
class TableSetFuzzTest implements ReaderFuzzer.Target {
    private static final String NAME = "table-set";
    private static final int MOST_TABLES = 3;
    private static final long FIXED_BYTES = 3 << 20;
    private static final long FACTOR = 24;

    @TempDir
    Path directory;

    @Test
    void shouldReplayInputs() throws Exception {
        new ReaderFuzzer(NAME, this).replay();
    }

    @Test
    void shouldFindNothing() throws Exception {
        final Random random = Seeds.random(NAME);
        final List<byte[]> tables = FuzzedTable.seeds(directory, random);
        Files.delete(directory.resolve("seed.sst"));
        final List<byte[]> seeds = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            seeds.add(join(List.of(tables.get(i), tables.get((i + 1) % tables.size()), tables.get((i + 5) % tables.size()))));
        }
        new ReaderFuzzer(NAME, this).search(Effort.seconds(0, 20, 300), seeds, TableSetFuzzTest::mutate);
    }

    private static byte[] mutate(final byte[] input, final byte[] other, final Random random) {
        final List<byte[]> tables = split(input);
        final List<byte[]> others = split(other);
        if (tables.isEmpty() || others.isEmpty()) {
            return ByteMutations.change(input, other, random);
        }
        final int at = random.nextInt(tables.size());
        final byte[] table = others.get(random.nextInt(others.size()));
        switch (random.nextInt(6)) {
            case 0:
                tables.set(at, table);
                break;
            case 1:
                tables.add(at, table);
                break;
            default:
                tables.set(at, TableMutator.mutate(tables.get(at), table, random));
                break;
        }
        return join(tables.subList(0, Math.min(tables.size(), MOST_TABLES)));
    }

    private static byte[] join(final List<byte[]> tables) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (final byte[] table : tables) {
            final byte[] length = new byte[Integer.BYTES];
            LittleEndian.putInt(length, 0, table.length);
            bytes.writeBytes(length);
            bytes.writeBytes(table);
        }
        return bytes.toByteArray();
    }

    private static List<byte[]> split(final byte[] input) {
        final List<byte[]> tables = new ArrayList<>();
        for (int at = 0; at <= input.length - Integer.BYTES && tables.size() < MOST_TABLES;) {
            final int start = at + Integer.BYTES;
            final int length = Math.min(LittleEndian.getInt(input, at) & Integer.MAX_VALUE, input.length - start);
            tables.add(Arrays.copyOfRange(input, start, start + length));
            at = start + length;
        }
        return tables;
    }

    private static long contentBytes(final byte[] input) {
        long bytes = 0;
        for (final byte[] table : split(input)) {
            bytes += FuzzedTable.contentBytes(table);
        }
        return bytes;
    }

    @Override
    public long allocationLimit(final byte[] input) {
        return FIXED_BYTES + FACTOR * contentBytes(input);
    }

    @Override
    public String read(final byte[] input) throws IOException {
        final List<byte[]> tables = split(input);
        for (int i = 0; i < MOST_TABLES; i++) {
            if (i < tables.size()) {
                FuzzedTable.put(TableSet.path(directory, i), tables.get(i));
            } else {
                Files.deleteIfExists(TableSet.path(directory, i));
            }
        }
        final StringBuilder outcome = new StringBuilder();
        try (TableSet set = TableSet.open(directory)) {
            final List<byte[]> keys = new ArrayList<>();
            try (EntryCursor cursor = set.scan()) {
                outcome.append(FuzzedTable.walk(cursor, contentBytes(input), keys));
            }
            final Set<String> lookups = new TreeSet<>();
            for (final byte[] key : keys) {
                try {
                    lookups.add(set.lookup(key, key.length).kind().name());
                    set.get(key);
                } catch (final CorruptTableException e) {
                    lookups.add(ReaderFuzzer.site(e));
                }
            }
            outcome.append(lookups);
            set.greatestSequence();
            return outcome.toString();
        } catch (final CorruptTableException e) {
            return outcome.append(ReaderFuzzer.site(e)).toString();
        }
    }
}
