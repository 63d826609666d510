/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Threads of one test. The first thing that goes wrong in any of them ends the test. */
public final class StressThreads {
    private static final long JOIN_MILLIS = 60_000;

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean stopped;

    /** The work of a thread. */
    @FunctionalInterface
    public interface Task {
        /**
         * Does it.
         *
         * @throws Exception if it fails
         */
        void run() throws Exception;
    }

    /** Starts a thread. */
    public StressThreads start(final String name, final Task task) {
        final Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (final Throwable e) {
                failure.compareAndSet(null, e);
                stopped = true;
            }
        }, name);
        threads.add(thread);
        thread.start();
        return this;
    }

    /** Returns whether the threads should go on. */
    public boolean goOn() {
        return !stopped;
    }

    /** Asks the threads to stop. */
    public void stop() {
        stopped = true;
    }

    /** Lets the threads go on for a time or until one fails. */
    public StressThreads runFor(final long millis) throws InterruptedException {
        final long end = System.nanoTime() + millis * 1_000_000;
        while (!stopped && System.nanoTime() < end) {
            Thread.sleep(5);
        }
        return this;
    }

    /** Lets the threads go on until something has happened, at most half a minute, or one fails. */
    public StressThreads runUntil(final BooleanSupplier happened) throws InterruptedException {
        for (int i = 0; i < 300 && !stopped && !happened.getAsBoolean(); i++) {
            runFor(100);
        }
        return this;
    }

    /** Stops all threads, waits for them and throws what went wrong. */
    public void finish() throws InterruptedException {
        stop();
        join();
    }

    /** Waits for all threads to end by themselves and throws what went wrong. */
    public void join() throws InterruptedException {
        for (final Thread thread : threads) {
            thread.join(JOIN_MILLIS);
            if (thread.isAlive()) {
                final AssertionError hanging = new AssertionError(thread.getName() + " hangs");
                hanging.setStackTrace(thread.getStackTrace());
                throw hanging;
            }
        }
        if (failure.get() != null) {
            throw new AssertionError("a thread failed: " + failure.get(), failure.get());
        }
        assertFalse(threads.isEmpty());
    }
}
