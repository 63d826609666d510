/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The rules by which a reader, a flush or a merge makes values of entries.
 * <h2>Thread safety</h2>
 * Immutable. The clock is read by all threads that use the rules.
 *
 * @param clock returns the time in milliseconds since the epoch, by which entries expire; read once an operation
 */
public record ValueRules(LongSupplier clock) {
    /** The system's clock. */
    public static final ValueRules DEFAULT = new ValueRules(System::currentTimeMillis);

    /**
     * Checks the rules.
     *
     * @param clock returns the time in milliseconds since the epoch
     */
    public ValueRules {
        Objects.requireNonNull(clock, "clock");
    }

    /**
     * Returns these rules with another clock.
     *
     * @param newClock returns the time in milliseconds since the epoch
     * @return new rules
     */
    public ValueRules withClock(final LongSupplier newClock) {
        return new ValueRules(newClock);
    }

    /**
     * Returns these rules with the time of this call, for an operation of several steps.
     *
     * @return rules whose clock stands still
     */
    public ValueRules atOnce() {
        final long now = clock.getAsLong();
        return withClock(() -> now);
    }
}
