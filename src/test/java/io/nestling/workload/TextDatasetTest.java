/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

class TextDatasetTest {
    @TempDir
    private Path directory;

    private static byte[] bytes(final List<String> lines) {
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining()).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static Dataset text(final List<String> lines) {
        return Dataset.of("text", () -> new ByteArrayInputStream(bytes(lines)), DatasetFormat.LINES);
    }

    private static List<String> strings(final KeySet keys) {
        return KeySetTest.listOf(keys).stream().map(key -> new String(key, StandardCharsets.ISO_8859_1))
            .collect(Collectors.toList());
    }

    private static List<String> numbers(final int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).collect(Collectors.toList());
    }

    private Path file(final String name, final List<String> lines) throws IOException {
        final Path file = directory.resolve(name);
        try (OutputStream out = name.endsWith(".gz")
            ? new GZIPOutputStream(Files.newOutputStream(file)) : Files.newOutputStream(file)) {
            out.write(bytes(lines));
        }
        return file;
    }

    @Test
    void shouldReadFiles() throws IOException {
        final List<String> lines = List.of("a\tx", "b\ty", "a\tz");
        for (final String name : List.of("k.tsv", "k.tsv.gz")) {
            final Dataset dataset = Dataset.of(file(name, lines).toString());
            assertEquals(directory.resolve(name).toString(), dataset.name());
            assertEquals(Set.of("a", "b"), new HashSet<>(strings(dataset.keys(2))));
            assertEquals(2, dataset.maxKeys());
        }
        for (final String name : List.of("k", "k.txt.gz")) {
            final Dataset dataset = Dataset.of(file(name, lines).toString());
            assertEquals(Set.copyOf(lines), new HashSet<>(strings(dataset.keys(3))));
            assertEquals(3, dataset.maxKeys());
        }
    }

    @Test
    void shouldHaveTheSameOrderHoweverLinesAreOrdered() throws DatasetException {
        final List<String> lines = numbers(5000);
        final List<String> keys = strings(text(lines).keys(5000));
        assertEquals(new HashSet<>(lines), new HashSet<>(keys));
        assertFalse(lines.equals(keys));
        final List<String> shuffled = new ArrayList<>(lines);
        shuffled.addAll(lines.subList(0, 100));
        Collections.shuffle(shuffled, Seeds.random("TextDatasetTest.order"));
        assertEquals(keys, strings(text(shuffled).keys(5000)));
        assertEquals(keys.subList(0, 10), strings(text(shuffled).keys(10)));
    }

    /** More lines than are held at a time. */
    @Test
    void shouldChooseKeysEvenlyFromALongText() throws DatasetException {
        final int count = 300_000;
        final List<String> lines = numbers(count);
        final List<String> few = strings(text(lines).keys(1000));
        assertEquals(1000, new HashSet<>(few).size());
        final long small = few.stream().filter(key -> Integer.parseInt(key) < count / 4).count();
        assertEquals(250, small, 6 * Math.sqrt(250));
        assertEquals(strings(text(lines).keys(count)).subList(0, 1000), few);
        assertEquals(few.subList(0, 1), strings(text(lines).keys(1)));
        assertEquals(List.of(), strings(text(lines).keys(0)));
    }

    @Test
    void shouldCountALineThatComesOverAndOverOnce() throws DatasetException {
        final List<String> lines = new ArrayList<>(Collections.nCopies(200_000, "again"));
        lines.addAll(numbers(10));
        assertEquals(11, new HashSet<>(strings(text(lines).keys(11))).size());
        assertEquals(11, text(lines).maxKeys());
        final DatasetException e = assertThrows(DatasetException.class, () -> text(lines).keys(12));
        assertEquals("text: 12 keys asked for, the data set has 11 different ones", e.getMessage());
    }

    @Test
    void shouldHaveNoKeysInAnEmptyText() throws DatasetException {
        assertEquals(0, text(List.of()).maxKeys());
        assertEquals(0, text(List.of()).keys(0).size());
        final DatasetException e = assertThrows(DatasetException.class, () -> text(List.of()).keys(1));
        assertEquals("text: 1 keys asked for, the data set has 0 different ones", e.getMessage());
    }

    @Test
    void shouldChangeKeysIntoAbsentOnes() throws DatasetException {
        final List<String> lines = IntStream.range(0, 2000).mapToObj(i -> "/usr/share/doc/" + i + "/changelog.gz")
            .collect(Collectors.toList());
        final Dataset dataset = text(lines);
        final KeySet present = dataset.keys(2000);
        final List<String> absent = strings(dataset.absentKeys(5000, present));
        assertEquals(5000, new HashSet<>(absent).size());
        for (final String key : absent) {
            assertFalse(lines.contains(key), key);
            assertTrue(key.matches("/usr/share/.*"), key);
        }
        assertEquals(absent, strings(dataset.absentKeys(5000, present)));
    }

    /** Where all keys of a length are taken, absent ones get longer. */
    @Test
    void shouldFindAbsentKeysAmongShortOnes() throws DatasetException {
        final List<String> lines = new ArrayList<>(List.of(""));
        for (char c = 1; c < 256; c++) {
            if (c != '\n') {
                lines.add(String.valueOf(c));
            }
        }
        final Dataset dataset = text(lines);
        final KeySet present = dataset.keys(lines.size());
        final Random random = Seeds.random("TextDatasetTest.absent");
        for (final int count : new int[] {0, 1, 10_000 + random.nextInt(1000)}) {
            final Set<String> absent = new HashSet<>(strings(dataset.absentKeys(count, present)));
            assertEquals(count, absent.size());
            absent.retainAll(lines);
            assertEquals(Set.of(), absent);
        }
        assertEquals(3, new HashSet<>(strings(dataset.absentKeys(3, dataset.keys(0)))).size());
    }

    @Test
    void unfitFilesThrowDatasetException() throws IOException {
        final Path packed = file("k.lz4", List.of());
        assertEquals(packed + " is packed with LZ4, a data set is plain or packed with gzip",
            assertThrows(DatasetException.class, () -> Dataset.of(packed.toString())).getMessage());
        assertEquals(directory + " is a directory, not a file with keys",
            assertThrows(DatasetException.class, () -> Dataset.of(directory.toString())).getMessage());
        final Path missing = directory.resolve("missing");
        assertTrue(assertThrows(DatasetException.class, () -> Dataset.of(missing.toString())).getMessage()
            .endsWith(", but was '" + missing + "'"));
        final Path damaged = Files.write(directory.resolve("damaged.gz"), bytes(List.of("no gzip")));
        final Dataset dataset = Dataset.of(damaged.toString());
        assertEquals(damaged + ", line 1: the compressed data is damaged: member 1 from byte 0: "
            + "expected a gzip header (1f 8b) but was 6e 6f",
            assertThrows(DatasetException.class, () -> dataset.keys(1)).getMessage());
        assertThrows(UncheckedIOException.class, dataset::maxKeys);
    }

    @Test
    void shouldTakeTheDebianPathsFromTheDirectoryThatIsSet() throws IOException {
        final String before = System.getProperty(Dataset.DIRECTORY_PROP_NAME);
        System.setProperty(Dataset.DIRECTORY_PROP_NAME, directory.toString());
        try {
            final DatasetException e = assertThrows(DatasetException.class, () -> Dataset.of("debian-paths"));
            assertEquals("debian-paths: there is no debian-paths-100k.tsv.gz in [" + directory
                + "]; -Dio.nestling.datasets=DIRECTORY says where it is", e.getMessage());
            file("debian-paths-100k.tsv.gz", List.of("usr/some\tx"));
            assertEquals(List.of("usr/some"), strings(Dataset.of("debian-paths").keys(1)));
            file("debian-paths.tsv.gz", List.of("usr/all\tx", "usr/some\tx"));
            assertEquals(2, Dataset.of("debian-paths").maxKeys());
        } finally {
            if (before == null) {
                System.clearProperty(Dataset.DIRECTORY_PROP_NAME);
            } else {
                System.setProperty(Dataset.DIRECTORY_PROP_NAME, before);
            }
        }
    }

    @Test
    void shouldFindTheDebianPathsOfTheProject() throws DatasetException {
        assumeTrue(!Files.exists(Path.of("datasets", "debian-paths.tsv.gz")), "only the small set is there");
        final Dataset dataset = Dataset.of("debian-paths");
        assertEquals(100_000, dataset.maxKeys());
        final DatasetException e = assertThrows(DatasetException.class, () -> dataset.keys(100_001));
        assertEquals("debian-paths: 100001 keys asked for, the data set has 100000 different ones", e.getMessage());
    }
}
