/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.Backoff;
import io.nestling.memory.Claim;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tasks that belong together, run by threads that do nothing else, until none is left. Tasks may add tasks and
 * never wait for each other; once one has failed, those that have not begun are dropped.
 * <p>
 * The one who waits runs none of them, and no task of others either: it may hold locks that these want, or
 * want the locks that it holds itself; and its stack may be about to end, which those of new threads are not.
 * <h2>Thread safety</h2>
 * One thread begins and waits; any thread adds tasks.
 */
final class SortJob {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();
    private static final long PAUSE_NANOS = 50_000L;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /* Held by the thread that runs the first task, or by the one who sees to it that none does. */
    private final Claim begun = new Claim();
    private volatile boolean ended;
    /* Tasks that have been added and have not ended. */
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicInteger threads = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Has a new thread run the first task, or runs it if there is no thread to be had. */
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
     * Adds a task, and a thread if there are fewer than processors.
     *
     * @return false if no thread can be had for it; the caller does it then
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

    /** Does tasks as long as there are any. Whoever adds one later sees that this thread has gone, or is seen by it. */
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
        while (!ended || unfinished.get() != 0) {
            Backoff.park(PAUSE_NANOS);
        }
        final Throwable thrown = failure.get();
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown != null) {
            throw new IllegalStateException("keys could not be sorted: " + thrown, thrown);
        }
    }

    /** Waits until no task is at work, after waiting or beginning has failed. */
    void abandon() {
        if (begun.tryHold(Claim.HELD)) {
            return; // no thread has begun, and none will
        }
        while (!ended || unfinished.get() != 0) {
            Backoff.park(PAUSE_NANOS);
        }
    }
}
