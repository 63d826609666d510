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
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({"0,0", "1,1.00", "1.5,1.50", "9.999,10.0", "12.345,12.3", "99.96,100", "999.4,999", "999.5,'1,000'",
        "1234567,'1,234,567'", "0.0961,0.0961", "0.1,0.100", "0.00123,0.00123", "0.00012,1.2e-04", "2e15,2.0e+15",
        "-3.14159,-3.14", "NaN,\u2013", "Infinity,\u2013"})
    void shouldShowThreeDigitsThatCount(final double value, final String text) {
        assertEquals(text, Quantity.number(value));
    }

    @ParameterizedTest
    @CsvSource({"0,0 /s", "12.5,12.5 /s", "999.7,1.00 k/s", "834000,834 k/s", "1234567,1.23 M/s", "84.6e6,84.6 M/s",
        "2e9,2.00 G/s", "5e17,'500,000 T/s'", "NaN,\u2013"})
    void shouldShowRatesWithPrefixes(final double value, final String text) {
        assertEquals(text, Quantity.rate(value));
    }

    @ParameterizedTest
    @CsvSource({"0,0 ns", "285,285 ns", "1234,1.23 \u00b5s", "4500000,4.50 ms", "2e9,2.00 s", "9.2e18,'9,200,000,000 s'",
        "NaN,\u2013"})
    void shouldShowTimesInUnitsThatSuit(final double value, final String text) {
        assertEquals(text, Quantity.nanos(value));
    }

    @ParameterizedTest
    @CsvSource({"1,1.00\u00d7", "2.314,2.31\u00d7", "0.0956,0.096\u00d7", "13.62,13.6\u00d7", "1446412,1.45 M\u00d7", "0,0\u00d7",
        "NaN,\u2013", "Infinity,\u2013"})
    void shouldShowRatios(final double value, final String text) {
        assertEquals(text, Quantity.ratio(value));
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1000,1 k", "300000,300 k", "1000000,1 M", "1050000,1.05 M", "30000000,30 M",
        "2147483647,2.15 G", "100,100"})
    void shouldShowCountsInFewLetters(final long value, final String text) {
        assertEquals(text, Quantity.count(value));
    }

    @ParameterizedTest
    @CsvSource({"0,0", "0.5,0.5", "2,2", "10,10", "1500,'1,500'", "0.0001,1e-4"})
    void shouldShowTicksWithoutZerosAtTheEnd(final double value, final String text) {
        assertEquals(text, Quantity.tick(value));
    }

    @Test
    void shouldNameOneThingAndSeveral() {
        assertEquals("1 thread", Quantity.counted(1, "thread"));
        assertEquals("10 M keys", Quantity.counted(10_000_000, "key"));
        assertEquals("46.3", Quantity.bytesPerKey(46.25001));
        assertEquals("23.5 GiB", Quantity.memory(25_276_510_208.0));
        assertEquals("512 MiB", Quantity.memory(512 << 20));
        assertEquals("1,000 bytes", Quantity.memory(1000));
    }

    @Test
    void shouldTellWhatCanBeDrawn() {
        assertTrue(Quantity.isPresent(0));
        for (final double value : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertFalse(Quantity.isPresent(value), String.valueOf(value));
        }
    }

    @ParameterizedTest
    @CsvSource({"5e6,1234567,1.23,M/s", "1e5,90000,0.0900,M/s", "99999,50000,50.0,k/s", "99,50,50.0,/s",
        "0,0,0,/s", "NaN,NaN,\u2013,/s"})
    void shouldGiveAllRatesOfATableTheSameUnit(final double greatest, final double value, final String text, final String unit) {
        assertEquals(text, RateUnit.of(greatest).format(value));
        assertEquals(unit, RateUnit.of(greatest).symbol());
    }
}
