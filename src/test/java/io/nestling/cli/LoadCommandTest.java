/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bridge.BridgeReport;
import io.nestling.sstable.TableDirectory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

class LoadCommandTest {
    @TempDir
    private Path directory;

    private Path file(final String name, final String... lines) throws IOException {
        return DataFiles.write(directory.resolve(name), List.of(lines));
    }

    private String out() {
        return directory.resolve("tables").toString();
    }

    private Outcome load(final Object... args) {
        final List<String> all = new ArrayList<>(List.of("load"));
        for (final Object arg : args) {
            all.add(arg.toString());
        }
        final Outcome outcome = Outcome.of(all.toArray(new String[0]));
        assertEquals("", outcome.err());
        assertEquals(0, outcome.exitCode());
        return outcome;
    }

    private Map<?, ?> loadJson(final Object... args) {
        final List<Object> all = new ArrayList<>(List.of(args));
        all.add("--json");
        final Outcome outcome = load(all.toArray());
        assertEquals(1, outcome.lines().size());
        return JsonReader.object(outcome.text());
    }

    private List<String> scan() {
        return Outcome.of("scan", out()).lines();
    }

    @Test
    void shouldPrintFigures() throws IOException {
        final Outcome outcome = load(file("a.tsv", "k1\tv1", "k2\tv2", "k1\tv3"), "--out", out());
        final Map<String, String> figures = new TreeMap<>();
        outcome.lines().forEach(line -> figures.put(line.split("  +")[0], line.split("  +")[1]));
        assertEquals("3 (2 after writes to the same key)", figures.get("keys"));
        assertEquals("12", figures.get("bytes"));
        assertTrue(figures.get("seconds").matches("\\d+\\.\\d{3}"), figures.get("seconds"));
        assertTrue(figures.get("keys/s").matches("[\\d,]+"), figures.get("keys/s"));
        assertTrue(figures.get("index bytes").matches("[1-9][\\d,]*\\.\\d per key"), figures.toString());
        assertTrue(figures.get("record bytes").matches("[1-9][\\d,]*\\.\\d per key"), figures.toString());
        assertTrue(figures.get("sstables").startsWith("1 in " + out() + ", "), figures.toString());
        assertEquals("trie, 1 shard, 512 MiB", figures.get("memtable"));
        assertEquals(BridgeReport.probe().bridge(), figures.get("bridge"));
        assertTrue(figures.get("huge pages").matches("(yes|no).*"), figures.toString());
        assertEquals(List.of("000001.sst"), DataFiles.names(Path.of(out())));
    }

    @Test
    void shouldPrintFiguresAsJson() throws IOException {
        final Map<?, ?> figures = loadJson(file("a.tsv", "k1\tv1", "k2\tv2", "k1\tv3"), "--out", out(),
            "--index", "TRIE", "--shards", "2", "--memory", "3MiB");
        assertEquals(3.0, figures.get("keys"));
        assertEquals(2.0, figures.get("entries"));
        assertEquals(12.0, figures.get("bytes"));
        assertEquals(1.0, figures.get("sstables"));
        assertEquals((double) Path.of(out(), "000001.sst").toFile().length(), figures.get("sstableBytes"));
        assertEquals("trie", figures.get("index"));
        assertEquals(2.0, figures.get("shards"));
        assertEquals(3.0 * (1 << 20), figures.get("memoryBytes"));
        assertEquals(BridgeReport.probe().bridge(), figures.get("bridge"));
        assertEquals(BridgeReport.probe().hugePages(), figures.get("hugePages"));
        final double seconds = (Double) figures.get("seconds");
        assertTrue(seconds > 0 && seconds < 60, figures.toString());
        assertEquals(3 / seconds, (Double) figures.get("keysPerSecond"), 1 + 0.01 / seconds);
        assertTrue((Double) figures.get("indexBytesPerKey") > 0, figures.toString());
        assertTrue((Double) figures.get("recordBytesPerKey") > 0, figures.toString());
    }

