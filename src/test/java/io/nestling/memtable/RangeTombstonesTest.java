/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static io.nestling.memtable.TombstoneLayout.offset;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Claim;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Range tombstones against a list of ranges. Seen to fail where a chain lost the number of an open snapshot or of a window, where
 * nodes were used again too early, where a refused change kept its memory, and where a bound divided a slot without its chain.
 */
class RangeTombstonesTest {
    /** A thread for each task: the common pool may have one only. */
    private static final Executor THREADS = task -> new Thread(task).start();
    private static final int KEYS = 40;
    private static final int MANY = Effort.count(3_000, 10_000, 10_000);

    private final EpochReclaimer epochs = new EpochReclaimer();
    private final SequenceGate gate = new SequenceGate(1, new WriteFailure());
    private final SnapshotRegistry snapshots = new SnapshotRegistry(gate);

    private RangeTombstones create(final MemoryBudget budget) {
        return new RangeTombstones(SlabAllocator.direct(), budget, epochs, 256 << 20, snapshots, false);
    }

    /** A range as it was written. */
    private record Range(byte[] from, byte[] to, long sequence) {
        boolean covers(final byte[] key) {
            return ByteComparison.compare(from, key) <= 0 && (to == null || ByteComparison.compare(key, to) < 0);
        }
    }

    /** Keys of which some are prefixes of others, and some share more than eight bytes. */
    private static byte[] key(final int number) {
        if (number % 3 == 0) {
            return new byte[number / 3];
        }
        final byte[] key = new byte[number % 3 == 1 ? 2 : 10];
        Arrays.fill(key, number % 5 == 0 ? (byte) 0xFF : 0);
        key[0] = (byte) (number % 5 == 0 ? 0xFF : number % 3 == 1 ? number * 5 : 0x85);
        key[key.length - 1] = (byte) number;
        return key;
    }

    private static long expected(final List<Range> ranges, final byte[] key, final long visible) {
        return ranges.stream().filter(range -> range.sequence <= visible && range.covers(key))
            .mapToLong(Range::sequence).max().orElse(0);
    }

    private void add(final RangeTombstones tombstones, final byte[] from, final byte[] to) {
        final RangeTombstones.Change change = tombstones.change();
        change.add(from, to, 0);
        change.prepare();
        final long sequence = gate.claim(1);
        change.publish(sequence);
        gate.complete(sequence, sequence);
    }

