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
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One thread that writes, half of the time new keys (as many as were loaded; from then on they are there too)
 * and half of the time keys that are there, and readers beside it; each iteration begins with a freshly loaded
 * subject. Option {@code -tg N,1} takes N readers.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseG1GC"})
public class MixedReadWriteBenchmark {
    /** A loaded subject, and keys to add. */
    @State(Scope.Benchmark)
    public static class MixedState extends SubjectState {
        /** Most writes of an iteration, so that memory is bounded where each write takes some. */
        private static final int MAX_WRITES = 8 << 20;

        private SubjectFactory factory;
        private KeySet present;
        private KeySet added;
        private byte[][] queries;
        private Subject subject;
        private boolean headerPrinted;

        /** Makes the keys. */
        @Setup(Level.Trial)
        public void prepare() {
            factory = factory();
            present = loadKeys();
            added = absentKeys(present.size(), present);
            queries = new byte[Integer.highestOneBit(Math.min(1 << 20, present.size()))][];
            for (int i = 0; i < queries.length; i++) {
                queries[i] = present.key(i);
            }
        }

        /** Loads a fresh subject. */
        @Setup(Level.Iteration)
        public void load() {
            final long longest = 1 + present.keyBytes() / present.size();
            subject = factory.create(present.size() + (long) MAX_WRITES, present.keyBytes() + MAX_WRITES * longest);
            load(subject.index(), present, 0, present.size());
            if (!headerPrinted) {
                headerPrinted = true;
                printHeader(factory, subject);
            }
        }

        /** Gives it back. */
        @TearDown(Level.Iteration)
        public void close() {
            subject.close();
        }
    }

    /** Where the writer is. */
    @State(Scope.Thread)
    public static class Writer {
        private int writes;

        /** Starts anew, as the subject does. */
        @Setup(Level.Iteration)
        public void clear() {
            writes = 0;
        }
    }

    /**
     * A write.
     *
     * @param state the subject
     * @param writer of this thread
     * @throws IllegalStateException after very many in one iteration: what else the writer did in the rest of it
     *     would not be writes
     */
    @Benchmark
    @Group("oneWriter")
    @GroupThreads(1)
    public void write(final MixedState state, final Writer writer) {
        if (writer.writes == MixedState.MAX_WRITES) {
            throw new IllegalStateException("an iteration has room for " + MixedState.MAX_WRITES
                + " writes: take shorter ones (-w, -r) or more keys");
        }
        final int number = writer.writes++;
        final KeySet keys = (number & 1) == 0 ? state.added : state.present;
        final int key = (number >>> 1) % keys.size();
        state.subject.index().put(keys.array(key), keys.offset(key), keys.length(key), KeyState.payload(key));
    }

    /**
     * A lookup of a key that was loaded, under a guard, as beside a writer it has to be.
     *
     * @param state the subject
     * @param position of this thread
     * @return the payload
     */
    @Benchmark
    @Group("oneWriter")
    @GroupThreads(1)
    public long read(final MixedState state, final QueryPosition position) {
        final int query = position.next() & state.queries.length - 1;
        final byte[] key = state.queries[query];
        final int guard = state.subject.enterGuard();
        try {
            final long payload = state.subject.index().get(key, 0, key.length);
            KeyState.check(payload, KeyState.payload(query), "payload");
            return payload;
        } finally {
            state.subject.exitGuard(guard);
        }
    }
}
