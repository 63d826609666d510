/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntryView;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The longest value under the longest key. */
@Tag("long")
class SstableLargestValueTest {
    private static final int LENGTH = Integer.MAX_VALUE - 16;

    @TempDir
    Path directory;

    /** A value that is made when it is copied. */
    private static final class LargestEntry implements EntryView {
        @Override
        public byte[] keyBuffer() {
            return new byte[65_535];
        }

        @Override
        public int keyLength() {
            return 65_535;
        }

        @Override
        public int commonPrefix() {
            return 0;
        }

        @Override
        public long sequence() {
            return 7;
        }

        @Override
        public EntryKind kind() {
            return EntryKind.VALUE;
        }

        @Override
        public int valueLength() {
            return LENGTH;
        }

        @Override
        public int copyValue(final byte[] destination, final int offset) {
            Arrays.fill(destination, offset, offset + LENGTH, (byte) 'v');
            destination[offset + LENGTH - 1] = 'l';
            return LENGTH;
        }
    }

    @Test
    void shouldWriteAndReadTheLongestValue() throws IOException {
        assumeTrue(Runtime.getRuntime().maxMemory() > 5L << 30, "needs a heap of more than 5 GiB");
        final Path path = directory.resolve("000001.sst");
        try (SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults())) {
            writer.begin(1, 65_535L + LENGTH, 0);
            writer.entry(new LargestEntry());
            writer.end();
        }
        try (SstableReader reader = SstableReader.open(path); EntryCursor cursor = reader.cursor()) {
            reader.verify();
            assertEquals(LENGTH, reader.properties().valueBytes());
            assertTrue(cursor.first());
            final byte[] value = cursor.value();
            assertEquals(LENGTH, value.length);
            assertEquals('l', value[LENGTH - 1]);
            value[LENGTH - 1] = 'v';
            for (int i = 0; i < LENGTH; i++) {
                if (value[i] != 'v') {
                    throw new AssertionError("byte " + i + " is " + value[i]);
                }
            }
        }
    }
}
