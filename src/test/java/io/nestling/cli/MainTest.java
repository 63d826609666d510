/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bridge.BridgeReport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("bridge")
class MainTest {
    private static final List<String> COMMANDS = List.of("load", "get", "scan", "verify", "inspect");

    private static Outcome ok(final String... args) {
        final Outcome outcome = Outcome.of(args);
        assertEquals("", outcome.err());
        assertEquals(0, outcome.exitCode());
        return outcome;
    }

    @Test
    void shouldPrintTheVersionAndWhatItRunsOn() {
        for (final String option : List.of("--version", "-V")) {
            final List<String> lines = ok(option).lines();
            final BridgeReport report = BridgeReport.probe();
            assertTrue(lines.get(0).startsWith("nestling "), lines.toString());
            final String jdk = "jdk +" + Runtime.version().feature() + "\\b.*";
            assertTrue(lines.get(1).matches(jdk), lines.toString());
            assertTrue(lines.get(2).matches("bridge +" + report.bridge()), lines.toString());
            for (int i = 0; i < report.refusals().size(); i++) {
                assertTrue(lines.get(3 + i).endsWith(" not " + report.refusals().get(i)), lines.toString());
            }
            final int rest = 3 + report.refusals().size();
            final String pages = report.hugePages() ? "yes" : "no \\(.+\\)";
            assertTrue(lines.get(rest).matches("2 MiB pages +" + pages), lines.toString());
            assertTrue(lines.get(rest + 1).matches("indexes +trie\\b.*"), lines.toString());
            assertEquals(rest + 2, lines.size());
        }
    }

    @Test
    void shouldExplainEachReasonForSmallPages() {
        final List<String> none = List.of();
        assertEquals("yes",
            VersionReport.hugePages(new BridgeReport("ffm", none, "25", "always", 4 << 20, 4 << 20)));
        assertEquals("no (2 MiB of 4 MiB; setting of the kernel: madvise)",
            VersionReport.hugePages(new BridgeReport("jni", none, "17", "madvise", 4 << 20, 2 << 20)));
        assertEquals("no (the bridge 'java' cannot ask for them)",
            VersionReport.hugePages(new BridgeReport("java", none, "17", "always", 0, 0)));
    }

    @Test
    void shouldPrintHelpForAllCommands() {
        for (final String option : List.of("--help", "-h")) {
            final String help = ok(option).text();
            COMMANDS.forEach(command -> assertTrue(help.contains("\n  " + command + " "), help));
            assertTrue(help.contains("--version"), help);
            assertTrue(help.contains("Exit codes: 0 done, 1 failed, 2 wrong usage."), help);
        }
    }

    @Test
    void shouldPrintHelpForOneCommand() {
        for (final String command : COMMANDS) {
            final String help = ok(command, "--help").text();
            assertTrue(help.startsWith("Usage: nestling " + command + " "), help);
        }
        final String help = ok("load", "-h").text();
        for (final String option : List.of("--index=KIND", "--shards=N", "--memory=SIZE", "--out=DIR",
            "--format=FORMAT", "--json", "FILE...")) {
            assertTrue(help.contains(option), option);
        }
    }

    @Test
    void shouldWriteOneLineForAnyFailure() {
        assertEquals("a b c", Messages.of(new CommandException("a\n  b\r\nc\n", null)));
        assertEquals("unexpected java.lang.NullPointerException: key; --debug shows where",
            Messages.of(new NullPointerException("key")));
        assertTrue(Messages.of(new OutOfMemoryError("Java heap space")).contains("NESTLING_JAVA_OPTS=-Xmx"));
    }
}
