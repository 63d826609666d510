/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

class OperationStreamTest {
    private static final int LOADED = 1000;
    private static final int DRAWS = 200_000;

    private static OperationStream stream(final String mix, final RequestDistribution requests, final long seed) {
        return OperationMix.ofName(mix).stream(LOADED, requests, seed, 0, 1);
    }

    @ParameterizedTest
    @CsvSource({
        "load, 0, 0, 100, 0, 0", "a, 50, 50, 0, 0, 0", "b, 95, 5, 0, 0, 0", "c, 100, 0, 0, 0, 0",
        "d, 95, 0, 5, 0, 0", "e, 0, 0, 5, 95, 0", "f, 50, 0, 0, 0, 50"})
    void shouldMixOperations(
        final String name, final int read, final int update, final int insert, final int scan, final int modify) {
        final int[] percent = {read, update, insert, scan, modify};
        final OperationMix mix = OperationMix.ofName(name);
        final OperationStream stream =
            mix.stream(LOADED, mix.distribution(), Seeds.seed("OperationStreamTest." + name), 0, 1);
        final int[] counts = new int[percent.length];
        for (int i = 0; i < DRAWS; i++) {
            counts[stream.next().ordinal()]++;
        }
        for (int o = 0; o < percent.length; o++) {
            assertEquals(percent[o], mix.percent(Operation.values()[o]));
            final double expected = DRAWS / 100.0 * percent[o];
            assertEquals(expected, counts[o], percent[o] % 100 == 0 ? 0 : 6 * Math.sqrt(expected));
        }
        assertEquals(insert > 0, mix.inserts());
        assertEquals(counts[Operation.INSERT.ordinal()], stream.inserted());
    }

    @Test
    void shouldKnowTheMixesByName() {
        assertEquals(List.of("load", "a", "b", "c", "d", "e", "f", "hot"), OperationMix.names());
        for (final String name : OperationMix.names()) {
            assertEquals(name, OperationMix.ofName(name).name());
            assertSame(name.equals("d") ? RequestDistribution.LATEST
                : name.equals("hot") ? RequestDistribution.HOT_KEY : RequestDistribution.UNIFORM,
                OperationMix.ofName(name).distribution());
        }
        assertSame(OperationMix.ofName("f"), OperationMix.ofName("F"));
        assertEquals("e (5 % INSERT, 95 % SCAN)", OperationMix.ofName("e").toString());
    }

