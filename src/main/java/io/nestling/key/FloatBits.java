/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * IEEE 754 numbers as integers in the same order: their bits, and of negative numbers all but the sign inverted. Every NaN
 * becomes the canonical one, which is the greatest.
 */
final class FloatBits {
    private FloatBits() {
    }

    static long ofFloat(final float value) {
        return ordered(Float.floatToIntBits(value), Integer.MAX_VALUE);
    }

    static float toFloat(final long number) {
        return Float.intBitsToFloat((int) ordered(number, Integer.MAX_VALUE));
    }

    static long ofDouble(final double value) {
        return ordered(Double.doubleToLongBits(value), Long.MAX_VALUE);
    }

    static double toDouble(final long number) {
        return Double.longBitsToDouble(ordered(number, Long.MAX_VALUE));
    }

    /** Inverts the bits of a mask if a number is negative; the inverse of itself. */
    private static long ordered(final long bits, final long mask) {
        return bits ^ bits >> Long.SIZE - 1 & mask;
    }
}
