/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

/** The unit that all rates of one table are given in, so that a column can be compared at a glance. */
enum RateUnit {
    /** Single operations. */
    ONE("/s", 1),
    /** Thousands. */
    THOUSAND("k/s", 1e3),
    /** Millions. */
    MILLION("M/s", 1e6);

    private static final double ENOUGH = 0.1;

    private final String symbol;
    private final double size;

    RateUnit(final String symbol, final double size) {
        this.symbol = symbol;
        this.size = size;
    }

    /** The unit in which the greatest rate of a table is at least a tenth. */
    static RateUnit of(final double greatest) {
        if (greatest >= MILLION.size * ENOUGH) {
            return MILLION;
        }
        return greatest >= THOUSAND.size * ENOUGH ? THOUSAND : ONE;
    }

    String symbol() {
        return symbol;
    }

    /** The number without the unit. */
    String format(final double opsPerSecond) {
        return Quantity.number(opsPerSecond / size);
    }

    /** The number without the unit, for an axis. */
    String tick(final double opsPerSecond) {
        return Quantity.compact(opsPerSecond / size);
    }
}
