/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.IdentityHashMap;
import java.util.Map;
import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

/** A logical thread of a run: a coroutine with a priority, and with the clocks of {@link WeakMemory}. */
final class Fiber {
    static final ContinuationScope SCOPE = new ContinuationScope("schedule");

    final int id;
    final String name;
    /** Values of this fiber's {@link FiberLocal}s. */
    final Map<Object, Object> locals = new IdentityHashMap<>();
    /** Accesses so far. */
    int steps;
    /** Accesses to shared words so far, see {@link Conflicts}. */
    int sharedSteps;
    /** Operations that have ended. */
    int operations;
    /** Accesses since another fiber ran. */
    int stepsInRow;
    /** The ready fiber of the highest priority runs. */
    long priority;
    boolean done;
    Throwable error;
    /** The lock that this fiber waits for. */
    Locks.Lock waitsFor;
    /** The monitor that this fiber waits to be notified on. */
    Object waitsOn;
    /** The stores that this fiber sees for sure. */
    final int[] clock;
    /** The stores that plain loads have met: seen for sure behind an acquire fence. */
    final int[] pending;
    /** The clock at the last release fence. */
    int[] fence;
    /** Stale values that this fiber may still read. */
    int staleReadsLeft;
    private final Continuation continuation;

    Fiber(final int id, final String name, final int fibers, final Runnable body) {
        this.id = id;
        this.name = name;
        this.clock = new int[fibers];
        this.pending = new int[fibers];
        this.fence = new int[fibers];
        this.continuation = new Continuation(SCOPE, () -> {
            try {
                body.run();
            } catch (final Throwable thrown) {
                error = thrown;
            }
            done = true;
        }) {
            @Override
            protected void onPinned(final Pinned reason) {
                // A class initializer runs: no other fiber may go on here.
            }
        };
    }

    /** Runs until the fiber pauses or ends. */
    void run() {
        continuation.run();
    }

    /** Called by the fiber that runs: lets the scheduler choose again. */
    static void pause() {
        Continuation.yield(SCOPE);
    }

    boolean isReady() {
        return !done && waitsOn == null && (waitsFor == null || waitsFor.owner == null);
    }
}
