/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Varint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Makes the file that {@link CityTable} reads from lines of text. */
final class CityTableWriter {
    private static final int LATITUDE_COLUMN = 1;
    private static final int LONGITUDE_COLUMN = 2;
    private static final int POPULATION_COLUMN = 3;

    /** A city in the units of the file. */
    record City(int latitude, int longitude, int sizeCode) {
        static City of(final double latitude, final double longitude, final long population) {
            return new City(
                (int) Math.round((latitude - CityTable.SOUTH_POLE) * CityTable.UNITS_PER_DEGREE),
                (int) Math.round((longitude - CityTable.DATE_LINE) * CityTable.UNITS_PER_DEGREE),
                (int) Math.round(CityTable.STEPS_PER_DOUBLING * Math.log(population) / Math.log(2)));
        }
    }

    private CityTableWriter() {
    }

    static byte[] write(final List<City> cities) {
        final List<City> sorted = new ArrayList<>(cities);
        sorted.sort(Comparator.comparingInt(City::latitude).thenComparingInt(City::longitude)
            .thenComparingInt(City::sizeCode));
        final byte[] file = new byte[sorted.size() * (3 * Varint.MAX_INT_BYTES + 1)];
        int end = 0;
        int latitude = 0;
        for (int row = 0; row < sorted.size();) {
            int rowEnd = row;
            while (rowEnd < sorted.size() && sorted.get(rowEnd).latitude == sorted.get(row).latitude) {
                rowEnd++;
            }
            end = Varint.write(file, end, sorted.get(row).latitude - latitude);
            end = Varint.write(file, end, rowEnd - row);
            latitude = sorted.get(row).latitude;
            int longitude = 0;
            for (; row < rowEnd; row++) {
                end = Varint.write(file, end, sorted.get(row).longitude - longitude);
                longitude = sorted.get(row).longitude;
                file[end++] = (byte) sorted.get(row).sizeCode;
            }
        }
        return Arrays.copyOf(file, end);
    }

    /**
     * Makes the file.
     *
     * @param arguments input: lines of id, latitude, longitude and population with TABs between, packed with
     *     gzip; least population; output
     */
    public static void main(final String[] arguments) throws IOException {
        final long leastPopulation = Long.parseLong(arguments[1]);
        final List<City> cities = new ArrayList<>();
        try (var lines = new GZIPInputStream(Files.newInputStream(Path.of(arguments[0])))) {
            new String(lines.readAllBytes(), StandardCharsets.UTF_8).lines().map(line -> line.split("\t")).forEach(columns -> {
                final long population = Long.parseLong(columns[POPULATION_COLUMN]);
                if (population >= leastPopulation) {
                    cities.add(City.of(Double.parseDouble(columns[LATITUDE_COLUMN]),
                        Double.parseDouble(columns[LONGITUDE_COLUMN]), population));
                }
            });
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
        Files.write(Path.of(arguments[2]), write(cities));
    }
}
