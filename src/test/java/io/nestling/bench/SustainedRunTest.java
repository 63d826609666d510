/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.OrderedIndex;
import io.nestling.workload.Dataset;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class SustainedRunTest {
    private static final int RATE = 10_000;
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private static SustainedRun run(final SubjectFactory factory) throws Exception {
        final SustainedRun run = new SustainedRun(factory, new KeyMaterial(Dataset.of("rand-8"), 2_001, 0), RATE);
        run.run(NANOS);
        return run;
    }

    private static BenchmarkException failure(final UnaryOperator<OrderedIndex> fault) {
        final FakeFactory factory = new FakeFactory("wrong", fault);
        final BenchmarkException failure = assertThrows(BenchmarkException.class, () -> run(factory));
        assertEquals(0, factory.open(), "subjects that are open");
        return failure;
    }

    @Test
    void shouldKeepTheRateWhileMemtablesAreFlushed() throws Exception {
        final SustainedRun run = run(Subjects.memtable(IndexType.TRIE, 2, 100));
        assertTrue(run.flushed() >= 1, run.flushed() + " flushed");
        for (final Measurement measurement : new Measurement[] {run.puts(), run.gets()}) {
            final double rate = measurement.spread().median();
            assertTrue(rate > 0 && rate < RATE * 1.05, rate + " a second");
            final LatencyPercentiles latency = measurement.latency();
            assertTrue(latency.p50() > 0 && latency.p50() <= latency.max(), latency.toString());
            assertTrue(measurement.totalBytesPerKey() > 108, measurement.totalBytesPerKey() + " bytes");
        }
    }

    /** Subjects are made, and put into, so slowly that all others are flushed before. */
    @Test
    void shouldGoOnIfAllPartsButTheNewestAreFlushed() throws Exception {
        final long nanos = TimeUnit.MILLISECONDS.toNanos(30);
        final FakeFactory slow = new FakeFactory("map", index -> {
            LockSupport.parkNanos(nanos);
            return new FakeFactory.Passing(index) {
                @Override
                public long put(final byte[] key, final int offset, final int length, final long payload) {
                    LockSupport.parkNanos(nanos);
                    return super.put(key, offset, length, payload);
                }
            };
        });
        final SustainedRun run = new SustainedRun(slow, new KeyMaterial(Dataset.of("rand-8"), 4, 0), RATE);
        run.run(NANOS);
        assertTrue(run.flushed() >= 2, run.flushed() + " flushed");
    }

    /** A put that takes 50 ms holds up 500: each of them has its share. */
    @Test
    void shouldCountTheTimeThatAnOperationWaitsForItsPredecessor() throws Exception {
        final int[] puts = new int[1];
        final SustainedRun run = run(new FakeFactory("map", index -> new FakeFactory.Passing(index) {
            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                if (++puts[0] == 1_000) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                }
                return super.put(key, offset, length, payload);
            }
        }));
        final LatencyPercentiles latency = run.puts().latency();
        assertTrue(latency.max() >= 50_000_000 && latency.p99() > 20_000_000, latency.toString());
    }

    @Test
    void wrongAnswersFail() {
        assertEquals("wrong gave wrong answers in workload sustained", failure(index -> new FakeFactory.Passing(index) {
            @Override
            public long get(final byte[] key, final int offset, final int length) {
                return super.get(key, offset, length) ^ 1;
            }
        }).getMessage());
        assertTrue(failure(index -> new FakeFactory.Passing(index) {
            @Override
            public EntryCursor cursor() {
                return new SkippingCursor(super.cursor());
            }
        }).getMessage().contains("wrong"));
        assertTrue(failure(index -> new FakeFactory.Passing(index) {
            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                throw new IllegalStateException("no puts");
            }
        }).getMessage().startsWith("wrong failed in workload sustained: java.lang.IllegalStateException: no puts"));
    }
}
