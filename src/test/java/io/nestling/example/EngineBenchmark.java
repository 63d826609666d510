/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import io.nestling.sstable.LiveTableSet;
import io.nestling.sstable.TableSet;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Measures the writes of {@link ExampleEngine}, or of the same engine on the JDK's skip list. */
final class EngineBenchmark {
    private static final int VALUE_BYTES = 100;
    private static final int WRITERS = 2;
    private static final int SHARDS = 4;
    private static final long MEMTABLE_BYTES = 128L << 20;
    private static final int SAMPLES = 1_000;
    private static final double MILLION = 1e6;

    private EngineBenchmark() {
    }

    /** An engine under test. */
    private interface Puts extends AutoCloseable {
        void put(byte[] key, byte[] value) throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Takes {@code nestling} or {@code jdk_skip_list}, an empty directory, and the number of entries. */
    public static void main(final String[] args) throws Exception {
        measure(args[0], Path.of(args[1]), Integer.parseInt(args[2]));
    }

    private static Puts open(final String engine, final Path directory) throws IOException {
        final ExampleEngine.Options options = new ExampleEngine.Options(MEMTABLE_BYTES, SHARDS, false);
        if (engine.equals("jdk_skip_list")) {
            final SkipListEngine list = new SkipListEngine(directory, options);
            return new Puts() {
                @Override
                public void put(final byte[] key, final byte[] value) throws IOException {
                    list.put(key, value);
                }

                @Override
                public void close() throws IOException {
                    list.close();
                }
            };
        }
        if (!engine.equals("nestling")) {
            throw new IllegalArgumentException("expected nestling or jdk_skip_list but was " + engine);
        }
        final ExampleEngine memtables = new ExampleEngine(directory, options);
        return new Puts() {
            @Override
            public void put(final byte[] key, final byte[] value) throws IOException {
                memtables.put(key, value);
            }

            @Override
            public void close() throws IOException {
                memtables.close();
            }
        };
    }

    private static void measure(final String name, final Path directory, final int entries) throws Exception {
        final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        final long start = System.nanoTime();
        final long written;
        try (Puts engine = open(name, directory)) {
            final List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                final int first = i;
                writers.add(threads.submit(() -> {
                    final byte[] value = new byte[VALUE_BYTES];
                    for (int entry = first; entry < entries; entry += WRITERS) {
                        fill(value, entry);
                        engine.put(key(entry), value);
                    }
                    return null;
                }));
            }
            for (final Future<?> writer : writers) {
                writer.get();
            }
            written = System.nanoTime() - start;
        } finally {
            threads.shutdownNow();
        }
        final long closed = System.nanoTime() - start;
        long collections = 0;
        long millis = 0;
        for (final GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += collector.getCollectionCount();
            millis += collector.getCollectionTime();
        }
        final Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
        check(directory, entries);
        System.out.printf(Locale.ROOT, "%-14s %,d entries of 8 + %d bytes: %.3f M puts/s, %.3f until all is in tables; "
            + "%.0f s of processors; %d collections, %d ms%n", name, entries, VALUE_BYTES, entries * 1e9 / written / MILLION,
            entries * 1e9 / closed / MILLION, cpu.toMillis() / 1e3, collections, millis);
    }

    private static byte[] key(final int entry) {
        return ByteBuffer.allocate(Long.BYTES).putLong(new SplittableRandom(entry).nextLong()).array();
    }

    /** Sets bytes that do not compress. */
    private static void fill(final byte[] value, final int entry) {
        final SplittableRandom random = new SplittableRandom(~entry);
        final ByteBuffer buffer = ByteBuffer.wrap(value);
        while (buffer.remaining() >= Long.BYTES) {
            buffer.putLong(random.nextLong());
        }
    }

    private static void check(final Path directory, final int entries) throws IOException {
        try (LiveTableSet tables = LiveTableSet.open(directory); TableSet all = tables.acquire()) {
            final byte[] value = new byte[VALUE_BYTES];
            for (int i = 0; i < SAMPLES; i++) {
                final int entry = (int) ((long) i * entries / SAMPLES);
                fill(value, entry);
                if (!Arrays.equals(value, all.get(key(entry)))) {
                    throw new IllegalStateException("entry " + entry + " is lost");
                }
            }
        }
    }
}
