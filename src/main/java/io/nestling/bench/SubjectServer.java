/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeyFile;
import io.nestling.workload.KeySet;
import io.nestling.workload.RequestDistribution;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Serves one subject by a line protocol, so that a program in any language can measure it beside others: each line is a command
 * with an argument, such as {@code get 0.5}, and is answered by one line. docs/benchmarks/README.md has the commands.
 * <h2>Thread safety</h2>
 * One thread.
 */
public final class SubjectServer implements AutoCloseable {
    /** Fewest keys. */
    static final int MIN_KEYS = 1024;
    /** Most keys behind the loaded ones that are used, for misses and to warm up. */
    static final int MAX_OTHER_KEYS = 200_000;

    private static final String CANNOT = "0 0 0";
    private static final double NANOS = 1e9;
    private static final int WARM_UP_ROUNDS = 3;
    private static final int LOADS_OF_WARM_UP = 200;

    private final Target target;
    private final KeyMaterial material;
    private final WorkloadFactory workloads;
    private final KeySet others;
    private final Map<WorkloadType, Run> runs = new EnumMap<>(WorkloadType.class);
    private int loaded;
    private boolean checked;

    /** A workload that goes on where it was. */
    private static final class Run {
        private final Workload workload;
        private final ChunkRunner runner;
        private int chunk;

        Run(final Workload workload, final Target target) {
            this.workload = workload;
            this.runner = workload.open(target, 0);
        }

        /** Runs the next chunk; returns the number of its operations. */
        int next() {
            final long sum = runner.run(chunk);
            final long expected = workload.expected(0, chunk);
            if (sum != expected) {
                throw new BenchmarkException("expected a sum of " + expected + " in chunk " + chunk + " but was " + sum, null);
            }
            final int operations = workload.operations(0, chunk);
            chunk = (chunk + 1) % workload.chunks();
            return operations;
        }
    }

    private SubjectServer(final SubjectFactory factory, final KeyFile keys, final int count)
        throws DatasetException {
        this.material = new KeyMaterial(keys, count, 0);
        this.workloads = new WorkloadFactory(material, RequestDistribution.UNIFORM, 1, 1);
        this.others = keys.absentKeys((int) Math.min(MAX_OTHER_KEYS, keys.maxKeys() - count), material.keys());
        final KeySet all = material.keys();
        this.target = new Target(factory, factory.create(all.size(), all.keyBytes(), all.commonLength()), 1);
    }

    /**
     * Warms up with keys behind the first ones, says {@code READY}, and answers commands until {@code q} or the end of the input;
     * returns whether no answer was wrong. There are three warm-ups, in which each operation takes {@code warmUpSeconds}. Throws
     * an {@link IllegalArgumentException} if the number of keys to load is below 1024 or above that of the data set.
     */
    public static boolean serve(
        final SubjectFactory factory, final KeyFile keys, final int count, final double warmUpSeconds,
        final BufferedReader in, final PrintStream out) throws IOException {
        if (count < MIN_KEYS || count > keys.maxKeys()) {
            throw new IllegalArgumentException(
                "expected " + MIN_KEYS + " to " + keys.maxKeys() + " keys, those of " + keys.name() + ", but was " + count);
        }
        try {
            warmUp(factory, keys.behind(count, MAX_OTHER_KEYS), warmUpSeconds);
            try (SubjectServer server = new SubjectServer(factory, keys, count)) {
                System.gc();
                out.println("READY");
                out.flush();
                for (String line = in.readLine(); line != null && !line.matches("q\\b.*"); line = in.readLine()) {
                    out.println(server.answer(line));
                    out.flush();
                }
            }
            return true;
        } catch (final RuntimeException e) {
            final String problem = e instanceof BenchmarkException ? e.getMessage() : e.toString();
            out.println("ERROR " + problem.lines().findFirst().orElse(""));
            out.flush();
            return false;
        }
    }

    /** Runs every operation on subjects with other keys, until their code is compiled. */
    private static void warmUp(final SubjectFactory factory, final KeyFile keys, final double seconds)
        throws DatasetException {
        final int count = (int) keys.maxKeys() / 4 * 3;
        if (count < MIN_KEYS) {
            return;
        }
        for (int round = 0; round < WARM_UP_ROUNDS; round++) {
            try (SubjectServer server = new SubjectServer(factory, keys, count)) {
                while (server.loaded < count) {
                    server.load(Math.max(1, count / LOADS_OF_WARM_UP));
                }
                for (final String command : new String[] {"get", "dep", "miss", "seek", "scan", "iter"}) {
                    server.timed(command, seconds);
                }
            }
        }
    }

