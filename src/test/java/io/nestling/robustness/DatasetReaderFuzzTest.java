/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Effort;
import io.nestling.testing.ReaderFuzzer;
import io.nestling.testing.Seeds;
import io.nestling.workload.DatasetException;
import io.nestling.workload.DatasetFormat;
import io.nestling.workload.DatasetReader;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fuzzes {@link DatasetReader}: texts of any bytes, that come in pieces of any length, against a plain splitting of the text. The
 * first byte of an input chooses format, greatest lengths and pieces.
 * <p>
 * Seen to fail with this fault: a key that is exactly as long as it may be is refused.
 */
@Tag("robustness")
class DatasetReaderFuzzTest implements ReaderFuzzer.Target {
    private static final String NAME = "dataset-reader";
    private static final int[] MOST = {65_535, 10, 300, 0};
    private static final int[] PIECES = {1 << 16, 1, 7, 1000};

    @Test
    void shouldReplayInputs() throws Exception {
        new ReaderFuzzer(NAME, this).replay();
    }

    @Test
    void shouldFindNothing() throws Exception {
        new ReaderFuzzer(NAME, this).search(
            Effort.seconds(0, 20, 300), FuzzedText.seeds(Seeds.random(NAME)), FuzzedText::mutate);
    }

    /** Key and value of a line, each a new array, take 32 bytes even if the line is empty. */
    @Override
    public long allocationLimit(final byte[] input) {
        return (256L << 10) + 64L * input.length;
    }

    private record Settings(DatasetFormat format, int maxKeyBytes, int maxValueBytes, int piece, byte[] text) {
        static Settings of(final byte[] input) {
            final int choice = input.length == 0 ? 0 : input[0];
            return new Settings(DatasetFormat.values()[choice & 1], MOST[choice >> 1 & 3], MOST[choice >> 3 & 3],
                PIECES[choice >> 5 & 3], Arrays.copyOfRange(input, Math.min(1, input.length), input.length));
        }

        DatasetReader reader() {
            return new DatasetReader("text", this::open, format, maxKeyBytes, maxValueBytes);
        }

        private InputStream open() {
            return new ByteArrayInputStream(text) {
                @Override
                public synchronized int read(final byte[] target, final int offset, final int length) {
                    return super.read(target, offset, Math.min(length, piece));
                }
            };
        }

        int keyLength(final byte[] line) {
            for (int i = 0; format == DatasetFormat.TSV && i < line.length; i++) {
                if (line[i] == '\t') {
                    return i;
                }
            }
            return line.length;
        }

        /** With a TAB, key and value together must not be longer than both may be. */
        boolean fits(final byte[] line) {
            return keyLength(line) <= maxKeyBytes
                && (keyLength(line) == line.length || line.length <= maxKeyBytes + 1L + maxValueBytes);
        }
    }

    @Override
    public String read(final byte[] input) throws IOException {
        final Settings settings = Settings.of(input);
        int lines = 0;
        try (DatasetReader reader = settings.reader()) {
            while (reader.next()) {
                reader.key();
                reader.value();
                lines++;
            }
            return settings.format.name() + settings.piece + " " + (Integer.SIZE - Integer.numberOfLeadingZeros(lines));
        } catch (final DatasetException e) {
            return ReaderFuzzer.site(e) + (Integer.SIZE - Integer.numberOfLeadingZeros(lines));
        }
    }

    @Override
    public void compare(final byte[] input) throws IOException {
        final Settings settings = Settings.of(input);
        final List<byte[]> lines = new ArrayList<>(FuzzedText.lines(settings.text));
        try (DatasetReader reader = settings.reader()) {
            for (int i = 0; i < lines.size(); i++) {
                final byte[] line = lines.get(i);
                if (!settings.fits(line)) {
                    final String message = assertThrows(DatasetException.class, reader::next).getMessage();
                    assertTrue(message.startsWith("text, line " + (i + 1) + ": "), message);
                    return;
                }
                assertTrue(reader.next());
                assertEquals(i + 1, reader.lineNumber());
                final int keyLength = settings.keyLength(line);
                assertArrayEquals(Arrays.copyOf(line, keyLength), reader.key());
                assertArrayEquals(
                    Arrays.copyOfRange(line, Math.min(line.length, keyLength + 1), line.length), reader.value());
            }
            assertFalse(reader.next());
            assertEquals(lines.size(), reader.lineNumber());
        }
    }
}
