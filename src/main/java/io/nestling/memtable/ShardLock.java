/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a shard's writers, which counts how often and how long they wait.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class ShardLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong contended = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();

    void lock() {
        if (!lock.tryLock()) {
            final long start = System.nanoTime();
            lock.lock();
            nanos.addAndGet(System.nanoTime() - start);
            contended.incrementAndGet();
        }
    }

    void unlock() {
        lock.unlock();
    }

    /** Number of times that the lock was not free. */
    long contendedCount() {
        return contended.get();
    }

    /** Time spent waiting for the lock. */
    long contentionNanos() {
        return nanos.get();
    }
}
