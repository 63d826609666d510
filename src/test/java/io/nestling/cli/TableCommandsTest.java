/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.ValueRules;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.sstable.SstableOptions;
import io.nestling.sstable.SstableWriter;
import io.nestling.sstable.TableDirectory;
import io.nestling.sstable.TableSet;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The commands that read tables: get, scan and verify. */
class TableCommandsTest {
    @TempDir
    private Path directory;
    private String tables;

    @BeforeEach
    void load() throws IOException {
        tables = directory.resolve("tables").toString();
        final Path first = DataFiles.write(directory.resolve("1.tsv"),
            List.of("a\told", "ab\t2", "b\u00fc\t3", "c\t\t4", "d\t"));
        final Path second =
            DataFiles.write(directory.resolve("2.tsv"), List.of("a\tnew", "-x\tdash", "@y\tat"));
        assertEquals(0, Outcome.of("load", first.toString(), "--out", tables).exitCode());
        assertEquals(0, Outcome.of("load", second.toString(), "--out", tables).exitCode());
    }

    private static void assertOut(final List<String> expected, final Outcome outcome) {
        assertEquals("", outcome.err());
        assertEquals(expected, outcome.lines());
        assertEquals(0, outcome.exitCode());
    }

    @Test
    void shouldGetTheNewestValues() {
        assertOut(List.of("new"), Outcome.of("get", tables, "a"));
        assertOut(List.of("", "\t4", "new", "new"), Outcome.of("get", tables, "d", "c", "a", "a"));
    }

    @Test
    void shouldGetKeysThatLookLikeSomethingElse() {
        assertOut(List.of("dash", "at"), Outcome.of("get", tables, "--", "-x", "@y"));
        assertOut(List.of("at"), Outcome.of("get", tables, "@y"));
    }

    @Test
    void shouldPrintValuesOfOtherKeysIfOneIsNotThere() {
        final Outcome outcome = Outcome.of("get", tables, "a", "nothing", "ab", "");
        assertEquals(List.of("new", "2"), outcome.lines());
        assertEquals(List.of("nestling get: no key 'nothing' in 2 tables of " + tables,
            "nestling get: no key '' in 2 tables of " + tables), outcome.messages());
        assertEquals(1, outcome.exitCode());
    }

    @Test
    void shouldScanInBothDirections() {
        final List<String> all =
            List.of("-x\tdash", "@y\tat", "a\tnew", "ab\t2", "b\u00fc\t3", "c\t\t4", "d\t");
        assertOut(all, Outcome.of("scan", tables));
        assertOut(List.of("d\t", "c\t\t4"), Outcome.of("scan", tables, "--reverse", "--limit", "2"));
        assertOut(List.of("a\tnew", "ab\t2"), Outcome.of("scan", tables, "--from", "a", "--to", "b"));
        assertOut(List.of("ab\t2", "a\tnew"), Outcome.of("scan", tables, "--from=a", "--to=b", "--reverse"));
        assertOut(List.of("ab\t2"), Outcome.of("scan", tables, "--from", "aa", "--limit", "1"));
        assertOut(List.of("-x\tdash"), Outcome.of("scan", tables, "--from=-", "--limit=1"));
        assertOut(List.of(), Outcome.of("scan", tables, "--limit", "0"));
        assertOut(List.of(), Outcome.of("scan", tables, "--from", "b", "--to", "a"));
        assertOut(List.of(), Outcome.of("scan", tables, "--from", "e"));
        assertOut(all, Outcome.of("scan", tables, "--from", "", "--limit", "7"));
    }

    @Test
    void shouldReadAndPrintHexadecimalDigits() {
        assertOut(List.of("33"), Outcome.of("get", tables, "--hex", "62fc"));
        assertOut(List.of("62fc\t33", "63\t0934"),
            Outcome.of("scan", tables, "--hex", "--from", "6200", "--to", "64"));
    }

    @Test
    void shouldReadADirectoryWithoutTables() throws IOException {
        final String empty = Files.createDirectory(directory.resolve("empty")).toString();
        assertOut(List.of(), Outcome.of("scan", empty));
        assertOut(List.of("0 tables, 0 entries: ok"), Outcome.of("verify", empty));
        assertEquals(1, Outcome.of("get", empty, "a").exitCode());
    }

