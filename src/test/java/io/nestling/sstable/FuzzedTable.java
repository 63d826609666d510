/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.testing.ReaderFuzzer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Tables for fuzzing: seeds, the bytes that one holds, and walks over cursors that may fail at any step. */
final class FuzzedTable {
    private static final int MOST_KEYS = 12;
    private static final int ZIGZAGS = 40;

    private FuzzedTable() {
    }

    /** Makes a file have a content, in place: file systems take their time for files that are written anew. */
    static void put(final Path path, final byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content), 0);
            channel.truncate(content.length);
        }
    }

    /** Small tables that have blocks of every type. */
    static List<byte[]> seeds(final Path directory, final Random random) throws IOException {
        final List<byte[]> seeds = new ArrayList<>();
        final Path path = directory.resolve("seed.sst");
        for (int i = 0; i < 12; i++) {
            final List<TestEntry> entries = new ArrayList<>(
                TestTables.randomEntries(random, i % 4 == 3 ? 0 : 1 << random.nextInt(8)));
            if (i % 4 == 2) {
                entries.add(TestEntry.value(new byte[] {'l'}, 1 << 20, new byte[(64 << 10) + 5]));
                entries.add(TestEntry.value(new byte[] {'m'}, 1 << 20, new byte[(256 << 10) + 500]));
                entries.sort(TestEntry.ORDER);
            }
            Files.deleteIfExists(path);
            TestTables.write(path, SstableOptions.defaults().withBlockBytes(64 << random.nextInt(8))
                .withCompression(i % 2 == 0 ? Compression.LZ4 : Compression.NONE),
                entries, TestTables.randomRanges(random, i % 2 * random.nextInt(40), 1000));
            seeds.add(Files.readAllBytes(path));
        }
        return seeds;
    }

    /** Bytes of a file and of what its blocks really hold unpacked, as far as they follow each other. */
    static long contentBytes(final byte[] file) {
        long bytes = file.length;
        int offset = 0;
        while (offset + TableBlockLayout.HEADER_BYTES <= file.length - Footer.BYTES) {
            final int stored = LittleEndian.getInt(file, offset + TableBlockLayout.STORED_LENGTH_OFFSET);
            if (stored < 0 || stored > file.length - offset - TableBlockLayout.HEADER_BYTES) {
                return bytes;
            }
            final byte[] raw = TableImage.unpacked(file, offset);
            bytes += raw == null ? 0 : raw.length;
            offset += TableBlockLayout.HEADER_BYTES + stored;
        }
        return bytes;
    }

    /**
     * Walks a cursor forwards, backwards and to and fro.
     *
     * @param limit steps of one direction, and bytes of values, that cannot be exceeded
     * @param keys receives some of the keys
     * @return where it failed, or how many entries there are
     */
    static String walk(final EntryCursor cursor, final long limit, final List<byte[]> keys) {
        final StringBuilder outcome = new StringBuilder();
        try {
            long steps = 0;
            long valueBytes = 0;
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                assertTrue(steps++ <= limit, "the cursor goes on and on");
                if (keys.size() < MOST_KEYS) {
                    keys.add(Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength()));
                }
                if (valueBytes + cursor.valueLength() <= limit || valueBytes == 0) {
                    valueBytes += cursor.valueLength();
                    cursor.value();
                }
            }
            assertFalse(cursor.valid());
            outcome.append(Long.SIZE - Long.numberOfLeadingZeros(steps));
        } catch (final UncheckedIOException e) {
            outcome.append(site(e));
        }
        try {
            long steps = 0;
            for (boolean more = cursor.last(); more; more = cursor.previous()) {
                assertTrue(steps++ <= limit, "the cursor goes back and back");
            }
        } catch (final UncheckedIOException e) {
            assertFalse(cursor.valid());
            outcome.append(site(e));
        }
        outcome.append(zigzag(cursor, keys));
        return outcome.toString();
    }

    private static String zigzag(final EntryCursor cursor, final List<byte[]> keys) {
        final Set<String> outcomes = new TreeSet<>();
        int step = 0;
        for (final byte[] key : keys) {
            try {
                boolean more = step % 2 == 0 ? cursor.seek(key, 0, key.length) : cursor.seekLowerThan(key, 0, key.length);
                for (int i = 0; more && i < ZIGZAGS; i++, step++) {
                    more = step * 7 % 5 < 2 ? cursor.previous() : cursor.next();
                }
                assertEquals(more, cursor.valid());
            } catch (final UncheckedIOException e) {
                assertFalse(cursor.valid());
                outcomes.add(site(e));
            }
        }
        return outcomes.toString();
    }

    /** Where a cursor failed; its exception must be of a corrupt table. */
    static String site(final UncheckedIOException e) {
        assertSame(CorruptTableException.class, e.getCause().getClass(), () -> "not told as corruption: " + e);
        return ReaderFuzzer.site(e);
    }
}
