/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.memtable.Memtable;
import io.netty.buffer.ByteBuf;
import io.netty.util.internal.PlatformDependent;
import net.jpountz.lz4.LZ4Factory;
import org.agrona.DirectBuffer;
import io.nestling.sstable.TableDirectory;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Commands in processes of their own, under signals, limits and pipes. */
class CommandProcessTest {
    private static final int SECONDS = 60;
    private static final int KEYS = 60_000;

    @TempDir
    private Path directory;
    private Path out;
    private Path input;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")) && Files.exists(Path.of("/dev/stdin")), "a Unix");
        out = directory.resolve("tables");
        input = DataFiles.write(directory.resolve("input.tsv"), DataFiles.manyLines(KEYS));
    }

    /** A shell that runs a script in which {@code "$@"} is the command. */
    private ProcessBuilder shell(final String script, final String... args) {
        final List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // No performance data file, which a limit on file sizes would hit as well.
        command.addAll(List.of("-Xmx128m", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath(), Main.class.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command);
    }

    /** Where the program and its libraries are, however the tests are run. */
    static String classPath() {
        final Set<String> places = new LinkedHashSet<>();
        for (final Class<?> type : List.of(Main.class, Memtable.class, CommandLine.class, LZ4Factory.class,
            DirectBuffer.class, ByteBuf.class, PlatformDependent.class)) {
            final URL place = type.getProtectionDomain().getCodeSource().getLocation();
            places.add(Path.of(URI.create(place.toString())).toString());
        }
        return String.join(File.pathSeparator, places);
    }

    private Outcome finish(final Process process) throws InterruptedException, IOException {
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "no end after a minute");
        return new Outcome(process.exitValue(), process.getInputStream().readAllBytes(),
            new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    private Outcome run(final String script, final String... args) throws Exception {
        final Process process = shell(script, args).start();
        try {
            return finish(process);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void shouldPassExitCodesOn() throws Exception {
        assertEquals(0, run("exec \"$@\"", "--version").exitCode());
        assertEquals(1, run("exec \"$@\"", "verify", out.toString()).exitCode());
        final Outcome wrong = run("exec \"$@\"", "verfy", out.toString());
        assertEquals(2, wrong.exitCode());
        assertEquals(1, wrong.messages().size(), wrong.err());
    }

    @Test
    void shouldReadTheStandardInput() throws Exception {
        final Outcome loaded =
            run("{ echo b; echo a; } | \"$@\"", "load", "-", input.toString(), "--out", out.toString(), "--format", "tsv");
        assertEquals(0, loaded.exitCode(), loaded.err());
        assertEquals(List.of("a\t", "b\t"), Outcome.of("scan", out.toString(), "--limit", "2").lines());
        final Outcome inspected = run("echo abc | exec \"$@\"", "inspect", "-", "--json");
        assertEquals("(standard input)", JsonReader.object(inspected.text()).get("file"));
        final Outcome packed = run("{ echo a; echo b; } | gzip | exec \"$@\"", "load", "-");
        assertEquals(1, packed.exitCode());
        assertTrue(packed.err().startsWith("nestling load: (standard input), line 1: cannot be read: expected plain text but was "
            + "gzip data: unpack it first"), packed.err());
    }

    @Test
    void shouldReadPipesWithPackedData() throws Exception {
        for (final String name : List.of("a.tsv.gz", "a.tsv.lz4", "a.tsv")) {
            final Path file = DataFiles.write(directory.resolve(name), DataFiles.manyLines(3_000));
            final String pipe = directory.resolve("pipe-" + name).toString();
            final Outcome outcome =
                run("mkfifo '" + pipe + "' && { cat '" + file + "' > '" + pipe + "' & \"$@\"; }", "load", pipe);
            assertEquals(0, outcome.exitCode(), outcome.err());
            assertTrue(outcome.text().contains("keys             3,000\n"), outcome.text());
        }
    }

    @Test
    void shouldEndQuietlyWhenThePipeIsClosed() throws Exception {
        assertEquals(0, Outcome.of("load", input.toString(), "--out", out.toString()).exitCode());
        final Outcome outcome = run("{ \"$@\"; echo code $? >&2; } | head -n 2", "scan", out.toString());
        assertEquals(List.of("some/key-000000\tvalue of 0", "some/key-000001\tvalue of 1"), outcome.lines());
        assertEquals("code 0\n", outcome.err());
    }

    @Test
    void shouldRefuseASecondLoadFromThisAndFromAnotherProcess() throws Exception {
        final String refused = "cannot write to directory " + out + ": another load, compact or live set is at work on it";
        try (TableDirectory inUse = OutputDirectory.open(out)) {
            for (int i = 0; i < 2; i++) {
                final Outcome other = run("exec \"$@\"", "load", input.toString(), "--out", out.toString());
                assertEquals(List.of("nestling load: " + refused), other.messages());
                assertEquals(1, other.exitCode());
                final CommandException e = assertThrows(CommandException.class, () -> OutputDirectory.open(inUse.path()));
                assertEquals(refused, e.getMessage());
            }
        }
        assertEquals(List.of(), DataFiles.names(out));
        assertEquals(0, run("exec \"$@\"", "load", input.toString(), "--out", out.toString()).exitCode());
    }

    @Test
    void shouldLeaveNoTableWhenTheDiskIsFullDuringAFlush() throws Exception {
        // Blocks of 512 or 1024 bytes; the table takes more than 100 KiB in either case.
        final Outcome outcome =
            run("ulimit -f 64; exec \"$@\"", "load", input.toString(), "--out", out.toString());
        assertEquals(1, outcome.exitCode(), outcome.err());
        assertEquals(0, outcome.out().length);
        assertEquals(1, outcome.messages().size(), outcome.err());
        assertTrue(outcome.err().startsWith("nestling load: cannot write table "), outcome.err());
        assertTrue(outcome.err().contains("000001.sst"), outcome.err());
        assertTrue(outcome.err().contains("; no table was written"), outcome.err());
        assertEquals(List.of(), DataFiles.names(out));
        assertEquals(0, Outcome.of("load", input.toString(), "--out", out.toString()).exitCode());
        assertEquals(KEYS, Outcome.of("scan", out.toString()).lines().size());
    }

    @Test
    void shouldLeaveWholeTablesOnlyWhenTerminated() throws Exception {
        final Process process =
            shell("exec \"$@\"", "load", "/dev/stdin", "--out", out.toString(), "--memory", "1m").start();
        try {
            feedUntilTables(process, 4); // the last one may not count yet
            process.toHandle().destroy(); // unlike that of the process, closes no stream
            final Outcome outcome = finish(process);
            assertNotEquals(0, outcome.exitCode());
            assertEquals(0, outcome.out().length);
            assertEquals("", outcome.err());
        } finally {
            process.destroyForcibly();
        }
        final List<String> names = DataFiles.names(out);
        assertTrue(names.size() >= 3, names.toString());
        for (final String name : names) {
            assertTrue(name.matches("\\d{6}\\.sst"), names.toString());
        }
        final Outcome verified = Outcome.of("verify", out.toString());
        assertEquals(0, verified.exitCode(), verified.err());
        assertTrue(verified.text().startsWith(names.size() + " tables, "), verified.text());
        assertEquals(0, Outcome.of("load", input.toString(), "--out", out.toString()).exitCode());
    }

    @Test
    void shouldSayNothingWhenTerminatedAtTheStart() throws Exception {
        final Process process = shell("exec \"$@\"", "load", "/dev/stdin", "--out", out.toString()).start();
        try {
            final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (Files.notExists(out) && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
            }
            process.toHandle().destroy();
            final Outcome outcome = finish(process);
            assertNotEquals(0, outcome.exitCode());
            assertEquals("", outcome.err());
        } finally {
            process.destroyForcibly();
        }
    }

    /** Writes lines to a process until it has made a number of tables. */
    private void feedUntilTables(final Process process, final int tables) throws IOException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        final OutputStream lines = process.getOutputStream();
        int key = 0;
        while (DataFiles.names(out).stream().filter(name -> name.endsWith(".sst")).count() < tables) {
            assertTrue(process.isAlive(), "ended by itself");
            assertTrue(System.nanoTime() - deadline < 0, "no " + tables + " tables after a minute");
            final StringBuilder text = new StringBuilder();
            for (int i = 0; i < 1_000; i++) {
                text.append(String.format(Locale.ROOT, "key-%09d with some text behind it\n", key++));
            }
            lines.write(text.toString().getBytes(StandardCharsets.US_ASCII));
            lines.flush();
        }
    }
}
