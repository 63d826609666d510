/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class AxisTest {
    private static final double EXACT = 1e-12;

    @Test
    void shouldPutLinearTicksAtRoundValues() {
        assertEquals(List.of(0.0, 0.5, 1.0, 1.5), Axis.linear(1.55, 4).ticks());
        assertEquals(List.of(0.0, 20.0, 40.0, 60.0, 80.0), Axis.linear(94, 6).ticks());
        assertEquals(List.of(0.0, 1.0, 2.0, 3.0, 4.0), Axis.linear(4, 4).ticks());
        assertEquals(1.55, Axis.linear(1.55, 4).end(), EXACT);
    }

    @Test
    void shouldPutLogarithmicTicksAtPowersOfTenAndBetweenThemIfTheyAreFew() {
        assertEquals(List.of(1.0, 2.0, 5.0, 10.0, 20.0), Axis.logarithmic(0.9, 35).ticks());
        assertEquals(List.of(100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0), Axis.logarithmic(90, 50_000).ticks());
        assertEquals(List.of(100.0, 1e3, 1e4, 1e5, 1e6, 1e7), Axis.logarithmic(90, 2e7).ticks());
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e-300, 1e-9, 0.3, 1, 7, 1e6, 9.9e99, 1e300, Double.MAX_VALUE})
    void shouldHaveFewAscendingTicksWithinTheAxisWhateverTheSize(final double greatest) {
        for (final Axis axis : List.of(Axis.linear(greatest, 4), Axis.logarithmic(greatest / 1e12, greatest))) {
            assertFalse(axis.ticks().isEmpty());
            assertTrue(axis.ticks().size() <= 12, axis.ticks().toString());
            assertEquals(axis.ticks().stream().sorted().distinct().toList(), axis.ticks());
            for (final double tick : axis.ticks()) {
                assertTrue(axis.position(tick) >= 0 && axis.position(tick) <= 1);
                assertTrue(tick <= axis.end() * (1 + 1e-6), tick + " after " + axis.end());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void shouldFallBackWhenThereIsNothingToShow(final double greatest) {
        assertEquals(1, Axis.linear(greatest, 4).end());
        assertFalse(Axis.logarithmic(greatest, greatest).ticks().isEmpty());
    }

    @Test
    void shouldMapValuesAndHoldThemWithinTheAxis() {
        final Axis linear = Axis.linear(10, 4);
        assertEquals(0.25, linear.position(2.5), EXACT);
        assertEquals(1, linear.position(1e9), EXACT);
        assertEquals(0, linear.position(-5), EXACT);
        assertEquals(0, linear.position(Double.NaN), EXACT);
        final Axis logarithmic = Axis.logarithmic(1, 100);
        assertEquals(0.5, logarithmic.position(10), EXACT);
        assertEquals(0, logarithmic.position(0), EXACT);
        assertEquals(1, logarithmic.position(Double.POSITIVE_INFINITY), EXACT);
    }

    @Test
    void shouldTakeTicksOfTheCallersChoice() {
        final Axis axis = Axis.logarithmic(1, 32).withTicks(List.of(1.0, 8.0, 32.0));
        assertEquals(List.of(1.0, 8.0, 32.0), axis.ticks());
        assertEquals(0.6, axis.position(8), EXACT);
    }
}
