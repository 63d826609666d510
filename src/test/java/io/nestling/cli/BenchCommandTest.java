/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

class BenchCommandTest {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    @TempDir
    private Path directory;

    /** A short run. */
    private static Outcome bench(final String... options) {
        final List<String> args = new ArrayList<>(List.of("bench", "--time", "1", "--rounds", "1"));
        args.addAll(List.of(options));
        return Outcome.of(args.toArray(new String[0]));
    }

    private static Outcome good(final String... options) {
        final Outcome outcome = bench(options);
        assertEquals("", outcome.err());
        assertEquals(0, outcome.exitCode());
        return outcome;
    }

    private void assertMessage(final int exitCode, final String message, final String... options) throws IOException {
        final Outcome outcome = bench(options);
        assertEquals(exitCode, outcome.exitCode(), outcome.err());
        assertEquals(0, outcome.out().length, outcome.text());
        assertEquals(1, outcome.messages().size(), outcome.err());
        assertTrue(outcome.err().startsWith("nestling bench: " + message), outcome.err() + "has not: " + message);
        assertEquals(List.of(), DataFiles.names(directory));
    }

    @Test
    void shouldPrintATable() {
        final Outcome outcome = good("--no-model", "--index", "trie", "--keys", "2k", "--workload", "load,c,scan");
        final String text = outcome.text();
        assertTrue(text.contains("\nrand-8, 2,000 keys, 1 thread; ratio to trie_memtable\n"), text);
        for (final String line : List.of(
            ".+, \\d+ cores?, jdk .+, bridge .+, 2 MiB pages (yes|no), heap [\\d.]+ [MGT]iB.*",
            "workload +subject +M ops/s +min +max +ratio .*", "load +trie_memtable +[\\d.]+ .*",
            "c +trie_memtable( +[\\d.]+){3} +1\\.00 +-( +[\\d,]+){4}", "scan +trie_memtable .*",
            " +subject +index bytes/key +with keys and values", " +trie_memtable +[\\d.]+ +[\\d.]+")) {
            assertTrue(outcome.lines().stream().anyMatch(printed -> printed.matches(line)), line + " in\n" + text);
        }
    }

    @Test
    void shouldWriteJson() throws IOException {
        final Path file = directory.resolve("report.json");
        good("--no-model", "--indexes", "--index", "trie", "--keys", "1k,2k", "--workload", "c,load,scan", "--json",
            file.toString());
        final Map<?, ?> report = JsonReader.object(Files.readString(file));
        assertEquals(Set.of("machine", "model", "baseline", "subjects", "workloads", "results"), report.keySet());
        final Map<?, ?> machine = (Map<?, ?>) report.get("machine");
        assertTrue(machine.get("command").toString().startsWith("nestling bench --time 1 "), machine.toString());
        assertTrue(machine.containsKey("bridge") && machine.containsKey("jdk"), machine.toString());
        assertNull(report.get("model"));
        assertEquals("trie", report.get("baseline"));
        final List<?> results = (List<?>) report.get("results");
        assertEquals(6, results.size());
        final List<String> done = new ArrayList<>();
        for (final Object entry : results) {
            final Map<?, ?> result = (Map<?, ?>) entry;
            assertEquals(Set.of("subject", "dataset", "workload", "keys", "threads", "opsPerSecond", "indexBytesPerKey",
                "totalBytesPerKey", "ratioToBaseline", "roundTrips", "latency", "checksum"), result.keySet());
            done.add(result.get("workload") + " " + ((Double) result.get("keys")).intValue());
            final Map<?, ?> rates = (Map<?, ?>) result.get("opsPerSecond");
            assertEquals(Set.of("median", "min", "max"), rates.keySet());
            assertTrue((Double) rates.get("median") > 0, rates.toString());
            assertEquals("trie", result.get("subject"));
            assertEquals("rand-8", result.get("dataset"));
            assertEquals(1.0, result.get("threads"));
            assertEquals(1.0, result.get("ratioToBaseline"));
            assertTrue((Double) result.get("indexBytesPerKey") > 8, result.toString());
            assertTrue((Double) result.get("totalBytesPerKey") > 8, result.toString());
        }
        assertEquals(List.of("load 1000", "c 1000", "scan 1000", "load 2000", "c 2000", "scan 2000"), done);
        assertTrue(((Map<?, ?>) ((Map<?, ?>) results.get(1)).get("latency")).containsKey("p999"));
        final Map<?, ?> subject = (Map<?, ?>) ((List<?>) report.get("subjects")).get(0);
        assertEquals("trie", subject.get("name"));
        assertEquals(false, subject.get("peer"));
    }

