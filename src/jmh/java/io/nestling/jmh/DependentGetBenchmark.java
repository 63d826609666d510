/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Lookups of which each takes the answer of the one before to know its key: the latency of a lookup, without
 * overlap.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class DependentGetBenchmark {
    /** The answer before. */
    @State(Scope.Thread)
    public static class Chain {
        private long answer;
    }

    /**
     * A key that is there.
     *
     * @param state the subject
     * @param position of this thread
     * @param chain of this thread
     * @return the payload
     */
    @Benchmark
    public long hit(final LoadedState state, final QueryPosition position, final Chain chain) {
        // Each lookup has two keys of its own to choose from: no key is asked for twice in a row.
        final int query = 2 * position.next() + (int) (chain.answer & 1) & state.queryMask;
        final byte[] key = state.hits[query];
        final long payload = state.subject.index().get(key, 0, key.length);
        KeyState.check(payload, state.hitPayloads[query], "payload");
        chain.answer = payload;
        return payload;
    }
}
