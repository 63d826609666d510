/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;
import io.nestling.bytes.Varint;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Locations and populations of cities, with a random choice of one by its population. The file consists of rows of equal
 * latitude, from south to north, in hundredths of a degree:
 * <pre>
 *  row:   varint latitude (from -90 degrees, or from the previous row)   varint number of cities   city...
 *  city:  varint longitude (from -180 degrees, or from the previous city)   byte round(8 log2 population)
 * </pre>
 * Varints are those of {@link Varint}. The probability of a city is proportional to the 3/4th power of its population,
 * since small towns have more streets per head.
 * <p>
 * Immutable.
 */
final class CityTable {
    /** Units of the file per degree. */
    static final int UNITS_PER_DEGREE = 100;
    /** Steps of the population code per doubling. */
    static final int STEPS_PER_DOUBLING = 8;
    static final int SOUTH_POLE = -90;
    static final int DATE_LINE = -180;

    private static final String RESOURCE = "world-cities.bin";
    private static final double SIZE_POWER = 0.75;
    private static final double WHOLE = 0x1.0p32;
    private static final long SHARE_MASK = 0xFFFF_FFFFL;
    private static final int BYTE_MASK = 0xFF;

    private final List<City> cities = new ArrayList<>();
    /** Alias method (Walker 1977): slot i denotes city i up to a share in 2^-32, and above it another city. */
    private final long[] ownShares;
    private final int[] aliases;

    CityTable(final byte[] file) {
        final ByteBuffer source = ByteBuffer.wrap(file);
        int latitude = SOUTH_POLE * UNITS_PER_DEGREE;
        while (source.hasRemaining()) {
            latitude += Varint.readInt(source);
            int longitude = DATE_LINE * UNITS_PER_DEGREE;
            for (int left = Varint.readInt(source); left > 0; left--) {
                longitude += Varint.readInt(source);
                cities.add(new City((double) latitude / UNITS_PER_DEGREE, (double) longitude / UNITS_PER_DEGREE,
                    StrictMath.pow(2, (double) (source.get() & BYTE_MASK) / STEPS_PER_DOUBLING)));
            }
        }
        ownShares = new long[cities.size()];
        aliases = new int[cities.size()];
        share();
    }

    /** Returns the cities of the library. */
    static CityTable world() {
        return World.CITIES;
    }

    private record City(double latitude, double longitude, double population) {
    }

    /** Reads the file at the first use. */
    private static final class World {
        static final CityTable CITIES = read();

        private static CityTable read() {
            try (InputStream resource = CityTable.class.getResourceAsStream(RESOURCE)) {
                if (resource == null) {
                    throw new IllegalStateException("the library was packed without " + RESOURCE);
                }
                return new CityTable(resource.readAllBytes());
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void share() {
        final int count = cities.size();
        final double[] weights = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            weights[i] = StrictMath.pow(population(i), SIZE_POWER);
            sum += weights[i];
        }
        // Cities with more than an even share fill the slots of those with less.
        final int[] waiting = new int[count];
        int small = 0;
        int large = count;
        for (int i = 0; i < count; i++) {
            weights[i] *= count / sum;
            waiting[weights[i] < 1 ? small++ : --large] = i;
        }
        while (small > 0 && large < count) {
            final int filled = waiting[--small];
            final int giver = waiting[large];
            ownShares[filled] = (long) (weights[filled] * WHOLE);
            aliases[filled] = giver;
            weights[giver] -= 1 - weights[filled];
            if (weights[giver] < 1) {
                large++;
                waiting[small++] = giver;
            }
        }
        while (small > 0) {
            ownShares[waiting[--small]] = (long) WHOLE;
        }
        while (large < count) {
            ownShares[waiting[large++]] = (long) WHOLE;
        }
    }

    /** Returns the number of cities. */
    int size() {
        return cities.size();
    }

    /** Returns the latitude in degrees north. */
    double latitude(final int city) {
        return cities.get(city).latitude;
    }

    /** Returns the longitude in degrees east. */
    double longitude(final int city) {
        return cities.get(city).longitude;
    }

    /** Returns the population, rounded to about a twelfth. */
    double population(final int city) {
        return cities.get(city).population;
    }

    /** Chooses a city by 64 random bits. */
    int choose(final long random) {
        final int city = Hashing.reduce(random, cities.size());
        return (random & SHARE_MASK) < ownShares[city] ? city : aliases[city];
    }
}
