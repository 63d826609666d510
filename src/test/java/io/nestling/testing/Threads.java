/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Several threads that begin together. */
public final class Threads {
    private static final int TIMEOUT_SECONDS = 60;

    /** What one of several threads does. */
    public interface Work {
        /**
         * Does a thread's part.
         *
         * @param thread number of the thread, from 0
         * @throws Exception what went wrong
         */
        void run(int thread) throws Exception;
    }

    private Threads() {
    }

    /**
     * Runs work in several threads and throws the first failure of any.
     *
     * @param threads number of threads
     * @param work what each of them does
     * @throws InterruptedException if the calling thread is interrupted
     */
    public static void runTogether(final int threads, final Work work) throws InterruptedException {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final CyclicBarrier begin = new CyclicBarrier(threads);
        final List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            final int number = i;
            final Thread thread = new Thread(() -> {
                try {
                    begin.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
                    work.run(number);
                } catch (final Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }, "work-" + i);
            thread.setDaemon(true);
            running.add(thread);
            thread.start();
        }
        for (final Thread thread : running) {
            thread.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
            if (thread.isAlive()) {
                throw new AssertionError(
                    thread.getName() + " does not come back: " + Arrays.toString(thread.getStackTrace()));
            }
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }
}
