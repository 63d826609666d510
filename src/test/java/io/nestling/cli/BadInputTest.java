/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;

/** Each wrong call ends with one line on the error stream, nothing on the output, and no table. */
class BadInputTest {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    @TempDir
    private Path directory;
    private String good;
    private String out;

    @BeforeEach
    void prepare() throws IOException {
        good = DataFiles.write(directory.resolve("good.tsv"), List.of("a\t1", "b\t2")).toString();
        out = directory.resolve("tables").toString();
    }

    private void assertMessage(final int exitCode, final String message, final String... args)
        throws IOException {
        final Outcome outcome = Outcome.of(args);
        assertEquals(exitCode, outcome.exitCode(), outcome.err());
        assertEquals(0, outcome.out().length, outcome.text());
        assertEquals(1, outcome.messages().size(), outcome.err());
        assertTrue(outcome.err().startsWith("nestling"), outcome.err());
        assertTrue(outcome.err().contains(message), outcome.err() + "has not: " + message);
        assertEquals(List.of(), DataFiles.names(Path.of(out)), Arrays.toString(args));
    }

    @Test
    void missingFileFails() throws IOException {
        final String missing = directory.resolve("missing.tsv").toString();
        assertMessage(FAILED, "nestling load: " + missing + ": no such file",
            "load", missing, "--out", out);
        assertMessage(FAILED, missing + ": no such file", "load", good, missing, "--out", out);
        assertMessage(FAILED, "nestling inspect: " + missing + ": no such file", "inspect", missing);
        for (final String command : List.of("scan", "verify")) {
            assertMessage(FAILED, "nestling " + command + ": " + missing + ": no such file",
                command, missing);
        }
        assertMessage(FAILED, "nestling get: " + missing + ": no such file", "get", missing, "a");
    }

    @Test
    void fileOfAnotherKindFails() throws IOException {
        assertMessage(FAILED, directory + ": is a directory", "load", directory.toString(), "--out", out);
        final String table = DataFiles.write(directory.resolve("000001.sst"), "x").toString();
        assertMessage(FAILED, table + ": is a table", "inspect", table);
        for (final String command : List.of("scan", "verify")) {
            assertMessage(FAILED, good + ": not a directory", command, good);
        }
        assertMessage(FAILED, good + ": not a directory", "get", good, "a");
    }

