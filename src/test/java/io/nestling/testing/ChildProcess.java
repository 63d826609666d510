/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.sstable.SstableWriter;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import net.jpountz.lz4.LZ4Factory;

import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;

/** A small virtual machine for a main class of the tests, to be killed or talked to. */
public final class ChildProcess {
    private ChildProcess() {
    }

    /** Returns a process that runs a main class of the tests. */
    public static ProcessBuilder java(final Class<?> main, final String... args) throws URISyntaxException {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC"));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /**
     * Kills a process that writes ascending numbers, one a line.
     *
     * @param awaitsNumber whether to wait for the first number before
     * @param millis time to wait then
     * @param before what to return if it wrote none
     * @return the last number
     */
    public static long kill(final Process process, final boolean awaitsNumber, final long millis, final long before)
        throws IOException, InterruptedException {
        long last = before;
        try (BufferedReader output = process.inputReader()) {
            if (awaitsNumber) {
                last = Long.parseLong(output.readLine());
            }
            Thread.sleep(millis);
            // Not Process.destroyForcibly, which closes the pipe with what was said before.
            process.toHandle().destroyForcibly();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                last = line.isEmpty() ? last : Long.parseLong(line);
            }
        } finally {
            process.toHandle().destroyForcibly();
        }
        assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        return last;
    }

    /** Returns where this process has the classes from, whatever its class loaders. */
    private static String classPath() throws URISyntaxException {
        final StringBuilder path = new StringBuilder(System.getProperty("java.class.path"));
        for (final Class<?> type : List.of(SstableWriter.class, ChildProcess.class, LZ4Factory.class,
            DirectBuffer.class, Histogram.class)) {
            path.append(File.pathSeparator)
                .append(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()));
        }
        return path.toString();
    }
}