    @Test
    void shouldWriteAPage() throws IOException {
        final Path file = directory.resolve("report.html");
        good("--no-model", "--index", "trie", "--keys", "1k", "--workload", "c", "--html", file.toString());
        final String page = Files.readString(file);
        assertTrue(page.contains("<html") && page.contains("trie") && page.contains("rand-8"), page);
    }

    @Test
    void shouldTakeKeysFromAFile() throws IOException {
        final Path file = DataFiles.write(directory.resolve("keys.tsv"), DataFiles.manyLines(700));
        final Outcome outcome = good("--no-model", "--index", "trie", "--dataset", file.toString(), "--workload",
            "get,getall,iterate,a,d", "--threads", "2", "--distribution", "zipfian");
        assertTrue(outcome.text().contains(", 700 keys, 2 threads; ratio to trie_memtable"), outcome.text());
    }

    @Test
    void shouldMeasureManyMemtables() {
        final Outcome outcome =
            Outcome.of("bench", "--many", "20", "--shards", "4", "--rows", "8", "--index", "trie,cocuckoo");
        assertEquals(0, outcome.exitCode(), outcome.err());
        assertEquals("20 memtables of 4 shards, 8 rows in each", outcome.lines().get(0));
        for (int i = 0; i < 2; i++) {
            final String[] words = outcome.lines().get(2 + i).split(" +");
            assertEquals(i == 0 ? "trie" : "cocuckoo", words[0]);
            final double charged = Double.parseDouble(words[2].replace(",", ""));
            assertTrue(charged > 1_000 && charged <= 12 << 10, outcome.text());
            assertTrue(words[4].equals("unknown") || Double.parseDouble(words[4]) < 0.2, outcome.text());
        }
    }

    @Test
    void shouldMeasureMemtablesWithValuesOfALength() throws IOException {
        final Path file = directory.resolve("report.json");
        final Outcome outcome = good("--no-model", "--memtable", "--shards", "2", "--value-bytes", "100", "--index",
            "cocuckoo,trie", "--keys", "1k", "--workload", "hot,insert-50,flush,first-flush", "--threads", "2", "--json",
            file.toString());
        assertTrue(outcome.text().contains("ratio to cocuckoo_memtable") && outcome.text().contains("trie_memtable"),
            outcome.text());
        final Map<?, ?> report = JsonReader.object(Files.readString(file));
        final Map<?, ?> subject = (Map<?, ?>) ((List<?>) report.get("subjects")).get(1);
        assertEquals("memtable with 2 shards, off-heap slabs, values of 100 bytes", subject.get("configuration"));
        final Map<?, ?> result = (Map<?, ?>) ((List<?>) report.get("results")).get(1);
        assertTrue((Double) result.get("totalBytesPerKey") > 108 + (Double) result.get("indexBytesPerKey"), result.toString());
    }

    @Test
    void optionsThatContradictEachOtherAreWrongUsage() throws IOException {
        assertMessage(USAGE, "--shards is for memtables: leave out --indexes", "--indexes", "--shards", "2");
        assertMessage(USAGE, "--value-bytes is for memtables: leave out --indexes", "--indexes", "--value-bytes", "8");
        assertMessage(USAGE, "--memtable is for memtables: leave out --indexes", "--indexes", "--memtable");
        assertMessage(USAGE, "--value-bytes 7 is outside 8 to 1048576", "--value-bytes", "7");
        assertMessage(USAGE, "--rows is for many memtables: add --many", "--rows", "2");
        for (final String option : List.of("--peers", "--indexes", "--no-model", "--dataset=az", "--workload=c", "--keys=1k",
            "--threads=2", "--distribution=uniform", "--baseline=trie", "--json=x", "--html=x", "--value-bytes=8", "--time=1",
            "--rounds=1")) {
            final Outcome outcome = Outcome.of("bench", "--many", "2", "--index", "trie", option);
            assertEquals(USAGE, outcome.exitCode(), outcome.err());
            assertTrue(outcome.err().startsWith("nestling bench: --many goes with --index, --shards and --rows only, not with "
                + option.split("=")[0] + " "), outcome.err());
        }
    }

