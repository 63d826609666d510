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
import org.openjdk.jmh.annotations.Warmup;

/** A cursor set to a key, and its payload read. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class SeekBenchmark {
    /**
     * To a key that is there.
     *
     * @param state the subject
     * @param position cursor of this thread
     * @return the payload
     */
    @Benchmark
    public long hit(final OrderedState state, final CursorPosition position) {
        final int query = position.next() & state.queryMask;
        final byte[] key = state.hits[query];
        if (!position.cursor.seek(key, 0, key.length)) {
            throw new IllegalStateException("wrong answer: a key that is there is not found");
        }
        final long payload = position.cursor.payload();
        KeyState.check(payload, state.hitPayloads[query], "payload");
        return payload;
    }
}
