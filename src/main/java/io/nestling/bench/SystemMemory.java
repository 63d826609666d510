/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What memory this process can have.
 *
 * @param heapBytes largest Java heap
 * @param usedHeapBytes heap that was taken from the system already, and is in use
 * @param availableBytes memory that the system can still give; empty if it does not tell
 * @param directBufferBytes limit of direct buffers
 */
record SystemMemory(long heapBytes, long usedHeapBytes, OptionalLong availableBytes, long directBufferBytes) {
    private static final Path SYSTEM = Path.of("/proc/meminfo");
    private static final List<Path[]> GROUPS = List.of(
        new Path[] {Path.of("/sys/fs/cgroup/memory.max"), Path.of("/sys/fs/cgroup/memory.current")},
        new Path[] {Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
            Path.of("/sys/fs/cgroup/memory/memory.usage_in_bytes")});
    private static final String DIRECT_LIMIT = "-XX:MaxDirectMemorySize=";
    private static final int KIB_SHIFT = 10;

    /** As it is now. */
    static SystemMemory now() {
        final Runtime runtime = Runtime.getRuntime();
        return new SystemMemory(runtime.maxMemory(), runtime.totalMemory() - runtime.freeMemory(), available(),
            directLimit(ManagementFactory.getRuntimeMXBean().getInputArguments()).orElse(runtime.maxMemory()));
    }

    /** What the system has left, and the control group of this process if it limits more. */
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

    /** A line of the system's memory table, in bytes. */
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

    /** The limit of direct buffers that a flag sets. */
    static Optional<Long> directLimit(final List<String> flags) {
        return flags.stream().filter(flag -> flag.startsWith(DIRECT_LIMIT)).reduce((first, last) -> last)
            .map(flag -> bytes(flag.substring(DIRECT_LIMIT.length()).toLowerCase(Locale.ROOT)))
            .filter(bytes -> bytes > 0);
    }

    private static long bytes(final String size) {
        final int unit = "kmgt".indexOf(size.charAt(size.length() - 1));
        final long number = Long.parseLong(unit < 0 ? size : size.substring(0, size.length() - 1));
        return number << KIB_SHIFT * (unit + 1);
    }
}