    private String answer(final String line) throws DatasetException {
        final String[] words = line.trim().split("\\s+");
        final double argument = words.length > 1 ? number(words[1]) : 0;
        try {
            switch (words[0]) {
                case "load":
                    return load((int) argument);
                case "bytes":
                    return bytes();
                default:
                    return timed(words[0], argument);
            }
        } catch (final BenchmarkException e) {
            throw new BenchmarkException(words[0] + ": " + e.getMessage(), e);
        }
    }

    private static double number(final String word) {
        try {
            final double number = Double.parseDouble(word);
            if (number >= 0 && number <= Integer.MAX_VALUE) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // refused below
        }
        throw new BenchmarkException("expected a number of 0 to " + Integer.MAX_VALUE + " but was '" + word + "'", null);
    }

    private String load(final int most) {
        final KeySet keys = material.keys();
        final int from = loaded;
        final int to = (int) Math.min(keys.size(), from + (long) most);
        final Clock clock = new Clock();
        for (; loaded < to; loaded++) {
            final long previous = target.index().put(
                keys.array(loaded), keys.offset(loaded), keys.length(loaded), material.payloads()[loaded]);
            if (previous != PointIndex.NONE) {
                throw new BenchmarkException("key " + loaded + " was there before it was put", null);
            }
        }
        return clock.answer(to - from);
    }

    private String bytes() {
        final double index = (double) target.subject().indexBytes() / Math.max(1, loaded);
        final double all = (double) target.subject().totalBytes() / Math.max(1, loaded);
        return String.format(Locale.ROOT, "BYTES %.2f %.2f", index, all - index);
    }

    private String timed(final String command, final double seconds) throws DatasetException {
        final WorkloadType type = ServedPeer.COMMANDS.entrySet().stream().filter(entry -> entry.getValue().equals(command))
            .map(Map.Entry::getKey).findFirst().orElseThrow(() -> new BenchmarkException(
                "expected load, get, dep, miss, seek, scan, iter, bytes or q but was '" + command + "'", null));
        if (loaded < material.count()) {
            throw new BenchmarkException("expected " + material.count() + " keys to be loaded but was " + loaded, null);
        }
        final boolean possible = type == WorkloadType.GET_MISS
            ? others.size() >= MIN_KEYS
            : target.factory().ordered() || type == WorkloadType.C || type == WorkloadType.GET_DEPENDENT;
        if (!possible) {
            return CANNOT;
        }
        if (type == WorkloadType.ITERATE && !checked) {
            checkAll();
            checked = true;
        }
        if (!runs.containsKey(type)) {
            runs.put(type, new Run(type == WorkloadType.GET_MISS
                ? new GetWorkload(QueryStream.of(others), GetWorkload.Kind.MISS, 1) : workloads.create(type), target));
        }
        final Run run = runs.get(type);
        final Clock clock = new Clock();
        long operations = 0;
        do {
            operations += run.next();
        } while (clock.wallNanos() < seconds * NANOS);
        return clock.answer(operations);
    }

    /** Compares each key and payload with those of the sorted keys. */
    private void checkAll() {
        final KeySet sorted = material.sorted().keys();
        int i = 0;
        try (EntryCursor cursor = target.ordered().cursor()) {
            for (boolean found = cursor.first(); found; found = cursor.next(), i++) {
                final byte[] key = cursor.key();
                if (i == sorted.size() || !Arrays.equals(key, sorted.key(i))
                    || cursor.payload() != Payloads.of(key, 0, key.length)) {
                    throw new BenchmarkException("expected another entry at " + i + " in key order", null);
                }
            }
        }
        if (i < sorted.size()) {
            throw new BenchmarkException("expected " + sorted.size() + " entries but was " + i, null);
        }
    }

    /** Measures the calling thread. */
    private static final class Clock {
        private final long wall = WorkerThreads.nanos(false);
        private final long cpu = WorkerThreads.nanos(true);

        long wallNanos() {
            return WorkerThreads.nanos(false) - wall;
        }

        String answer(final long operations) {
            return String.format(Locale.ROOT, "%d %.9f %.9f",
                operations, (WorkerThreads.nanos(true) - cpu) / NANOS, wallNanos() / NANOS);
        }
    }

    @Override
    public void close() {
        try {
            runs.values().forEach(run -> run.runner.close());
        } finally {
            target.subject().close();
        }
    }
}