    @Test
    void serveGoesAloneWithOneIndex() throws IOException {
        final String none = directory.resolve("none").toString();
        assertMessage(USAGE, "--serve goes alone, not with --", "--serve", "trie", none, "1");
        for (final String option : List.of(
            "--many=2", "--index=trie", "--cpu-time", "--peer-command=a=cat", "--peer-timeout=1")) {
            assertServeSays("--serve goes alone, not with " + option.split("=")[0] + " ", "trie", none, "1", option);
        }
        assertServeSays("--serve takes one index", "trie", none, "1", "--serve", "trie", none, "1");
        assertServeSays("--serve: ", "x", none, "1");
        assertServeSays("--serve: expected a count such as 300k, 1m or 1000000 but was '1g'", "trie", none, "1g");
        assertServeSays("--serve: " + none, "trie", none, "1");
        assertServeSays("", "trie", none);
    }

    private static void assertServeSays(final String message, final String... words) {
        final List<String> args = new ArrayList<>(List.of("bench", "--serve"));
        args.addAll(List.of(words));
        final Outcome outcome = Outcome.of(args.toArray(new String[0]));
        assertEquals(USAGE, outcome.exitCode(), outcome.err());
        assertEquals(0, outcome.out().length, outcome.text());
        assertTrue(outcome.err().startsWith("nestling bench: " + message), outcome.err() + "has not: " + message);
    }

    @Test
    void programsOfPeersThatAreNoneAreWrongUsage() throws IOException {
        for (final String text : List.of("cat", "=cat", "a=")) {
            assertMessage(USAGE, "expected NAME=COMMAND", "--index", "trie", "--peer-command", text);
        }
        assertMessage(USAGE, "a subject is named twice: ", "--index", "trie", "--peer-command", "a=cat",
            "--peer-command", "a=cat");
        assertMessage(USAGE, "--peer-command needs one of the workloads load, ", "--peer-command", "a=cat", "--workload", "a");
        assertMessage(USAGE, "--peer-timeout: expected a whole number, at most 2147483647, but was 'x'",
            "--peer-command", "a=cat", "--peer-timeout", "x");
        assertMessage(USAGE, "expected a time for answers of at least 1 second but was 0",
            "--peer-command", "a=cat", "--peer-timeout", "0");
        assertMessage(USAGE, "--keys 1000 is less than the 1024 that --peer-command needs", "--index", "trie", "--keys", "1k",
            "--peer-command", "a=cat");
    }

    @Test
    void shouldLeaveOutPeersThatDoNotStart() {
        final Outcome outcome = bench("--no-model", "--index", "trie", "--keys", "2k", "--workload", "load",
            "--peer-timeout", "1", "--peer-command", "absent=/no/such/program", "--peer-command", "sleeps=exec sleep 60; true");
        assertEquals(FAILED, outcome.exitCode(), outcome.err());
        final List<String> messages = outcome.messages();
        assertEquals(2, messages.size(), outcome.err());
        assertTrue(messages.get(0).contains("left out, absent ended with exit code 127 at 'start'; its last line: ''"),
            outcome.err());
        assertTrue(messages.get(1).contains("left out, sleeps did not answer 'start' in 1 s; its last line: ''"), outcome.err());
        assertTrue(outcome.lines().stream().anyMatch(line -> line.matches("load +trie_memtable +[\\d.]+ .*")), outcome.text());
    }

    @Test
    void shouldMeasureProcessorTime() throws IOException {
        final Path file = directory.resolve("report.json");
        for (final boolean cpuTime : new boolean[] {false, true}) {
            final List<String> options = new ArrayList<>(
                List.of("--no-model", "--index", "trie", "--keys", "1k", "--workload", "load", "--json", file.toString()));
            if (cpuTime) {
                options.add("--cpu-time");
            }
            good(options.toArray(new String[0]));
            final Map<?, ?> machine = (Map<?, ?>) JsonReader.object(Files.readString(file)).get("machine");
            assertEquals(cpuTime ? "processor time" : "wall time", machine.get("clock"));
        }
    }

