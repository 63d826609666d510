/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Point reads, batched reads and full iteration over random 8-byte keys, against Cassandra's trie. Flags that Cassandra's
 * classes need are given on the command line, see {@code docs/benchmarks/README.md}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = {"-Xmx4g", "-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"})
public class IndexBenchmark {
    private static final int BATCH = 32;
    private static final int QUERIES = 1 << 20;

    /** The index. */
    @Param({"trie", "cassandra_trie"})
    public String subject;

    /** Number of keys. */
    @Param("10000000")
    public int keys;

    private Subject index;
    private byte[][] queries;
    private int next;

    /** Loads the keys. */
    @Setup
    public void load() {
        final Random random = new Random(42);
        final byte[] bytes = new byte[keys * Long.BYTES];
        random.nextBytes(bytes);
        index = Subject.of(subject);
        for (int i = 0; i < keys; i++) {
            index.put(bytes, i * Long.BYTES, i & 1023);
        }
        queries = new byte[QUERIES][];
        for (int i = 0; i < QUERIES; i++) {
            final int at = random.nextInt(keys) * Long.BYTES;
            queries[i] = java.util.Arrays.copyOfRange(bytes, at, at + Long.BYTES);
        }
        System.out.printf("%n# %s, %,d keys: %.1f index bytes a key%n", subject, keys,
            (double) index.bytesUsed() / keys);
    }

    /** Gives the index back. */
    @TearDown
    public void close() {
        index.close();
    }

    /**
     * Point lookups of keys that are there.
     *
     * @return the payload
     */
    @Benchmark
    public long get() {
        return index.get(queries[next++ & QUERIES - 1]);
    }

    /**
     * Lookups of 32 keys together.
     *
     * @return the sum of the payloads
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long getAll() {
        final long sum = index.getAll(queries, next & QUERIES - 1);
        next += BATCH;
        return sum;
    }

    /**
     * All keys in order; one operation is the whole index.
     *
     * @return the sum of all payloads
     */
    @Benchmark
    public long iterate() {
        return index.iterate();
    }
}
