/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Sends statements to a node: as fast as it answers, or at a fixed rate, where the latency of each counts from the moment at
 * which it was due, so that a node that stops is charged with all that should have been sent meanwhile.
 */
final class StatementLoad {
    private static final int IN_FLIGHT = 128;
    /** Below the number of requests that the driver takes for a connection. */
    private static final int MOST_IN_FLIGHT = 1000;

    private final CqlSession session;
    private final AtomicReference<Throwable> error = new AtomicReference<>();

    StatementLoad(final CqlSession session) {
        this.session = session;
    }

    /**
     * Statements that were sent.
     *
     * @param count number of statements
     * @param seconds how long it took
     */
    record Sent(int count, double seconds) {
        double rate() {
            return count / seconds;
        }
    }

    /** A statement and whether its answer must have a row. */
    record Operation(boolean expectsRow, IntFunction<BoundStatement> statement) {
    }

    /** Sends statements with numbers from one on, until there are so many or the time has passed, and awaits the answers. */
    Sent fast(final Operation operation, final int first, final int count, final long nanos) {
        final Semaphore permits = new Semaphore(IN_FLIGHT);
        final long begin = System.nanoTime();
        int sent = 0;
        while (sent < count && System.nanoTime() - begin < nanos) {
            send(operation, first + sent++, permits, () -> { });
        }
        await(permits, IN_FLIGHT);
        return new Sent(sent, (System.nanoTime() - begin) / 1e9);
    }

    /**
     * Sends statements at a rate, operations in turn, and awaits the answers.
     *
     * @return latencies of each operation in microseconds
     */
    List<Histogram> steady(final List<Operation> operations, final int first, final int count, final double perSecond) {
        final List<Histogram> latencies =
                operations.stream().map(operation -> (Histogram) new ConcurrentHistogram(3)).toList();
        final Semaphore permits = new Semaphore(MOST_IN_FLIGHT);
        final long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            final long due = begin + (long) (i * 1e9 / perSecond);
            for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                LockSupport.parkNanos(wait);
            }
            final Histogram histogram = latencies.get(i % operations.size());
            send(operations.get(i % operations.size()), first + i, permits,
                    () -> histogram.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - due)));
        }
        await(permits, MOST_IN_FLIGHT);
        return latencies;
    }

    private void send(final Operation operation, final int number, final Semaphore permits, final Runnable answered) {
        permits.acquireUninterruptibly();
        session.executeAsync(operation.statement.apply(number)).whenComplete((result, failure) -> {
            if (failure != null) {
                error.set(failure);
            } else if (operation.expectsRow && result.one() == null) {
                error.set(new IllegalStateException("no row for statement " + number));
            }
            answered.run();
            permits.release();
        });
    }

    private void await(final Semaphore permits, final int all) {
        permits.acquireUninterruptibly(all);
        if (error.get() != null) {
            throw new AssertionError("a statement failed", error.get());
        }
    }
}
