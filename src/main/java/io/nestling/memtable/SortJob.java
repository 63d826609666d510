/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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

    /* Tasks that have not ended, and one for the thread that waits. */
    private final AtomicInteger unfinished = new AtomicInteger(1);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final CountDownLatch finished = new CountDownLatch(1);

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
        unfinished.incrementAndGet();
        try {
            POOL.execute(() -> run(task));
            return true;
        } catch (final RejectedExecutionException | OutOfMemoryError e) {
            end();
            return false;
        }
    }

    /** Notes what went wrong: tasks that have not begun do nothing any more, and {@link #await} throws it. */
    void fail(final Throwable e) {
        failure.compareAndSet(null, e);
    }

    private void run(final Runnable task) {
        try {
            if (failure.get() == null) {
                task.run();
            }
        } catch (final Throwable e) {
            fail(e);
        } finally {
            end();
        }
    }

    private void end() {
        if (unfinished.decrementAndGet() == 0) {
            finished.countDown();
        }
    }

    /**
     * Waits until all tasks have ended, and throws what one of them has thrown. An interrupt is kept for the
     * caller.
     */
    void await() {
        end();
        boolean interrupted = false;
        while (true) {
            try {
                finished.await();
                break;
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        final Throwable thrown = failure.get();
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown != null) {
            throw new IllegalStateException("keys could not be sorted: " + thrown, thrown);
        }
    }
}
