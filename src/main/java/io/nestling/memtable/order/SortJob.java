/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.offheap.Backoff;
import io.nestling.offheap.Claim;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tasks that belong together, run by threads of their own until none is left. Tasks may add tasks and
 * never wait for each other; once one has failed, those that have not begun are dropped.
 * <p>
 * The waiting thread runs no tasks, neither of this job nor of others: it may hold locks that these need, and its stack may
 * be nearly full, while those of new threads are empty.
 * <h2>Thread safety</h2>
 * One thread begins and waits; any thread adds tasks.
 */
final class SortJob {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();
    private static final long PAUSE_NANOS = 50_000L;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /* Held by the thread that runs the first task, or by the one that keeps it from running. */
    private final Claim begun = new Claim();
    private volatile boolean ended;
    /* Number of tasks that were added and have not ended. */
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicInteger threads = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Runs the first task in a new thread, or in this one if no thread can be started. */
    void begin(final Runnable first) {
        try {
            start(() -> {
                if (begun.tryHold(Claim.HELD)) {
                    runFirst(first);
                    work();
                }
            });
        } catch (final OutOfMemoryError e) {
            if (begun.tryHold(Claim.HELD)) {
                runFirst(first);
                work();
            }
        }
    }

    private void runFirst(final Runnable first) {
        try {
            threads.incrementAndGet();
            run(first);
        } finally {
            ended = true;
        }
    }

    private static void start(final Runnable work) {
        final Thread thread = new Thread(null, work, "nestling-sort", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
    }

    /**
     * Adds a task, and a thread if there are fewer threads than processors. If it returns false, no thread could be started for
     * it, and the caller runs it.
     */
    boolean fork(final Runnable task) {
        unfinished.incrementAndGet();
        tasks.add(task);
        if (tryAddThread()) {
            try {
                start(this::work);
            } catch (final OutOfMemoryError e) {
                threads.decrementAndGet();
                if (tasks.remove(task)) {
                    unfinished.decrementAndGet();
                    return false;
                }
            }
        }
        return true;
    }

    private boolean tryAddThread() {
        if (threads.incrementAndGet() <= THREADS) {
            return true;
        }
        threads.decrementAndGet();
        return false;
    }

    /** Runs tasks until none is left. A thread that adds one later sees that this thread has left, or is seen by it. */
    private void work() {
        do {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                run(task);
                unfinished.decrementAndGet();
            }
            threads.decrementAndGet();
        } while (!tasks.isEmpty() && tryAddThread());
    }

    private void run(final Runnable task) {
        try {
            if (failure.get() == null) {
                task.run();
            }
        } catch (final Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Waits until all tasks have ended. An interrupt is kept for the caller. */
    void await() {
        awaitEnd();
        final Throwable thrown = failure.get();
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown != null) {
            throw new IllegalStateException("keys could not be sorted: " + thrown, thrown);
        }
    }

    /** Waits until no task runs, after waiting or beginning has failed. */
    void abandon() {
        if (!begun.tryHold(Claim.HELD)) { // else no thread has begun the first task, and none will
            awaitEnd();
        }
    }

    private void awaitEnd() {
        while (!ended || unfinished.get() != 0) {
            Backoff.park(PAUSE_NANOS);
        }
    }
}