    @Test
    void shouldLoadIntoMemoryWithoutOut() throws IOException {
        final Path file = DataFiles.write(directory.resolve("a.tsv"), DataFiles.manyLines(5_000));
        final Map<?, ?> figures = loadJson(file);
        assertEquals(5_000.0, figures.get("keys"));
        assertEquals(0.0, figures.get("sstables"));
        assertEquals(List.of("a.tsv"), DataFiles.names(directory));
    }

    @Test
    void shouldReadEveryPackingAndFormat() throws IOException {
        final List<String> lines = DataFiles.manyLines(3_000);
        final List<String> sorted = new ArrayList<>(lines);
        Collections.sort(sorted);
        final List<String> sortedKeys = new ArrayList<>();
        sorted.forEach(line -> sortedKeys.add(line + "\t"));
        for (final String name : List.of("a.tsv", "a.tsv.gz", "a.TSV.lz4", "a.txt", "b.gz", "b.lz4", "b")) {
            final Path tables = directory.resolve("of-" + name);
            load(DataFiles.write(directory.resolve(name), lines), "--out", tables);
            final boolean tsv = name.toLowerCase(Locale.ROOT).contains(".tsv");
            assertEquals(tsv ? sorted : sortedKeys, Outcome.of("scan", tables.toString()).lines(), name);
        }
        load(directory.resolve("a.txt"), "--format", "tsv", "--out", directory.resolve("forced"));
        assertEquals(sorted, Outcome.of("scan", directory.resolve("forced").toString()).lines());
        load(directory.resolve("a.tsv"), "--format", "LINES", "--out", directory.resolve("lines"));
        assertEquals(sortedKeys, Outcome.of("scan", directory.resolve("lines").toString()).lines());
    }

    @Test
    void shouldLetLaterWritesWin() throws IOException {
        final Path first = file("1.tsv", "a\t1", "b\t1", "a\t2");
        final Path second = file("2.tsv", "b\t3", "c\t3");
        load(first, second, "--out", out());
        assertEquals(List.of("a\t2", "b\t3", "c\t3"), scan());
        load(first, "--out", out());
        assertEquals(List.of("a\t2", "b\t1", "c\t3"), scan());
        load(file("3.tsv", "a\t4"), "--out", out());
        assertEquals(List.of("a\t4", "b\t1", "c\t3"), scan());
        assertEquals(List.of("000001.sst", "000002.sst", "000003.sst"), DataFiles.names(Path.of(out())));
        assertEquals("4\n", Outcome.of("get", out(), "a").text());
        assertEquals("1\n", Outcome.of("get", out(), "b").text());
    }

    @Test
    void shouldTakeTheNextFreeNumber() throws IOException {
        load(file("1.tsv", "a\t1"), "--out", out());
        Files.delete(Path.of(out(), TableDirectory.MANIFEST_NAME));
        assertTrue(Path.of(out(), "000001.sst").toFile().renameTo(Path.of(out(), "000041.sst").toFile()));
        DataFiles.write(Path.of(out(), "000042.sst.tmp"), "left behind by a killed process");
        load(file("2.tsv", "a\t2"), "--out", out());
        assertEquals(List.of("000041.sst", "000042.sst"), DataFiles.names(Path.of(out())));
        assertEquals(List.of("a\t2"), scan());
    }

    @Test
    void shouldKeepBytesAsTheyAre() throws IOException {
        final StringBuilder key = new StringBuilder();
        for (char c = 0; c < 256; c++) {
            key.append(c == '\n' || c == '\t' ? "" : String.valueOf(c));
        }
        load(file("a.tsv", "after\t", key + "\tvalue\t" + key, "", "cr\r\tcr\r"), "--out", out());
        assertEquals(List.of("\t", key + "\tvalue\t" + key, "after\t", "cr\r\tcr\r"), scan());
    }

    @Test
    void shouldWriteNoTableForAnEmptyFile() throws IOException {
        final Map<?, ?> figures = loadJson(file("empty.tsv"), "--out", out());
        assertEquals(0.0, figures.get("keys"));
        assertEquals(0.0, figures.get("sstables"));
        assertEquals(0.0, figures.get("keysPerSecond"));
        assertEquals(0.0, figures.get("indexBytesPerKey"));
        assertEquals(List.of(), DataFiles.names(Path.of(out())));
    }

