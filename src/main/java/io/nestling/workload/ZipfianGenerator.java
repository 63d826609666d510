/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/**
 * Draws ranks from Zipf's law with exponent 0.99: rank r of n, from 0, with a probability proportional to
 * (r + 1)<sup>-0.99</sup>. It is exact, by rejection-inversion (Hörmann and Derflinger, ACM TOMACS 6(3), 1996): it
 * needs no sum over n, n may grow at any time, and a draw costs a few multiplications.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class ZipfianGenerator {
    /** The exponent. */
    public static final double EXPONENT = 0.99;

    /*
     * The area under x^-0.99 up to x is 100 x^0.01 (plus a constant), so the point x with an area a up to it is (a/100)^100.
     * Ranks, from 1 here, are rounded points. Rank k has the points from k - 1/2 to k + 1/2, whose area is a bit more than
     * k^-0.99; points in the excess are drawn again. Only areas need a fractional power, at the ends of the range and for the
     * few points near the end of a rank's interval. StrictMath gives the same numbers everywhere; its pow() would allocate.
     */
    private static final int INVERSE_POWER = 100;
    private static final double POWER = 1.0 / INVERSE_POWER;
    private static final double HALF = 0.5;
    /** The start of the range, which gives rank 1 an area of exactly 1. */
    private static final double MIN_AREA = area(1 + HALF) - 1;
    /** Points at most this far below their rank are accepted without computing the area. */
    private static final double SURE = 2 - point(area(2 + HALF) - probability(2));

    private final Randomness randomness;
    private long items;
    private double maxArea;

    /** Creates a generator of at least one rank. */
    ZipfianGenerator(final long items, final Randomness randomness) {
        this.randomness = randomness;
        items(items);
    }

    /** Sets the number of ranks for the next draws, at least 1. */
    public void items(final long newItems) {
        if (newItems < 1) {
            throw new IllegalArgumentException("Zipf's law needs 1 item or more, not " + newItems);
        }
        items = newItems;
        maxArea = area(newItems + HALF);
    }

    /** Draws a rank, from 0 (the most popular) on. */
    public long next() {
        while (true) {
            final double area = MIN_AREA + randomness.fraction() * (maxArea - MIN_AREA);
            final double point = point(area);
            final long rank = Math.max(1, Math.min((long) (point + HALF), items));
            if (rank - point <= SURE || area >= area(rank + HALF) - probability(rank)) {
                return rank - 1;
            }
        }
    }

    private static double area(final double x) {
        return INVERSE_POWER * StrictMath.exp(POWER * StrictMath.log(x));
    }

    /** Returns the inverse of {@link #area}: a 100th power, by multiplications. */
    private static double point(final double area) {
        final double power1 = area * POWER;
        final double power2 = power1 * power1;
        final double power4 = power2 * power2;
        final double power8 = power4 * power4;
        final double power16 = power8 * power8;
        final double power32 = power16 * power16;
        return power32 * power32 * power32 * power4;
    }

    private static double probability(final double rank) {
        return StrictMath.exp(-EXPONENT * StrictMath.log(rank));
    }
}
