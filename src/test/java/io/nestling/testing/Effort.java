/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.time.Duration;
import java.util.Locale;

/**
 * How much a test of robustness tries: {@code -Dtest.effort=quick} in each build, {@code full} before a merge, {@code long}
 * for hours on request.
 */
public enum Effort {
    QUICK, FULL, LONG;

    /** System property that chooses the effort. */
    public static final String EFFORT_PROP_NAME = "test.effort";

    /** System property that replaces every duration, in seconds. */
    public static final String SECONDS_PROP_NAME = "test.seconds";

    /**
     * Returns the effort of this run.
     *
     * @return that of the property, {@link #QUICK} without one
     */
    public static Effort current() {
        return valueOf(System.getProperty(EFFORT_PROP_NAME, "quick").toUpperCase(Locale.ROOT));
    }

    /**
     * Returns the number of repetitions for the effort of this run.
     *
     * @param quick repetitions in each build
     * @param full repetitions before a merge
     * @param longer repetitions on request
     * @return one of these
     */
    public static int count(final int quick, final int full, final int longer) {
        return switch (current()) {
            case QUICK -> quick;
            case FULL -> full;
            case LONG -> longer;
        };
    }

    /**
     * Returns the duration of a search for the effort of this run.
     *
     * @param quick seconds in each build
     * @param full seconds before a merge
     * @param longer seconds on request
     * @return one of these, or that of the property {@value #SECONDS_PROP_NAME}
     */
    public static Duration seconds(final int quick, final int full, final int longer) {
        return Duration.ofSeconds(Integer.getInteger(SECONDS_PROP_NAME, count(quick, full, longer)));
    }
}
