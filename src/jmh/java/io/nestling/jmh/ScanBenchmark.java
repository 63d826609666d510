/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.index.EntryCursor;
import io.nestling.index.PointIndex;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** Fifty entries from a key on; the counter {@code entries} has the entries in a second. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class ScanBenchmark {
    private static final int ENTRIES = 50;

    /**
     * Payloads of up to fifty entries.
     *
     * @param state the subject
     * @param position cursor of this thread
     * @param count of entries
     * @return a sum of payloads
     */
    @Benchmark
    public long fifty(final OrderedState state, final CursorPosition position, final EntryCount count) {
        final int query = position.next() & state.queryMask;
        final byte[] key = state.hits[query];
        final EntryCursor cursor = position.cursor;
        boolean valid = cursor.seek(key, 0, key.length);
        KeyState.check(valid ? cursor.payload() : PointIndex.NONE, state.hitPayloads[query], "first payload");
        long sum = 0;
        int entries = 0;
        while (valid) {
            sum += cursor.payload();
            entries++;
            valid = entries < ENTRIES && cursor.next();
        }
        count.entries += entries;
        return sum;
    }
}
