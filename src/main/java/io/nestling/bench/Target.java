/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.workload.KeySet;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A loaded subject as the threads of a workload use it: readers beside a writer hold guards, and writers take
 * turns where the subject does not take several.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class Target {
    private final SubjectFactory factory;
    private final Subject subject;
    private final ReentrantLock writers;
    private final boolean shared;

    /**
     * Wraps a subject.
     *
     * @param factory what made it
     * @param subject the subject
     * @param threads threads that will use it at the same time
     */
    Target(final SubjectFactory factory, final Subject subject, final int threads) {
        this.factory = factory;
        this.subject = subject;
        this.shared = threads > 1;
        this.writers = shared && !factory.concurrentWriters() ? new ReentrantLock() : null;
    }

    /** What made the subject. */
    SubjectFactory factory() {
        return factory;
    }

    /** Name of the subject. */
    String name() {
        return factory.subjectName();
    }

    /** The subject. */
    Subject subject() {
        return subject;
    }

    /** Its index. */
    PointIndex index() {
        return subject.index();
    }

    /** Its index, for a workload that needs order. */
    OrderedIndex ordered() {
        return (OrderedIndex) subject.index();
    }

    /** A read beside writers. */
    long read(final byte[] key, final int offset, final int length) {
        if (!shared) {
            return index().get(key, offset, length);
        }
        final int guard = subject.enterGuard();
        try {
            return index().get(key, offset, length);
        } finally {
            subject.exitGuard(guard);
        }
    }

    /** Begins a scan beside writers. */
    int enterGuard() {
        return shared ? subject.enterGuard() : 0;
    }

    /** Ends a scan beside writers. */
    void exitGuard(final int guard) {
        if (shared) {
            subject.exitGuard(guard);
        }
    }

    /** A write beside others. */
    long write(final byte[] key, final int offset, final int length, final long payload) {
        if (writers == null) {
            return index().put(key, offset, length, payload);
        }
        writers.lock();
        try {
            return index().put(key, offset, length, payload);
        } finally {
            writers.unlock();
        }
    }

    /** Writes of keys of a set from one on, which an index may take at once; the sum of what they return. */
    long writeBatch(final KeyBatch batch, final KeySet keys, final int[] payloads, final int from) {
        if (!(index() instanceof BatchedPuts target)) {
            return writeAll(keys, payloads, from, from + batch.size());
        }
        if (writers != null) {
            writers.lock();
        }
        try {
            return target.putAll(batch, payloads, from);
        } finally {
            if (writers != null) {
                writers.unlock();
            }
        }
    }

    /** Writes of some keys of a set, one after the other, in one turn; the sum of what they return. */
    long writeAll(final KeySet keys, final int[] payloads, final int from, final int to) {
        if (writers != null) {
            writers.lock();
        }
        try {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += index().put(keys.array(i), keys.offset(i), keys.length(i), payloads[i]);
            }
            return sum;
        } finally {
            if (writers != null) {
                writers.unlock();
            }
        }
    }
}
