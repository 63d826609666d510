/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tasks that belong together, run by threads that do nothing else, until none is left. Tasks may add tasks and
 * never wait for each other; once one has failed, those that have not begun are dropped.
 * <p>
 * The one who waits runs none of them, and no task of others either: it may hold locks that these want, or
 * want the locks that it holds itself.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread; one thread waits.
 */
final class SortJob {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();
    /* While a thread waits for work, it keeps the class loader of this class. */
    private static final long KEEP_SECONDS = 1;
    private static final ThreadPoolExecutor POOL = pool();

    private static final long PAUSE_NANOS = 50_000L;

    /* Tasks that have not ended. */
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private static ThreadPoolExecutor pool() {
        final AtomicInteger number = new AtomicInteger();
        final ThreadPoolExecutor pool = new ThreadPoolExecutor(
            THREADS, THREADS, KEEP_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                final Thread thread = new Thread(null, task, "nestling-sort-" + number.incrementAndGet(), 0, false);
                thread.setDaemon(true);
                thread.setContextClassLoader(null);
                return thread;
            });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Adds a task.
     *
     * @return false if no thread can be had for it; the caller does it then
     */
    boolean fork(final Runnable task) {
        final Task queued = new Task(task);
        unfinished.incrementAndGet();
        try {
            POOL.execute(queued);
            return true;
        } catch (final RejectedExecutionException | Error e) {
            // An error may come after a thread has got it.
            if (!queued.begun.compareAndSet(false, true)) {
                return true;
            }
            unfinished.decrementAndGet();
            if (e instanceof StackOverflowError) {
                throw e;
            }
            return false;
        }
    }

    /** A task that runs once, or never. */
    private final class Task implements Runnable {
        private final Runnable work;
        private final AtomicBoolean begun = new AtomicBoolean();

        Task(final Runnable work) {
            this.work = work;
        }

        @Override
        public void run() {
            if (begun.compareAndSet(false, true)) {
                try {
                    if (failure.get() == null) {
                        work.run();
                    }
                } catch (final Throwable e) {
                    fail(e);
                } finally {
                    unfinished.decrementAndGet();
                }
            }
        }
    }

    /** Notes what went wrong: tasks that have not begun do nothing any more, and {@link #check} throws it. */
    void fail(final Throwable e) {
        failure.compareAndSet(null, e);
    }

    /** Waits until all tasks have ended, which may be repeated. An interrupt is kept for the caller. */
    void await() {
        while (unfinished.get() != 0) {
            Waiting.park(PAUSE_NANOS);
        }
    }

    /** Throws what a task has thrown. */
    void check() {
        final Throwable thrown = failure.get();
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown != null) {
            throw new IllegalStateException("keys could not be sorted: " + thrown, thrown);
        }
    }
}
