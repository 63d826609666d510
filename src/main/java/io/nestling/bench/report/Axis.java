/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Maps values to the range 0 to 1, evenly or by logarithm, and knows where to put ticks. */
final class Axis {
    private static final double LARGEST_LINEAR = 1e300;
    private static final double SLACK = 1e-9;
    private static final double TWO_DECADES = 2;
    private static final double FOUR_DECADES = 4;
    private static final int MOST_DECADE_TICKS = 6;
    private static final double[] STEPS = {1, 2, 5, 10};
    private static final double[] ONE_TO_FIVE = {1, 2, 5};
    private static final double[] ONE_AND_THREE = {1, 3};
    private static final double[] ONE = {1};

    private final boolean logarithmic;
    private final double from;
    private final double to;
    private final List<Double> ticks;

    private Axis(final boolean logarithmic, final double from, final double to, final List<Double> ticks) {
        this.logarithmic = logarithmic;
        this.from = from;
        this.to = to;
        this.ticks = List.copyOf(ticks);
    }

    /**
     * From zero to a little over the greatest value, with ticks at 1, 2 or 5 times a power of ten.
     *
     * @param greatest greatest value; if it is zero or not a number the axis ends at 1
     * @param intervals about how many intervals there should be
     */
    static Axis linear(final double greatest, final int intervals) {
        final double end = Double.isFinite(greatest) && greatest > 0 ? Math.min(greatest, LARGEST_LINEAR) : 1;
        final double step = niceStep(end / intervals);
        final List<Double> ticks = new ArrayList<>();
        for (int i = 0; i * step <= end * (1 + SLACK); i++) {
            ticks.add(i * step);
        }
        return new Axis(false, 0, end, ticks);
    }

    /**
     * By logarithm, with ticks at powers of ten and, if these are few, between them.
     *
     * @param least least value above zero
     * @param greatest greatest value
     */
    static Axis logarithmic(final double least, final double greatest) {
        final double low = Double.isFinite(least) && least > 0 ? least : 1;
        final double high = Double.isFinite(greatest) && greatest > low ? greatest : low * STEPS[3];
        final double decades = Math.log10(high / low);
        final double[] steps = decades <= TWO_DECADES ? ONE_TO_FIVE : decades <= FOUR_DECADES ? ONE_AND_THREE : ONE;
        final int stride = 1 + (int) (decades / MOST_DECADE_TICKS);
        final List<Double> ticks = new ArrayList<>();
        for (int exponent = (int) Math.floor(Math.log10(low)); exponent <= Math.log10(high); exponent++) {
            for (final double step : steps) {
                final double tick = step * Math.pow(STEPS[3], exponent);
                if (tick >= low * (1 - SLACK) && tick <= high * (1 + SLACK) && Math.floorMod(exponent, stride) == 0) {
                    ticks.add(tick);
                }
            }
        }
        return new Axis(true, low, high, ticks);
    }

    /** The same axis with ticks at values of the caller's choice. */
    Axis withTicks(final List<Double> values) {
        return new Axis(logarithmic, from, to, values);
    }

    /** Where a value lies, 0 at the beginning and 1 at the end; values outside are at the nearest end. */
    double position(final double value) {
        final double position = logarithmic
            ? Math.log(Math.max(value, from) / from) / Math.log(to / from)
            : (value - from) / (to - from);
        return Double.isNaN(position) ? 0 : Math.max(0, Math.min(1, position));
    }

    /** The values to label, in ascending order. */
    List<Double> ticks() {
        return ticks;
    }

    double end() {
        return to;
    }

    private static double niceStep(final double least) {
        final double power = Math.pow(STEPS[3], Math.floor(Math.log10(least)));
        for (final double step : STEPS) {
            if (step * power >= least * (1 - SLACK)) {
                return step * power;
            }
        }
        return least;
    }
}
