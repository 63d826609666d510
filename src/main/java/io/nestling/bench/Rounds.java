/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs one workload in rounds. Each round runs all subjects for a given time, in an order rotated from round to round, so
 * that a drift of the machine affects all subjects equally. A subject continues the workload where its last round has ended.
 * A chunk with an unexpected result ends the run.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class Rounds {
    private static final int WARM_UP_SHARE = 4;

    private final String title;
    private final Workload workload;
    private final WorkerThreads workers;
    private final List<SubjectProgress> subjects = new ArrayList<>();
    private final List<ServedPeer> peers;
    private final WorkloadType type;
    private final boolean cpuTime;
    private int rotation;

    /** Prepares the first round. */
    Rounds(
        final String title, final WorkloadType type, final Workload workload, final List<Target> targets,
        final List<ServedPeer> peers, final WorkerThreads workers) {
        this.title = title;
        this.type = type;
        this.workload = workload;
        this.peers = peers;
        this.workers = workers;
        this.cpuTime = workers.cpuTime();
        peers.forEach(ServedPeer::begin);
        for (final Target target : targets) {
            subjects.add(new SubjectProgress(
                target, new Measurement(target.name()), new int[workers.threads()], new long[workers.threads()]));
        }
    }

    /** A subject and its progress. */
    private record SubjectProgress(Target target, Measurement measurement, int[] next, long[] firstSums) {
    }

    /** The work of one thread in a round. */
    private record ThreadResult(long operations, long nanos) {
        double perSecond() {
            return operations * 1e9 / Math.max(1, nanos);
        }
    }

    /**
     * Runs a round: each subject for some time, rounded up to a chunk, and each of its threads for at most {@code maxChunks}
     * chunks.
     */
    void run(final long nanos, final int maxChunks, final boolean counted) {
        final int all = subjects.size() + peers.size();
        for (int i = 0; i < all; i++) {
            final int number = (i + rotation) % all;
            if (number >= subjects.size()) {
                peers.get(number - subjects.size()).run(type, nanos, counted);
                continue;
            }
            final SubjectProgress progress = subjects.get(number);
            final double perSecond = workers.run(thread -> work(progress, thread, nanos, maxChunks)).stream()
                .mapToDouble(ThreadResult::perSecond).sum();
            if (counted) {
                progress.measurement.add(perSecond);
            }
        }
        rotation++;
    }

    private ThreadResult work(final SubjectProgress progress, final int thread, final long nanos, final int maxChunks) {
        try {
            return measure(progress, thread, nanos, maxChunks);
        } catch (final BenchmarkException e) {
            throw e;
        } catch (final RuntimeException | OutOfMemoryError e) {
            throw new BenchmarkException(progress.target.name() + " failed in workload " + title + ": " + e, e);
        }
    }

    private ThreadResult measure(final SubjectProgress progress, final int thread, final long nanos, final int maxChunks) {
        try (ChunkRunner runner = workload.open(progress.target, thread)) {
            long operations = 0;
            final long begin = WorkerThreads.nanos(cpuTime);
            final long start = System.nanoTime();
            long now = start;
            for (int left = maxChunks; left > 0 && now - start < nanos && hasNext(progress, thread); left--) {
                final int chunk = next(progress, thread);
                check(progress, thread, chunk, runner.run(chunk));
                operations += workload.operations(thread, chunk);
                now = System.nanoTime();
            }
            return new ThreadResult(operations, cpuTime ? WorkerThreads.nanos(true) - begin : now - start);
        }
    }

    private boolean hasNext(final SubjectProgress progress, final int thread) {
        return workload.passes() > 1 || progress.next[thread] < workload.chunks();
    }

    private int next(final SubjectProgress progress, final int thread) {
        final int chunk = progress.next[thread];
        progress.next[thread] = workload.passes() > 1 && chunk + 1 == workload.chunks() ? 0 : chunk + 1;
        return chunk;
    }

    private void check(final SubjectProgress progress, final int thread, final int chunk, final long sum) {
        if (sum != workload.expected(thread, chunk)) {
            throw new BenchmarkException(progress.target.name() + " gave wrong answers in workload " + title, null);
        }
        if (chunk == 0) {
            progress.firstSums[thread] = sum;
        }
    }

    /**
     * Times single operations of each subject in one thread. The first ones do not count: they let the timing code be compiled.
     */
    void timeOperations(final long nanos) {
        subjects.forEach(progress -> timeOperations(progress, nanos / WARM_UP_SHARE));
        subjects.forEach(progress -> progress.measurement.latency(timeOperations(progress, nanos)));
    }

    private LatencyPercentiles timeOperations(final SubjectProgress progress, final long nanos) {
        final Histogram latencies = LatencyPercentiles.newHistogram();
        try (ChunkRunner runner = workload.open(progress.target, 0)) {
            final long start = System.nanoTime();
            do {
                final int chunk = next(progress, 0);
                check(progress, 0, chunk, runner.runTimed(chunk, latencies));
            } while (System.nanoTime() - start < nanos);
        }
        return LatencyPercentiles.of(latencies);
    }

    /** Returns the measurements of the subjects, then those of peers. The checksum is that of each thread's first chunk. */
    List<Measurement> measurements() {
        for (final SubjectProgress progress : subjects) {
            long sum = 0;
            for (final long firstSum : progress.firstSums) {
                sum += firstSum;
            }
            progress.measurement.checksum(sum);
        }
        return Stream.concat(subjects.stream().map(progress -> progress.measurement),
            peers.stream().flatMap(peer -> peer.measurement().stream())).toList();
    }
}
