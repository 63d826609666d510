/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;

@Tag("jdk")
class DatasetReaderTest {
    private static final int MAX_KEY = 65_535;
    private static final int MAX_VALUE = 1 << 20;

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static DatasetReader reader(final DatasetFormat format, final byte[] content) {
        return new DatasetReader("data", () -> new ByteArrayInputStream(content), format, MAX_KEY, MAX_VALUE);
    }

    /** All lines as {@code key=value}. */
    private static List<String> read(final DatasetReader reader) throws IOException {
        final List<String> lines = new ArrayList<>();
        try (reader) {
            while (reader.next()) {
                lines.add(new String(reader.key(), StandardCharsets.ISO_8859_1) + "="
                    + new String(reader.value(), StandardCharsets.ISO_8859_1));
                assertEquals(lines.size(), reader.lineNumber());
            }
            assertEquals(lines.size(), reader.lineNumber());
            assertFalse(reader.next());
        }
        return lines;
    }

    private static List<String> read(final DatasetFormat format, final String content) throws IOException {
        return read(reader(format, bytes(content)));
    }

    @Test
    void shouldReadLines() throws IOException {
        assertEquals(List.of(), read(DatasetFormat.LINES, ""));
        assertEquals(List.of("a=", "b="), read(DatasetFormat.LINES, "a\nb\n"));
        assertEquals(List.of("a=", "b="), read(DatasetFormat.LINES, "a\nb"));
        assertEquals(List.of("=", "=", "a="), read(DatasetFormat.LINES, "\n\na"));
        assertEquals(List.of("a\tb\tc="), read(DatasetFormat.LINES, "a\tb\tc\n"));
        assertEquals(List.of("a\r=", "\0\u00ff="), read(DatasetFormat.LINES, "a\r\n\0\u00ff\n"));
    }

    @Test
    void shouldReadKeysAndValues() throws IOException {
        assertEquals(List.of("a=1", "b="), read(DatasetFormat.TSV, "a\t1\nb\n"));
        assertEquals(List.of("a=", "=x", "=", "k=v\tw"), read(DatasetFormat.TSV, "a\t\n\tx\n\nk\tv\tw"));
    }

    @Test
    void shouldTakeTheFormatFromTheName() {
        assertSame(DatasetFormat.TSV, DatasetFormat.ofFileName("paths.tsv"));
        assertSame(DatasetFormat.TSV, DatasetFormat.ofFileName("PATHS.TSV"));
        assertSame(DatasetFormat.LINES, DatasetFormat.ofFileName("paths.txt"));
        assertSame(DatasetFormat.LINES, DatasetFormat.ofFileName("tsv"));
    }

    @Test
    void shouldReadRandomLinesInRandomPieces() throws IOException {
        final Random random = Seeds.random("DatasetReaderTest.pieces");
        for (int round = 0; round < 50; round++) {
            final ByteArrayOutputStream content = new ByteArrayOutputStream();
            final List<String> expected = new ArrayList<>();
            for (int i = random.nextInt(30); i > 0; i--) {
                final byte[] key = randomField(random, random.nextInt(10) == 0 ? MAX_KEY : 300);
                final byte[] value = randomField(random, random.nextInt(10) == 0 ? 200_000 : 300);
                content.writeBytes(key);
                content.write('\t');
                content.writeBytes(value);
                content.write('\n');
                expected.add(new String(key, StandardCharsets.ISO_8859_1) + "="
                    + new String(value, StandardCharsets.ISO_8859_1));
            }
            final InputStream whole = new ByteArrayInputStream(content.toByteArray());
            final InputStream pieces = new FilterInputStream(whole) {
                @Override
                public int read(final byte[] target, final int offset, final int length) throws IOException {
                    return in.read(target, offset, 1 + random.nextInt(length));
                }
            };
            assertEquals(expected,
                read(new DatasetReader("data", () -> pieces, DatasetFormat.TSV, MAX_KEY, MAX_VALUE)));
        }
    }

    private static byte[] randomField(final Random random, final int most) {
        final byte[] field = new byte[random.nextInt(most + 1)];
        random.nextBytes(field);
        for (int i = 0; i < field.length; i++) {
            field[i] = field[i] == '\n' || field[i] == '\t' ? (byte) 'x' : field[i];
        }
        return field;
    }

