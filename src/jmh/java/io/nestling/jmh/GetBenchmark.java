/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.index.PointIndex;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** Lookups of single keys that do not depend on each other: the processor may overlap them. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class GetBenchmark {
    /**
     * A key that is there.
     *
     * @param state the subject
     * @param position of this thread
     * @return the payload
     */
    @Benchmark
    public long hit(final LoadedState state, final QueryPosition position) {
        final int query = position.next() & state.queryMask;
        final byte[] key = state.hits[query];
        final long payload = state.subject.index().get(key, 0, key.length);
        KeyState.check(payload, state.hitPayloads[query], "payload");
        return payload;
    }

    /**
     * A key that is not there.
     *
     * @param state the subject
     * @param position of this thread
     * @return {@link PointIndex#NONE}
     */
    @Benchmark
    public long miss(final LoadedState state, final QueryPosition position) {
        final byte[] key = state.misses[position.next() & state.queryMask];
        final long payload = state.subject.index().get(key, 0, key.length);
        KeyState.check(payload, PointIndex.NONE, "payload of an absent key");
        return payload;
    }
}
