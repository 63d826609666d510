/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.memtable.Memtable;
import io.nestling.memtable.WriteBatch;
import io.nestling.workload.KeySet;

import java.util.ArrayList;
import java.util.List;
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
 * Atomic batches written to a memtable until it has all keys; the counter {@code entries} has the keys in a
 * second.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class BatchWriteBenchmark {
    /** Batches, and a memtable that is empty before each round. */
    @State(Scope.Benchmark)
    public static class BatchState extends MemtableState {
        /** Puts in a batch. */
        @Param({"8", "32", "128"})
        public int batch;

        private final List<WriteBatch> batches = new ArrayList<>();
        private KeySet present;
        private Memtable memtable;

        /** Fills the batches: they are the writer's own, and making them is not measured. */
        @Setup(Level.Trial)
        public void prepare() {
            present = loadKeys();
            for (int i = 0; i < present.size(); i++) {
                if (i % batch == 0) {
                    batches.add(new WriteBatch());
                }
                batches.get(batches.size() - 1).put(present.key(i), value(i));
            }
            printHeader();
        }

        /** Opens an empty memtable. */
        @Setup(Level.Invocation)
        public void create() {
            memtable = open(present);
        }

        /** Checks and closes it. */
        @TearDown(Level.Invocation)
        public void close() {
            for (int i = 0; i < present.size(); i += 1 + present.size() / 1000) {
                checkValue(memtable.get(present.key(i)), i);
            }
            memtable.close();
        }
    }

    /**
     * All batches.
     *
     * @param state batches and memtable
     * @param count of keys
     */
    @Benchmark
    public void write(final BatchState state, final EntryCount count) {
        for (final WriteBatch batch : state.batches) {
            state.memtable.write(batch);
        }
        count.entries += state.present.size();
    }
}