    @Test
    void shouldTakeTheLongestKeyAndRefuseALongerOne() throws IOException {
        final byte[] content = new byte[MAX_KEY];
        Arrays.fill(content, (byte) 'k');
        for (final DatasetFormat format : DatasetFormat.values()) {
            final String longest = new String(content, StandardCharsets.ISO_8859_1);
            assertEquals(List.of("a=", longest + "="), read(format, "a\n" + longest + "\n"));
            final DatasetReader reader = reader(format, bytes("a\n" + longest + "k\n"));
            assertTrue(reader.next());
            final DatasetException e = assertThrows(DatasetException.class, reader::next);
            assertEquals("data, line 2: a key of 65536 bytes is longer than 65535", e.getMessage());
        }
        final DatasetReader reader =
            reader(DatasetFormat.TSV, bytes(new String(content, StandardCharsets.ISO_8859_1) + "k\tvalue\n"));
        final DatasetException e = assertThrows(DatasetException.class, reader::next);
        assertEquals("data, line 1: a key of 65536 bytes is longer than 65535", e.getMessage());
    }

    @Test
    void lineOfManyBuffersThrowsDatasetExceptionWithItsWholeLength() {
        final byte[] content = new byte[300_000];
        Arrays.fill(content, (byte) 'k');
        final DatasetException e =
            assertThrows(DatasetException.class, reader(DatasetFormat.LINES, content)::next);
        assertEquals("data, line 1: a key of 300000 bytes is longer than 65535", e.getMessage());
    }

    @Test
    void valueThatIsTooLongThrowsDatasetException() {
        final byte[] content = new byte[MAX_KEY + 1 + MAX_VALUE + 1];
        content[3] = '\t';
        final DatasetException e =
            assertThrows(DatasetException.class, reader(DatasetFormat.TSV, content)::next);
        assertEquals("data, line 1: a line of 1114113 bytes is longer than 1114112", e.getMessage());
    }

    @Test
    void gzipThatEndsEarlyThrowsDatasetExceptionAfterTheWholeLines() throws IOException {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            for (int i = 0; i < 100_000; i++) {
                gzip.write(bytes(i + "\n"));
            }
        }
        for (final int length : new int[] {0, 5, 1000, packed.size() / 2, packed.size() - 1}) {
            final byte[] part = Arrays.copyOf(packed.toByteArray(), length);
            final DatasetReader reader = new DatasetReader("a.gz",
                () -> new GzipReader(new ByteArrayInputStream(part)), DatasetFormat.LINES, MAX_KEY, 0);
            final DatasetException e = assertThrows(DatasetException.class, () -> {
                for (int i = 0; reader.next(); i++) {
                    assertEquals(String.valueOf(i), new String(reader.key(), StandardCharsets.ISO_8859_1));
                }
            });
            assertEquals("a.gz, line " + reader.lineNumber() + ": the compressed data ends early, in member 1 from byte 0",
                e.getMessage());
            assertTrue(e.getCause() instanceof EOFException);
        }
    }

    @Test
    void damagedGzipThrowsDatasetException() throws IOException {
        final DatasetReader text = new DatasetReader("a.gz",
            () -> new GzipReader(new ByteArrayInputStream(bytes("no gzip at all"))),
            DatasetFormat.LINES, MAX_KEY, 0);
        final DatasetException e = assertThrows(DatasetException.class, text::next);
        assertEquals("a.gz, line 1: the compressed data is damaged: member 1 from byte 0: "
            + "expected a gzip header (1f 8b) but was 6e 6f", e.getMessage());
    }

    @Test
    void failedReadThrowsDatasetExceptionWithItsReason() {
        final DatasetReader reader = new DatasetReader("a", () -> {
            throw new IOException("Input/output error");
        }, DatasetFormat.LINES, MAX_KEY, 0);
        final DatasetException e = assertThrows(DatasetException.class, reader::next);
        assertEquals("a, line 1: cannot be read: Input/output error", e.getMessage());
    }

    @Test
    void shouldOpenTheSourceOnceAndCloseIt() throws IOException {
        final AtomicInteger opened = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();
        final DatasetReader reader = new DatasetReader("a", () -> {
            opened.incrementAndGet();
            return new FilterInputStream(new ByteArrayInputStream(new byte[200_000])) {
                @Override
                public void close() {
                    closed.incrementAndGet();
                }
            };
        }, DatasetFormat.TSV, MAX_KEY, MAX_VALUE);
        assertEquals(0, opened.get());
        assertThrows(DatasetException.class, reader::next);
        reader.close();
        assertEquals(1, opened.get());
        assertEquals(1, closed.get());
        new DatasetReader("a", () -> {
            throw new AssertionError("opened");
        }, DatasetFormat.LINES, MAX_KEY, 0).close();
    }
}
