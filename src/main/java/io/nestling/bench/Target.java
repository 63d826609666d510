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
 * A loaded subject as used by the threads of a workload: readers concurrent with a writer hold guards, and writers take turns by
 * a lock if the subject takes only one; the lock is null if they need not.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
record Target(SubjectFactory factory, Subject subject, boolean shared, ReentrantLock writers) {
    /** Wraps a subject for a number of threads that will use it at the same time. */
    Target(final SubjectFactory factory, final Subject subject, final int threads) {
        this(factory, subject, threads > 1, threads > 1 && !factory.concurrentWriters() ? new ReentrantLock() : null);
    }

    /** Returns the name of the subject. */
    String name() {
        return factory.subjectName();
    }

    /** Returns the index of the subject. */
    PointIndex index() {
        return subject.index();
    }

    /** Returns the index of an ordered subject. */
    OrderedIndex ordered() {
        return (OrderedIndex) subject.index();
    }

    /** Looks up a key, concurrently with writers. */
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

    /** Enters a guard for a scan concurrent with writers. */
    int enterGuard() {
        return shared ? subject.enterGuard() : 0;
    }

    /** Exits the guard of a scan. */
    void exitGuard(final int guard) {
        if (shared) {
            subject.exitGuard(guard);
        }
    }

    /** Puts a key, concurrently with other threads. */
    long write(final byte[] key, final int offset, final int length, final long payload) {
        lock();
        try {
            return index().put(key, offset, length, payload);
        } finally {
            unlock();
        }
    }

    /** Puts a batch of consecutive keys of a set, at once if the index allows it, and returns the sum of the results. */
    long writeBatch(final KeyBatch batch, final KeySet keys, final int[] payloads, final int from) {
        if (!(index() instanceof BatchedPuts target)) {
            return writeAll(keys, payloads, from, from + batch.size());
        }
        lock();
        try {
            return target.putAll(batch, payloads, from);
        } finally {
            unlock();
        }
    }

    /** Puts consecutive keys of a set one by one, in one turn, and returns the sum of the results. */
    long writeAll(final KeySet keys, final int[] payloads, final int from, final int to) {
        lock();
        try {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += index().put(keys.array(i), keys.offset(i), keys.length(i), payloads[i]);
            }
            return sum;
        } finally {
            unlock();
        }
    }

    private void lock() {
        if (writers != null) {
            writers.lock();
        }
    }

    private void unlock() {
        if (writers != null) {
            writers.unlock();
        }
    }
}
