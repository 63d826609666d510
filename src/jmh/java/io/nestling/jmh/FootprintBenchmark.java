/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
import io.nestling.workload.KeySet;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Bytes a key after a load in random order, as counters: {@code indexBytesPerKey} without keys and values,
 * unless the index spells the keys itself; {@code totalBytesPerKey} with both. The time is that of one
 * load.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1, time = 1, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 1, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class FootprintBenchmark {
    /** The keys. */
    @State(Scope.Benchmark)
    public static class FootprintState extends SubjectState {
        private KeySet present;
        private SubjectFactory factory;

        /** Makes the keys. */
        @Setup(Level.Trial)
        public void prepare() {
            factory = factory();
            present = loadKeys();
        }
    }

    /** Bytes a key of the load of this iteration. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Footprint {
        /** Without keys and values; for an index that spells keys itself, of the whole structure. */
        public double indexBytesPerKey;
        /** With keys and values. */
        public double totalBytesPerKey;
    }

    /**
     * One load.
     *
     * @param state the keys
     * @param footprint receives the figures
     */
    @Benchmark
    public void load(final FootprintState state, final Footprint footprint) {
        final int keys = state.present.size();
        try (Subject subject = state.factory.create(keys, state.present.keyBytes(), state.present.commonLength())) {
            SubjectState.load(subject.index(), state.present, 0, keys);
            KeyState.check(subject.index().entryCount(), keys, "number of entries");
            footprint.indexBytesPerKey = (double) subject.indexBytes() / keys;
            footprint.totalBytesPerKey = (double) subject.totalBytes() / keys;
            state.printHeader(state.factory, subject);
        }
    }
}
