/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.workload.KeySet;
import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Loads subjects with keys in rounds. Each round creates all subjects anew, in a rotated order. The subjects of the last
 * round stay open.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class LoadRounds implements AutoCloseable {
    private static final int CHECKED_KEYS = 1 << 16;
    private static final int WARM_UP_KEYS = 1 << 16;

    private final String title;
    private final WorkloadType type;
    private final Optional<FlushWorkload> flush;
    private final KeySet keys;
    private final int[] payloads;
    private final WorkerThreads workers;
    private final List<SubjectFactory> factories;
    private final List<Measurement> measurements = new ArrayList<>();
    private final Subject[] subjects;
    private final boolean[] leftOut;
    private final List<String> refusals = new ArrayList<>();
    private int rotation;

    /** Prepares the first round of a load. A flush is measured in place of the load, once all keys are loaded. */
    LoadRounds(
        final String title, final WorkloadType type, final KeySet keys, final Optional<FlushWorkload> flush,
        final List<SubjectFactory> factories, final WorkerThreads workers) {
        this.title = title;
        this.type = type;
        this.flush = flush;
        this.keys = keys;
        this.payloads = Payloads.of(keys);
        this.factories = factories;
        this.workers = workers;
        this.subjects = new Subject[factories.size()];
        this.leftOut = new boolean[factories.size()];
        factories.forEach(factory -> measurements.add(new Measurement(factory.subjectName())));
    }

    /** Creates each subject and loads few keys, twice, so that the code is compiled. */
    void warmUp() {
        final int count = Math.min(keys.size(), WARM_UP_KEYS);
        for (int i = 0; i < 2 * factories.size(); i++) {
            attempt(i % factories.size(), number -> {
                make(number);
                fill(number, count);
                close(number);
            });
        }
    }

    /** Runs a round, in which peers that are programs take their turns. */
    void round(final boolean counted, final List<ServedPeer> peers) {
        final int all = factories.size() + peers.size();
        for (int i = 0; i < all; i++) {
            final int turn = (i + rotation) % all;
            if (turn >= factories.size()) {
                peers.get(turn - factories.size()).load(counted);
                continue;
            }
            attempt(turn, number -> {
                open(number);
                long nanos = fill(number, keys.size());
                long operations = keys.size() + (long) keys.size() * type.lookups() / type.inserts();
                if (flush.isPresent()) {
                    nanos = flush(number, flush.get());
                    if (factories.get(number).movedByCollector()) {
                        System.gc();
                        nanos = Math.min(nanos, flush(number, flush.get()));
                    }
                    operations = keys.size();
                }
                final double perSecond = operations * 1e9 / Math.max(1, nanos);
                if (counted) {
                    measurements.get(number).add(perSecond);
                }
                finish(number);
            });
        }
        rotation++;
    }

    /**
     * Loads each subject anew in one thread and times each insert. A first pass with few keys, which do not count, lets the
     * timing code be compiled.
     */
    void timeOperations() {
        final int few = Math.min(keys.size(), WARM_UP_KEYS);
        for (int i = 0; i < factories.size(); i++) {
            attempt(i, number -> {
                open(number);
                check(number, timedPuts(subjects[number].index(), few, LatencyPercentiles.newHistogram()), few);
            });
        }
        for (int i = 0; i < factories.size(); i++) {
            attempt(i, number -> {
                open(number);
                final Histogram latencies = LatencyPercentiles.newHistogram();
                check(number, timedPuts(subjects[number].index(), keys.size(), latencies), keys.size());
                measurements.get(number).latency(LatencyPercentiles.of(latencies));
                finish(number);
            });
        }
    }

    /** Runs work on a subject, unless it was left out. Leaves it out if it has no space for the keys or refuses them. */
    private void attempt(final int number, final IntConsumer work) {
        if (leftOut[number]) {
            return;
        }
        try {
            work.accept(number);
        } catch (final SpaceExhaustedException | IllegalArgumentException e) {
            close(number);
            leftOut[number] = true;
            refusals.add(factories.get(number).subjectName() + " is left out, it cannot take the keys of workload "
                + title + ": " + e.getMessage());
        } catch (final BenchmarkException e) {
            throw e;
        } catch (final RuntimeException | OutOfMemoryError e) {
            throw new BenchmarkException(factories.get(number).subjectName() + " failed in workload " + title + ": " + e, e);
        }
    }

    private void open(final int number) {
        close(number);
        // This round does not pay for the garbage of the previous one.
        System.gc();
        make(number);
    }

    private void make(final int number) {
        subjects[number] = factories.get(number).create(keys.size(), keys.keyBytes(), keys.commonLength());
    }

    private void close(final int number) {
        if (subjects[number] != null) {
            subjects[number].close();
            subjects[number] = null;
        }
    }

    private void finish(final int number) {
        measurements.get(number).checksum(readBack(number));
        measurements.get(number).bytes(subjects[number], keys.size());
    }

    /** Flushes a subject and returns the time in nanoseconds. */
    private long flush(final int number, final FlushWorkload workload) {
        final long start = WorkerThreads.nanos(workers.cpuTime());
        try (ChunkRunner runner = workload.open(target(number), 0)) {
            if (runner.run(0) != workload.expected(0, 0)) {
                throw wrong(number);
            }
        }
        return WorkerThreads.nanos(workers.cpuTime()) - start;
    }

    /** Replaces a loaded subject by one that is filled anew, so that there was no full collection since. */
    Target refill(final Target target) {
        final int refilled = factories.indexOf(target.factory());
        attempt(refilled, number -> {
            open(number);
            fill(number, keys.size());
        });
        if (leftOut[refilled]) {
            throw new BenchmarkException(refusals.get(refusals.size() - 1), null);
        }
        return target(refilled);
    }

    private Target target(final int number) {
        return new Target(factories.get(number), subjects[number], workers.threads());
    }

    /**
     * Puts the first keys into a subject; threads take turns if it takes only one writer. Returns the nanoseconds from begin to
     * end, or the processor time of a thread on average.
     */
    private long fill(final int number, final int count) {
        final Target target = target(number);
        final AtomicInteger next = new AtomicInteger();
        final LongAdder cpuNanos = new LongAdder();
        final long start = System.nanoTime();
        final List<Long> sums = workers.run(thread -> {
            final long begin = WorkerThreads.nanos(true);
            final long sum = fill(new LoadWorker(target, keys, payloads, type, thread), count, next);
            cpuNanos.add(WorkerThreads.nanos(true) - begin);
            return sum;
        });
        final long nanos = System.nanoTime() - start;
        check(number, sums.stream().mapToLong(Long::longValue).sum(), count);
        return workers.cpuTime() ? cpuNanos.sum() / workers.threads() : nanos;
    }

    private static long fill(final LoadWorker worker, final int count, final AtomicInteger next) {
        long sum = 0;
        for (int from = next.getAndAdd(LoadWorker.CHUNK); from < count; from = next.getAndAdd(LoadWorker.CHUNK)) {
            sum += worker.run(from, Math.min(count, from + LoadWorker.CHUNK));
        }
        return sum;
    }

    private long timedPuts(final PointIndex index, final int count, final Histogram histogram) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            final long start = System.nanoTime();
            sum += index.put(keys.array(i), keys.offset(i), keys.length(i), payloads[i]);
            histogram.recordValue(Math.max(0, System.nanoTime() - start));
        }
        return sum;
    }

    /** Checks that no put found its key. */
    private void check(final int number, final long sum, final int count) {
        if (sum != count * PointIndex.NONE) {
            throw wrong(number);
        }
    }

    /** Reads a sample of the keys, one by one, and returns the sum of their payloads. */
    private long readBack(final int number) {
        final PointIndex index = subjects[number].index();
        if (index.entryCount() != keys.size()) {
            throw wrong(number);
        }
        final int step = Math.max(1, keys.size() / CHECKED_KEYS);
        long sum = 0;
        for (int i = 0; i < keys.size(); i += step) {
            final long payload = index.get(keys.array(i), keys.offset(i), keys.length(i));
            if (payload != payloads[i]) {
                throw wrong(number);
            }
            sum += payload;
        }
        return sum;
    }

    private BenchmarkException wrong(final int number) {
        return new BenchmarkException(factories.get(number).subjectName() + " gave wrong answers in workload " + title, null);
    }

    /** Returns the measurements in the order of the subjects, without those that were left out. */
    List<Measurement> measurements() {
        return IntStream.range(0, subjects.length).filter(i -> !leftOut[i]).mapToObj(measurements::get).toList();
    }

    /** Returns the names of the subjects that were left out, with the reason. */
    List<String> refusals() {
        return refusals;
    }

    /** Returns the subjects of the last round, which this object closes. */
    List<Target> targets() {
        return IntStream.range(0, subjects.length).filter(i -> !leftOut[i]).mapToObj(this::target).toList();
    }

    @Override
    public void close() {
        for (int i = 0; i < subjects.length; i++) {
            close(i);
        }
    }
}
