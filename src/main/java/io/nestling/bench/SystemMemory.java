/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import com.sun.management.HotSpotDiagnosticMXBean;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The memory available to this process, in bytes: heap, the part of it in use, what the system has available (empty if unknown),
 * and the limit of direct buffers.
 */
record SystemMemory(long heapBytes, long usedHeapBytes, OptionalLong availableBytes, long directBufferBytes) {
    private static final Path SYSTEM = Path.of("/proc/meminfo");
    private static final List<Path[]> GROUPS = List.of(
        new Path[] {Path.of("/sys/fs/cgroup/memory.max"), Path.of("/sys/fs/cgroup/memory.current")},
        new Path[] {Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
            Path.of("/sys/fs/cgroup/memory/memory.usage_in_bytes")});
    private static final int KIB_SHIFT = 10;

    /** Returns the current state. */
    static SystemMemory now() {
        final Runtime runtime = Runtime.getRuntime();
        return new SystemMemory(runtime.maxMemory(), runtime.totalMemory() - runtime.freeMemory(), available(),
            directLimit(runtime));
    }

    /** Returns the available memory of the system or, if that is less, of this process's control group. */
    private static OptionalLong available() {
        OptionalLong least = ofSystem("MemAvailable");
        for (final Path[] group : GROUPS) {
            final OptionalLong limit = number(group[0]);
            final OptionalLong used = number(group[1]);
            if (limit.isPresent() && used.isPresent()) {
                final long left = Math.max(0, limit.getAsLong() - used.getAsLong());
                least = OptionalLong.of(Math.min(left, least.orElse(left)));
            }
        }
        return least;
    }

    /** Returns the value of a line of the system's memory table, in bytes. */
    static OptionalLong ofSystem(final String name) {
        try {
            return Files.readAllLines(SYSTEM).stream().filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << KIB_SHIFT).findFirst();
        } catch (final IOException e) {
            return OptionalLong.empty();
        }
    }

    private static OptionalLong number(final Path file) {
        try {
            final String text = Files.readString(file).strip();
            return text.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
        } catch (final IOException e) {
            return OptionalLong.empty();
        }
    }

    /** Returns the limit of direct buffers, which is that of the heap unless an option sets it. */
    private static long directLimit(final Runtime runtime) {
        final long limit = Long.parseLong(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .getVMOption("MaxDirectMemorySize").getValue());
        return limit > 0 ? limit : runtime.maxMemory();
    }
}
