/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
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

/** Loads of all keys into an empty subject; the counter {@code entries} has the inserts in a second. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class InsertBenchmark {
    /** Keys in some order, and a subject that is empty before each load. */
    @State(Scope.Benchmark)
    public static class LoadState extends SubjectState {
        /** Order of the keys: random, sorted or reversed. */
        @Param({"random", "sorted", "reversed"})
        public String order;

        private SubjectFactory factory;
        private KeySet ordered;
        private Subject subject;
        private boolean headerPrinted;

        /** Puts the keys in order. */
        @Setup(Level.Trial)
        public void prepare() {
            factory = factory();
            final KeySet random = loadKeys();
            switch (order) {
                case "random":
                    ordered = random;
                    break;
                case "sorted":
                    ordered = random.sorted();
                    break;
                case "reversed":
                    ordered = random.sorted().reversed();
                    break;
                default:
                    throw new IllegalArgumentException("order '" + order + "' is not random, sorted or reversed");
            }
        }

        /** Makes an empty subject. */
        @Setup(Level.Invocation)
        public void create() {
            subject = factory.create(ordered.size(), ordered.keyBytes(), ordered.commonLength());
        }

        /** Checks and gives the subject back. */
        @TearDown(Level.Invocation)
        public void close() {
            check(subject.index().entryCount(), ordered.size(), "number of entries");
            for (int i = 0; i < ordered.size(); i += 1 + ordered.size() / 1000) {
                check(subject.index().get(ordered.array(i), ordered.offset(i), ordered.length(i)), payload(i), "payload");
            }
            if (!headerPrinted) {
                headerPrinted = true;
                printHeader(factory, subject);
            }
            subject.close();
        }
    }

    /**
     * All keys into an empty subject.
     *
     * @param state the keys and the subject
     * @param count of keys
     */
    @Benchmark
    public void load(final LoadState state, final EntryCount count) {
        SubjectState.load(state.subject.index(), state.ordered, 0, state.ordered.size());
        count.entries += state.ordered.size();
    }
}
