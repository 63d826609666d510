/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;


import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that start a task at the same time. A single thread is the calling one.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class WorkerThreads implements AutoCloseable {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private final int threads;
    private final boolean cpuTime;
    private final ExecutorService executor;

    /** Creates threads, whose processor time or wall time is measured. */
    WorkerThreads(final int threads, final boolean cpuTime) {
        this.threads = threads;
        this.cpuTime = cpuTime;
        this.executor = threads == 1 ? null : Executors.newFixedThreadPool(threads, task -> {
            final Thread thread = new Thread(task, "bench");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The work of one thread. */
    interface Task<T> {
        T run(int thread);
    }

    /** Returns the processor time of the calling thread, or wall time: nanoseconds for differences within one thread. */
    static long nanos(final boolean cpuTime) {
        return cpuTime ? CLOCK.getCurrentThreadCpuTime() : System.nanoTime();
    }

    int threads() {
        return threads;
    }

    boolean cpuTime() {
        return cpuTime;
    }

    /** Runs a task in each thread and returns the results. Throws the exception of the first thread with one. */
    <T> List<T> run(final Task<T> task) {
        if (executor == null) {
            return List.of(task.run(0));
        }
        final CyclicBarrier start = new CyclicBarrier(threads);
        final List<Callable<T>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            final int thread = i;
            tasks.add(() -> {
                start.await();
                return task.run(thread);
            });
        }
        try {
            final List<T> results = new ArrayList<>();
            for (final Future<T> future : executor.invokeAll(tasks)) {
                results.add(future.get());
            }
            return results;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchmarkException("interrupted", e);
        } catch (final ExecutionException e) {
            throw WorkerThreads.<RuntimeException>unchecked(e.getCause());
        }
    }

    @SuppressWarnings("unchecked") // erased: what is thrown is the cause, whatever its type
    private static <E extends Throwable> E unchecked(final Throwable cause) throws E {
        throw (E) cause;
    }

    @Override
    public void close() {
        if (executor != null) {
            executor.shutdownNow();
        }
    }
}
