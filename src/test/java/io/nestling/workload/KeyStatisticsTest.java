/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class KeyStatisticsTest {
    /** Name, average bytes at 1 M keys or, of debian-paths, all, and bits at 100,000, 1 M and 10 M keys. */
    private static final Pattern ROW =
        Pattern.compile("\\| `([a-z0-9-]+)` \\|[^|]*\\| ([0-9.,]+) \\| ([0-9.,]+) \\| ([0-9.,]+|-) \\| ([0-9.,]+|-) \\|");
    private static final int KEYS = 100_000;
    private static final int MORE_KEYS = 1_000_000;

    /** A row of the table in datasets/README.md. */
    record Row(String name, String bytes, String bits, String bitsOfMore) {
    }

    static List<Row> rows() throws IOException {
        final List<Row> rows = new ArrayList<>();
        for (final String line : Files.readAllLines(Path.of("datasets", "README.md"))) {
            final Matcher matcher = ROW.matcher(line);
            if (matcher.matches()) {
                rows.add(new Row(matcher.group(1), matcher.group(2), matcher.group(3), matcher.group(4)));
            }
        }
        return rows;
    }

    private static String rounded(final double number) {
        return String.format(Locale.ROOT, "%,.1f", number);
    }

    @ParameterizedTest
    @CsvSource({"'', 0", "a, 1", "a ab, 8.5", "a b, 7", "aa ab ba, 12.33", "abc abd ab, 20", "x xy xyz, 13.67"})
    void shouldCountBitsOfUniquePrefixes(final String words, final double bits) {
        final List<byte[]> keys = new ArrayList<>();
        for (final String word : words.isEmpty() ? new String[0] : words.split(" ")) {
            keys.add(word.getBytes(StandardCharsets.US_ASCII));
        }
        assertEquals(bits, KeyStatistics.of(KeySetTest.setOf(keys)).averageUniquePrefixBits(), 0.01);
    }

    /** Of n random keys it is log2 n + 1/2 + Euler's constant / ln 2: 28.9 for the 200 million of the paper. */
    @Test
    void shouldAgreeWithTheoryOnRandomKeys() throws DatasetException {
        final KeyStatistics statistics = KeyStatistics.of(Dataset.of("rand-16").keys(KEYS));
        assertEquals(KEYS, statistics.keys());
        assertEquals(16, statistics.averageKeyBytes());
        assertEquals(Math.log(KEYS) / Math.log(2) + 0.5 + 0.5772 / Math.log(2), statistics.averageUniquePrefixBits(), 0.03);
    }

    @Test
    void shouldHaveARowForEachName() throws IOException {
        final List<String> names = rows().stream().map(Row::name).toList();
        assertEquals(Dataset.names(), names);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void shouldFindWhatTheReadmeSays(final Row row) throws DatasetException {
        // The user may have made the whole set.
        final boolean paths = row.name.equals("debian-paths");
        final KeySet keys = Dataset.of(paths ? "datasets/debian-paths-100k.tsv.gz" : row.name).keys(KEYS);
        assertEquals(row.bits, rounded(KeyStatistics.of(keys).averageUniquePrefixBits()));
    }

    @ParameterizedTest
    @MethodSource("rows")
    @Tag("long")
    void shouldFindWhatTheReadmeSaysOfMoreKeys(final Row row) throws DatasetException {
        assumeFalse(row.name.equals("debian-paths"), "has fewer keys");
        assumeFalse(row.name.equals("k10"), "takes too much memory");
        final KeyStatistics statistics = KeyStatistics.of(Dataset.of(row.name).keys(MORE_KEYS));
        assertEquals(row.bytes, rounded(statistics.averageKeyBytes()));
        assertEquals(row.bitsOfMore, rounded(statistics.averageUniquePrefixBits()));
    }
}
