/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import java.util.concurrent.atomic.AtomicInteger;

import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Where a thread is in the queries; the threads begin at different places. */
@State(Scope.Thread)
public class QueryPosition {
    private static final AtomicInteger THREADS = new AtomicInteger();
    /** An odd number that spreads the threads. */
    private static final int DISTANCE = 0x9E3779B1;

    private int next = THREADS.getAndIncrement() * DISTANCE;

    /** The next number, taken. */
    int next() {
        return next++;
    }

    /** The next numbers, taken. */
    int next(final int count) {
        final int first = next;
        next += count;
        return first;
    }
}
