/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.Hashing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

class DatasetTest {
    private static final int COUNT = 3000;

    static List<String> names() {
        return Dataset.names();
    }

    private static Set<ByteBuffer> distinct(final KeySet keys) {
        final Set<ByteBuffer> distinct = new HashSet<>();
        for (int i = 0; i < keys.size(); i++) {
            distinct.add(ByteBuffer.wrap(keys.key(i)));
        }
        assertEquals(keys.size(), distinct.size(), "keys that occur twice");
        return distinct;
    }

    private static long fingerprint(final KeySet keys) {
        long sum = 0;
        for (int i = 0; i < keys.size(); i++) {
            sum = Hashing.mix64(sum + Hashing.hash64(keys.key(i)));
        }
        return sum;
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldHaveDifferentKeysInARandomOrder(final String name) throws DatasetException {
        final Dataset dataset = Dataset.of(name);
        assertEquals(name, dataset.name());
        assertTrue(dataset.maxKeys() >= 100_000);
        final KeySet keys = dataset.keys(COUNT);
        assertEquals(COUNT, keys.size());
        distinct(keys);
        int ascents = 0;
        for (int i = 1; i < COUNT; i++) {
            ascents += keys.compare(i - 1, keys, i) < 0 ? 1 : 0;
        }
        // The variance of the number of ascents is a twelfth of the number of keys.
        assertEquals(COUNT / 2.0, ascents, 6 * Math.sqrt(COUNT / 12.0));
        assertEquals(0, dataset.keys(0).size());
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldBeginWithTheSameKeysHoweverManyAreAskedFor(final String name) throws DatasetException {
        final KeySet keys = Dataset.of(name).keys(COUNT);
        KeySetTest.assertKeys(KeySetTest.listOf(keys.slice(0, COUNT / 3)), Dataset.of(name).keys(COUNT / 3));
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldHaveOtherKeysOfTheSameShape(final String name) throws DatasetException {
        final Dataset dataset = Dataset.of(name);
        final KeySet present = dataset.keys(COUNT).reversed();
        final KeySet absent = dataset.absentKeys(COUNT + 1, present);
        assertEquals(COUNT + 1, absent.size());
        final Set<ByteBuffer> all = distinct(present);
        all.addAll(distinct(absent));
        assertEquals(2 * COUNT + 1, all.size());
        assertEquals((double) present.keyBytes() / COUNT, (double) absent.keyBytes() / COUNT,
            0.03 * present.keyBytes() / COUNT);
        assertEquals(fingerprint(absent), fingerprint(dataset.absentKeys(COUNT + 1, present)));
        assertEquals(5, dataset.absentKeys(5, dataset.keys(0)).size());
    }

    /** Results are comparable only if keys stay what they are, on every machine and in every version. */
    @ParameterizedTest
    @CsvSource({
        "rand-8, 68bb668b9385128f", "rand-16, 7ebbf6de628364e7", "k6, 8fe2565cfcf2abbd",
        "k8, 1c30c731f497f8e", "k10, 4ab59eadce18a01a", "decimal-a, 39029347b2f7cf01",
        "decimal-b, cad76ce7dfa033a9", "osm, 37eed29a5cf2f493", "az, 38190e0a417e8aa6",
        "user-names, ba52defa78b3cfad", "short-prefix-64, aaceb6c437645b08", "long-prefix-64, 32beb966393210f6"})
    void shouldHaveTheKeysItAlwaysHad(final String name, final String fingerprint) throws DatasetException {
        assertEquals(fingerprint, Long.toHexString(fingerprint(Dataset.of(name).keys(COUNT))));
    }

    @ParameterizedTest
    @CsvSource({
        "rand-8, 8", "rand-16, 16", "k6, 64", "k8, 256", "k10, 1024", "decimal-a, 8", "decimal-b, 8", "osm, 8",
        "short-prefix-8, 8", "long-prefix-8, 8", "short-prefix-513, 513", "long-prefix-65535, 65535"})
    void shouldHaveKeysOfOneLength(final String name, final int length) throws DatasetException {
        final KeySet keys = Dataset.of(name).keys(50);
        for (int i = 0; i < keys.size(); i++) {
            assertEquals(length, keys.length(i));
        }
    }

    /** Every byte of a random key takes all values alike, so all of them are random. */
    @ParameterizedTest
    @ValueSource(strings = {"rand-8", "rand-16", "short-prefix-13"})
    void shouldHaveRandomBytes(final String name) throws DatasetException {
        final int count = 256 * 200;
        final KeySet keys = Dataset.of(name).keys(count);
        final double[] even = new double[256];
        Arrays.fill(even, 1.0 / even.length);
        for (int position = 0; position < keys.length(0); position++) {
            final long[] values = new long[even.length];
            for (int i = 0; i < count; i++) {
                values[keys.array(i)[keys.offset(i) + position] & 0xFF]++;
            }
            ZipfianGeneratorTest.assertFits(even, values);
        }
    }

    @Test
    void shouldShareAllButFourBytesInLongPrefixes() throws DatasetException {
        final KeySet keys = Dataset.of("long-prefix-32").keys(COUNT);
        final Set<Integer> tails = new HashSet<>();
        for (int i = 0; i < COUNT; i++) {
            final byte[] key = keys.key(i);
            for (int position = 0; position < 28; position++) {
                assertEquals('0', key[position]);
            }
            tails.add(ByteBuffer.wrap(key).getInt(28));
        }
        assertEquals(COUNT, tails.size());
        assertEquals(1L << 32, Dataset.of("long-prefix-32").maxKeys());
    }

    @ParameterizedTest
    @CsvSource({"decimal-a, 6 6 6 6 6 6 100 100", "decimal-b, 100 100 6 6 6 6 6 6"})
    void shouldHaveFewAndManyValuesOfBytes(final String name, final String numbers) throws DatasetException {
        final KeySet keys = Dataset.of(name).keys(20_000);
        final int[] values = new int[8];
        for (int position = 0; position < values.length; position++) {
            final Set<Byte> met = new HashSet<>();
            for (int i = 0; i < keys.size(); i++) {
                met.add(keys.key(i)[position]);
            }
            values[position] = met.size();
        }
        final int[] expected =
            List.of(numbers.split(" ")).stream().mapToInt(Integer::parseInt).toArray();
        assertArrayEquals(expected, values);
        assertEquals(466_560_000L, Dataset.of(name).maxKeys());
    }

    @Test
    void shouldHaveReviews() throws DatasetException {
        final KeySet keys = Dataset.of("az").keys(20_000);
        final Set<String> items = new HashSet<>();
        final Set<String> users = new HashSet<>();
        final Set<String> pairs = new HashSet<>();
        for (int i = 0; i < keys.size(); i++) {
            final String key = new String(keys.key(i), StandardCharsets.US_ASCII);
            assertTrue(key.matches("(B00[0-9A-Z]{7}|[0-9]{10})-A[1-3][0-9A-Z]{11,12}-1[0-9]{9}"), key);
            final String[] parts = key.split("-");
            items.add(parts[0]);
            users.add(parts[1]);
            pairs.add(parts[0] + parts[1]);
        }
        assertTrue(items.size() < 19_500, () -> items.size() + " items");
        assertTrue(users.size() < 19_990, () -> users.size() + " users");
        assertTrue(pairs.size() < 20_000 && pairs.size() > 18_000, () -> pairs.size() + " pairs");
    }

    @Test
    void shouldHaveNamesOfUsers() throws DatasetException {
        final KeySet keys = Dataset.of("user-names").keys(50_000);
        final boolean[] lengths = new boolean[21];
        for (int i = 0; i < keys.size(); i++) {
            final String key = new String(keys.key(i), StandardCharsets.US_ASCII);
            assertTrue(key.matches("[A-Za-z0-9_-]{3,20}"), key);
            lengths[key.length()] = true;
        }
        for (int length = 3; length < lengths.length; length++) {
            assertTrue(lengths[length], "no name of " + length);
        }
    }

    @Test
    void shouldListTheNames() {
        assertEquals(List.of("rand-8", "rand-16", "k6", "k8", "k10", "decimal-a", "decimal-b", "osm", "az", "user-names",
            "short-prefix-16", "long-prefix-16", "short-prefix-64", "long-prefix-64", "short-prefix-256",
            "long-prefix-256", "debian-paths"), Dataset.names());
    }

    @Test
    void unknownNameThrowsDatasetExceptionWithTheNames() {
        final DatasetException e = assertThrows(DatasetException.class, () -> Dataset.of("rand-9"));
        assertEquals("expected a file with a key a line, or one of " + String.join(", ", Dataset.names())
            + ", but was 'rand-9'", e.getMessage());
        assertThrows(DatasetException.class, () -> Dataset.of("a\0b"));
        assertThrows(DatasetException.class, () -> Dataset.of(""));
        assertThrows(DatasetException.class, () -> Dataset.of("long-prefix-"));
    }

    @Test
    void prefixKeysOfUnfitLengthThrowDatasetException() {
        for (final String name : List.of("short-prefix-7", "long-prefix-0", "long-prefix-65536")) {
            final DatasetException e = assertThrows(DatasetException.class, () -> Dataset.of(name));
            assertEquals(name + ": keys are 8 to 65535 bytes long", e.getMessage());
        }
    }

    @Test
    void moreKeysThanThereAreThrowsDatasetException() throws DatasetException {
        final Dataset dataset = Dataset.of("decimal-a");
        final DatasetException e = assertThrows(DatasetException.class, () -> dataset.keys(466_560_001));
        assertEquals("decimal-a: 466560001 keys asked for, the data set has 466560000", e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> dataset.keys(-1));
        assertThrows(IllegalArgumentException.class, () -> dataset.absentKeys(-1, dataset.keys(1)));
    }

    @Test
    void generatorWithoutNewKeysThrowsDatasetException() {
        final Dataset dataset = new GeneratedDataset("few", FewKeys::new);
        final DatasetException e = assertThrows(DatasetException.class, () -> dataset.keys(11));
        assertEquals("few: 11 keys asked for, the data set has no more than 10", e.getMessage());
        final DatasetException none = assertThrows(DatasetException.class, () -> dataset.absentKeys(1, dataset.keys(10)));
        assertEquals("few: 1 keys asked for, the data set has no more than 0 others", none.getMessage());
    }

    private static final class FewKeys implements KeyGenerator {
        @Override
        public int maxKeyBytes() {
            return 1;
        }

        @Override
        public boolean distinct() {
            return false;
        }

        @Override
        public int generate(final long number, final byte[] target) {
            target[0] = (byte) (number % 10);
            return 1;
        }
    }

    @Test
    @Tag("long")
    void shouldHaveTenMillionDifferentKeys() throws DatasetException {
        for (final String name : List.of("rand-8", "decimal-b", "osm", "user-names")) {
            final KeySet sorted = Dataset.of(name).keys(10_000_000).sorted();
            for (int i = 1; i < sorted.size(); i++) {
                assertTrue(sorted.compare(i - 1, sorted, i) < 0, name);
            }
        }
    }
}
