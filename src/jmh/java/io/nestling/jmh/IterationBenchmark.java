/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.index.EntryCursor;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** All entries in order; the counter {@code entries} has the entries in a second. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class IterationBenchmark {
    /**
     * All payloads.
     *
     * @param state the subject
     * @param position cursor of this thread
     * @param count of entries
     * @return their sum
     */
    @Benchmark
    public long payloads(final OrderedState state, final CursorPosition position, final EntryCount count) {
        final EntryCursor cursor = position.cursor;
        long sum = 0;
        int entries = 0;
        for (boolean valid = cursor.first(); valid; valid = cursor.next()) {
            sum += cursor.payload();
            entries++;
        }
        return checked(state, count, entries, sum);
    }

    /**
     * All keys and payloads.
     *
     * @param state the subject
     * @param position cursor of this thread
     * @param count of entries
     * @return the sum of the payloads
     */
    @Benchmark
    public long keysAndPayloads(final OrderedState state, final CursorPosition position, final EntryCount count) {
        final EntryCursor cursor = position.cursor;
        long sum = 0;
        long keyBytes = 0;
        int entries = 0;
        for (boolean valid = cursor.first(); valid; valid = cursor.next()) {
            sum += cursor.payload();
            final int length = cursor.keyLength();
            keyBytes += length == 0 ? 0 : length + cursor.keyBuffer()[length - 1];
            entries++;
        }
        KeyState.check(keyBytes, state.keyDigest, "sum over the keys");
        return checked(state, count, entries, sum);
    }

    private static long checked(final OrderedState state, final EntryCount count, final int entries, final long sum) {
        KeyState.check(entries, state.keys, "number of entries");
        KeyState.check(sum, state.payloadSum, "sum of payloads");
        count.entries += entries;
        return sum;
    }
}
