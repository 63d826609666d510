/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import io.nestling.workload.CityTableWriter.City;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

class CityTableTest {
    /** Largest city within a tenth of a degree. */
    private static double populationNear(final double latitude, final double longitude) {
        final CityTable cities = CityTable.world();
        double largest = 0;
        for (int i = 0; i < cities.size(); i++) {
            if (Math.abs(cities.latitude(i) - latitude) < 0.1 && Math.abs(cities.longitude(i) - longitude) < 0.1) {
                largest = Math.max(largest, cities.population(i));
            }
        }
        return largest;
    }

    @Test
    void shouldHoldTheCitiesOfTheWorld() {
        assertEquals(49_025, CityTable.world().size());
        assertEquals(2.1e6, populationNear(48.85, 2.35), 0.2e6, "Paris");
        assertEquals(4.8e6, populationNear(-33.87, 151.21), 0.9e6, "Sydney");
        assertEquals(15e6, populationNear(31.22, 121.46), 9e6, "Shanghai");
        assertEquals(0, populationNear(0, -30), "the Atlantic");
        for (int i = 0; i < CityTable.world().size(); i++) {
            assertTrue(CityTable.world().population(i) > 4700);
        }
    }

    @Test
    void shouldReadWhatIsWritten() {
        final Random random = Seeds.random("CityTableTest");
        final List<City> cities = new ArrayList<>();
        for (int i = 0; i < 40_000; i++) {
            cities.add(City.of(random.nextDouble() * 180 - 90, random.nextDouble() * 360 - 180, 1 + random.nextInt(1 << 24)));
        }
        cities.addAll(List.of(City.of(-90, -180, 1), City.of(90, 180, 1L << 31)));
        final CityTable table = new CityTable(CityTableWriter.write(cities));
        cities.sort(Comparator.comparingInt(City::latitude).thenComparingInt(City::longitude)
            .thenComparingInt(City::sizeCode));
        assertEquals(cities.size(), table.size());
        for (int i = 0; i < cities.size(); i++) {
            assertEquals(cities.get(i).latitude() / 100.0 - 90, table.latitude(i), 1e-9);
            assertEquals(cities.get(i).longitude() / 100.0 - 180, table.longitude(i), 1e-9);
            assertEquals(cities.get(i).sizeCode() / 8.0, Math.log(table.population(i)) / Math.log(2), 1e-9);
        }
    }

    @Test
    void shouldChooseCitiesByTheirSize() {
        final Random random = Seeds.random("CityTableTest.choice");
        final List<City> cities = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            cities.add(City.of(i, i, 1L << i % 20));
        }
        final CityTable table = new CityTable(CityTableWriter.write(cities));
        final double[] shares = new double[table.size()];
        double sum = 0;
        for (int i = 0; i < shares.length; i++) {
            shares[i] = Math.pow(table.population(i), 0.75);
            sum += shares[i];
        }
        for (int i = 0; i < shares.length; i++) {
            shares[i] /= sum;
        }
        final long[] counts = new long[shares.length];
        for (int i = 0; i < 300_000; i++) {
            counts[table.choose(random.nextLong())]++;
        }
        ZipfianGeneratorTest.assertFits(shares, counts);
    }

    @Test
    void shouldSpreadBits() {
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            assertEquals(1L << 2 * bit, LocationKeys.spread(1L << bit));
        }
        assertEquals(0x5555_5555_5555_5555L, LocationKeys.spread(0xFFFF_FFFFL));
    }

    private static double coordinate(final long code, final double range) {
        long cell = 0;
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            cell |= (code >>> 2 * bit & 1) << bit;
        }
        return cell * range / 0x1.0p32 - range / 2;
    }

    @Test
    void shouldScatterPointsAroundCities() throws DatasetException {
        final int count = 20_000;
        final KeySet keys = Dataset.of("osm").keys(count);
        int inParis = 0;
        int onTheAtlantic = 0;
        int north = 0;
        for (int i = 0; i < count; i++) {
            final long code = ByteBuffer.wrap(keys.array(i)).getLong(keys.offset(i));
            final double latitude = coordinate(code >>> 1, 180);
            final double longitude = coordinate(code, 360);
            inParis += Math.abs(latitude - 48.86) < 0.2 && Math.abs(longitude - 2.34) < 0.3 ? 1 : 0;
            onTheAtlantic += Math.abs(latitude - 35) < 5 && Math.abs(longitude + 45) < 5 ? 1 : 0;
            north += latitude > 0 ? 1 : 0;
        }
        assertTrue(inParis > 20, inParis + " points in Paris");
        assertEquals(0, onTheAtlantic);
        assertTrue(north > 0.7 * count && north < 0.95 * count, north + " points in the north");
    }
}
