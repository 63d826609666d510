/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.index.KeyBatch;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Lookups of many keys together; a key is an operation. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class GetAllBenchmark {
    /** Keys looked up by an invocation: the largest batch, or several smaller ones. */
    private static final int KEYS = 128;

    /** The batch of a thread. */
    @State(Scope.Thread)
    public static class Batch {
        /** Keys in a batch; divides 128. */
        @Param({"8", "32", "128"})
        public int batch;

        private final KeyBatch keys = new KeyBatch(KEYS);
        private final long[] payloads = new long[KEYS];
    }

    /**
     * Keys that are there.
     *
     * @param state the subject
     * @param position of this thread
     * @param batch of this thread
     * @return a sum of payloads
     */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public long hit(final LoadedState state, final QueryPosition position, final Batch batch) {
        long sum = 0;
        for (int done = 0; done < KEYS; done += batch.batch) {
            final int first = position.next(batch.batch);
            batch.keys.clear();
            for (int i = 0; i < batch.batch; i++) {
                final byte[] key = state.hits[first + i & state.queryMask];
                batch.keys.add(key, 0, key.length);
            }
            state.subject.index().getAll(batch.keys, batch.payloads);
            for (int i = 0; i < batch.batch; i++) {
                KeyState.check(batch.payloads[i], state.hitPayloads[first + i & state.queryMask], "payload");
                sum += batch.payloads[i];
            }
        }
        return sum;
    }
}
