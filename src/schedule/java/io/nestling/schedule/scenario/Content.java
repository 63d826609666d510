/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import java.util.List;

/**
 * The effect of a write on a key's value.
 *
 * @param number number of the value or operand; {@link MemtableOracle#NONE} for a deletion
 * @param isOperand whether it is combined with the value before
 */
record Content(long number, boolean isOperand) {
    static final Content DELETED = new Content(MemtableOracle.NONE, false);
    /* Odd: no value before is lost. */
    private static final long FACTOR = 1009;

    static Content value(final long number) {
        return new Content(number, false);
    }

    static Content operand(final long number) {
        return new Content(number, true);
    }

    /** Returns the number of the value behind the write. It tells apart which operands there were, and in which order. */
    long over(final long before) {
        return isOperand ? (Math.max(0, before) * FACTOR + number) & Long.MAX_VALUE : number;
    }

    /** Combines operands from old to new with the number of the value before them. */
    static long combine(final long before, final List<Long> operands) {
        long number = before;
        for (final long each : operands) {
            number = operand(each).over(number);
        }
        return number;
    }

    @Override
    public String toString() {
        return isOperand ? "+" + number : Long.toString(number);
    }
}
