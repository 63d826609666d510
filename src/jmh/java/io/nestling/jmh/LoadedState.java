/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.bench.Subject;
import io.nestling.bench.SubjectFactory;
import io.nestling.workload.KeySet;

import java.util.SplittableRandom;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A subject that all keys have been put into, and queries: keys that are there, uniformly drawn, and keys
 * that are not.
 */
@State(Scope.Benchmark)
public class LoadedState extends SubjectState {
    /** Most queries; a power of two. */
    private static final int MAX_QUERIES = 1 << 20;
    private static final long QUERY_SEED = 7;

    /** The subject, loaded. */
    protected Subject subject;
    /** The queries lie in memory in their order, so that reading them costs next to nothing. */
    byte[][] hits;
    int[] hitPayloads;
    byte[][] misses;
    int queryMask;

    /** Returns whether the subject must have cursors. */
    boolean needsOrder() {
        return false;
    }

    /** Is told the keys once they are loaded. */
    void loaded(final KeySet present) {
    }

    /** Loads the subject and draws the queries. */
    @Setup(Level.Trial)
    public void load() {
        final SubjectFactory factory = needsOrder() ? orderedFactory() : factory();
        final KeySet present = loadKeys();
        subject = factory.create(present.size(), present.keyBytes(), present.commonLength());
        load(subject.index(), present, 0, present.size());
        check(subject.index().entryCount(), present.size(), "number of entries");
        printHeader(factory, subject);
        drawQueries(present);
        loaded(present);
    }

    private void drawQueries(final KeySet present) {
        final int count = Integer.highestOneBit(Math.min(MAX_QUERIES, present.size()));
        final KeySet absent = absentKeys(count, present);
        final SplittableRandom random = new SplittableRandom(QUERY_SEED);
        queryMask = count - 1;
        hits = new byte[count][];
        hitPayloads = new int[count];
        misses = new byte[count][];
        for (int i = 0; i < count; i++) {
            final int key = random.nextInt(present.size());
            hits[i] = present.key(key);
            hitPayloads[i] = (int) payload(key);
        }
        for (int i = 0; i < count; i++) {
            misses[i] = absent.key(i);
        }
    }

    /** Gives the subject back. */
    @TearDown(Level.Trial)
    public void close() {
        if (subject != null) {
            subject.close();
        }
    }
}
