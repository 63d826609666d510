/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.sstable.TableDirectory;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;

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
        for (final String command : List.of("scan", "verify", "compact")) {
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
        for (final String command : List.of("scan", "verify", "compact")) {
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
        try (TableDirectory inUse = OutputDirectory.open(Path.of(out))) {
            final Outcome outcome = Outcome.of("load", good, "--out", out);
            assertEquals(FAILED, outcome.exitCode());
            assertEquals("nestling load: cannot write to directory " + out
                + ": another load, compact or live set is at work on it\n", outcome.err());
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
    void linkToADirectoryThatDoesNotExistFails() throws IOException {
        final Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nowhere"));
        for (final String name : List.of(link.toString(), link + "/below")) {
            assertMessage(FAILED, "cannot write to directory " + name + ": " + link + " is a link to what does not exist",
                "load", good, "--out", name);
        }
    }

    @Test
    void blankNameIsWrongUsage() throws IOException {
        for (final String name : List.of("", " ", "\t")) {
            final String message = ": expected a name but was '" + name.strip();
            assertMessage(USAGE, "--out" + message, "load", good, "--out", name);
            assertMessage(USAGE, "FILE" + message, "load", good, name);
            assertMessage(USAGE, "FILE" + message, "inspect", name);
            assertMessage(USAGE, "DIR" + message, "get", name, "a");
            assertMessage(USAGE, "DIR" + message, "scan", name);
            assertMessage(USAGE, "DIR" + message, "verify", name);
            assertMessage(USAGE, "--json" + message, "bench", "--json", name);
            assertMessage(USAGE, "--html" + message, "bench", "--html", name);
        }
        assertMessage(USAGE, "FILE: 'a\uFFFD' has bytes that are no text in this locale", "load", "a\uFFFD");
        assertMessage(USAGE, "--out: 'a\uFFFD' has bytes that are no text in this locale", "load", good, "--out", "a\uFFFD");
    }

    @Test
    void fileOfAnotherFormatFails() throws IOException {
        final String text = "expected plain text but was ";
        assertFormat("a.tsv", "1f8b08000000000000ff", text + "gzip data: unpack it first, or give it a name that ends in .gz");
        assertFormat("a.txt", "04224d186040820100", text + "LZ4 data: unpack it first, or give it a name that ends in .lz4");
        assertFormat("a", "02214c1800000000", text + "LZ4 data of the legacy format (lz4 -l): unpack it first");
        assertFormat("a.xz", "fd377a585a00000004e6", text + "xz data: unpack it first");
        assertFormat("a.zst", "28b52ffd2400010000", text + "zstd data: unpack it first");
        assertFormat("a.bz2", "425a6839314159265359", text + "bzip2 data: unpack it first");
        assertFormat("a.zip", "504b03040a0000000000", text + "zip data: unpack it first");
        assertFormat("a.7z", "377abcaf271c0004", text + "7z data: unpack it first");
        assertFormat("b.gz", "fd377a585a00000004e6", "expected gzip data but was xz data: unpack it first");
        assertFormat("b.lz4", "02214c1800000000",
            "expected LZ4 data but was LZ4 data of the legacy format (lz4 -l): unpack it first");
        final Path near = DataFiles.write(directory.resolve("near.tsv"), List.of("BZhx", "PK", "7z"));
        assertEquals(0, Outcome.of("load", near.toString()).exitCode());
    }

    private void assertFormat(final String name, final String hex, final String message) throws IOException {
        final Path file = Files.write(directory.resolve(name), HexFormat.of().parseHex(hex));
        assertMessage(FAILED, file + ", line 1: cannot be read: " + message, "load", file.toString(), "--out", out);
        assertMessage(FAILED, file + ", line 1: cannot be read: " + message, "inspect", file.toString());
    }

    @Test
    void gzipMemberThatIsDamagedOrCutFails() throws IOException {
        final byte[] first = packed("one\ntwo\n");
        final byte[] second = packed("three\nfour\n");
        final int length = first.length;
        final byte[] badHeader = second.clone();
        badHeader[2] = 7;
        final byte[] badChecksum = second.clone();
        badChecksum[second.length - 8] ^= 1;
        final String place = "member 2 from byte " + length;
        assertMembers(first, badHeader, "the compressed data is damaged: " + place + ": expected method 8");
        assertMembers(first, badChecksum, "the compressed data is damaged: " + place + ": wrong checksum");
        assertMembers(first, "garbage".getBytes(StandardCharsets.US_ASCII),
            "the compressed data is damaged: " + place + ": expected a gzip header (1f 8b) but was 67 61");
        for (int cut = 1; cut < second.length; cut++) {
            assertMembers(first, Arrays.copyOf(second, cut), "the compressed data ends early, in " + place);
        }
    }

    private static byte[] packed(final String text) throws IOException {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(text.getBytes(StandardCharsets.US_ASCII));
        }
        return packed.toByteArray();
    }

    private void assertMembers(final byte[] first, final byte[] second, final String message) throws IOException {
        final Path file = Files.write(directory.resolve("members.gz"), first);
        Files.write(file, second, StandardOpenOption.APPEND);
        assertMessage(FAILED, message, "inspect", file.toString());
    }

    @Test
    void unknownIndexIsWrongUsage() throws IOException {
        final String message = "--index: expected one of trie, cuckoo_trie, wormhole, mlp_index, skip_list, cocuckoo but was ";
        assertMessage(USAGE, message + "'btree' (", "load", good, "--out", out, "--index", "btree");
        assertMessage(USAGE, message + "'' (", "inspect", good, "--index", "");
    }

    @Test
    void malformedOptionsAreWrongUsage() throws IOException {
        for (final String size : List.of("lots", "-4m", "", " ")) {
            assertMessage(USAGE, "--memory: expected a size such as 512m, 1.5g or 65536 but was '" + size + "'",
                "load", good, "--out", out, "--memory=" + size);
        }
        assertMessage(USAGE, "--memory 512 KiB is less than 1 MiB", "load", good, "--memory", "512k");
        assertMessage(USAGE, "--memory 1 MiB is less than 128 KiB for each of 9 shards",
            "load", good, "--out", out, "--memory", "1m", "--shards", "9");
        assertMessage(USAGE, "--shards 0 is outside 1 to 1024", "load", good, "--shards", "0");
        assertMessage(USAGE, "--shards 1025 is outside 1 to 1024", "load", good, "--shards", "1025");
        for (final String number : List.of("many", "", " ", "3.5", "2147483648")) {
            assertMessage(USAGE, "--shards: expected a whole number, at most 2147483647, but was '" + number + "'",
                "load", good, "--shards", number);
        }
        assertMessage(USAGE, "--format: expected one of lines, tsv but was 'csv'", "load", good, "--format", "csv");
        assertMessage(USAGE, "--json: expected no value, true or false but was 'yes'", "load", good, "--json=yes");
        assertMessage(USAGE, "--memory: expected at most 9223372036854775807 bytes but was '9223372036854775808'",
            "load", good, "--memory", "9223372036854775808");
        assertMessage(USAGE, "--limit -1 is negative", "scan", out, "--limit", "-1");
        assertMessage(USAGE, "--limit: expected a whole number, at most 9223372036854775807, but was 'x'",
            "scan", out, "--limit", "x");
        assertMessage(USAGE, "--dump and --json exclude each other", "inspect", good, "--dump", "--json");
        assertMessage(USAGE, "expected an even number of hexadecimal digits but was 'abc'", "get", out, "--hex", "abc");
        assertMessage(USAGE, "expected an even number of hexadecimal digits but was '0g'", "scan", out, "--hex", "--from", "0g");
        assertMessage(USAGE, "no text in this locale", "get", out, "a\uFFFD");
    }

    @Test
    void unknownWordsAreWrongUsage() throws IOException {
        assertMessage(USAGE, "expected a command, one of load, get, scan, verify, compact, inspect, bench");
        assertMessage(USAGE, "expected one of load, get, scan, verify, compact, inspect, bench but was 'laod'", "laod", good);
        assertMessage(USAGE, "unknown option '--shard'; similar: --shards", "load", good, "--shard", "3");
        assertMessage(USAGE, "unknown option '--turbo'", "load", good, "--turbo");
        assertMessage(USAGE, "FILE", "load");
        assertMessage(USAGE, "KEY", "get", out);
        assertMessage(USAGE, "DIR", "scan");
        assertMessage(USAGE, "DIR", "verify");
        assertMessage(USAGE, "FILE", "inspect");
        assertMessage(USAGE, "unexpected argument 'more'", "scan", out, "more");
        assertMessage(USAGE, "--out", "load", good, "--out");
        final String dash = "; put -- before a name or key that begins with '-'";
        assertMessage(USAGE, "unknown option '-x'" + dash, "get", out, "a", "-x");
        assertMessage(USAGE, "unknown option '-dash.tsv'" + dash, "load", "-dash.tsv");
        assertMessage(USAGE, "unknown option '-dash.tsv'" + dash, "inspect", "-dash.tsv");
        assertMessage(USAGE, "unknown option '-tables'" + dash, "verify", "-tables");
        assertMessage(USAGE, "FILE: the standard input can be read only once", "load", "-", good, "-");
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
            final String place = name.endsWith(".gz") ? "in member 1 from byte 0" : "at byte " + content.length / 2;
            assertMessage(FAILED, ": the compressed data ends early, " + place + "; no table was written",
                "load", file.toString(), "--out", out);
            assertMessage(FAILED, ": the compressed data ends early, " + place, "inspect", file.toString());
            Files.write(file, new byte[0]);
            assertMessage(FAILED, file + ", line 1: the compressed data ends early",
                "load", file.toString(), "--out", out);
        }
    }

    @Test
    void fileThatIsNotPackedFails() throws IOException {
        final Path gzip = directory.resolve("a.gz");
        Files.write(gzip, "just text, no gzip\n".getBytes(StandardCharsets.US_ASCII));
        assertMessage(FAILED, gzip + ", line 1: the compressed data is damaged: member 1 from byte 0: "
            + "expected a gzip header (1f 8b) but was 6a 75",
            "load", gzip.toString(), "--out", out);
        final Path lz4 = directory.resolve("a.lz4");
        Files.write(lz4, "just text, no LZ4 frames\n".getBytes(StandardCharsets.US_ASCII));
        assertMessage(FAILED, lz4 + ", line 1: cannot be read: cannot unpack LZ4 data before byte 4: expected a frame",
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
