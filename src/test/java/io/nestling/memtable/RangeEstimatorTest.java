/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexFactory;
import io.nestling.index.RangeSize;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Estimates of ranges beside exact counts. */
class RangeEstimatorTest {
    private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

    static Stream<IndexFactory> indexes() {
        return TestIndexes.all();
    }

    private static Memtable open(final IndexFactory index, final int shards) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(shards).capacityBytes(64 << 20).build());
    }

    private void put(final Memtable memtable, final byte[] key, final byte[] value) {
        if (value == null) {
            memtable.delete(key);
        } else {
            memtable.put(key, value);
        }
        model.put(key, value == null ? new byte[0] : value);
    }

    private RangeSize exact(final byte[] from, final byte[] to) {
        long entries = 0;
        long bytes = 0;
        for (final var entry : model.entrySet()) {
            if ((from == null || Arrays.compareUnsigned(from, entry.getKey()) <= 0)
                && (to == null || Arrays.compareUnsigned(entry.getKey(), to) < 0)) {
                entries++;
                bytes += entry.getKey().length + entry.getValue().length;
            }
        }
        return new RangeSize(entries, bytes);
    }

    /** Compares an estimate; the error is a part of all entries and of all bytes. */
    private void check(final Memtable memtable, final byte[] from, final byte[] to, final double error) {
        final RangeSize size = memtable.approximateSize(from, to);
        final RangeSize exact = exact(from, to);
        final RangeSize all = exact(null, null);
        if (exact.entries() <= RangeEstimator.COUNTED) {
            assertEquals(exact, size);
        }
        assertEquals(exact.entries(), size.entries(), Math.ceil(error * all.entries()) + 1);
        assertEquals(exact.bytes(), size.bytes(), Math.ceil(1.5 * error * all.bytes()) + 300);
    }

    @ParameterizedTest
    @MethodSource("indexes")
    void shouldBeAsExactAsItSays(final IndexFactory index) {
        final Random random = Seeds.random("RangeEstimatorTest " + index);
        final int writes = Effort.count(4_000, 20_000, 100_000);
        try (Memtable memtable = open(index, 1 + random.nextInt(3))) {
            assertEquals(RangeSize.ZERO, memtable.approximateSize(null, null));
            for (int i = 1; i <= writes; i++) {
                put(memtable, key(random), random.nextInt(5) == 0 ? null : new byte[random.nextInt(30)]);
                if (i % (writes / 20) == 0) {
                    // Keys come as they are distributed: the sample errs by a 256th of what there was, and by chance.
                    for (int j = 0; j < 10; j++) {
                        check(memtable, bound(random), bound(random), 1 / 256.0 + 3 / Math.sqrt(i));
                    }
                }
            }
            memtable.deleteRange(new byte[0], new byte[] {1});
            check(memtable, null, null, 0.05);
        }
    }

    private static byte[] key(final Random random) {
        final byte[] key = new byte[1 + random.nextInt(6)];
        random.nextBytes(key);
        key[0] = (byte) Math.min(255, Math.abs(random.nextGaussian() * 60));
        return key;
    }

    private static byte[] bound(final Random random) {
        return random.nextInt(5) == 0 ? null : key(random);
    }

    @ParameterizedTest
    @MethodSource("indexes")
    void shouldErrByA512thAtEachEndIfNothingWasAdded(final IndexFactory index) {
        try (Memtable memtable = open(index, 2)) {
            final int count = 10_000;
            for (int i = 0; i < count; i++) {
                put(memtable, ByteBuffer.allocate(4).putInt(i).array(), new byte[10]);
            }
            assertEquals(new RangeSize(count, 14L * count), memtable.approximateSize(null, null));
            final Random random = new Random(1);
            for (int i = 0; i < 200; i++) {
                final int from = random.nextInt(count);
                final int to = random.nextInt(count);
                final RangeSize size = memtable.approximateSize(
                    ByteBuffer.allocate(4).putInt(from).array(), ByteBuffer.allocate(4).putInt(to).array());
                assertEquals(Math.max(0, to - from), size.entries(), count / 256.0 + 1);
                assertEquals(14.0 * size.entries(), size.bytes(), 14);
            }
        }
    }

    @Test
    void shouldTakeTheKeysAnewWhenTheyHaveDoubled() {
        final IndexFactory index = TestIndexes.real().findFirst().orElseThrow();
        try (Memtable memtable = open(index, 1)) {
            final byte[] middle = {(byte) 128};
            for (int i = 0; i < 1_000; i++) {
                memtable.put(new byte[] {1, (byte) (i >> 8), (byte) i}, new byte[0]);
            }
            assertEquals(new RangeSize(1_000, 3_000), memtable.approximateSize(null, middle));
            for (int i = 0; i < 2_100; i++) {
                memtable.put(new byte[] {(byte) 200, (byte) (i >> 8), (byte) i}, new byte[0]);
            }
            assertEquals(1_000, memtable.approximateSize(null, middle).entries(), 3_100 / 512.0 + 1);
            assertEquals(2_100, memtable.approximateSize(middle, null).entries(), 3_100 / 512.0 + 1);
            try (Snapshot snapshot = memtable.snapshot()) {
                memtable.put(new byte[] {(byte) 250}, new byte[0]);
                assertEquals(RangeSize.ZERO, snapshot.approximateSize(new byte[] {(byte) 250}, null));
                assertEquals(new RangeSize(1, 1), memtable.approximateSize(new byte[] {(byte) 250}, null));
            }
            assertEquals(RangeSize.ZERO, memtable.approximateSize(middle, new byte[1]), "an empty range");
            final long shown = memtable.stats().entriesShown();
            memtable.approximateSize(null, null);
            assertEquals(shown, memtable.stats().entriesShown(), "estimates are no scans");
            assertTrue(memtable.approximateSize(new byte[0], null).entries() > 3_000);
        }
        final Memtable closed = open(index, 1);
        closed.close();
        assertThrows(IllegalStateException.class, () -> closed.approximateSize(null, null));
    }
}
