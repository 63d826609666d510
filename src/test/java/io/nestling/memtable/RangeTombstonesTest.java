/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.FragmentTree.Fragment;
import io.nestling.memtable.RangeTombstones.RangeTombstone;
import io.nestling.testing.Seeds;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Fragments against a list of ranges. Seen to fail where readers took the newest state, or fragments were not charged. */
class RangeTombstonesTest {
    /** A thread for each task: the common pool may have one only. */
    private static final Executor THREADS = task -> new Thread(task).start();
    private static final int KEYS = 40;
    private static final int MANY = 10_000;

    /** A range as it was written. */
    private record Range(byte[] from, byte[] to, long sequence) {
        boolean covers(final byte[] key) {
            return ByteComparison.compare(from, key) <= 0 && ByteComparison.compare(key, to) < 0;
        }
    }

    /** Keys of which some are prefixes of others, and some share more than eight bytes. */
    private static byte[] key(final int number) {
        if (number % 3 == 0) {
            return new byte[number / 3];
        }
        final byte[] key = new byte[number % 3 == 1 ? 2 : 10];
        key[0] = (byte) (number % 3 == 1 ? number * 5 : 0x85);
        key[key.length - 1] = (byte) number;
        return key;
    }

    private static long expected(final List<Range> ranges, final byte[] key, final long visible) {
        return ranges.stream().filter(range -> range.sequence <= visible && range.covers(key))
            .mapToLong(Range::sequence).max().orElse(0);
    }

    private static void add(final RangeTombstones tombstones, final byte[] from, final byte[] to, final long sequence) {
        final RangeTombstones.Change change = tombstones.change();
        change.add(from, to, 0);
        change.prepare();
        change.publish(sequence);
    }

    /** Adds some range tombstones together and returns their last sequence number. */
    private static long addBatch(
        final RangeTombstones tombstones, final List<Range> ranges, final long first, final Random random) {
        final RangeTombstones.Change change = tombstones.change();
        final int size = 1 + random.nextInt(3);
        for (int i = 0; i < size; i++) {
            byte[] from;
            byte[] to;
            do {
                from = key(random.nextInt(KEYS));
                to = key(random.nextInt(KEYS));
            } while (ByteComparison.compare(from, to) >= 0);
            change.add(from, to, i);
            ranges.add(new Range(from, to, first + i));
        }
        change.prepare();
        change.publish(first);
        return first + size - 1;
    }

    @Test
    void shouldFindTheNewestThatCoversAKey() {
        final Random random = Seeds.random("RangeTombstonesTest");
        for (int round = 0; round < 60; round++) {
            final MemoryBudget budget = MemoryBudget.ofBytes(1 << 20);
            final RangeTombstones tombstones = new RangeTombstones(budget);
            final List<Range> ranges = new ArrayList<>();
            final List<Long> states = new ArrayList<>(List.of(0L));
            assertTrue(tombstones.isEmpty());
            for (long last = 0; last < 60;) {
                final Fragment before = tombstones.fragments(last);
                last = addBatch(tombstones, ranges, last + 1 + random.nextInt(3), random);
                states.add(last);
                checkTree(tombstones.fragments(last), before);
                check(tombstones, ranges, states.get(random.nextInt(states.size())), random);
                checkOrder(tombstones, ranges, states.get(random.nextInt(states.size())));
            }
            assertFalse(tombstones.isEmpty());
            assertEquals(ranges.size(), tombstones.count());
            assertEquals(budget.used(), tombstones.bytes());
            tombstones.close();
            assertEquals(0, budget.used());
        }
    }

    private static void check(
        final RangeTombstones tombstones, final List<Range> ranges, final long visible, final Random random) {
        final TombstoneWindow window = new TombstoneWindow(tombstones, visible);
        for (int i = 0; i <= KEYS; i++) {
            final byte[] key = key(random.nextInt(2) == 0 ? i : random.nextInt(KEYS));
            final long expected = expected(ranges, key, visible);
            assertEquals(expected, tombstones.newestCovering(key, visible));
            assertEquals(expected, window.newestCovering(Arrays.copyOf(key, 20), key.length));
            final long sequence = random.nextInt(60);
            assertEquals(expected > sequence, tombstones.isCovered(key, visible, sequence));
        }
    }

    private static void checkOrder(final RangeTombstones tombstones, final List<Range> ranges, final long visible) {
        final List<String> expected = ranges.stream().filter(range -> range.sequence <= visible)
            .sorted((a, b) -> {
                final int byKey = ByteComparison.compare(a.from, b.from);
                return byKey != 0 ? byKey : Long.compare(b.sequence, a.sequence);
            })
            .map(range -> CollectingSink.rangeLine(range.from, range.to, range.sequence)).toList();
        final List<String> found = new ArrayList<>();
        for (final RangeTombstone tombstone : tombstones.inOrder(visible)) {
            found.add(CollectingSink.rangeLine(tombstone.from(), tombstone.to(), tombstone.sequence()));
        }
        assertEquals(expected, found);
    }

