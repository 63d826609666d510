/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.testing.Seeds;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A cursor of an index may show a later put and miss an earlier one; one of a memtable may not. A writer puts new keys one after
 * the other, in an order that all know, and each scan beside it has to show a beginning of that order, as far as it reaches. Seen
 * to fail: cursors that show all that the index does.
 */
class ScanOrderTest {
    private static final int KEYS = 20_000;

    @ParameterizedTest
    @EnumSource(IndexType.class)
    void shouldShowNoLaterWriteWithoutTheEarlierOnes(final IndexType type) throws InterruptedException {
        final Random random = Seeds.random("scan order of " + type);
        final List<byte[]> order = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            // Few keys lie between two others: most bytes differ in the lowest bits.
            order.add(ByteBuffer.allocate(8).putLong((long) i * (1 + (i & 1) * 0x0001_0001_0000L)).array());
        }
        Collections.shuffle(order, random);
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(type).shards(2).build())) {
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final Thread writer = new Thread(() -> {
                try {
                    for (int i = 0; i < KEYS; i++) {
                        memtable.put(order.get(i), ByteBuffer.allocate(4).putInt(i).array());
                    }
                } catch (final Throwable e) {
                    failure.set(e);
                }
            });
            writer.start();
            int scans = 0;
            while (writer.isAlive() || scans < 10) {
                scan(memtable, order, random);
                scans++;
            }
            writer.join();
            assertTrue(failure.get() == null, () -> "the writer failed: " + failure.get());
        }
    }

    private static void scan(final Memtable memtable, final List<byte[]> order, final Random random) {
        final byte[] start = order.get(random.nextInt(KEYS));
        final boolean forward = random.nextBoolean();
        final List<Integer> shown = new ArrayList<>();
        byte[] last = start;
        boolean more;
        try (Snapshot snapshot = memtable.snapshot();
            EntryCursor cursor = random.nextBoolean() ? snapshot.cursor() : memtable.cursor()) {
            more = forward ? cursor.seek(start) : cursor.seekLowerThan(start);
            for (int i = random.nextInt(20); more && i >= 0; i--) {
                shown.add(ByteBuffer.wrap(cursor.value()).getInt());
                last = cursor.key();
                more = forward ? cursor.next() : cursor.previous();
            }
        }
        if (shown.isEmpty()) {
            return;
        }
        final byte[] low = forward ? start : last;
        final byte[] high = forward ? last : start;
        final int newest = Collections.max(shown);
        for (int i = 0; i < newest; i++) {
            final byte[] key = order.get(i);
            final boolean isPassed = Arrays.compareUnsigned(low, key) <= 0
                && (forward ? Arrays.compareUnsigned(key, high) <= 0 : Arrays.compareUnsigned(key, high) < 0);
            final int number = i;
            assertTrue(!isPassed || shown.contains(i),
                () -> "write " + newest + " is shown, and write " + number + " is not: " + shown);
        }
    }
}
