/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Processor times of a Java process on Linux, in steps of 10 ms.
 *
 * @param total microseconds of all threads, also of those that have ended
 * @param compilation microseconds of the compilers' threads
 * @param collection microseconds of the collector's threads
 */
record ProcessTimes(long total, long compilation, long collection) {
    private static final long TICK_MICROS = 10_000;
    private static final List<String> COMPILERS = List.of("C1 Compiler", "C2 Compiler", "Sweeper");
    private static final List<String> COLLECTORS = List.of("GC Thread", "G1 ", "VM Thread");

    /** Returns the times of a process up to now. */
    static ProcessTimes of(final long pid) {
        final Path process = Path.of("/proc", String.valueOf(pid));
        long compilation = 0;
        long collection = 0;
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            for (final Path thread : (Iterable<Path>) threads::iterator) {
                final String stat = read(thread.resolve("stat"));
                final String name = stat.substring(stat.indexOf('(') + 1, Math.max(1, stat.lastIndexOf(')')));
                if (COMPILERS.stream().anyMatch(name::startsWith)) {
                    compilation += micros(stat);
                } else if (COLLECTORS.stream().anyMatch(name::startsWith)) {
                    collection += micros(stat);
                }
            }
            return new ProcessTimes(micros(Files.readString(process.resolve("stat"))), compilation, collection);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the text of a thread's file; of one that has ended, a line without a name. */
    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            return "()";
        }
    }

    /** Returns user and system time, the 14th and 15th field; the second is a name in brackets, which may contain spaces. */
    private static long micros(final String stat) {
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_MICROS;
    }

    /** Returns the times between others and these. */
    ProcessTimes since(final ProcessTimes before) {
        return new ProcessTimes(total - before.total, compilation - before.compilation, collection - before.collection);
    }

    /** Returns the microseconds of all but compilation. */
    long work() {
        return total - compilation;
    }
}
