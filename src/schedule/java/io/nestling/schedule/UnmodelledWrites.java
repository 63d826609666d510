/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

/** Writes to memory outside of the model, such as records: each is a number, and a fiber can ask whether it has to see it. */
public final class UnmodelledWrites {
    private UnmodelledWrites() {
    }

    /** Returns the number of a write that the fiber that runs has just done; 0 where all see all. */
    public static long written() {
        final Fiber fiber = Scheduler.now();
        return Scheduler.isWeak() ? (long) fiber.id << Integer.SIZE | ++fiber.clock[fiber.id] : 0;
    }

    /**
     * Returns whether a write happens before what the fiber that runs does next.
     *
     * @param write its number
     */
    public static boolean isSeen(final long write) {
        return write == 0 || !Scheduler.isWeak()
            || Scheduler.now().clock[(int) (write >>> Integer.SIZE)] >= (int) write;
    }
}