    @Test
    void wordThatIsNotKnownIsWrongUsage() throws IOException {
        assertMessage(USAGE, "--workload: expected one of load-sorted,", "--workload", "c,x");
        assertMessage(USAGE, "--index: expected one of trie", "--index", "trie,x");
        assertMessage(USAGE, "--distribution: expected one of uniform, zipfian but was 'x'", "--distribution", "x");
        assertMessage(USAGE, "--keys: expected a count such as 300k, 1m or 1000000 but was '1g'", "--keys", "1k,1g");
        assertMessage(USAGE, "--keys: expected 1 to 2147483647 but was '3000m'", "--keys", "3000m");
        assertMessage(USAGE, "--rounds: expected a whole number, at most 2147483647, but was ''", "--rounds", "");
        assertMessage(USAGE, "expected a file with a key a line, or one of rand-8, ", "--dataset", "");
        assertMessage(USAGE, "the baseline 'x' is not among the subjects: trie_memtable", "--index", "trie", "--baseline", "x");
        assertMessage(USAGE, "--threads 0 is less than 1", "--threads", "0");
        assertMessage(USAGE, "--shards 0 is outside 1 to 1024", "--shards", "0");
        final Outcome noTime = Outcome.of("bench", "--time", "0");
        assertEquals(USAGE, noTime.exitCode());
        assertTrue(noTime.err().startsWith("nestling bench: --time 0 is less than 1"), noTime.err());
    }

    @Test
    void datasetThatDoesNotExistIsWrongUsage() throws IOException {
        final Outcome outcome = bench("--dataset", "no-such-keys");
        assertEquals(USAGE, outcome.exitCode());
        assertEquals(1, outcome.messages().size(), outcome.err());
        assertTrue(outcome.err().contains("no-such-keys") && outcome.err().contains("rand-8"), outcome.err());
    }

    @Test
    void datasetWithTooFewKeysIsWrongUsage() throws IOException {
        final Path file = DataFiles.write(directory.resolve("keys.txt"), List.of("a", "b", "c"));
        final Outcome outcome = bench("--dataset", file.toString(), "--keys", "4");
        assertEquals(USAGE, outcome.exitCode());
        assertTrue(outcome.err().contains("--keys 4 is more than the 3 keys of " + file), outcome.err());
    }

    @Test
    void outputThatCannotBeWrittenIsWrongUsage() throws IOException {
        for (final String option : List.of("--json", "--html")) {
            assertMessage(USAGE, "cannot write to " + directory + ": is a directory", option, directory.toString());
            final Path below = directory.resolve("missing").resolve("report");
            assertMessage(USAGE, "cannot write to " + below + ": no such file or directory", option, below.toString());
        }
    }

    @Test
    void shouldWriteThroughALink() throws IOException {
        final Path target = directory.resolve("target.json");
        final Path link = Files.createSymbolicLink(directory.resolve("link.json"), target);
        good("--no-model", "--index", "trie", "--keys", "1k", "--workload", "c", "--json", link.toString());
        assertTrue(Files.isSymbolicLink(link) && Files.size(target) > 0, "the link was replaced");
    }

    @Test
    void tooLittleMemoryFails() throws IOException {
        assertMessage(FAILED, "2,147,000,000 keys of rand-8 need about ", "--keys", "2147m", "--index", "trie", "--no-model");
        final Outcome outcome = bench("--keys", "2147m", "--index", "trie");
        assertTrue(outcome.err().contains(", there is ") || outcome.err().contains(", the system has "), outcome.err());
    }

    @Test
    void peersThatAreNotThereFail() throws IOException {
        assertMessage(FAILED, "there are no peers on the class path: bin/nestling builds them", "--peers", "--keys", "1k");
    }

    @Test
    void shouldLeaveNoFileBehindWhenARunFails() throws IOException {
        final Path file = directory.resolve("report.json");
        assertMessage(FAILED, "there are no peers on the class path", "--peers", "--json", file.toString());
        assertMessage(FAILED, "2,147,000,000 keys", "--keys", "2147m", "--json", file.toString());
        assertFalse(Files.exists(file));
    }
}