    @Test
    void unknownMixThrowsIllegalArgumentException() {
        final IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> OperationMix.ofName("g"));
        assertEquals("unknown mix of operations: g (known: load, a, b, c, d, e, f, hot)", e.getMessage());
    }

    @Test
    void readingNothingThrowsIllegalArgumentException() {
        for (final String name : OperationMix.names()) {
            final OperationMix mix = OperationMix.ofName(name);
            if (!name.equals("load")) {
                assertThrows(IllegalArgumentException.class, () -> mix.stream(0, mix.distribution(), 1, 0, 1));
            }
            assertThrows(IllegalArgumentException.class, () -> mix.stream(-1, mix.distribution(), 1, 0, 1));
            assertThrows(IllegalArgumentException.class, () -> mix.stream(1, mix.distribution(), 1, 2, 2));
            assertThrows(IllegalArgumentException.class, () -> mix.stream(1, mix.distribution(), 1, -1, 2));
        }
    }

    @Test
    void shouldLoadAllKeysInTheirOrder() {
        for (final RequestDistribution requests : RequestDistribution.values()) {
            final OperationStream stream = OperationMix.ofName("load").stream(0, requests, 3, 0, 1);
            for (int i = 0; i < 100; i++) {
                assertSame(Operation.INSERT, stream.next());
                assertEquals(i, stream.key());
            }
        }
    }

    @Test
    void shouldAskForAllKeysAlike() {
        final OperationStream stream = stream("c", RequestDistribution.UNIFORM, Seeds.seed("OperationStreamTest.uniform"));
        final double[] even = new double[LOADED];
        Arrays.fill(even, 1.0 / LOADED);
        final long[] counts = new long[LOADED];
        for (int i = 0; i < DRAWS; i++) {
            stream.next();
            counts[stream.key()]++;
        }
        ZipfianGeneratorTest.assertFits(even, counts);
    }

    @Test
    void shouldAskForOneKeyEverySecondTime() {
        final OperationStream stream = stream("hot", RequestDistribution.HOT_KEY, Seeds.seed("OperationStreamTest.hot"));
        final double[] expected = new double[LOADED];
        Arrays.fill(expected, 0.5 / LOADED);
        expected[0] += 0.5;
        final long[] counts = new long[LOADED];
        for (int i = 0; i < DRAWS; i++) {
            assertEquals(Operation.UPDATE, stream.next());
            counts[stream.key()]++;
        }
        ZipfianGeneratorTest.assertFits(expected, counts);
    }

    @Test
    void shouldSpreadThePopularKeysOfZipfsLaw() {
        final OperationStream stream = stream("c", RequestDistribution.ZIPFIAN, Seeds.seed("OperationStreamTest.zipfian"));
        final long[] counts = new long[LOADED];
        for (int i = 0; i < DRAWS; i++) {
            stream.next();
            counts[stream.key()]++;
        }
        final Permutation spread = new Permutation(LOADED, LOADED);
        final long[] byRank = new long[LOADED];
        int inFirstHalf = 0;
        for (int rank = 0; rank < LOADED; rank++) {
            byRank[rank] = counts[(int) spread.apply(rank)];
            inFirstHalf += rank < 100 && spread.apply(rank) < LOADED / 2 ? 1 : 0;
        }
        ZipfianGeneratorTest.assertFits(ZipfianGeneratorTest.probabilities(LOADED), byRank);
        assertEquals(50, inFirstHalf, 20);
    }

    /**
     * The popular keys must be the same ones for every client, or there is hardly a difference to uniform
     * requests.
     */
    @Test
    void shouldAgreeOnThePopularKeys() {
        final Set<Integer> popular = new HashSet<>();
        for (int client = 0; client < 4; client++) {
            final OperationStream stream =
                OperationMix.ofName("a").stream(LOADED, RequestDistribution.ZIPFIAN, client, client, 4);
            final int[] counts = new int[LOADED];
            for (int i = 0; i < 20_000; i++) {
                stream.next();
                counts[stream.key()]++;
            }
            int most = 0;
            for (int key = 0; key < LOADED; key++) {
                most = counts[key] > counts[most] ? key : most;
            }
            popular.add(most);
        }
        assertEquals(1, popular.size());
    }

    @Test
    void shouldAskForTheLatestKeysMostOften() {
        final OperationStream stream = stream("d", RequestDistribution.LATEST, Seeds.seed("OperationStreamTest.latest"));
        final long[] byAge = new long[LOADED];
        int inserted = 0;
        for (int i = 0; i < 2 * DRAWS; i++) {
            if (stream.next() == Operation.INSERT) {
                assertEquals(LOADED + inserted++, stream.key());
            } else {
                final int age = LOADED + inserted - 1 - stream.key();
                assertTrue(age >= 0 && age < LOADED + inserted);
                byAge[Math.min(age, LOADED - 1)]++;
            }
        }
        // The number of keys grows, so only the ratios of ages are fixed: those among the youngest.
        final double[] law = ZipfianGeneratorTest.probabilities(100);
        ZipfianGeneratorTest.assertFits(law, Arrays.copyOf(byAge, law.length));
    }

    @Test
    void shouldInsertDifferentKeysByEachClient() {
        final int clients = 3;
        for (final RequestDistribution requests : RequestDistribution.values()) {
            final Set<Integer> inserted = new HashSet<>();
            for (int client = 0; client < clients; client++) {
                final Set<Integer> own = new HashSet<>();
                final OperationStream stream = OperationMix.ofName("d").stream(LOADED, requests, 5, client, clients);
                while (stream.inserted() < 200) {
                    if (stream.next() == Operation.INSERT) {
                        assertTrue(inserted.add(stream.key()));
                        own.add(stream.key());
                    } else {
                        assertTrue(stream.key() < LOADED || own.contains(stream.key()), "a key that is not there");
                    }
                }
            }
            for (int i = 0; i < clients * 200; i++) {
                assertTrue(inserted.contains(LOADED + i));
            }
        }
    }

    @Test
    void shouldScanOneToHundredEntries() {
        final OperationStream stream = stream("e", RequestDistribution.UNIFORM, Seeds.seed("OperationStreamTest.scan"));
        final long[] counts = new long[OperationStream.MAX_SCAN_LENGTH];
        for (int i = 0; i < DRAWS; i++) {
            if (stream.next() == Operation.SCAN) {
                counts[stream.scanLength() - 1]++;
            }
        }
        final double[] even = new double[counts.length];
        Arrays.fill(even, 1.0 / even.length);
        ZipfianGeneratorTest.assertFits(even, counts);
    }

    @ParameterizedTest
    @EnumSource(RequestDistribution.class)
    void shouldRepeatItselfForTheSameSeedAndClient(final RequestDistribution requests) {
        for (final String mix : List.of("a", "d", "e", "f")) {
            final String first = trace(OperationMix.ofName(mix).stream(LOADED, requests, 7, 1, 2));
            assertEquals(first, trace(OperationMix.ofName(mix).stream(LOADED, requests, 7, 1, 2)));
            assertNotEquals(first, trace(OperationMix.ofName(mix).stream(LOADED, requests, 8, 1, 2)));
            assertNotEquals(first, trace(OperationMix.ofName(mix).stream(LOADED, requests, 7, 0, 2)));
        }
    }

    private static String trace(final OperationStream stream) {
        final StringBuilder trace = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            trace.append(stream.next()).append(stream.key()).append('/').append(stream.scanLength()).append(' ');
        }
        return trace.toString();
    }

    @ParameterizedTest
    @EnumSource(RequestDistribution.class)
    void shouldAllocateNothing(final RequestDistribution requests) {
        assumeTrue(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean, "counts allocations");
        final var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        final OperationStream stream = stream("e", requests, 1);
        long sum = draw(stream);
        final long before = threads.getCurrentThreadAllocatedBytes();
        sum += draw(stream);
        final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertFalse(sum == 0);
        assertTrue(allocated < 10_000, () -> allocated + " bytes in 100,000 operations");
    }

    private static long draw(final OperationStream stream) {
        long sum = 0;
        for (int i = 0; i < 100_000; i++) {
            sum += stream.next().ordinal() + stream.key() + stream.scanLength();
        }
        return sum;
    }
}
