/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import io.nestling.adapter.cassandra.node.StatementLoad.Operation;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class StatementLoadTest {
    private static final int COUNT = 1000;
    private static final int STOPPED_AT = 200;
    private static final long STOP_MILLIS = 500;
    private static final Operation WRITE = new Operation(false, number -> null);

    /** Returns a session that answers the statements with numbers from 0 on. */
    private static CqlSession session(final IntFunction<CompletionStage<?>> answers) {
        final AtomicInteger sent = new AtomicInteger();
        return (CqlSession) Proxy.newProxyInstance(StatementLoadTest.class.getClassLoader(), new Class<?>[] {CqlSession.class},
                (proxy, method, arguments) -> answers.apply(sent.getAndIncrement()));
    }

    @Test
    void shouldCountWhatWasDueWhileTheNodeStoodStill() {
        final CqlSession stopping = session(number -> {
            if (number == STOPPED_AT) {
                Node.sleep(STOP_MILLIS);
            }
            return CompletableFuture.completedFuture(null);
        });
        final List<Histogram> latencies = new StatementLoad(stopping).steady(List.of(WRITE, WRITE), 0, COUNT, COUNT);
        assertEquals(COUNT / 2, latencies.get(0).getTotalCount());
        assertEquals(COUNT / 2, latencies.get(1).getTotalCount());
        for (final Histogram histogram : latencies) {
            // Half of all statements were due in that time, on average half of it before its end.
            final long late = histogram.getValueAtPercentile(75);
            assertTrue(late > STOP_MILLIS * 1000 / 4, () -> late + " us");
        }
    }

    @Test
    void shouldSendUntilTheCountOrTheTimeIsReached() {
        final StatementLoad load = new StatementLoad(session(number -> CompletableFuture.completedFuture(null)));
        assertEquals(COUNT, load.fast(WRITE, 0, COUNT, Long.MAX_VALUE).count());
        assertTrue(load.fast(WRITE, 0, Integer.MAX_VALUE, 10_000_000).seconds() * 1000 < STOP_MILLIS);
    }

    @Test
    void fastThrowsAssertionErrorWhenAStatementFails() {
        final StatementLoad load = new StatementLoad(session(number -> number == STOPPED_AT
                ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                : CompletableFuture.completedFuture(null)));
        assertThrows(AssertionError.class, () -> load.fast(WRITE, 0, COUNT, Long.MAX_VALUE));
    }
}
