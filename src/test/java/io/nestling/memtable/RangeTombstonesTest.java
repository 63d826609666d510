/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Seeds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Fragments against a list of ranges. */
class RangeTombstonesTest {
    /** A thread for each task: the common pool may have one only. */
    private static final Executor THREADS = task -> new Thread(task).start();
    private static final int KEYS = 40;

    private static byte[] key(final int number) {
        return new byte[] {(byte) (number * 5), (byte) number};
    }

    private static boolean covers(final RangeTombstones.RangeTombstone range, final byte[] key) {
        return ByteComparison.compare(range.from(), key) <= 0 && ByteComparison.compare(key, range.to()) < 0;
    }

    private static long expected(
        final List<RangeTombstones.RangeTombstone> ranges, final byte[] key, final long visible) {
        return ranges.stream().filter(range -> range.sequence() <= visible && covers(range, key))
            .mapToLong(RangeTombstones.RangeTombstone::sequence).max().orElse(0);
    }

    @Test
    void shouldFindTheNewestThatCoversAKey() {
        final Random random = Seeds.random("RangeTombstonesTest");
        for (int round = 0; round < 40; round++) {
            final MemoryBudget budget = MemoryBudget.ofBytes(1 << 20);
            final RangeTombstones tombstones = new RangeTombstones(budget);
            final List<RangeTombstones.RangeTombstone> ranges = new ArrayList<>();
            assertTrue(tombstones.isEmpty());
            for (long sequence = 1; sequence <= 25; sequence++) {
                final int from = random.nextInt(KEYS);
                final byte[] first = key(from);
                final byte[] last = key(from + 1 + random.nextInt(KEYS - from));
                if (ByteComparison.compare(first, last) >= 0) {
                    continue;
                }
                tombstones.charge(first, last);
                tombstones.add(first, last, sequence);
                ranges.add(new RangeTombstones.RangeTombstone(first, last, sequence));
                check(tombstones, ranges, sequence, random);
            }
            assertEquals(ranges.size(), tombstones.count());
            assertEquals(budget.used(), tombstones.bytes());
            final List<RangeTombstones.RangeTombstone> order = tombstones.inOrder(20);
            assertEquals(ranges.stream().filter(range -> range.sequence() <= 20).count(), order.size());
            for (int i = 1; i < order.size(); i++) {
                final int compared = ByteComparison.compare(order.get(i - 1).from(), order.get(i).from());
                assertTrue(
                    compared < 0 || compared == 0 && order.get(i - 1).sequence() > order.get(i).sequence());
            }
            tombstones.close();
            assertEquals(0, budget.used());
        }
    }

    private static void check(
        final RangeTombstones tombstones, final List<RangeTombstones.RangeTombstone> ranges, final long last,
        final Random random) {
        final long visible = random.nextInt((int) last + 1);
        final TombstoneWindow window = new TombstoneWindow(tombstones, visible);
        for (int i = -1; i <= KEYS; i++) {
            final byte[] key = i < 0 ? new byte[0] : key(random.nextInt(2) == 0 ? i : random.nextInt(KEYS));
            assertEquals(expected(ranges, key, visible), tombstones.newestCovering(key, visible));
            final byte[] buffer = Arrays.copyOf(key, 10);
            assertEquals(expected(ranges, key, visible), window.newestCovering(buffer, key.length));
        }
    }

    @Test
    void shouldChangeNothingForReadersOfOlderStates() throws Exception {
        final Random random = Seeds.random("RangeTombstonesTest readers");
        final RangeTombstones tombstones = new RangeTombstones(MemoryBudget.ofBytes(64 << 20));
        final List<RangeTombstones.RangeTombstone> old = new ArrayList<>();
        for (int sequence = 1; sequence <= 10; sequence++) {
            final byte[] from = {(byte) random.nextInt(100)};
            final byte[] to = {(byte) (101 + random.nextInt(20))};
            tombstones.add(from, to, sequence);
            old.add(new RangeTombstones.RangeTombstone(from, to, sequence));
        }
        final CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            final Random writes = new Random(1);
            for (int sequence = 11; sequence < 1500; sequence++) {
                final int from = writes.nextInt(120);
                tombstones.add(
                    new byte[] {(byte) from, (byte) writes.nextInt()}, new byte[] {(byte) (from + 3)},
                    sequence);
            }
        }, THREADS);
        final TombstoneWindow window = new TombstoneWindow(tombstones, 10);
        long reads = 0;
        do {
            final byte[] key = {(byte) random.nextInt(128), (byte) random.nextInt()};
            final long expected = expected(old, key, 10);
            assertEquals(expected, tombstones.newestCovering(key, 10));
            assertEquals(expected, window.newestCovering(key, key.length));
            reads++;
        } while (!writer.isDone() || reads < 1000);
        writer.get(60, TimeUnit.SECONDS);
    }

    @Test
    void chargeThrowsSpaceExhaustedWhenTheBudgetIsTooSmall() {
        final MemoryBudget budget = MemoryBudget.ofBytes(1000);
        final RangeTombstones tombstones = new RangeTombstones(budget);
        tombstones.charge(key(1), key(2));
        final long used = budget.used();
        final SpaceExhaustedException e =
            assertThrows(SpaceExhaustedException.class,
            () -> tombstones.charge(new byte[500], new byte[501]));
        assertTrue(e.getMessage().contains("of 1000"), e.getMessage());
        assertEquals(used, budget.used());
        tombstones.discharge(used);
        assertEquals(0, budget.used());
        assertEquals(0, tombstones.bytes());
    }
}
