/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** 100,000 real keys through memtables into tables and back, compared with what the file says. */
@Tag("bridge")
@Tag("once")
class EndToEndTest {
    private static final int KEYS = 100_000;

    @TempDir
    private static Path directory;
    private static Path tables;
    private static Map<?, ?> figures;
    /** What the file holds, one character a byte, so that strings compare as bytes do. */
    private static NavigableMap<String, String> expected;

    @BeforeAll
    static void load() throws IOException {
        expected = new TreeMap<>();
        final Path file = DataFiles.debianPaths();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.ISO_8859_1))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                expected.put(line.substring(0, line.indexOf('\t')), line.substring(line.indexOf('\t') + 1));
            }
        }
        assertEquals(KEYS, expected.size());
        tables = directory.resolve("tables");
        final Outcome outcome = Outcome.of("load", file.toString(), "--out",
            tables.toString(), "--memory", "4m", "--json");
        assertEquals("", outcome.err());
        assertEquals(0, outcome.exitCode());
        figures = JsonReader.object(outcome.text());
    }

    private static List<String> lines(final NavigableMap<String, String> entries) {
        final List<String> lines = new ArrayList<>();
        entries.forEach((key, value) -> lines.add(key + "\t" + value));
        return lines;
    }

    private static Outcome run(final String command, final String... args) {
        final List<String> all = new ArrayList<>(List.of(command, tables.toString()));
        all.addAll(List.of(args));
        final Outcome outcome = Outcome.of(all.toArray(new String[0]));
        assertEquals("", outcome.err());
        assertEquals(0, outcome.exitCode());
        return outcome;
    }

    @Test
    void shouldCountWhatWasLoaded() throws IOException {
        assertEquals((double) KEYS, figures.get("keys"));
        final long bytes =
            expected.entrySet().stream().mapToLong(e -> e.getKey().length() + e.getValue().length()).sum();
        assertEquals((double) bytes, figures.get("bytes"));
        final int count = ((Double) figures.get("sstables")).intValue();
        assertTrue(count >= 2 && count <= 10, figures.toString());
        final double indexBytesPerKey = (Double) figures.get("indexBytesPerKey");
        assertTrue(indexBytesPerKey > 10 && indexBytesPerKey < 100, figures.toString());
        final List<String> names = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            names.add(String.format(Locale.ROOT, "%06d.sst", i));
        }
        assertEquals(names, DataFiles.names(tables));
    }

    @Test
    void shouldScanEveryKeyInOrderInBothDirections() {
        assertEquals(lines(expected), run("scan").lines());
        assertEquals(lines(expected.descendingMap()), run("scan", "--reverse").lines());
    }

    @Test
    void shouldGetEveryKeyAskedFor() {
        final Random random = Seeds.random("EndToEndTest.get");
        final List<String> keys = new ArrayList<>(expected.keySet());
        final List<String> asked = new ArrayList<>(List.of("--hex"));
        final StringBuilder values = new StringBuilder();
        for (int i = 0; i < 2_000; i++) {
            final String key = keys.get(random.nextInt(KEYS));
            asked.add(hex(key));
            values.append(hex(expected.get(key))).append('\n');
        }
        assertEquals(values.toString(), run("get", asked.toArray(new String[0])).text());
    }

    private static String hex(final String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void shouldScanPartsOfTheKeys() {
        final NavigableMap<String, String> binaries = expected.subMap("usr/bin/", true, "usr/bin0", false);
        assertTrue(binaries.size() > 5, "too few keys for the test");
        assertEquals(lines(binaries).subList(0, 5),
            run("scan", "--from", "usr/bin/", "--limit", "5").lines());
        assertEquals(lines(binaries), run("scan", "--from", "usr/bin/", "--to", "usr/bin0").lines());
        assertEquals(lines(binaries.descendingMap()).subList(0, 5),
            run("scan", "--to", "usr/bin0", "--reverse", "--limit", "5").lines());
        final String key = binaries.firstKey();
        assertEquals(expected.get(key) + "\n", run("get", key).text());
    }

    @Test
    void shouldFindOneFlippedByte() throws IOException {
        assertEquals(List.of(DataFiles.names(tables).size() + " tables, 100,000 entries: ok"),
            run("verify").lines());
        final Random random = Seeds.random("EndToEndTest.flip");
        final Path copies = Files.createDirectory(directory.resolve("copies"));
        for (final String name : DataFiles.names(tables)) {
            Files.copy(tables.resolve(name), copies.resolve(name));
        }
        final Path table = copies.resolve("000002.sst");
        final byte[] content = Files.readAllBytes(table);
        for (int i = 0; i < 10; i++) {
            final byte[] damaged = content.clone();
            final int offset = random.nextInt(content.length / 2); // all data and index blocks
            damaged[offset] ^= (byte) (1 + random.nextInt(255));
            Files.write(table, damaged);
            final Outcome outcome = Outcome.of("verify", copies.toString());
            assertEquals(1, outcome.exitCode(), "byte " + offset);
            assertEquals(1, outcome.messages().size(), outcome.err());
            assertTrue(outcome.err().matches("nestling verify: table .*[/\\\\]copies[/\\\\]000002\\.sst: "
                + "block (\\d+ )?at offset \\d+.*: .+\\R"), outcome.err());
        }
        Files.write(table, content);
        assertEquals(0, Outcome.of("verify", copies.toString()).exitCode());
    }
}
