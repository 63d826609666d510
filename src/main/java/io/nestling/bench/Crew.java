/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that begin together. A crew of one is the calling thread.
 * <h2>Thread safety</h2>
 * Used by one thread.
 */
final class Crew implements AutoCloseable {
    private final int threads;
    private final ExecutorService executor;

    Crew(final int threads) {
        this.threads = threads;
        this.executor = threads == 1 ? null : Executors.newFixedThreadPool(threads, task -> {
            final Thread thread = new Thread(task, "bench");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Part of the work: what one thread does. */
    interface Part<T> {
        T run(int thread);
    }

    int threads() {
        return threads;
    }

    /** Lets each thread do its part and returns what they return. What a part throws is thrown. */
    <T> List<T> work(final Part<T> part) {
        if (executor == null) {
            return List.of(part.run(0));
        }
        final CyclicBarrier start = new CyclicBarrier(threads);
        final List<Callable<T>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            final int thread = i;
            tasks.add(() -> {
                await(start);
                return part.run(thread);
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
            throw unchecked(e.getCause());
        }
    }

    private static void await(final CyclicBarrier start) throws InterruptedException {
        try {
            start.await();
        } catch (final BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RuntimeException unchecked(final Throwable thrown) {
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        return thrown instanceof RuntimeException ? (RuntimeException) thrown : new IllegalStateException(thrown);
    }

    @Override
    public void close() {
        if (executor != null) {
            executor.shutdownNow();
        }
    }
}