    @Test
    void shouldWriteManyTablesOfAnyNumberOfShards() throws IOException {
        final List<String> lines = DataFiles.manyLines(60_000);
        final Path file = DataFiles.write(directory.resolve("a.tsv"), lines);
        Collections.sort(lines);
        for (final int shards : new int[] {1, 3, 8}) {
            final Path tables = directory.resolve("tables-" + shards);
            final Map<?, ?> figures =
                loadJson(file, "--out", tables, "--memory", "1m", "--shards", shards);
            assertEquals(60_000.0, figures.get("keys"));
            assertTrue((Double) figures.get("sstables") >= 3, figures.toString());
            assertEquals(figures.get("sstables"), (double) DataFiles.names(tables).size());
            assertEquals(lines, Outcome.of("scan", tables.toString()).lines());
        }
    }

    @Test
    void shouldWriteLinesOfWhichABatchDoesNotFit() throws IOException {
        final List<String> lines = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            lines.add("key-" + (char) ('a' + i) + "\t"
                + String.valueOf(i % 10).repeat(20_000 + 29_000 * (i % 7)));
        }
        lines.add("key-z\t" + "z".repeat(400_000));
        final Path file = DataFiles.write(directory.resolve("a.tsv"), lines);
        final Map<?, ?> figures = loadJson(file, "--out", out(), "--memory", "1m");
        assertEquals(21.0, figures.get("keys"));
        assertTrue((Double) figures.get("sstables") >= 3, figures.toString());
        assertEquals(lines, scan());
    }

    @Test
    void shouldShowNoProgressOnAShortRunOrAwayFromATerminal() throws IOException {
        final Outcome outcome = Outcome.of(true, "load", file("a.tsv", "a\t1").toString());
        assertEquals("", outcome.err());
    }

    @Test
    void shouldWarnOfBytesThatAnEditorHides() throws IOException {
        final Path file = file("a.tsv", "\u00EF\u00BB\u00BFa\t1\r", "b\t2\r");
        final Path keys = file("b", "a\r", "b\r");
        for (final String[] args : new String[][] {{"load", file.toString()}, {"inspect", file.toString()}}) {
            final Outcome outcome = Outcome.of(args);
            assertEquals(0, outcome.exitCode());
            final String prefix = "nestling " + args[0] + ": " + file;
            assertEquals(List.of(
                prefix + " begins with a byte order mark, which becomes part of the first key; tail -c +4 removes it",
                prefix + ": the first line ends with a carriage return, which becomes part of the value; tr -d '\\r' removes it"),
                outcome.messages());
        }
        final Outcome outcome = Outcome.of("load", keys.toString(), file("c", "\u00EF\u00BB", "\r").toString(), "--out", out());
        assertEquals(1, outcome.messages().size(), outcome.err());
        assertTrue(outcome.err().contains(keys + ": the first line ends with a carriage return, which becomes part of the key"),
            outcome.err());
        assertEquals(List.of("\r\t", "a\r\t", "b\r\t", "\u00EF\u00BB\t"), scan());
    }

    @Test
    void shouldWarnOfMoreMemoryThanThereIs() throws IOException {
        final Path file = file("a.tsv", "a\t1");
        // Where memory is a mapped file, the system may refuse so much at once.
        final Outcome one = Outcome.of("load", file.toString(), "--memory", "9223372036854775807");
        assertTrue(one.err().startsWith("nestling load: 1 memtable of --memory 8192 PiB may need more than the "), one.err());
        final Outcome two = Outcome.of("load", file.toString(), "--memory", "4000t", "--out", out());
        assertTrue(two.err().startsWith("nestling load: 2 memtables of --memory "), two.err());
    }

    @Test
    void shouldReadALinkToADirectory() throws IOException {
        final Path target = directory.resolve("target");
        load(file("a.tsv", "a\t1"), "--out", target);
        final Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        load(file("b.tsv", "b\t1"), "--out", link);
        assertEquals(List.of("000001.sst", "000002.sst"), DataFiles.names(target));
        assertFalse(Outcome.of("scan", link.toString()).lines().isEmpty());
    }
}
