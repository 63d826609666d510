/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The rules by which a reader, a flush or a merge makes values of entries.
 * <h2>Thread safety</h2>
 * Immutable. The clock is read by all threads that use the rules.
 *
 * @param clock returns the time in milliseconds since the epoch, by which entries expire; read once an operation
 * @param operator combines operands; null if there are none
 */
public record ValueRules(LongSupplier clock, MergeOperator operator) {
    /** The system's clock, and no operator. */
    public static final ValueRules DEFAULT = new ValueRules(System::currentTimeMillis, null);

    /**
     * Checks the rules.
     *
     * @param clock returns the time in milliseconds since the epoch
     * @param operator combines operands; null if there are none
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
        return new ValueRules(newClock, operator);
    }

    /**
     * Returns these rules with another operator.
     *
     * @param newOperator combines operands
     * @return new rules
     */
    public ValueRules withOperator(final MergeOperator newOperator) {
        return new ValueRules(clock, Objects.requireNonNull(newOperator, "operator"));
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

    /**
     * Combines operands by the operator.
     *
     * @param key the key
     * @param value the value before them, or null
     * @param operands from old to new
     * @return the value
     * @throws MergeFailedException if there is no operator, or it throws an exception or returns null
     */
    public byte[] combine(final byte[] key, final byte[] value, final List<byte[]> operands) {
        if (operator == null) {
            throw new MergeFailedException(key, "expected rules with a merge operator but were ones without", null);
        }
        final byte[] combined;
        try {
            combined = operator.merge(key.clone(), value, operands);
        } catch (final RuntimeException e) {
            throw new MergeFailedException(key, "the merge operator threw " + e, e);
        }
        if (combined == null) {
            throw new MergeFailedException(key, "the merge operator returned null", null);
        }
        return combined;
    }
}