    @Test
    void directoryThatCannotBeWrittenFails() throws IOException {
        assertMessage(FAILED, "nestling load: cannot write to directory " + good + ": not a directory",
            "load", good, "--out", good);
        assertMessage(FAILED, "cannot write to directory " + good + "/below: ",
            "load", good, "--out", good + "/below");
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "Linux");
        assertMessage(FAILED, "cannot write to directory /proc/self/tables: ",
            "load", good, "--out", "/proc/self/tables");
    }

    @Test
    void directoryWithoutPermissionFails() throws IOException {
        assumeFalse(System.getProperty("user.name").equals("root"), "root may write everywhere");
        final Path closed = Files.createDirectory(directory.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-x------"));
        assertMessage(FAILED, "cannot write to directory " + closed + ": permission denied",
            "load", good, "--out", closed.toString());
        final Path file = DataFiles.write(directory.resolve("closed.tsv"), "a\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("-wx------"));
        assertMessage(FAILED, file + ": permission denied", "load", file.toString());
    }

    @Test
    void directoryInUseFails() throws IOException {
        try (TableDirectory inUse = TableDirectory.open(Path.of(out))) {
            final Outcome outcome = Outcome.of("load", good, "--out", out);
            assertEquals(FAILED, outcome.exitCode());
            assertEquals("nestling load: cannot write to directory " + out
                + ": another load is at work on it\n", outcome.err());
            assertEquals(Path.of(out), inUse.path());
        }
        assertEquals(0, Outcome.of("load", good, "--out", out).exitCode());
        assertEquals(List.of("000001.sst"), DataFiles.names(Path.of(out)));
    }

    @Test
    void damagedTableInTheDirectoryFails() throws IOException {
        final Path table = Path.of(out, "000007.sst");
        Files.createDirectory(Path.of(out));
        Files.write(table, new byte[1000]);
        final Outcome outcome = Outcome.of("load", good, "--out", out);
        assertEquals(FAILED, outcome.exitCode());
        assertTrue(outcome.err().startsWith("nestling load: cannot add to directory " + out + ": table "
            + table.toAbsolutePath()), outcome.err());
        assertEquals(List.of("000007.sst"), DataFiles.names(Path.of(out)));
    }

    @Test
    void unknownIndexIsWrongUsage() throws IOException {
        assertMessage(USAGE, "unknown index 'btree', there is: trie",
            "load", good, "--out", out, "--index", "btree");
        assertMessage(USAGE, "unknown index 'btree', there is: trie", "inspect", good, "--index", "btree");
    }

    @Test
    void malformedOptionsAreWrongUsage() throws IOException {
        assertMessage(USAGE, "'lots' is no size", "load", good, "--out", out, "--memory", "lots");
        assertMessage(USAGE, "'-4m' is no size", "load", good, "--out", out, "--memory=-4m");
        assertMessage(USAGE, "--memory 512 KiB is less than 1 MiB", "load", good, "--memory", "512k");
        assertMessage(USAGE, "--memory 1 MiB is less than 128 KiB for each of 9 shards",
            "load", good, "--out", out, "--memory", "1m", "--shards", "9");
        assertMessage(USAGE, "--shards 0 is outside 1 to 1024", "load", good, "--shards", "0");
        assertMessage(USAGE, "--shards 1025 is outside 1 to 1024", "load", good, "--shards", "1025");
        assertMessage(USAGE, "'many'", "load", good, "--shards", "many");
        assertMessage(USAGE, "unknown format 'csv', there is: lines, tsv", "load", good, "--format", "csv");
        assertMessage(USAGE, "--limit -1 is negative", "scan", out, "--limit", "-1");
        assertMessage(USAGE, "'x'", "scan", out, "--limit", "x");
        assertMessage(USAGE, "--dump and --json exclude each other", "inspect", good, "--dump", "--json");
        assertMessage(USAGE, "'abc' is no even number of hexadecimal digits", "get", out, "--hex", "abc");
        assertMessage(USAGE, "no even number", "scan", out, "--hex", "--from", "0g");
        assertMessage(USAGE, "no text in this locale", "get", out, "a\uFFFD");
    }

    @Test
    void unknownWordsAreWrongUsage() throws IOException {
        assertMessage(USAGE, "a command is missing");
        assertMessage(USAGE, "unknown command 'laod', there is: load, get, scan, verify, inspect",
            "laod", good);
        assertMessage(USAGE, "unknown option '--shard'; similar: --shards", "load", good, "--shard", "3");
        assertMessage(USAGE, "unknown option '--turbo'", "load", good, "--turbo");
        assertMessage(USAGE, "FILE", "load");
        assertMessage(USAGE, "KEY", "get", out);
        assertMessage(USAGE, "DIR", "scan");
        assertMessage(USAGE, "DIR", "verify");
        assertMessage(USAGE, "FILE", "inspect");
        assertMessage(USAGE, "unexpected argument 'more'", "scan", out, "more");
        assertMessage(USAGE, "--out", "load", good, "--out");
        assertMessage(USAGE, "unknown option '-x'", "get", out, "a", "-x");
        assertMessage(USAGE, "--json", "load", good, "--json", "--json");
    }

    @Test
    void keyThatIsTooLongFails() throws IOException {
        final String message = "long.tsv, line 3: a key of 70000 bytes is longer than 65535";
        final String longKey = "k".repeat(70_000);
        final String file =
            DataFiles.write(directory.resolve("long.tsv"), List.of("a", "b", longKey, "c")).toString();
        assertMessage(FAILED, message + "; no table was written", "load", file, "--out", out);
        assertMessage(FAILED, message, "load", file);
        assertMessage(FAILED, message, "inspect", file);
        final Path value = DataFiles.write(directory.resolve("value.tsv"), List.of(longKey + "\tvalue"));
        assertMessage(FAILED, "value.tsv, line 1: a key of 70000 bytes is longer than 65535",
            "load", value.toString(), "--out", out);
        final Outcome outcome = Outcome.of("get", directory.toString(), longKey);
        assertEquals(FAILED, outcome.exitCode());
        assertEquals(1, outcome.messages().size());
    }

    @Test
    void packedFileThatEndsEarlyFails() throws IOException {
        for (final String name : List.of("a.tsv.gz", "a.tsv.lz4")) {
            final Path file = DataFiles.write(directory.resolve(name), DataFiles.manyLines(50_000));
            final byte[] content = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(content, content.length / 2));
            assertMessage(FAILED, file + ", line ", "load", file.toString(), "--out", out);
            assertMessage(FAILED, ": the compressed data ends early; no table was written",
                "load", file.toString(), "--out", out);
            assertMessage(FAILED, ": the compressed data ends early", "inspect", file.toString());
            Files.write(file, new byte[0]);
            assertMessage(FAILED, file + ", line 1: the compressed data ends early",
                "load", file.toString(), "--out", out);
        }
    }

    @Test
    void fileThatIsNotPackedFails() throws IOException {
        final Path gzip = directory.resolve("a.gz");
        Files.write(gzip, "just text, no gzip\n".getBytes());
        assertMessage(FAILED, gzip + ", line 1: the compressed data is damaged: Not in GZIP format",
            "load", gzip.toString(), "--out", out);
        final Path lz4 = directory.resolve("a.lz4");
        Files.write(lz4, "just text, no LZ4 frames\n".getBytes());
        assertMessage(FAILED, lz4 + ", line 1: cannot be read: cannot unpack LZ4 data: ",
            "load", lz4.toString(), "--out", out);
    }

    @Test
    void tablesThatWereCompleteStayAndAreReported() throws IOException {
        final List<String> lines = DataFiles.manyLines(60_000);
        lines.add("k".repeat(70_000));
        final Path file = DataFiles.write(directory.resolve("a.tsv"), lines);
        final Outcome outcome = Outcome.of("load", file.toString(), "--out", out, "--memory", "1m");
        assertEquals(FAILED, outcome.exitCode());
        assertEquals(1, outcome.messages().size(), outcome.err());
        final List<String> tables = DataFiles.names(Path.of(out));
        assertTrue(tables.size() >= 2, tables.toString());
        assertEquals("000001.sst", tables.get(0));
        final int kept = Outcome.of("scan", out).lines().size();
        assertTrue(kept > 0 && kept < 60_000, kept + " lines");
        assertEquals(file + ", line 60001: a key of 70000 bytes is longer than 65535; kept in " + out + ": "
            + tables.size() + " tables with " + Figures.count(kept) + " keys",
            outcome.messages().get(0).replace("nestling load: ", ""));
        assertEquals(0, Outcome.of("verify", out).exitCode());
    }

    @Test
    void lineThatFitsNoMemtableFails() throws IOException {
        final Path file = DataFiles.write(directory.resolve("a.tsv"),
            List.of("a\t1", "b\t" + "v".repeat(1_047_000), "c\t3"));
        assertMessage(FAILED, "the memtable of 1 MiB is full after 1 key; --memory makes it larger",
            "load", file.toString(), "--memory", "1m");
        final Path alone =
            DataFiles.write(directory.resolve("c.tsv"), List.of("b\t" + "v".repeat(1_047_000)));
        assertMessage(FAILED,
            "c.tsv, line 1: a line of 1047001 bytes does not fit into an empty memtable of 1 MiB",
            "load", alone.toString(), "--memory", "1m");
        final Path larger =
            DataFiles.write(directory.resolve("b.tsv"), List.of("b\t" + "v".repeat(5_000_000)));
        assertMessage(FAILED, "b.tsv, line 1: a line of 5000002 bytes is longer than ",
            "load", larger.toString(), "--memory", "1m");
        final Outcome outcome = Outcome.of("load", file.toString(), "--out", out, "--memory", "1m");
        assertEquals(FAILED, outcome.exitCode());
        assertEquals(1, outcome.messages().size(), outcome.err());
        assertTrue(outcome.err().contains("line 2: a line of 1047001 bytes does not fit"), outcome.err());
        assertTrue(outcome.err().endsWith("; kept in " + out + ": 1 table with 1 key\n"), outcome.err());
    }

    @Test
    void memtableThatIsFullWithoutADirectoryFails() throws IOException {
        final Path file = DataFiles.write(directory.resolve("a.tsv"), DataFiles.manyLines(40_000));
        assertMessage(FAILED, "the memtable of 1 MiB is full after ",
            "load", file.toString(), "--memory", "1m");
        assertMessage(FAILED, "--out writes full ones to tables",
            "load", file.toString(), "--memory", "1m");
    }

    @Test
    void debugShowsWhereAnErrorWasThrown() throws IOException {
        final String missing = directory.resolve("missing").toString();
        final String[][] calls = {{"--debug", "scan", missing}, {"scan", missing, "--debug"}};
        for (final String[] args : calls) {
            final Outcome outcome = Outcome.of(args);
            assertEquals(FAILED, outcome.exitCode());
            assertTrue(outcome.messages().size() > 5, outcome.err());
            assertTrue(outcome.err().contains("NoSuchFileException"), outcome.err());
        }
    }
}
