/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/**
 * Keys like the OpenStreetMap locations of the Cuckoo Trie paper: Morton codes of points around real cities, that is, the
 * interleaved bits of latitude and longitude in 2<sup>-32</sup> of their ranges.
 * <p>
 * A point belongs to a city of {@link CityTable}. Each of its coordinates differs from the center by the sum of
 * four uniformly distributed numbers, which is nearly normal, times a radius. The radius grows with the root of the
 * population, and is doubled for every second point, again for every fourth, and so on up to six times:
 * dense centers, suburbs, country. Three of four points lie on streets: one of their coordinates is rounded to
 * lines that are 38 meters apart to the north, or 76 at the equator to the east.
 */
final class LocationKeys implements KeyGenerator {
    private static final long SEED = 0x6F736D;
    /** Radius of a city of one inhabitant, in degrees: 7 km for a million. */
    private static final double UNIT_RADIUS = 6.3e-5;
    private static final int MAX_DOUBLINGS = 6;
    private static final int TERMS = 4;
    private static final double TERM_UNIT = 0x1.0p-15;
    private static final int TERM_MASK = 0xFFFF;
    private static final double HALF_GLOBE = 180;
    private static final double CELLS = 0x1.0p32;
    private static final long MAX_CELL = (1L << Integer.SIZE) - 1;
    /** The direction of a point's street: two random bits. */
    private static final int STREET_BITS = 2;
    private static final int NO_STREET = 0;
    private static final int TO_THE_EAST = 1;
    private static final int EITHER_WAY = 3;
    /** Log2 of the cells between streets: 2^13 cells of latitude are 38 meters, of longitude 76 meters at the equator. */
    private static final int STREET_SHIFT = 13;
    private static final long STREET_HALF = 1L << STREET_SHIFT - 1;

    private final CityTable cities = CityTable.world();
    private final Randomness randomness = new Randomness(SEED);

    @Override
    public int maxKeyBytes() {
        return Long.BYTES;
    }

    @Override
    public int generate(final long number, final byte[] target) {
        randomness.restart(SEED, number);
        final int city = cities.choose(randomness.next());
        final long shape = randomness.next();
        final int doublings = Math.min(Long.numberOfTrailingZeros(shape), MAX_DOUBLINGS);
        final double radius = UNIT_RADIUS * Math.sqrt(cities.population(city)) * (1 << doublings);
        final double north = cities.latitude(city) + radius * scatter();
        final double east = cities.longitude(city) + radius * scatter() / shrinkage(cities.latitude(city));
        long row = cell((north + HALF_GLOBE / 2) / HALF_GLOBE);
        long column = cell((east + HALF_GLOBE) / (2 * HALF_GLOBE));
        final int street = (int) (shape >>> Long.SIZE - STREET_BITS);
        final boolean even = (number & 1) == 0;
        if (street == TO_THE_EAST || street == EITHER_WAY && even) {
            row = street(row);
        } else if (street != NO_STREET) {
            column = street(column);
        }
        KeyBytes.putLong(target, 0, spread(row) << 1 | spread(column));
        return Long.BYTES;
    }

    /** Returns a nearly normally distributed number from -4 to 4 with a standard deviation of 1.15. */
    private double scatter() {
        final long random = randomness.next();
        double sum = -TERMS;
        for (int i = 0; i < TERMS; i++) {
            sum += (random >>> i * Short.SIZE & TERM_MASK) * TERM_UNIT;
        }
        return sum;
    }

    /** Returns about the cosine of a latitude: the relative length of a degree to the east. */
    private static double shrinkage(final double latitude) {
        final double part = latitude / (HALF_GLOBE / 2);
        return Math.max(1 - part * part, TERM_UNIT);
    }

    private static long cell(final double share) {
        final double wrapped = share - Math.floor(share);
        return Math.min((long) (wrapped * CELLS), MAX_CELL);
    }

    private static long street(final long cell) {
        return Math.min(cell + STREET_HALF >>> STREET_SHIFT << STREET_SHIFT, MAX_CELL);
    }

    /** Moves the 32 bits of a number to the even positions of 64. */
    static long spread(final long number) {
        long bits = number;
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFFL;
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FFL;
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0FL;
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333L;
        return (bits | bits << 1) & 0x5555_5555_5555_5555L;
    }
}
