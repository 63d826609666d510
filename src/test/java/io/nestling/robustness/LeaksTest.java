/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bridge.NativeBridges;
import io.nestling.testing.Effort;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing stays behind: memory, mappings, files, threads and class loaders. Each test is a process of its own, whose figures
 * nothing else disturbs.
 */
@Tag("robustness")
@EnabledOnOs(OS.LINUX)
class LeaksTest {
    private static final int MINUTES = Effort.count(3, 20, 240);

    @TempDir
    private Path directory;

    /** The bridges that load here; in each build the best one alone. */
    private static Set<String> bridges() {
        final Set<String> names = new LinkedHashSet<>(List.of(NativeBridges.get().name()));
        if (Effort.current() == Effort.QUICK) {
            return names;
        }
        if (NativeBridges.get().isNative()) {
            names.add("jni");
        }
        names.add("java");
        return names;
    }

    /**
     * Seen to fail with a slab that is not unmapped (resident memory, mappings), a table that is not closed (files), a
     * memtable that is kept in a static list (resident memory), and a thread that is not stopped (mappings).
     */
    @Test
    void shouldStayFlatOverManyLives() throws Exception {
        int cycles = Effort.count(20, 300, 1000);
        for (final String bridge : bridges()) {
            run(LeakCycles.class, "-Dio.nestling.bridge=" + bridge, directory.toString(), Integer.toString(cycles));
            cycles = Effort.count(20, 50, 1000); // with the other ones
        }
    }

    /** Seen to fail with a static thread local of an own class in place of a pool: all loaders stay alive. */
    @Test
    void shouldLetClassLoadersGo() throws Exception {
        for (final String bridge : bridges()) {
            run(LeakedLoaders.class, "-Dio.nestling.bridge=" + bridge, directory.toString(),
                Integer.toString(Effort.count(2, 4, 100)));
        }
    }

    /** Seen to fail with scratch in thread locals: 22,000 to 240,000 bytes a thread. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void shouldKeepLittleForAVirtualThread() throws Exception {
        run(LeakingVirtualThreads.class, "-Dvirtual=true", Integer.toString(Effort.count(500, 2000, 10_000)));
    }

    /** Runs a main class, which says what it found and ends with 0 if that is right. */
    private void run(final Class<?> main, final String flag, final String... arguments) throws Exception {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m", "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", flag));
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
            assertTrue(process.waitFor(MINUTES, TimeUnit.MINUTES), () -> "no end after " + MINUTES + " min: " + command);
        } finally {
            process.destroyForcibly();
        }
        final String said = Files.readString(out, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), () -> String.join(" ", command) + "\n" + said);
    }

    /** Where this process has the classes from, whatever its class loaders. */
    private static String classPath() throws URISyntaxException {
        final Set<String> path =
            new LinkedHashSet<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
        for (final Class<?> type : List.of(NativeBridges.class, LeaksTest.class)) {
            path.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        return String.join(File.pathSeparator, path);
    }
}
