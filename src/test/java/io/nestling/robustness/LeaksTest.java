/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.bridge.NativeBridges;
import io.nestling.testing.Effort;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
        int cycles = Effort.count(50, 300, 1000);
        for (final String bridge : bridges()) {
            run(LeakCycles.class, "-Dio.nestling.bridge=" + bridge, directory.toString(), Integer.toString(cycles));
            cycles = Effort.count(20, 30, 1000); // with the other ones
        }
    }

    /** Seen to fail with a static thread local of an own class in place of a pool: all loaders stay alive. */
    @Test
    void shouldLetClassLoadersGo() throws Exception {
        for (final String bridge : bridges()) {
            run(LeakedLoaders.class, "-Dio.nestling.bridge=" + bridge, directory.toString(),
                Integer.toString(Effort.count(2, 2, 100)));
        }
    }

    /** Seen to fail with scratch in thread locals: 22,000 to 240,000 bytes a thread. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void shouldKeepLittleForAVirtualThread() throws Exception {
        run(LeakingVirtualThreads.class, "-Dvirtual=true", Integer.toString(Effort.count(500, 2000, 10_000)));
    }

    private void run(final Class<?> main, final String flag, final String... arguments) throws Exception {
        // A busy machine starts compiler threads late, and the test would count them.
        ChildJvm.run(directory, MINUTES, main, List.of("-Xmx512m", "-XX:TieredStopAtLevel=1",
            "-XX:-UseDynamicNumberOfCompilerThreads", flag), arguments);
    }
}