    /** Adds some range tombstones together. */
    private void addBatch(final RangeTombstones tombstones, final List<Range> ranges, final Random random) {
        final RangeTombstones.Change change = tombstones.change();
        final int size = 1 + random.nextInt(3);
        final List<Range> added = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            byte[] from;
            byte[] to;
            do {
                from = key(random.nextInt(KEYS));
                to = random.nextInt(8) == 0 ? null : key(random.nextInt(KEYS));
            } while (to != null && ByteComparison.compare(from, to) >= 0);
            change.add(from, to, i);
            added.add(new Range(from, to, i));
        }
        if (random.nextInt(8) == 0) {
            change.abandon();
            return;
        }
        change.prepare();
        final int others = random.nextInt(3);
        final long first = gate.claim(size + others);
        change.publish(first);
        added.forEach(range -> ranges.add(new Range(range.from, range.to, first + range.sequence)));
        gate.complete(first, first + size + others - 1);
    }

    /** In half of the rounds all snapshots stay open, in the others some are closed, so that chains lose numbers. */
    @Test
    void shouldFindTheNewestThatCoversAKey() {
        final Random random = Seeds.random("RangeTombstonesTest");
        for (int round = 0; round < 60; round++) {
            final MemoryBudget budget = MemoryBudget.ofBytes(1 << 20);
            final RangeTombstones tombstones = create(budget);
            final List<Range> ranges = new ArrayList<>();
            final List<Snapshot> open = new ArrayList<>();
            final long begin = gate.visible();
            assertTrue(tombstones.isEmpty());
            while (gate.visible() < begin + 60) {
                addBatch(tombstones, ranges, random);
                assertEquals(budget.used(), tombstones.bytes());
                if (round % 2 == 0 || random.nextInt(4) == 0) {
                    open.add(snapshots.open(null, null));
                }
                if (round % 2 != 0 && !open.isEmpty() && random.nextInt(5) == 0) {
                    open.remove(random.nextInt(open.size())).close();
                }
                checkTree(tombstones.newest());
                final long visible = random.nextInt(4) == 0 || open.isEmpty()
                    ? gate.visible() : open.get(random.nextInt(open.size())).sequence();
                check(tombstones, ranges, visible, random);
                checkOrder(tombstones, ranges, visible);
            }
            assertFalse(tombstones.isEmpty());
            assertEquals(ranges.size(), tombstones.count());
            open.forEach(Snapshot::close);
            tombstones.close();
            tombstones.close();
            assertEquals(0, tombstones.bytes());
            assertEquals(0, budget.used());
        }
    }

    private void check(
        final RangeTombstones tombstones, final List<Range> ranges, final long visible, final Random random) {
        final Claim guard = epochs.guard();
        try (TombstoneWindow window = new TombstoneWindow(tombstones, visible)) {
            for (int i = 0; i <= KEYS; i++) {
                final byte[] key = key(random.nextInt(2) == 0 ? i : random.nextInt(KEYS));
                final long expected = expected(ranges, key, visible);
                assertEquals(expected, tombstones.newestCovering(key, key.length, visible), () -> at(key, visible, ranges));
                assertEquals(expected, window.newestCovering(Arrays.copyOf(key, 20), key.length), () -> at(key, visible, ranges));
                final long sequence = visible - random.nextInt(60);
                assertEquals(expected > sequence, tombstones.isCovered(key, key.length, visible, sequence));
            }
        } finally {
            guard.held = Claim.FREE;
        }
    }

    private String at(final byte[] key, final long visible, final List<Range> ranges) {
        final StringBuilder text = new StringBuilder("key " + Arrays.toString(key) + " at " + visible + " of " + gate.visible());
        ranges.forEach(range -> text.append("\n" + CollectingSink.rangeLine(range.from, range.to, range.sequence)));
        return text.toString();
    }

    private void checkOrder(final RangeTombstones tombstones, final List<Range> ranges, final long visible) {
        final List<String> expected = ranges.stream().filter(range -> range.sequence <= visible)
            .sorted((a, b) -> {
                final int byKey = ByteComparison.compare(a.from, b.from);
                return byKey != 0 ? byKey : Long.compare(b.sequence, a.sequence);
            })
            .map(range -> CollectingSink.rangeLine(range.from, range.to, range.sequence)).toList();
        final List<String> found = new ArrayList<>();
        try (TombstoneWindow window = new TombstoneWindow(tombstones, visible)) {
            while (window.advance()) {
                found.add(CollectingSink.rangeLine(window.from(), window.to(), window.sequence()));
            }
        }
        assertEquals(expected, found);
    }

    /** Checks the invariants of a tree. */
    private static void checkTree(final TombstoneTree tree) {
        if (tree != TombstoneTree.EMPTY) {
            final List<byte[]> bounds = new ArrayList<>();
            collect(tree.slab(), tree.root(), tree.height(), bounds);
            assertEquals(0, bounds.get(0).length);
            for (int i = 1; i < bounds.size(); i++) {
                assertTrue(ByteComparison.compare(bounds.get(i - 1), bounds.get(i)) < 0);
            }
        }
    }

    private static void collect(final Slab slab, final int node, final int level, final List<byte[]> bounds) {
        final int count = TombstoneLayout.count(slab, node);
        assertTrue(count >= 1 && count <= TombstoneLayout.MAX_SLOTS, "slots: " + count);
        for (int slot = 0; slot <= TombstoneLayout.NODE_SLOTS; slot++) {
            final long prefix = TombstoneLayout.prefix(slab, node, slot);
            if (slot >= count) {
                assertEquals(TombstoneLayout.UNUSED_PREFIX, prefix);
                continue;
            }
            long above = slab.getLong(TombstoneLayout.sequenceOffset(node, slot));
            for (int cell = slab.getInt(TombstoneLayout.olderOffset(node, slot)); cell != TombstoneLayout.NONE;
                cell = slab.getInt(offset(cell) + TombstoneLayout.CELL_OLDER_OFFSET)) {
                assertTrue(slab.getLong(offset(cell)) < above, slab.getLong(offset(cell)) + " below " + above);
                above = slab.getLong(offset(cell));
            }
            final byte[] bound = TombstoneTree.bytes(slab, prefix, slab.getInt(TombstoneLayout.boundOffset(node, slot)));
            if (level == 0) {
                bounds.add(bound);
            } else {
                final int first = bounds.size();
                collect(slab, slab.getInt(TombstoneLayout.linkOffset(node, slot)), level - 1, bounds);
                assertEquals(0, ByteComparison.compare(bound, bounds.get(first)));
            }
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

    /** Of three kinds: anywhere, around one key, side by side. On the heap they took up to 910 bytes each. */
    @Test
    void shouldTakeLittleMemoryHoweverTheyOverlap() {
        final Random random = Seeds.random("RangeTombstonesTest memory");
        for (int kind = 0; kind < 3; kind++) {
            final MemoryBudget budget = MemoryBudget.ofBytes(64 << 20);
            final RangeTombstones tombstones = create(budget);
            final long heap = heapBytes();
            for (int i = 0; i < MANY; i++) {
                final int from = kind == 0 ? random.nextInt(1 << 30) : kind == 1 ? MANY - i : 2 * i;
                final int to = kind == 0 ? from + 1 + random.nextInt(1 << 30) : kind == 1 ? MANY + 1 + i : 2 * i + 1;
                add(tombstones, number(from), number(to));
            }
            assertTrue(heapBytes() - heap < 100_000, "kind " + kind + ": " + (heapBytes() - heap) + " bytes on the heap");
            assertEquals(budget.used(), tombstones.bytes());
            assertTrue(tombstones.bytes() < MANY * 260L, "kind " + kind + ": " + tombstones.bytes() + " bytes charged");
            assertEquals(MANY, tombstones.count());
            tombstones.close();
            assertEquals(0, budget.used());
        }
    }

    /** A bound that divides a covered range copies its older numbers, but none that only closed snapshots could see. */
    @Test
    void shouldCopyNoNumbersOfClosedSnapshots() {
        final int many = 500;
        final RangeTombstones tombstones = create(MemoryBudget.ofBytes(64 << 20));
        final List<Snapshot> open = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            add(tombstones, number(0), number(1 << 30));
            open.add(snapshots.open(null, null));
        }
        open.forEach(Snapshot::close);
        for (int i = 0; i < 4; i++) {
            add(tombstones, number(1 << 30), number(1 + (1 << 30))); // until no guard may be left that is older than the closing
        }
        final long before = tombstones.bytes();
        for (int i = 0; i < many; i++) {
            add(tombstones, number(1000 + 10 * i), number(1005 + 10 * i));
        }
        final long each = (tombstones.bytes() - before) / many;
        assertTrue(each < 300, each + " bytes for each");
        assertEquals(many, tombstones.newestCovering(number(999), number(999).length, gate.visible()));
        tombstones.close();
    }

    /** One without end covers what later bounds divide, and the greatest key. */
    @Test
    void shouldCoverTheLastKeysWithoutEnd() {
        final RangeTombstones tombstones = create(MemoryBudget.ofBytes(64 << 20));
        add(tombstones, number(100), null);
        for (int i = 0; i < 200; i++) {
            add(tombstones, number(2 * i), number(2 * i + 1));
        }
        final byte[] greatest = new byte[PointIndex.MAX_KEY_BYTES];
        Arrays.fill(greatest, (byte) 0xFF);
        assertEquals(1, tombstones.newestCovering(greatest, greatest.length, gate.visible()));
        assertEquals(1, tombstones.newestCovering(number(101), Integer.BYTES, gate.visible()));
        assertEquals(0, tombstones.newestCovering(number(99), Integer.BYTES, gate.visible()));
        assertEquals(0, tombstones.newestCovering(greatest, greatest.length, 0));
        tombstones.close();
    }

    /** The first one takes a small slab, and an empty set nothing. */
    @Test
    void shouldBeginSmall() {
        final MemoryBudget budget = MemoryBudget.ofBytes(1L << 30);
        final RangeTombstones tombstones = create(budget);
        assertEquals(0, budget.used());
        add(tombstones, key(1), key(4));
        assertTrue(budget.used() > 0 && budget.used() <= SlabAllocator.SMALL_BYTES, budget.used() + " bytes");
        tombstones.close();
        assertEquals(0, budget.used());
    }

    @Test
    void shouldChangeNothingForReadersOfOlderStates() throws Exception {
        final Random random = Seeds.random("RangeTombstonesTest readers");
        final RangeTombstones tombstones = create(MemoryBudget.ofBytes(64 << 20));
        final List<Range> old = new ArrayList<>();
        for (int sequence = 1; sequence <= 10; sequence++) {
            final byte[] from = {(byte) random.nextInt(100)};
            final byte[] to = {(byte) (101 + random.nextInt(20))};
            add(tombstones, from, to);
            old.add(new Range(from, to, sequence));
        }
        final Snapshot snapshot = snapshots.open(null, null);
        final TombstoneWindow longWindow = new TombstoneWindow(tombstones, 10);
        final CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            final Random writes = new Random(1);
            for (int sequence = 11; sequence < 20_000; sequence++) {
                final int from = writes.nextInt(120);
                add(tombstones, new byte[] {(byte) from, (byte) writes.nextInt()}, new byte[] {(byte) (from + 3)});
                if (sequence == 10_000) {
                    snapshot.close(); // the window remains
                }
            }
        }, THREADS);
        try {
            long reads = 0;
            do {
                read(tombstones, longWindow, old, random);
                readNewest(tombstones, random);
                reads++;
            } while (!writer.isDone() || reads < 1000);
        } finally {
            writer.get(60, TimeUnit.SECONDS);
        }
        longWindow.close();
        tombstones.close();
    }

    private void read(
        final RangeTombstones tombstones, final TombstoneWindow window, final List<Range> old, final Random random) {
        final byte[] key = {(byte) random.nextInt(128), (byte) random.nextInt()};
        final long expected = expected(old, key, 10);
        final Claim guard = epochs.guard();
        try (TombstoneWindow inOrder = new TombstoneWindow(tombstones, 10)) {
            assertEquals(expected, tombstones.newestCovering(key, key.length, 10));
            assertEquals(expected, window.newestCovering(key, key.length));
            if (random.nextInt(100) == 0) {
                int count = 0;
                while (inOrder.advance()) {
                    count++;
                }
                assertEquals(10, count);
            }
        } finally {
            guard.held = Claim.FREE;
        }
    }

    /** What covers a key in one guard stays, at the number that was visible in it. */
    private void readNewest(final RangeTombstones tombstones, final Random random) {
        final byte[] key = {(byte) random.nextInt(128), (byte) random.nextInt()};
        final Claim guard = epochs.guard();
        try {
            final long visible = gate.visible();
            final long covering = tombstones.newestCovering(key, key.length, visible);
            assertTrue(covering <= visible);
            for (int i = 0; i < 20; i++) {
                assertEquals(covering, tombstones.newestCovering(key, key.length, visible));
            }
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Test
    void addThrowsSpaceExhaustedWhenTheBudgetIsTooSmall() {
        final MemoryBudget budget = MemoryBudget.ofBytes(40_000);
        final RangeTombstones tombstones = create(budget);
        final RangeTombstones.Change first = tombstones.change();
        final SpaceExhaustedException e =
            assertThrows(SpaceExhaustedException.class, () -> first.add(key(0), new byte[60_000], 0));
        assertTrue(e.getMessage().contains("of 40000"), e.getMessage());
        first.abandon();
        assertEquals(0, budget.used());
        add(tombstones, key(1), key(4));
        final long sequence = gate.visible();
        final long used = budget.used();
        for (int i = 0; i < 10; i++) { // a change that is refused may have moved to the large slab before
            final RangeTombstones.Change change = tombstones.change();
            change.add(key(1), key(4), 0);
            change.add(key(0), new byte[5_000 + i], 1);
            assertThrows(SpaceExhaustedException.class, () -> {
                for (int j = 2; j < 99; j++) {
                    change.add(key(0), new byte[5_000 + 100 * j], j);
                }
            });
            change.abandon();
            assertEquals(used, budget.used());
            assertEquals(used, tombstones.bytes());
            assertEquals(sequence, tombstones.newestCovering(key(1), key(1).length, sequence + 5));
            assertEquals(0, tombstones.newestCovering(new byte[] {}, 0, sequence + 5));
            checkTree(tombstones.newest());
        }
        add(tombstones, key(0), new byte[5_000]);
        assertEquals(sequence + 1, tombstones.newestCovering(new byte[] {}, 0, sequence + 5));
        tombstones.close();
        assertEquals(0, budget.used());
        assertEquals(0, tombstones.bytes());
    }
}