    @Test
    void shouldVerify() {
        assertOut(List.of("2 tables, 8 entries: ok"), Outcome.of("verify", tables));
    }

    @Test
    void shouldCountExpiringValuesAndOperands() throws IOException {
        final Path special = Files.createDirectory(directory.resolve("special"));
        final ValueRules rules = ValueRules.DEFAULT.withOperator((key, value, operands) -> operands.get(0));
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).rules(rules).build());
            SstableWriter writer = SstableWriter.create(TableSet.path(special, 1), SstableOptions.defaults())) {
            memtable.putExpiring(new byte[] {'a'}, new byte[] {'1'}, Long.MAX_VALUE);
            memtable.putExpiring(new byte[] {'b'}, new byte[] {'2'}, 1);
            memtable.merge(new byte[] {'c'}, new byte[] {'3'});
            memtable.flush(writer);
        }
        final String path = special.toString();
        assertOut(List.of("1 table, 3 entries, 1 with an expiry, 1 operand: ok"), Outcome.of("verify", path));
        assertOut(List.of("a\t1"), Outcome.of("scan", path, "--to", "c"));
        assertOut(List.of("a\t1\texpiring 9223372036854775807\t1", "b\t2\ttombstone\t", "c\t3\toperand\t3"),
            Outcome.of("scan", path, "--versions"));
        assertOut(List.of("c\t3\toperand\t3", "b\t2\ttombstone\t"),
            Outcome.of("scan", path, "--versions", "--reverse", "--limit", "2"));
        final Outcome failed = Outcome.of("get", path, "c");
        assertEquals(1, failed.exitCode());
        assertTrue(failed.err().contains("cannot combine the operands of key [63]"), failed.err());
        assertEquals(1, Outcome.of("scan", path).exitCode());
        assertEquals(0, Outcome.of("compact", path).exitCode());
        assertOut(List.of("1 table, 2 entries, 1 with an expiry, 1 operand: ok"), Outcome.of("verify", path));
    }

    @Test
    void shouldNameEveryDamagedTableAndBlock() throws IOException {
        final Path third = DataFiles.write(directory.resolve("3.tsv"), DataFiles.manyLines(20_000));
        assertEquals(0, Outcome.of("load", third.toString(), "--out", tables).exitCode());
        final Path first = Path.of(tables, "000001.sst");
        final Path last = Path.of(tables, "000003.sst");
        flip(first, Files.size(first) - 1); // in the footer
        flip(last, Files.size(last) / 2);
        final Outcome outcome = Outcome.of("verify", tables);
        assertEquals(1, outcome.exitCode());
        assertEquals(List.of("3 tables, 2 damaged"), outcome.lines());
        assertEquals(2, outcome.messages().size(), outcome.err());
        assertTrue(outcome.messages().get(0).startsWith("nestling verify: table " + first.toAbsolutePath()),
            outcome.err());
        final String block =
            "nestling verify: table " + last.toAbsolutePath() + ": block \\d+ at offset \\d+.*: .+";
        assertTrue(outcome.messages().get(1).matches(block), outcome.err());
    }

    @Test
    @Timeout(30)
    void shouldNameEveryTableThatCannotBeLookedAt() throws Exception {
        Files.delete(Path.of(tables, TableDirectory.MANIFEST_NAME));
        final Path cut = Path.of(tables, "000003.sst");
        Files.write(cut, Arrays.copyOf(Files.readAllBytes(Path.of(tables, "000001.sst")), 100));
        final Path dangling = Files.createSymbolicLink(Path.of(tables, "000004.sst"), directory.resolve("missing"));
        final Path folder = Files.createDirectory(Path.of(tables, "000005.sst"));
        final Path pipe = Path.of(tables, "000006.sst");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "no pipes with names");
        Files.copy(Path.of(tables, "000001.sst"), Path.of(tables, "7.sst")); // get and scan do not read it either

        final Outcome outcome = Outcome.of("verify", tables);
        assertEquals(List.of("6 tables, 4 damaged"), outcome.lines());
        assertEquals(4, outcome.messages().size(), outcome.err());
        assertTrue(outcome.messages().get(0).startsWith("nestling verify: table " + cut.toAbsolutePath() + ": "));
        assertEquals(List.of("nestling verify: " + dangling.toAbsolutePath() + ": no such file or directory",
            "nestling verify: " + folder.toAbsolutePath() + ": not a regular file",
            "nestling verify: " + pipe.toAbsolutePath() + ": not a regular file"), outcome.messages().subList(1, 4));
        assertEquals(1, outcome.exitCode());

        final String load = DataFiles.write(directory.resolve("3.tsv"), List.of("a\t1")).toString();
        for (final String[] command : new String[][] {{"get", tables, "a"}, {"scan", tables}, {"load", load, "--out", tables}}) {
            final Outcome failed = Outcome.of(command);
            assertEquals(1, failed.exitCode());
            assertTrue(failed.err().contains(pipe.toAbsolutePath() + ": not a regular file"), failed.err());
        }
    }

    @Test
    void shouldTellOfTablesWithTheSameSequenceNumbers() throws IOException {
        Files.delete(Path.of(tables, TableDirectory.MANIFEST_NAME));
        Files.copy(Path.of(tables, "000001.sst"), Path.of(tables, "000003.sst"));
        final Outcome outcome = Outcome.of("verify", tables);
        assertEquals(List.of("nestling verify: sequence numbers 1 to 5 of 000001.sst overlap 1 to 5 of 000003.sst"
            + ": of equal ones the later table counts"), outcome.messages());
        assertEquals(List.of("3 tables, 13 entries: ok"), outcome.lines());
        assertEquals(0, outcome.exitCode());
    }

    @Test
    void shouldFailToReadADamagedTable() throws IOException {
        final Path table = Path.of(tables, "000002.sst");
        flip(table, 40);
        for (final String[] command : new String[][] {{"get", tables, "a"}, {"scan", tables}}) {
            final Outcome outcome = Outcome.of(command);
            assertEquals(1, outcome.exitCode());
            assertEquals(1, outcome.messages().size(), outcome.err());
            assertTrue(outcome.err().contains(table.toAbsolutePath().toString()), outcome.err());
        }
    }

    @Test
    void shouldCompact() throws IOException {
        final List<String> before = Outcome.of("scan", tables).lines();
        Files.writeString(Path.of(tables, "000007.sst.tmp"), "left behind");
        Files.copy(Path.of(tables, "000001.sst"), Path.of(tables, "000005.sst"));
        final Outcome verified = Outcome.of("verify", tables);
        assertEquals(List.of("nestling verify: " + Path.of(tables, "000005.sst") + " is not in the manifest and does not count; "
            + "compact deletes it"), verified.messages());
        assertEquals(0, verified.exitCode());
        final Outcome compacted = Outcome.of("compact", tables);
        assertEquals(0, compacted.exitCode(), compacted.err());
        assertTrue(compacted.text().matches(
            "2 tables, 8 entries, [^ ]+ (KiB|bytes) merged into 1 table, 7 entries, [^ ]+ (KiB|bytes)\n"), compacted.text());
        assertEquals(2, compacted.messages().size(), compacted.err());
        assertEquals(before, Outcome.of("scan", tables).lines());
        assertEquals(List.of("000006.sst"), DataFiles.names(Path.of(tables)));
        assertOut(List.of("1 table, 7 entries: ok"), Outcome.of("verify", tables));
        final Path more = DataFiles.write(directory.resolve("3.tsv"), List.of("a\tnewest"));
        assertEquals(0, Outcome.of("load", more.toString(), "--out", tables).exitCode());
        assertOut(List.of("newest"), Outcome.of("get", tables, "a"));
    }

    @Test
    void shouldCompactIntoTablesOfASizeAtARate() throws IOException {
        final Path many = DataFiles.write(directory.resolve("3.tsv"), DataFiles.manyLines(5_000));
        assertEquals(0, Outcome.of("load", many.toString(), "--out", tables).exitCode());
        final List<String> before = Outcome.of("scan", tables).lines();
        assertEquals(0, Outcome.of("compact", tables, "--table-size", "16k", "--rate=1g").exitCode());
        assertTrue(DataFiles.names(Path.of(tables)).size() > 2);
        assertEquals(before, Outcome.of("scan", tables).lines());
        assertOut(List.of("0 tables"), Outcome.of("compact", Files.createDirectory(directory.resolve("empty")).toString()));
    }

    @Test
    void shouldNotCompactWhatIsDamagedOrInUse() throws IOException {
        final Path first = Path.of(tables, "000001.sst");
        flip(first, 40);
        Outcome failed = Outcome.of("compact", tables);
        assertEquals(1, failed.exitCode());
        assertTrue(failed.err().startsWith("nestling compact: table " + first.toAbsolutePath() + ": block"), failed.err());
        assertEquals(List.of("000001.sst", "000002.sst"), DataFiles.names(Path.of(tables)));
        flip(first, 40);
        final Path manifest = Path.of(tables, TableDirectory.MANIFEST_NAME);
        final String text = Files.readString(manifest);
        Files.writeString(manifest, text.substring(0, text.length() - 20));
        for (final String command : List.of("compact", "scan", "verify")) {
            failed = Outcome.of(command, tables);
            assertEquals(1, failed.exitCode());
            assertEquals("nestling " + command + ": " + manifest
                + ": cut or damaged: the checksum of its last line is absent or wrong\n", failed.err());
        }
        Files.writeString(manifest, text);
        try (TableDirectory inUse = TableDirectory.open(Path.of(tables))) {
            failed = Outcome.of("compact", inUse.path().toString());
            assertEquals("nestling compact: " + tables + ": another load, compact or live set is at work on it\n", failed.err());
        }
        for (final String[] wrong : new String[][] {{"--table-size", "0"}, {"--rate", "0"}}) {
            assertEquals(2, Outcome.of("compact", tables, wrong[0], wrong[1]).exitCode());
        }
        assertEquals(0, Outcome.of("compact", tables).exitCode());
    }

    private static void flip(final Path file, final long offset) throws IOException {
        final byte[] content = Files.readAllBytes(file);
        content[(int) offset] ^= 0x10;
        Files.write(file, content);
    }

    @Test
    void shouldEndQuietlyWhenTheReaderOfTheOutputHasGone() {
        final OutputStream closed = new OutputStream() {
            @Override
            public void write(final int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        for (final String[] command : new String[][] {{"scan", tables}, {"get", tables, "a"}, {"--help"},
            {"verify", tables}}) {
            final Outcome outcome = Outcome.into(closed, command);
            assertEquals("", outcome.err(), Arrays.toString(command));
            assertEquals(0, outcome.exitCode());
        }
    }

    @Test
    void shouldSayWhyTheOutputCannotBeWritten() {
        final OutputStream full = new OutputStream() {
            @Override
            public void write(final int value) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        for (final String[] command : new String[][] {{"scan", tables}, {"get", tables, "a"}}) {
            final Outcome outcome = Outcome.into(full, command);
            assertEquals(List.of("nestling: cannot write the output: No space left on device"),
                outcome.messages());
            assertEquals(1, outcome.exitCode());
        }
    }

    @Test
    void shouldPassOnTheOutputBeforeTheCommandEnds() throws IOException {
        final Path big = DataFiles.write(directory.resolve("big.tsv"), DataFiles.manyLines(20_000));
        final String many = directory.resolve("many").toString();
        assertEquals(0, Outcome.of("load", big.toString(), "--out", many).exitCode());
        for (final String reason : List.of("Broken pipe", "No space left on device")) {
            final AtomicInteger chunks = new AtomicInteger();
            final Outcome outcome = Outcome.into(new OutputStream() {
                @Override
                public void write(final int value) {
                    throw new AssertionError("not buffered");
                }

                @Override
                public void write(final byte[] bytes, final int offset, final int length)
                    throws IOException {
                    if (chunks.incrementAndGet() == 2) {
                        throw new IOException(reason);
                    }
                }
            }, "scan", many);
            assertEquals(2, chunks.get());
            final boolean quiet = reason.equals("Broken pipe");
            assertEquals(quiet ? 0 : 1, outcome.exitCode());
            assertEquals(quiet ? "" : "nestling scan: cannot write the output: " + reason + "\n",
                outcome.err());
        }
    }
}