    /** Checks the invariants of a tree, and what it says that it shares with the one before. */
    private static void checkTree(final Fragment tree, final Fragment before) {
        final List<Fragment> fragments = new ArrayList<>();
        collect(tree, fragments);
        assertEquals(fragments.size(), FragmentTree.size(tree));
        for (int i = 1; i < fragments.size(); i++) {
            assertTrue(ByteComparison.compare(fragments.get(i - 1).start(), fragments.get(i).start()) < 0);
        }
        final Set<Fragment> own = Collections.newSetFromMap(new IdentityHashMap<>());
        own.addAll(fragments);
        fragments.clear();
        collect(before, fragments);
        own.removeAll(fragments);
        assertEquals(own.size(), FragmentTree.notShared(tree, before));
    }

    private static void collect(final Fragment tree, final List<Fragment> fragments) {
        if (tree != null) {
            collect(tree.left(), fragments);
            fragments.add(tree);
            collect(tree.right(), fragments);
            assertFalse(FragmentTree.isHeavy(tree.left(), tree.right()) || FragmentTree.isHeavy(tree.right(), tree.left()));
        }
    }

    private static byte[] number(final int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static long heapBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(least, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }

    /** Of three kinds: anywhere, around one key, side by side. A list for each fragment took 386 MiB and charged 5 MB. */
    @Test
    void shouldTakeTheHeapThatIsCharged() {
        final Random random = Seeds.random("RangeTombstonesTest heap");
        for (int kind = 0; kind < 3; kind++) {
            final RangeTombstones tombstones = new RangeTombstones(MemoryBudget.ofBytes(64 << 20));
            final long before = heapBytes();
            for (int i = 0; i < MANY; i++) {
                final int from = kind == 0 ? random.nextInt(1 << 30) : kind == 1 ? MANY - i : 2 * i;
                final int to = kind == 0 ? from + 1 + random.nextInt(1 << 30) : kind == 1 ? MANY + 1 + i : 2 * i + 1;
                add(tombstones, number(from), number(to), i + 1);
            }
            final double taken = heapBytes() - before;
            final double charged = tombstones.bytes();
            assertTrue(charged < MANY * 1200.0, "kind " + kind + ": " + charged + " bytes charged");
            assertTrue(taken < charged * 1.5 && charged < taken * 1.5,
                "kind " + kind + ": " + taken + " bytes taken, " + charged + " charged");
            assertEquals(MANY, tombstones.count());
        }
    }

    @Test
    void shouldChangeNothingForReadersOfOlderStates() throws Exception {
        final Random random = Seeds.random("RangeTombstonesTest readers");
        final RangeTombstones tombstones = new RangeTombstones(MemoryBudget.ofBytes(64 << 20));
        final List<Range> old = new ArrayList<>();
        for (int sequence = 1; sequence <= 10; sequence++) {
            final byte[] from = {(byte) random.nextInt(100)};
            final byte[] to = {(byte) (101 + random.nextInt(20))};
            add(tombstones, from, to, sequence);
            old.add(new Range(from, to, sequence));
        }
        final CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            final Random writes = new Random(1);
            for (int sequence = 11; sequence < 20_000; sequence++) {
                final int from = writes.nextInt(120);
                add(tombstones, new byte[] {(byte) from, (byte) writes.nextInt()}, new byte[] {(byte) (from + 3)}, sequence);
            }
        }, THREADS);
        try {
            read(tombstones, old, writer, random);
        } finally {
            writer.get(60, TimeUnit.SECONDS);
        }
    }

    private static void read(
        final RangeTombstones tombstones, final List<Range> old, final CompletableFuture<Void> writer, final Random random) {
        long reads = 0;
        do {
            final TombstoneWindow window = new TombstoneWindow(tombstones, 10);
            final byte[] key = {(byte) random.nextInt(128), (byte) random.nextInt()};
            final long expected = expected(old, key, 10);
            assertEquals(expected, tombstones.newestCovering(key, 10));
            assertEquals(expected, window.newestCovering(key, key.length));
            assertEquals(10, tombstones.inOrder(10).size());
            reads++;
        } while (!writer.isDone() || reads < 1000);
    }

    @Test
    void addThrowsSpaceExhaustedWhenTheBudgetIsTooSmall() {
        final MemoryBudget budget = MemoryBudget.ofBytes(1000);
        final RangeTombstones tombstones = new RangeTombstones(budget);
        add(tombstones, key(1), key(4), 1);
        final long used = budget.used();
        final RangeTombstones.Change change = tombstones.change();
        change.add(key(1), key(4), 0);
        final SpaceExhaustedException e =
            assertThrows(SpaceExhaustedException.class, () -> change.add(key(0), new byte[900], 1));
        assertTrue(e.getMessage().contains("of 1000"), e.getMessage());
        change.abandon();
        assertEquals(used, budget.used());
        assertEquals(used, tombstones.bytes());
        assertEquals(1, tombstones.newestCovering(key(1), 5));
        tombstones.close();
        assertEquals(0, budget.used());
        assertEquals(0, tombstones.bytes());
    }
}
