/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.concurrent.TimeUnit;

/**
 * The monitors and locks of the product, which fibers take in place of threads. Outside of a run all calls do nothing.
 * <h2>Thread safety</h2>
 * One thread.
 */
public final class Monitors {
    private Monitors() {
    }

    /**
     * In place of entering a monitor or {@code ReentrantLock.lock}.
     *
     * @param lock the object
     */
    public static void lock(final Object lock) {
        final Fiber fiber = Scheduler.now();
        if (fiber != null) {
            Scheduler.point(Scheduler.heapWord(lock, 0), true);
            take(fiber, Scheduler.locks().of(lock, 0), 1);
        }
    }

    /** Waits until no other fiber has a lock, and takes it so many times. */
    private static void take(final Fiber fiber, final Locks.Lock state, final int holds) {
        while (state.owner != null && state.owner != fiber) {
            fiber.waitsFor = state;
            Scheduler.pause(fiber);
        }
        fiber.waitsFor = null;
        state.owner = fiber;
        state.holds += holds;
        Clock.join(fiber.clock, state.clock);
    }

    private static void release(final Fiber fiber, final Locks.Lock state) {
        state.holds = 0;
        state.owner = null;
        state.clock = fiber.clock.clone();
    }

    /**
     * In place of {@code ReentrantLock.tryLock}.
     *
     * @param lock the lock
     * @return whether the fiber holds it now
     */
    public static boolean tryLock(final Object lock) {
        final Fiber fiber = Scheduler.now();
        if (fiber == null) {
            return true;
        }
        Scheduler.point(Scheduler.heapWord(lock, 0), true);
        final Locks.Lock state = Scheduler.locks().of(lock, 0);
        if (state.owner != null && state.owner != fiber) {
            return false;
        }
        take(fiber, state, 1);
        return true;
    }

    /**
     * In place of leaving a monitor or {@code ReentrantLock.unlock}.
     *
     * @param lock the object
     */
    public static void unlock(final Object lock) {
        final Fiber fiber = Scheduler.now();
        if (fiber == null) {
            return;
        }
        final Locks.Lock state = Scheduler.locks().of(lock, 0);
        if (state.owner == fiber && --state.holds == 0) {
            release(fiber, state);
        }
        Scheduler.point(Scheduler.heapWord(lock, 0), true);
    }

    /**
     * In place of {@code ReentrantLock.isHeldByCurrentThread}.
     *
     * @param lock the lock
     * @return whether the fiber holds it; true outside of a run
     */
    public static boolean isHeld(final Object lock) {
        final Fiber fiber = Scheduler.now();
        return fiber == null || Scheduler.locks().of(lock, 0).owner == fiber;
    }

    /**
     * In place of {@code TimeUnit.timedWait}. The time never ends the wait, so that a fiber that no other one wakes is found.
     *
     * @param unit not used
     * @param monitor what the fiber waits on, which it holds
     * @param time not used
     */
    public static void timedWait(final TimeUnit unit, final Object monitor, final long time) {
        final Fiber fiber = Scheduler.now();
        if (!isHeld(monitor) || fiber == null) {
            throw new IllegalMonitorStateException("expected to hold the monitor that is waited on, in a run");
        }
        final Locks.Lock state = Scheduler.locks().of(monitor, 0);
        final int holds = state.holds;
        release(fiber, state);
        fiber.waitsOn = monitor;
        Scheduler.pause(fiber);
        take(fiber, state, holds);
    }

    /**
     * In place of {@code Object.notifyAll}.
     *
     * @param monitor what fibers wait on, which this one holds
     */
    public static void wakeAll(final Object monitor) {
        if (!isHeld(monitor)) {
            throw new IllegalMonitorStateException("expected to hold the monitor whose waiting fibers are woken");
        }
        for (final Fiber fiber : Scheduler.fibers()) {
            if (fiber.waitsOn == monitor) {
                fiber.waitsOn = null;
            }
        }
    }
}
