/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bridge.NativeBridges;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A virtual machine of its own for a main class, whose figures nothing else disturbs. */
final class ChildJvm {
    private ChildJvm() {
    }

    /**
     * Runs a main class, which says what it found and ends with 0 if that is right.
     *
     * @return what it said
     */
    static String run(
        final Path directory, final int minutes, final Class<?> main, final List<String> flags, final String... arguments)
            throws Exception {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(flags);
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(List.of(arguments));
        final Path out = Files.createTempFile(directory, "out", ".txt");
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().put("MALLOC_ARENA_MAX", "1"); // else each thread may reserve 64 MiB of addresses
        final Process process = builder.start();
        try {
            assertTrue(process.waitFor(minutes, TimeUnit.MINUTES), () -> "no end after " + minutes + " min: " + command);
        } finally {
            process.destroyForcibly();
        }
        final String said = Files.readString(out, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), () -> String.join(" ", command) + "\n" + said);
        return said;
    }

    /** Where this process has the classes from, whatever its class loaders. */
    private static String classPath() throws URISyntaxException {
        final Set<String> path =
            new LinkedHashSet<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
        for (final Class<?> type : List.of(NativeBridges.class, ChildJvm.class)) {
            path.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        return String.join(File.pathSeparator, path);
    }
}
