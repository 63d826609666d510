/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Commands give the same results with another locale, time zone and encoding, with a small heap and a small stack. Seen to fail
 * with table names in the digits of the default locale (Arabic), and with case mapping by it (Turkish).
 */
@Tag("jdk")
@Tag("once")
class EnvironmentTest {
    private static final int SECONDS = 60;
    /* What the commands give in this process: the same for all tests. */
    private static String expected;

    @TempDir
    private Path directory;

    @BeforeEach
    void needJava() {
        assumeTrue(Files.isExecutable(java()), "a java program");
    }

    private static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    @Test
    void shouldWorkInArabicWithASmallHeap() throws Exception {
        assertSame("-Duser.language=ar", "-Duser.country=EG", "-Duser.timezone=Pacific/Apia", "-Xmx24m");
    }

    @Test
    void shouldWorkInTurkishWithASmallStack() throws Exception {
        assertSame("-Duser.language=tr", "-Duser.country=TR", "-Duser.timezone=America/St_Johns", "-Xmx128m", "-Xss256k");
    }

    @Test
    void shouldWorkInThaiAndAscii() throws Exception {
        assertSame("-Duser.language=th", "-Duser.country=TH", "-Duser.variant=TH", "-Xmx128m", "-Dfile.encoding=US-ASCII");
    }

    private void assertSame(final String... options) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of(java().toString(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        final String tests = Path.of(URI.create(
            CommandSequence.class.getProtectionDomain().getCodeSource().getLocation().toString())).toString();
        command.addAll(List.of("-cp", tests + File.pathSeparator + CommandProcessTest.classPath(),
            CommandSequence.class.getName(), Files.createDirectory(directory.resolve("there")).toString()));
        final Path output = directory.resolve("output");
        final Path errors = directory.resolve("errors");
        final ProcessBuilder builder =
            new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
        builder.environment().put("LC_ALL", "C");
        final Process process = builder.start();
        try {
            if (expected == null) {
                expected = CommandSequence.run(Files.createDirectory(directory.resolve("here")));
            }
            assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "no end after a minute");
            assertEquals("", Files.readString(errors, StandardCharsets.UTF_8));
            assertEquals(expected, Files.readString(output, StandardCharsets.UTF_8));
            assertTrue(expected.contains("[000001.sst, 000002.sst, 000003.sst, 000004.sst, 000005.sst, 000006.sst]"), expected);
        } finally {
            process.destroyForcibly();
        }
    }
}
