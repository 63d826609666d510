/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers as people read them: three digits that count, with units. What is not a number is a dash. */
final class Quantity {
    /** Stands where there is no number. */
    static final String ABSENT = "\u2013";

    private static final String[] PREFIXES = {"", "k", "M", "G", "T"};
    private static final String[] TIMES = {"ns", "\u00b5s", "ms", "s"};
    private static final char TIMES_SIGN = '\u00d7';
    private static final double SMALLEST_RATIO = 0.1;
    private static final double GREATEST_RATIO = 9.995;
    private static final int DIGITS = 3;
    private static final double THOUSAND = 1_000;
    private static final double SMALLEST = 1e-3;
    private static final double WHOLE_FROM = 999.5;
    private static final double GREATEST = 1e15;
    private static final double GIBIBYTE = 1L << 30;
    private static final double MEBIBYTE = 1L << 20;

    private Quantity() {
    }

    /** Tells whether a number can be drawn: neither missing nor infinite nor negative. */
    static boolean isPresent(final double value) {
        return Double.isFinite(value) && value >= 0;
    }

    /** Three digits that count, never an exponent between 0.001 and 10^15. */
    static String number(final double value) {
        if (!Double.isFinite(value)) {
            return ABSENT;
        }
        final double size = Math.abs(value);
        if (size == 0) {
            return "0";
        }
        if (size < SMALLEST || size >= GREATEST) {
            return String.format(Locale.ROOT, "%.1e", value);
        }
        if (size >= WHOLE_FROM) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        final BigDecimal rounded = new BigDecimal(value).round(new MathContext(DIGITS));
        final int beforePoint = rounded.precision() - rounded.scale();
        return rounded.setScale(Math.max(0, DIGITS - beforePoint), RoundingMode.UNNECESSARY).toPlainString();
    }

    /** With k, M, G or T behind it. */
    static String prefixed(final double value) {
        if (!Double.isFinite(value)) {
            return ABSENT;
        }
        double scaled = value;
        int prefix = 0;
        while (Math.abs(scaled) >= WHOLE_FROM && prefix < PREFIXES.length - 1) {
            scaled /= THOUSAND;
            prefix++;
        }
        return number(scaled) + (prefix == 0 ? "" : " " + PREFIXES[prefix]);
    }

    /** Operations in a second. */
    static String rate(final double opsPerSecond) {
        if (!Double.isFinite(opsPerSecond)) {
            return ABSENT;
        }
        final String prefixed = prefixed(opsPerSecond);
        return prefixed + (prefixed.indexOf(' ') < 0 ? " /s" : "/s");
    }

    /** A time in the unit that suits it. */
    static String nanos(final double nanos) {
        if (!Double.isFinite(nanos)) {
            return ABSENT;
        }
        double scaled = nanos;
        int unit = 0;
        while (Math.abs(scaled) >= WHOLE_FROM && unit < TIMES.length - 1) {
            scaled /= THOUSAND;
            unit++;
        }
        return number(scaled) + " " + TIMES[unit];
    }

    /** How many times the baseline. */
    static String ratio(final double ratio) {
        if (!Double.isFinite(ratio)) {
            return ABSENT;
        }
        if (ratio >= SMALLEST && ratio < GREATEST_RATIO) {
            return String.format(Locale.ROOT, ratio < SMALLEST_RATIO ? "%.3f" : "%.2f", ratio) + TIMES_SIGN;
        }
        return prefixed(ratio) + TIMES_SIGN;
    }

    /** Bytes for one key, with one digit behind the point. */
    static String bytesPerKey(final double bytes) {
        if (!Double.isFinite(bytes)) {
            return ABSENT;
        }
        return Math.abs(bytes) >= GREATEST ? number(bytes) : String.format(Locale.ROOT, "%,.1f", bytes);
    }

    /** A number of keys or threads in few letters: 1 M, 300 k, 1.05 M. */
    static String count(final long count) {
        return trimmed(prefixed(count));
    }

    /** A value at a tick of an axis: like a number, without zeros at the end. */
    static String tick(final double value) {
        return trimmed(number(value));
    }

    /** A value at a tick where many powers of ten may occur. */
    static String compact(final double value) {
        return trimmed(prefixed(value));
    }

    /** A time at a tick. */
    static String compactNanos(final double nanos) {
        return trimmed(nanos(nanos));
    }

    private static String trimmed(final String number) {
        return number.replaceFirst("(\\.\\d*?)0+([ e]|$)", "$1$2").replaceFirst("\\.([ e]|$)", "$1")
            .replaceFirst("e([-+])0", "e$1");
    }

    /** A number of things in full. */
    static String exact(final long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** An amount of memory. */
    static String memory(final double bytes) {
        if (bytes >= GIBIBYTE) {
            return number(bytes / GIBIBYTE) + " GiB";
        }
        return bytes >= MEBIBYTE ? number(bytes / MEBIBYTE) + " MiB" : exact((long) bytes) + " bytes";
    }

    /** One thing or several: "1 key", "2 M keys". */
    static String counted(final long count, final String singular) {
        return count(count) + " " + singular + (count == 1 ? "" : "s");
    }
}
