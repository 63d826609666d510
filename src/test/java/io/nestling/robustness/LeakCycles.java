/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.catalog.IndexType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** Main class of a process: many lives of memtables, after which it has what it had after a few. */
final class LeakCycles {
    private static final int WARM_UP = 12;
    private static final int COLLECTIONS = 4;
    private static final long KIB = 1024;
    /* What a virtual machine takes by and by: code, classes, pools of its own. One leak a life is more, by far. */
    private static final long SPARE_RESIDENT_BYTES = 16 * KIB * KIB;
    private static final long SPARE_ADDRESS_BYTES = 48 * KIB * KIB;
    private static final long SPARE_HEAP_BYTES = 64 * KIB;
    private static final int SPARE_MAPPINGS = 16;
    /* The virtual machine itself opens one now and then. */
    private static final int SPARE_FILES = 4;
    private static final ExecutorService OTHER = Executors.newSingleThreadExecutor(work -> {
        final Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });

    private LeakCycles() {
    }

    /** What the process has. */
    private record Figures(long resident, long addresses, int mappings, int threads, long heap) {
        static Figures now() throws IOException, InterruptedException {
            final Runtime runtime = Runtime.getRuntime();
            long heap = Long.MAX_VALUE;
            for (int i = 0; i < COLLECTIONS; i++) {
                System.gc();
                Thread.sleep(400); // idle threads end after a second
                heap = Math.min(heap, runtime.totalMemory() - runtime.freeMemory());
            }
            final List<String> status = Files.readAllLines(Path.of("/proc/self/status"));
            return new Figures(KIB * number(status, "VmRSS:"), KIB * number(status, "VmSize:"),
                Files.readAllLines(Path.of("/proc/self/maps")).size(), count("/proc/self/task"), heap);
        }

        private static long number(final List<String> lines, final String name) {
            return lines.stream().filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElseThrow();
        }

        private static int count(final String directory) throws IOException {
            try (Stream<Path> files = Files.list(Path.of(directory))) {
                return (int) files.count();
            }
        }
    }

    /**
     * Runs the cycles.
     *
     * @param args directory for tables; number of cycles
     */
    public static void main(final String[] args) throws Exception {
        final Path directory = Files.createDirectories(Path.of(args[0], "tables-" + ProcessHandle.current().pid()));
        final int cycles = Integer.parseInt(args[1]);
        run(directory, 0, 1, Short.MAX_VALUE);
        System.gc(); // closes what is not closed and not in use
        Thread.sleep(500);
        final int files = Figures.count("/proc/self/fd");
        run(directory, 1, WARM_UP, files);
        final Figures before = Figures.now();
        run(directory, WARM_UP, WARM_UP + cycles, files);
        final Figures after = Figures.now();
        System.out.printf(Locale.ROOT, "%d cycles%nbefore %s%nafter  %s%n", cycles, before, after);
        atMost("resident bytes", after.resident, before.resident + SPARE_RESIDENT_BYTES);
        atMost("bytes of addresses", after.addresses, before.addresses + SPARE_ADDRESS_BYTES);
        atMost("mappings", after.mappings, before.mappings + SPARE_MAPPINGS);
        atMost("threads", after.threads, before.threads);
        atMost("heap bytes", after.heap, before.heap + SPARE_HEAP_BYTES);
    }

    /* Two threads that stay, as what a thread keeps of memtables that are gone would add up. */
    private static void run(final Path directory, final int from, final int to, final int files) throws Exception {
        for (int cycle = from; cycle < to; cycle++) {
            for (final IndexType index : IndexType.values()) {
                final int number = cycle;
                MemtableLife.live(index, directory, number);
                OTHER.submit(() -> {
                    MemtableLife.live(index, directory, number + 1);
                    return null;
                }).get();
            }
            // Before the next collection, which closes files that nobody refers to.
            atMost("open files", Figures.count("/proc/self/fd"), files + SPARE_FILES);
        }
    }

    private static void atMost(final String what, final long is, final long limit) {
        MemtableLife.check(is <= limit, "at most " + limit + " " + what + " but " + is);
    }
}
