/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
import io.nestling.index.EntryCursor;
import io.nestling.index.MergingCursor;
import io.nestling.workload.KeySet;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The keys dealt out to several subjects, and walked in one order; the counter {@code entries} has the
 * entries in a second.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class MergeBenchmark {
    /** Several subjects. */
    @State(Scope.Benchmark)
    public static class PartsState extends SubjectState {
        /** Number of subjects. */
        @Param({"2", "4", "16"})
        public int cursors;

        private Subject[] parts;
        private EntryCursor merged;
        private long payloadSum;

        /** Deals the keys out. */
        @Setup(Level.Trial)
        public void deal() {
            final SubjectFactory factory = orderedFactory();
            final KeySet present = loadKeys();
            parts = new Subject[cursors];
            final EntryCursor[] inputs = new EntryCursor[cursors];
            for (int p = 0; p < cursors; p++) {
                parts[p] = factory.create(present.size() / cursors + 1, present.keyBytes() / cursors + (1 << Short.SIZE));
            }
            for (int i = 0; i < present.size(); i++) {
                parts[i % cursors].index().put(present.array(i), present.offset(i), present.length(i), payload(i));
            }
            for (int p = 0; p < cursors; p++) {
                inputs[p] = ordered(parts[p]).cursor();
            }
            merged = MergingCursor.of(inputs);
            payloadSum = payloadSum(present.size());
            printHeader(factory, parts[0]);
        }

        /** Gives the subjects back. */
        @TearDown(Level.Trial)
        public void close() {
            merged.close();
            for (final Subject part : parts) {
                part.close();
            }
        }
    }

    /**
     * All payloads in the order of the keys.
     *
     * @param state the subjects
     * @param count of entries
     * @return their sum
     */
    @Benchmark
    public long walk(final PartsState state, final EntryCount count) {
        long sum = 0;
        int entries = 0;
        for (boolean valid = state.merged.first(); valid; valid = state.merged.next()) {
            sum += state.merged.payload();
            entries++;
        }
        KeyState.check(entries, state.keys, "number of entries");
        KeyState.check(sum, state.payloadSum, "sum of payloads");
        count.entries += entries;
        return sum;
    }
}
