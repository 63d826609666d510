/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.offheap.Slab;
import io.nestling.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CoCuckooTest {
    private static final int EQUAL_KEYS = 300;

    private static byte[] key(final int number) {
        return ("key " + number).getBytes(StandardCharsets.UTF_8);
    }

    /** Keys of 16 bytes that all have the hash of the first one. */
    static List<byte[]> keysOfOneHash(final int count) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final long second = state(i) ^ state(0) ^ 12_345;
            keys.add(ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(i).putLong(second).array());
            assertEquals(CoCuckooFixture.hash(keys.get(0)), CoCuckooFixture.hash(keys.get(i)));
        }
        return keys;
    }

    /** The state of the hash of 16 bytes behind the first eight. */
    private static long state(final long first) {
        return CoCuckooFixture.HASH.step(CoCuckooFixture.HASH.start(), first);
    }

    @Test
    void shouldTakeKeysOfOneHash() {
        final List<byte[]> keys = keysOfOneHash(EQUAL_KEYS);
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            for (int i = 0; i < 500; i++) {
                fixture.put(key(i), 1_000 + i);
            }
            for (int i = 0; i < EQUAL_KEYS; i++) {
                assertEquals(PointIndex.NONE, fixture.get(keys.get(i)));
                assertEquals(PointIndex.NONE, fixture.put(keys.get(i), i));
                fixture.index().verify();
            }
            assertEquals(EQUAL_KEYS - 2L * RegionLayout.SLOTS_PER_BUCKET, fixture.index().figures().get("keysInStash"));
            assertTrue(fixture.index().directory().depth() < 10, "the directory does not grow for keys that it cannot part");
            for (int i = 0; i < EQUAL_KEYS; i++) {
                assertEquals(i, fixture.get(keys.get(i)));
                assertTrue(fixture.replace(keys.get(i), i, 10_000 + i));
                assertEquals(10_000 + i, fixture.put(keys.get(i), i));
            }
            for (int i = 500; i < 5_000; i++) {
                fixture.put(key(i), 1_000 + i); // the stash moves with its region
            }
            fixture.index().verify();
            for (int i = 0; i < EQUAL_KEYS; i += 2) {
                assertEquals(i, fixture.remove(keys.get(i)));
            }
            for (int i = 0; i < EQUAL_KEYS; i++) {
                assertEquals(i % 2 == 0 ? PointIndex.NONE : i, fixture.get(keys.get(i)));
            }
            fixture.index().verify();
            final KeyBatch batch = new KeyBatch();
            keys.forEach(key -> batch.add(key, 0, key.length));
            final long[] payloads = new long[EQUAL_KEYS];
            fixture.index().getAll(batch, payloads);
            for (int i = 0; i < EQUAL_KEYS; i++) {
                assertEquals(i % 2 == 0 ? PointIndex.NONE : i, payloads[i]);
                fixture.remove(keys.get(i));
            }
            for (int i = 0; i < 5_000; i++) {
                assertEquals(1_000 + i, fixture.remove(key(i)));
            }
            fixture.index().verify();
            assertEquals(0, fixture.index().entryCount());
        }
    }

    @Test
    void shouldCountEachKeyInOneCase() {
        final Random random = Seeds.random("shouldCountEachKeyInOneCase");
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            final int keys = 20_000;
            for (int i = 0; i < keys; i++) {
                final byte[] key = new byte[8];
                random.nextBytes(key);
                fixture.put(key, i);
            }
            fixture.index().verify();
            final Map<String, Object> figures = fixture.index().figures();
            @SuppressWarnings("unchecked")
            final Map<String, Long> cases = (Map<String, Long>) figures.get("insertionsByCase");
            assertEquals(keys, cases.get("twoEmpty") + cases.get("oneEmpty") + cases.get("sameNon") + cases.get("diffNonNon")
                + cases.get("diffNonMax") + cases.get("stashed"));
            assertTrue(cases.get("twoEmpty") > 0 && cases.get("oneEmpty") > 0 && cases.get("sameNon") > 0
                && cases.get("diffNonNon") > 0 && cases.get("noPath") > 0, cases.toString());
            assertEquals((long) keys, (Long) figures.get("keysInFirstBucket") + (Long) figures.get("keysInSecondBucket")
                + (Long) figures.get("keysInStash"));
            final double load = (Double) figures.get("load");
            assertTrue(load > 0.43 && load < 1, "load " + load);
        }
    }

    /** Keys of one hash fill two buckets: a subgraph without a vacancy in a region that has room. */
    @Test
    void shouldMergeASubgraphThatIsMaximalWithAnotherOne() {
        final int full = 2 * RegionLayout.SLOTS_PER_BUCKET;
        final List<byte[]> keys = keysOfOneHash(full + 2);
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            for (int i = 0; i < full; i++) {
                fixture.put(keys.get(i), i);
            }
            final long hash = CoCuckooFixture.hash(keys.get(0));
            final long region = fixture.index().directory().region(hash);
            final long base = RegionLayout.base(region);
            final int buckets = RegionLayout.bucketsOf(region);
            final int bucket0 = RegionLayout.primary(hash, buckets);
            final int bucket1 = RegionLayout.secondary(hash, buckets, bucket0);
            final SubgraphForest forest = fixture.index().forest();
            assertTrue(forest.areMaximal(base, bucket0, bucket1));
            assertCases(fixture, 1, 0, 0, 0, 0);
            fixture.put(keys.get(full), full);
            assertCases(fixture, 1, 0, 1, 0, 1);
            final long others = RegionLayout.allBuckets(region) & ~(1L << bucket0 | 1L << bucket1);
            final int bucket2 = Long.numberOfTrailingZeros(others);
            final int bucket3 = Long.numberOfTrailingZeros(others & others - 1);
            fixture.put(keyOf(hash, bucket2, bucket3), 100);
            assertCases(fixture, 2, 0, 1, 0, 1);
            fixture.put(keyOf(hash, bucket0, bucket2), 101);
            assertCases(fixture, 2, 1, 1, 0, 1);
            assertEquals(RegionLayout.allBuckets(region), forest.members(base, buckets, 0));
            fixture.put(keys.get(full + 1), full + 1); // a vacancy, but the keys of its buckets have no other ones
            assertCases(fixture, 2, 1, 1, 1, 2);
            assertEquals(region, fixture.index().directory().region(hash));
            fixture.index().verify();
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(i, fixture.remove(keys.get(i)));
                fixture.index().verify();
            }
        }
    }

    /** A key with two buckets of a region of the least class, that of a hash. */
    private static byte[] keyOf(final long hash, final int bucket0, final int bucket1) {
        for (int number = 0;; number++) {
            final long other = CoCuckooFixture.hash(key(number));
            final int primary = RegionLayout.primary(other, RegionLayout.buckets(0));
            final int secondary = RegionLayout.secondary(other, RegionLayout.buckets(0), primary);
            if ((other - hash & 1) == 0 && (1L << primary | 1L << secondary) == (1L << bucket0 | 1L << bucket1)) {
                return key(number);
            }
        }
    }

    private static void assertCases(
        final CoCuckooFixture fixture, final long twoEmpty, final long diffNonMax, final long max, final long noPath,
        final long stashed) {
        final Map<?, ?> cases = (Map<?, ?>) fixture.index().figures().get("insertionsByCase");
        assertEquals(List.of(twoEmpty, diffNonMax, max, noPath, stashed), List.of(cases.get("twoEmpty"),
            cases.get("diffNonMax"), cases.get("max"), cases.get("noPath"), cases.get("stashed")));
    }

    /** Returns how often keys have moved. */
    static long moves(final Slab slab) {
        long moves = 0;
        for (int word = 0; word < MoveCounts.WORDS; word++) {
            moves += slab.getLong(MoveCounts.OFFSET + (long) word * Long.BYTES);
        }
        return moves;
    }

    @Test
    void shouldMoveSeveralKeysForOne() {
        final Random random = Seeds.random("shouldMoveSeveralKeysForOne");
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            final List<byte[]> keys = new ArrayList<>();
            final Slab slab = fixture.index().reader().slab();
            int paths = 0;
            while (keys.size() < 20_000) {
                final byte[] key = new byte[8];
                random.nextBytes(key);
                final long hash = CoCuckooFixture.hash(key);
                final long region = fixture.index().directory().region(hash);
                final long base = RegionLayout.base(region);
                final int depth = slab.getInt(base + RegionLayout.DEPTH_OFFSET);
                final long moves = moves(slab);
                fixture.put(key, keys.size());
                keys.add(key);
                paths += fixture.index().directory().region(hash) == region
                    && slab.getInt(base + RegionLayout.DEPTH_OFFSET) == depth
                    && moves(slab) > moves + 1 ? 1 : 0;
            }
            assertTrue(paths > 100, paths + " puts moved several keys");
            fixture.index().verify();
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(i, fixture.get(keys.get(i)));
            }
        }
    }

    @Test
    void shouldTakeLittleMemoryWhereTheLoadIsHigh() {
        final Random random = Seeds.random("shouldTakeLittleMemoryWhereTheLoadIsHigh");
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            double highest = 0;
            double bytesPerKey = 0;
            for (int i = 1; i <= 100_000; i++) {
                final byte[] key = new byte[8];
                random.nextBytes(key);
                fixture.put(key, i);
                if (i > 20_000 && i % 1_000 == 0) {
                    final double load = (Double) fixture.index().figures().get("load");
                    if (load > highest) {
                        highest = load;
                        bytesPerKey = (double) fixture.index().bytesUsed() / fixture.index().entryCount();
                    }
                }
            }
            assertTrue(highest > 0.75, "load " + highest);
            assertTrue(bytesPerKey < 24, bytesPerKey + " bytes a key at load " + highest);
        }
    }

    /** A writer that stands still with a subgraph locked: others go on, even with the same key unless they need the lock. */
    @Test
    void shouldBlockNobodyElseWhileAWriterStandsStill() throws Exception {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final AtomicReference<CoCuckoo> index = new AtomicReference<>();
        final Runnable stop = () -> {
            final CoCuckoo current = index.get();
            if (Thread.currentThread().getName().equals("stands still") && isAnyLocked(current)) {
                reached.countDown();
                try {
                    goOn.await(30, TimeUnit.SECONDS);
                } catch (final InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        try (CoCuckooFixture fixture = new CoCuckooFixture(stop)) {
            index.set(fixture.index());
            for (int i = 0; i < 20_000; i++) {
                fixture.put(key(i), i);
            }
            final Thread still = new Thread(() -> fixture.remove(key(7)), "stands still");
            still.start();
            assertTrue(reached.await(30, TimeUnit.SECONDS));
            for (int i = 0; i < 20_000; i++) {
                assertEquals(i, fixture.get(key(i)));
            }
            assertTrue(fixture.replace(key(7), 7, 100_007));
            assertEquals(100_007, fixture.put(key(7), 200_007));
            final long stuck = fixture.index().directory().region(CoCuckooFixture.hash(key(7)));
            int added = 0;
            for (int i = 20_000; i < 40_000; i++) {
                if (fixture.index().directory().region(CoCuckooFixture.hash(key(i))) != stuck) {
                    assertEquals(PointIndex.NONE, fixture.put(key(i), i)); // regions grow meanwhile
                    added++;
                }
            }
            assertTrue(added > 19_000, "one region of many is locked");
            goOn.countDown();
            still.join(30_000);
            assertFalse(still.isAlive());
            assertEquals(PointIndex.NONE, fixture.get(key(7)));
            assertEquals(20_000 - 1 + added, fixture.index().entryCount());
            fixture.index().verify();
        }
    }

    private static boolean isAnyLocked(final CoCuckoo index) {
        final long region = index.directory().region(CoCuckooFixture.hash(key(7)));
        final Slab slab = index.reader().slab();
        final long base = RegionLayout.base(region);
        return slab.getLongAcquire(base + RegionLayout.LOCKED_OFFSET) != 0
            || (slab.getLongAcquire(base + RegionLayout.CORE_LOCK_OFFSET) & RegionLayout.CORE_LOCKED) != 0;
    }

    /** A key moves behind the back of a reader, from a bucket that it has not seen yet to one that it has passed. */
    @Test
    void shouldFindAKeyThatMovesWhileItIsLookedFor() {
        final List<byte[]> keys = keysOfOneHash(3);
        final AtomicReference<Runnable> onCompare = new AtomicReference<>(() -> { });
        try (CoCuckooFixture fixture = new CoCuckooFixture(() -> onCompare.get().run())) {
            for (int i = 0; i < 3; i++) {
                fixture.put(keys.get(i), i);
            }
            final RegionReader reader = fixture.index().reader();
            final Slab slab = reader.slab();
            final long hash = CoCuckooFixture.hash(keys.get(0));
            final long region = fixture.index().directory().region(hash);
            final long first = reader.slotOf(region, hash, keys.get(0), 0, 16);
            final long moving = reader.slotOf(region, hash, keys.get(1), 0, 16);
            assertEquals(first + RegionLayout.SLOT_BYTES, reader.slotOf(region, hash, keys.get(2), 0, 16));
            fixture.remove(keys.get(0));
            final AtomicReference<Integer> moves = new AtomicReference<>(0);
            onCompare.set(() -> {
                if (moves.get() == 0) {
                    moves.set(1);
                    KickPath.move(slab, moving, first); // the reader is at the slot behind it
                }
            });
            assertEquals(1, fixture.get(keys.get(1)));
            assertEquals(1, moves.get());
            fixture.index().verify();
        }
    }

    @Test
    void shouldNotReplaceAPayloadThatMoves() throws Exception {
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            fixture.put(key(1), 1);
            final Slab slab = fixture.index().reader().slab();
            final long hash = CoCuckooFixture.hash(key(1));
            final long slot = fixture.index().reader().slotOf(
                fixture.index().directory().region(hash), hash, key(1), 0, key(1).length);
            final long frozen = KickPath.freeze(slab, slot);
            final AtomicReference<Object> result = new AtomicReference<>();
            final Thread put = new Thread(() -> result.set(fixture.put(key(1), 2)));
            put.start();
            final Thread replace = new Thread(() -> fixture.replace(key(1), 1, 3));
            replace.start();
            Thread.sleep(50);
            assertTrue(put.isAlive() && replace.isAlive());
            assertEquals(1, fixture.get(key(1)));
            slab.putLongRelease(slot, frozen & ~RegionLayout.MOVING);
            put.join(30_000);
            replace.join(30_000);
            assertFalse(put.isAlive() || replace.isAlive());
            assertEquals(2, fixture.get(key(1)));
            fixture.index().verify();
        }
    }

    @Test
    void shouldFindWhatIsBroken() {
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            for (int i = 0; i < 300; i++) {
                fixture.put(key(i), i);
            }
            final CoCuckoo index = fixture.index();
            final Slab slab = index.reader().slab();
            final long region = index.directory().region(CoCuckooFixture.hash(key(7)));
            final long base = RegionLayout.base(region);
            final byte[] key = key(7);
            final long tag = CoCuckooFixture.hash(key);
            final long slot = index.reader().slotOf(region, tag, key, 0, key.length);
            final int bucket = (int) (slot - base - RegionLayout.HEADER_BYTES) / (4 * RegionLayout.SLOT_BYTES);
            assertBreaks(index, 1, base + RegionLayout.PATTERN_OFFSET, 1L << 20);
            assertBreaks(index, 2, base + RegionLayout.LOCKED_OFFSET, 4);
            assertBreaks(index, 2, base + RegionLayout.CORE_LOCK_OFFSET, RegionLayout.CORE_LOCKED);
            assertBreaks(index, 2, base + RegionLayout.CORE_LOCK_OFFSET, RegionLayout.CORE_SPECIAL);
            assertBreaks(index, 2, base + RegionLayout.STATE_OFFSET, RegionLayout.CLOSED);
            assertBreaks(index, 2, slot, RegionLayout.MOVING);
            assertBreaks(index, 3, slot + RegionLayout.TAG_OFFSET, 1L << 20);
            final int root = index.forest().root(base, bucket);
            assertBreaks(index, 5, base + RegionLayout.FOREST_OFFSET + 8L * (root / 4), 1L << 16 * (root % 4));
            final long node = base + RegionLayout.FOREST_OFFSET + 2L * root;
            final int vacant = vacantBucket(index, base, RegionLayout.bucketsOf(region));
            assertBreaks(index, 5, base + RegionLayout.FULL_OFFSET, 1L << vacant);
            assertBreaks(index, 4, base + RegionLayout.CORE_OFFSET, 1L << member(index, base, RegionLayout.bucketsOf(region)));
            assertFindsAnUnlockedBlock(index);
            final short before = slab.getShort(node);
            index.forest().write(base, 1L << root, new BucketGraph());
            assertInvariant(index, 4);
            slab.putShort(node, before);
            final long word = slab.getLong(slot);
            slab.putLong(slot, 0);
            assertThrows(IllegalStateException.class, index::verify);
            slab.putLong(slot, word);
            index.verify();
        }
    }

    private static void assertFindsAnUnlockedBlock(final CoCuckoo index) {
        final long idle = index.arena().allocateRegion(RegionLayout.LAST_CLASS, RegionLayout.LAST_CLASS);
        index.arena().free(RegionLayout.base(idle), RegionLayout.LAST_CLASS);
        index.verify();
        final long lock = RegionLayout.base(idle) + RegionLayout.CORE_LOCK_OFFSET;
        assertBreaks(index, 2, lock, index.reader().slab().getLong(lock) ^ (RegionLayout.CORE_REGION | 4_000));
    }

    /** A bucket of the subgraph of bucket 0. */
    private static int member(final CoCuckoo index, final long base, final int buckets) {
        for (int bucket = 1; bucket < buckets; bucket++) {
            if (index.forest().root(base, bucket) == 0) {
                return bucket;
            }
        }
        throw new AssertionError("no bucket but 0 is in its subgraph");
    }

    private static int vacantBucket(final CoCuckoo index, final long base, final int buckets) {
        for (int bucket = 0; bucket < buckets; bucket++) {
            if (RegionLayout.freeSlots(index.reader().slab(), RegionLayout.bucketOffset(base, bucket)) != 0) {
                return bucket;
            }
        }
        throw new AssertionError("no bucket has a free slot");
    }

    private static void assertBreaks(final CoCuckoo index, final int invariant, final long offset, final long flipped) {
        final Slab slab = index.reader().slab();
        final long before = slab.getLong(offset);
        slab.putLong(offset, before ^ flipped);
        assertInvariant(index, invariant);
        slab.putLong(offset, before);
        index.verify();
    }

    private static void assertInvariant(final CoCuckoo index, final int invariant) {
        final IllegalStateException e = assertThrows(IllegalStateException.class, index::verify);
        assertTrue(e.getMessage().startsWith("invariant " + invariant), e.getMessage());
    }

    @Test
    void shouldDumpEachKeyOnce() throws IOException {
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            for (int i = 0; i < 200; i++) {
                fixture.put(key(i), i);
            }
            final StringBuilder out = new StringBuilder();
            fixture.index().dump(out);
            final String text = out.toString();
            for (int i = 0; i < 200; i++) {
                final String shown = "\"key " + i + "\" payload " + i + "\n";
                assertTrue(text.contains(shown), shown);
                assertEquals(text.indexOf(shown), text.lastIndexOf(shown));
            }
            assertTrue(text.startsWith("region ..."), text);
        }
    }

    @Test
    void shouldSendHashesToTheRegionThatTakesThem() {
        try (CoCuckooFixture fixture = new CoCuckooFixture()) {
            final RegionDirectory directory = fixture.index().directory();
            final Slab slab = fixture.index().reader().slab();
            final long region0 = directory.regionAt(0);
            final long region1 = directory.regionAt(1);
            for (int depth = 2; depth <= 12; depth++) { // from 11 on in another slab
                assertTrue(directory.reachDepth(depth));
                for (int number = 0; number < 1 << depth; number++) {
                    assertEquals((number & 1) == 0 ? region0 : region1, directory.region(number | 1L << 40));
                    assertEquals(number == 0 ? region0 : number == 1 ? region1 : 0, directory.firstRegionAt(number));
                }
                fixture.index().verify();
            }
            final long base = RegionLayout.base(region1);
            slab.putInt(base + RegionLayout.PATTERN_OFFSET, 3);
            slab.putInt(base + RegionLayout.DEPTH_OFFSET, 3);
            directory.publish(region0 | 3); // with another size class, to be told from what was there
            directory.publish(RegionLayout.region(base, 2));
            for (int number = 0; number < 1 << 12; number++) {
                final long expected = (number & 1) == 0 ? RegionLayout.region(RegionLayout.base(region0), 3)
                    : (number & 7) == 3 ? RegionLayout.region(base, 2) : region1;
                assertEquals(expected, directory.region(number));
            }
            directory.publish(region0);
        }
    }
}
