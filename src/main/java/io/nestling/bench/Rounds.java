/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * Rounds of one workload: each runs every subject once for a given time, in an order that is rotated from
 * round to round, so that a drift of the machine hits all subjects alike. A subject goes on in the workload
 * where its last round has ended, and a chunk that reads anything but what it must ends the run.
 * <h2>Thread safety</h2>
 * Used by one thread.
 */
final class Rounds {
    private static final int WARM_UP_SHARE = 4;

    private final String title;
    private final Workload workload;
    private final Crew crew;
    private final List<Entrant> entrants = new ArrayList<>();
    private int rotation;

    /**
     * Begins before the first round.
     *
     * @param title names the workload in messages
     * @param workload what is done
     * @param targets the subjects
     * @param crew the threads
     */
    Rounds(final String title, final Workload workload, final List<Target> targets, final Crew crew) {
        this.title = title;
        this.workload = workload;
        this.crew = crew;
        for (final Target target : targets) {
            entrants.add(new Entrant(target, crew.threads()));
        }
    }

    /** A subject, and how far it is. */
    private static final class Entrant {
        private final Target target;
        private final Measurement measurement;
        private final int[] next;
        private final long[] firstSums;

        Entrant(final Target target, final int threads) {
            this.target = target;
            this.measurement = new Measurement(target.factory());
            this.next = new int[threads];
            this.firstSums = new long[threads];
        }
    }

    /** What one thread has done. */
    private record Share(long operations, long nanos) {
        double perSecond() {
            return operations * 1e9 / Math.max(1, nanos);
        }
    }

    /**
     * Runs a round.
     *
     * @param nanos how long each subject runs, to the chunk
     * @param maxChunks most chunks that a thread does
     * @param counted whether the throughput is kept
     */
    void run(final long nanos, final int maxChunks, final boolean counted) {
        for (int i = 0; i < entrants.size(); i++) {
            final Entrant entrant = entrants.get((i + rotation) % entrants.size());
            final double perSecond = crew.work(thread -> work(entrant, thread, nanos, maxChunks)).stream()
                .mapToDouble(Share::perSecond).sum();
            if (counted) {
                entrant.measurement.add(perSecond);
            }
        }
        rotation++;
    }

    private Share work(final Entrant entrant, final int thread, final long nanos, final int maxChunks) {
        try {
            return measure(entrant, thread, nanos, maxChunks);
        } catch (final BenchmarkException e) {
            throw e;
        } catch (final RuntimeException | OutOfMemoryError e) {
            throw new BenchmarkException(entrant.target.name() + " failed in workload " + title + ": " + e, e);
        }
    }

    private Share measure(final Entrant entrant, final int thread, final long nanos, final int maxChunks) {
        try (Lane lane = workload.open(entrant.target, thread)) {
            long operations = 0;
            final long start = System.nanoTime();
            long now = start;
            for (int left = maxChunks; left > 0 && now - start < nanos && hasNext(entrant, thread); left--) {
                final int chunk = next(entrant, thread);
                check(entrant, thread, chunk, lane.run(chunk));
                operations += workload.operations(thread, chunk);
                now = System.nanoTime();
            }
            return new Share(operations, now - start);
        }
    }

    private boolean hasNext(final Entrant entrant, final int thread) {
        return workload.passes() > 1 || entrant.next[thread] < workload.chunks();
    }

    private int next(final Entrant entrant, final int thread) {
        final int chunk = entrant.next[thread];
        entrant.next[thread] = workload.passes() > 1 && chunk + 1 == workload.chunks() ? 0 : chunk + 1;
        return chunk;
    }

    private void check(final Entrant entrant, final int thread, final int chunk, final long sum) {
        if (sum != workload.expected(thread, chunk)) {
            throw new BenchmarkException(entrant.target.name() + " gave wrong answers in workload " + title, null);
        }
        if (chunk == 0) {
            entrant.firstSums[thread] = sum;
        }
    }

    /**
     * Times single operations of each subject for a while, by one thread. What the first ones take does not
     * count: the code that times them is not compiled yet.
     *
     * @param nanos how long each subject runs
     */
    void timeOperations(final long nanos) {
        entrants.forEach(entrant -> timeOperations(entrant, nanos / WARM_UP_SHARE));
        entrants.forEach(entrant -> entrant.measurement.latency(timeOperations(entrant, nanos)));
    }

    private LatencyPercentiles timeOperations(final Entrant entrant, final long nanos) {
        final Latencies latencies = new Latencies();
        try (Lane lane = workload.open(entrant.target, 0)) {
            final long start = System.nanoTime();
            do {
                final int chunk = next(entrant, 0);
                check(entrant, 0, chunk, lane.runTimed(chunk, latencies.histogram()));
            } while (System.nanoTime() - start < nanos);
        }
        return latencies.percentiles();
    }

    /**
     * What was measured, in the order of the subjects. The checksum is that of the first chunk of each
     * thread.
     */
    List<Measurement> measurements() {
        for (final Entrant entrant : entrants) {
            long sum = 0;
            for (final long firstSum : entrant.firstSums) {
                sum += firstSum;
            }
            entrant.measurement.checksum(sum);
        }
        return entrants.stream().map(entrant -> entrant.measurement).toList();
    }
}
