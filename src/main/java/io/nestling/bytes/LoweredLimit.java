/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

/**
 * Limits of structures that tests lower, so that a few keys reach states that otherwise take thousands: leaves that split,
 * tables that grow, blocks that are reused. A limit is a {@code static final} field, read once from a system property that
 * only tests set; compiled code treats it as a constant.
 */
public final class LoweredLimit {
    /** Prefix of the property of each limit. */
    public static final String PROP_PREFIX = "io.nestling.limit.";

    private LoweredLimit() {
    }

    /**
     * Returns a limit.
     *
     * @param name name of the property behind {@value #PROP_PREFIX}
     * @param usual the limit without a property
     * @param least the lowest value that the structure works with
     * @return the property's value, or the usual one
     * @throws IllegalArgumentException if the property is not a number from {@code least} to {@code usual}
     */
    public static int of(final String name, final int usual, final int least) {
        final String property = System.getProperty(PROP_PREFIX + name);
        if (property == null) {
            return usual;
        }
        final int value;
        try {
            value = Integer.parseInt(property);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(PROP_PREFIX + name + ": expected a number but was \"" + property + '"', e);
        }
        if (value < least || value > usual) {
            throw new IllegalArgumentException(
                PROP_PREFIX + name + ": expected a number from " + least + " to " + usual + " but was " + value);
        }
        return value;
    }

    /**
     * Returns a limit that is a power of two.
     *
     * @param name name of the property behind {@value #PROP_PREFIX}
     * @param usual the limit without a property, a power of two
     * @param least the lowest value that the structure works with
     * @return the property's value, or the usual one
     * @throws IllegalArgumentException if the property is not a power of two from {@code least} to {@code usual}
     */
    public static int powerOfTwo(final String name, final int usual, final int least) {
        final int value = of(name, usual, least);
        if (Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException(PROP_PREFIX + name + ": expected a power of two but was " + value);
        }
        return value;
    }
}
