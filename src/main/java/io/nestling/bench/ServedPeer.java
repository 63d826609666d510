/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.bench.PeerProcess.PeerException;
import io.nestling.workload.DatasetException;
import io.nestling.workload.KeyFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A peer behind the line protocol in a run. One that dies, hangs, or says what it should not is reported once and takes no
 * further part.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class ServedPeer implements AutoCloseable {
    /** The commands of workloads that the protocol knows. */
    static final Map<WorkloadType, String> COMMANDS = new EnumMap<>(Map.of(
        WorkloadType.LOAD, "load", WorkloadType.C, "get", WorkloadType.GET_MISS, "miss", WorkloadType.GET_DEPENDENT, "dep",
        WorkloadType.SEEK, "seek", WorkloadType.SCAN, "scan", WorkloadType.ITERATE, "iter"));

    /* Words between the numbers, and what follows them, are for people. */
    private static final Pattern BYTES = Pattern.compile("BYTES +(\\S+) +(?:records +)?(\\S+).*");
    private static final double NANOS = 1e9;
    private static final double MAX_BYTES = 1e9;
    private static final long NANOS_A_KEY = 20_000;
    /* What the clocks of two processes may differ by. */
    private static final double CLOCK_SECONDS = 0.005;

    private final PeerCommand command;
    private final boolean cpuTime;
    private final Consumer<String> failures;
    private PeerProcess process;
    private Path keyFile;
    private int keys;
    private Measurement measurement;
    private double[] bytes;
    private boolean failed;

    /** Creates a peer that is not started. {@code failures} receives the reason if it takes no further part. */
    ServedPeer(final PeerCommand command, final boolean cpuTime, final Consumer<String> failures) {
        this.command = command;
        this.cpuTime = cpuTime;
        this.failures = failures;
    }

    /** An answer {@code OPERATIONS CPU WALL}. */
    private record Answer(long operations, double cpu, double wall) {
    }

    private interface Step {
        void run() throws PeerException;
    }

    /** Writes the keys to load, and behind them absent ones, to a file. */
    static Path writeKeys(final KeyMaterial material) throws DatasetException {
        Path file = null;
        boolean written = false;
        try {
            file = Files.createTempFile("nestling-bench", ".keys");
            file.toFile().deleteOnExit(); // if the run is stopped
            KeyFile.write(file, material.keys(), material.absent(SubjectServer.MAX_OTHER_KEYS));
            written = true;
            return file;
        } catch (final DatasetException e) {
            throw e;
        } catch (final IOException e) {
            throw new BenchmarkException("the keys of peers cannot be written: " + e, e);
        } finally {
            if (!written) {
                deleteKeys(file);
            }
        }
    }

    /** Deletes a file of keys, unless it is null; what cannot be deleted now is when the program ends. */
    static void deleteKeys(final Path file) {
        if (file != null) {
            file.toFile().delete();
        }
    }

    /** Begins a load of the first keys of a file. */
    void begin(final Path file, final int count) {
        keyFile = file;
        keys = count;
        begin();
    }

    /** Begins a workload. */
    void begin() {
        measurement = new Measurement(command.name());
    }

    /** Returns the measurement of the workload since {@link #begin}; empty if the peer has failed or cannot do it. */
    Optional<Measurement> measurement() {
        return failed || measurement.isEmpty() ? Optional.empty() : Optional.of(measurement);
    }

    /** Starts a new process, which loads the keys. */
    void load(final boolean counted) {
        attempt(() -> {
            close();
            process = new PeerProcess(command, keyFile, keys);
            if (!process.answer("start", patience()).equals("READY")) {
                throw process.unexpected("READY", "start");
            }
            final Answer answer = ask("load", keys, 0);
            if (answer.operations != keys) {
                throw process.unexpected(keys + " operations", "load " + keys);
            }
            add(answer, counted);
            bytes = bytes();
            measurement.bytes(bytes[0], bytes[0] + bytes[1]);
        });
    }

    /** Runs a workload on the loaded keys for a time. */
    void run(final WorkloadType type, final long nanos, final boolean counted) {
        final String word = COMMANDS.get(type);
        if (word != null) {
            attempt(() -> {
                final Answer answer = ask(word, Math.max(1, nanos) / NANOS, nanos);
                if (answer.operations > 0) {
                    add(answer, counted);
                    measurement.bytes(bytes[0], bytes[0] + bytes[1]);
                }
            });
        }
    }

    private void attempt(final Step step) {
        if (failed) {
            return;
        }
        try {
            step.run();
        } catch (final PeerException e) {
            failed = true;
            close();
            failures.accept(e.getMessage());
        }
    }

    private long patience() {
        return TimeUnit.SECONDS.toNanos(command.patienceSeconds()) + keys * NANOS_A_KEY;
    }

    private void add(final Answer answer, final boolean counted) {
        if (counted) {
            measurement.add(answer.operations / (cpuTime ? answer.cpu : answer.wall));
        }
    }

    private Answer ask(final String word, final double argument, final long nanos) throws PeerException {
        final String asked = word + " " + (nanos == 0 ? String.valueOf((long) argument)
            : String.format(Locale.ROOT, "%.6f", argument));
        final long start = System.nanoTime();
        final String[] words = process.ask(asked, nanos + patience()).split(" +");
        final double seconds = (System.nanoTime() - start) / NANOS;
        try {
            if (words.length == 3) {
                final Answer answer =
                    new Answer(Long.parseLong(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
                if (isPossible(answer, nanos / NANOS, seconds)) {
                    return answer;
                }
            }
        } catch (final NumberFormatException e) {
            // refused below
        }
        throw process.unexpected(String.format(Locale.ROOT,
            "operations, processor time and wall time of %.3f to %.3f s, or 0 0 0", nanos / NANOS / 2, seconds), asked);
    }

    /** Returns whether a peer that was asked for a time, and answered after another one, may have measured this. */
    private boolean isPossible(final Answer answer, final double asked, final double passed) {
        if (answer.operations == 0) {
            return answer.cpu == 0 && answer.wall == 0;
        }
        return answer.operations > 0 && answer.cpu >= 0 && answer.cpu <= passed + CLOCK_SECONDS
            && (cpuTime ? answer.cpu : answer.wall) > 0 && answer.wall >= asked / 2 && answer.wall <= passed + CLOCK_SECONDS;
    }

    private double[] bytes() throws PeerException {
        final Matcher words = BYTES.matcher(process.ask("bytes 0", patience()));
        try {
            if (words.matches()) {
                final double[] numbers = {Double.parseDouble(words.group(1)), Double.parseDouble(words.group(2))};
                if (numbers[0] >= 0 && numbers[1] >= 0 && numbers[0] + numbers[1] < MAX_BYTES) {
                    return numbers;
                }
            }
        } catch (final NumberFormatException e) {
            // refused below
        }
        throw process.unexpected("BYTES and two numbers", "bytes 0");
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
            process = null;
        }
    }
}
