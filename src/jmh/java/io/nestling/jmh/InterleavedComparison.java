/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import java.util.Arrays;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * Compares the trie with Cassandra's in one process, in rounds that alternate between the two, so that a change of the machine's
 * speed hits both. Prints the medians and their ratio.
 */
public final class InterleavedComparison {
    private static final String[] SUBJECTS = {"trie", "cassandra_trie"};
    private static final int BATCH = 32;

    private final int keyCount;
    private final int rounds;
    private final byte[] keys;
    private final byte[][] queries;
    private final Subject[] subjects = new Subject[SUBJECTS.length];

    private InterleavedComparison(final int keyCount, final int rounds) {
        this.keyCount = keyCount;
        this.rounds = rounds;
        final Random random = new Random(42);
        keys = new byte[keyCount * Long.BYTES];
        random.nextBytes(keys);
        queries = new byte[1 << 20][];
        for (int i = 0; i < queries.length; i++) {
            final int at = random.nextInt(keyCount) * Long.BYTES;
            queries[i] = Arrays.copyOfRange(keys, at, at + Long.BYTES);
        }
    }

    /**
     * Runs the comparison.
     *
     * @param arguments number of keys and of rounds
     */
    public static void main(final String[] arguments) {
        final int keyCount = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000_000;
        final int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 7;
        new InterleavedComparison(keyCount, rounds).run();
    }

    private void run() {
        System.out.printf("JDK %s, bridge %s, %,d random 8-byte keys, %d rounds%n", Runtime.version(),
            io.nestling.bridge.NativeBridges.get().name(), keyCount, rounds);
        compareLoads();
        for (int s = 0; s < SUBJECTS.length; s++) {
            System.out.printf("%-16s %.1f index bytes a key%n", SUBJECTS[s], (double) subjects[s].bytesUsed() / keyCount);
        }
        compare("get", queries.length, subject -> () -> {
            long sum = 0;
            for (final byte[] query : queries) {
                sum += subject.get(query);
            }
            return sum;
        });
        compare("getAll 32", queries.length, subject -> () -> {
            long sum = 0;
            for (int i = 0; i < queries.length; i += BATCH) {
                sum += subject.getAll(queries, i);
            }
            return sum;
        });
        compare("iterate", keyCount, subject -> subject::iterate);
        for (final Subject subject : subjects) {
            subject.close();
        }
    }

    private void compareLoads() {
        final double[][] nanos = new double[SUBJECTS.length][Math.max(3, rounds / 2)];
        for (int round = 0; round < nanos[0].length; round++) {
            for (int s = 0; s < SUBJECTS.length; s++) {
                if (subjects[s] != null) {
                    subjects[s].close();
                }
                subjects[s] = Subject.of(SUBJECTS[s]);
                final long start = System.nanoTime();
                for (int i = 0; i < keyCount; i++) {
                    subjects[s].put(keys, i * Long.BYTES, i & 1023);
                }
                nanos[s][round] = System.nanoTime() - start;
            }
        }
        report("put", keyCount, nanos);
    }

    private void compare(
        final String operation, final int count, final java.util.function.Function<Subject, LongSupplier> work) {
        final double[][] nanos = new double[SUBJECTS.length][rounds];
        final long[] sums = new long[SUBJECTS.length];
        for (int round = -1; round < rounds; round++) {
            for (int s = 0; s < SUBJECTS.length; s++) {
                final long start = System.nanoTime();
                sums[s] = work.apply(subjects[s]).getAsLong();
                if (round >= 0) {
                    nanos[s][round] = System.nanoTime() - start;
                }
            }
        }
        if (sums[0] != sums[1]) {
            throw new IllegalStateException(operation + ": the subjects read different payloads");
        }
        report(operation, count, nanos);
    }

    private static void report(final String operation, final int count, final double[][] nanos) {
        final double[] ratios = new double[nanos[0].length];
        for (int round = 0; round < ratios.length; round++) {
            ratios[round] = nanos[1][round] / nanos[0][round];
        }
        System.out.printf("%-10s trie %6.2f M/s  cassandra_trie %6.2f M/s  ratio of medians %.2f, median of ratios %.2f%n",
            operation, count * 1e3 / median(nanos[0]), count * 1e3 / median(nanos[1]),
            median(nanos[1]) / median(nanos[0]), median(ratios));
    }

    private static double median(final double[] values) {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
