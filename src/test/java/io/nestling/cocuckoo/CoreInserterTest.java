/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.WriteFailure;
import io.nestling.testing.Effort;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys are added by what was read before the lock was taken only if all of that still holds. */
class CoreInserterTest {
    private static final int KEYS = 3_000;
    private static final int NUMBER_BITS = 20;
    private static final long CHURN_MILLIS = Effort.count(500, 1_500, 1_500);

    private static byte[] key(final long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number * 0x9E37_79B9_7F4A_7C15L).array();
    }

    private static CoCuckooFixture filled() {
        final CoCuckooFixture fixture = new CoCuckooFixture();
        for (int i = 0; i < KEYS; i++) {
            fixture.put(key(i), i);
        }
        return fixture;
    }

    /** A key that is absent and simple to add. */
    private static long simple(final CoCuckoo index) {
        for (long number = KEYS;; number++) {
            final long hash = CoCuckooFixture.hash(key(number));
            final long region = index.directory().region(hash);
            final int primary = primary(hash, bucketsOf(region));
            final int secondary = secondary(hash, bucketsOf(region), primary);
            final long bucket = bucketOffset(base(region), primary);
            if (sizeClass(region) == LAST_CLASS && index.forest().areInCore(base(region), primary, secondary)
                && freeSlots(slab(index), bucket) != 0) {
                return number;
            }
        }
    }

    private static SubgraphLocks locks(final CoCuckoo index) {
        return new SubgraphLocks(slab(index), index.forest(), new WriteFailure());
    }

    private static Slab slab(final CoCuckoo index) {
        return index.reader().slab();
    }

    @Test
    void shouldAddAKeyOnlyWhereThatIsSimple() {
        try (CoCuckooFixture fixture = filled()) {
            final CoCuckoo index = fixture.index();
            final CoreInserter inserter = new CoreInserter(slab(index));
            final long number = simple(index);
            final long hash = CoCuckooFixture.hash(key(number));
            final long region = index.directory().region(hash);
            final long lock = base(region) + CORE_LOCK_OFFSET;
            final long word = slab(index).getLong(lock);
            assertRefused(index, region, hash, lock, word | CORE_LOCKED);
            assertRefused(index, region, hash, lock, word | CORE_SPECIAL);
            assertRefused(index, region, hash, lock, word ^ CORE_REGION); // a free slot of a stash, or what was never a region
            assertRefused(index, region, hash, lock, word | PRESENT);
            assertRefused(index, region, hash, lock, word | PRESENT | MOVING);
            assertRefused(index, region, hash, base(region) + CORE_OFFSET, 0);
            final long pattern = slab(index).getLong(base(region) + PATTERN_OFFSET);
            assertRefused(index, region, hash, base(region) + PATTERN_OFFSET, pattern ^ 1);
            assertRefused(index, region, hash, base(region) + PATTERN_OFFSET, pattern + (20L << Integer.SIZE));
            assertFalse(inserter.put(region & -4 | LAST_CLASS - 1, hash, number), "it may not lie within the slab");
            assertTrue(inserter.put(region, hash, number));
            assertEquals(word + 4, slab(index).getLong(lock), "who saw the word before cannot take it any more");
            assertFalse(inserter.put(region, hash, number), "the tag is there");
            assertEquals(word + 4, slab(index).getLong(lock));
        }
    }

    private static void assertRefused(
        final CoCuckoo index, final long region, final long hash, final long offset, final long word) {
        final long before = slab(index).getLong(offset);
        slab(index).putLong(offset, word);
        assertFalse(new CoreInserter(slab(index)).put(region, hash, 1));
        assertEquals(word, slab(index).getLong(offset));
        slab(index).putLong(offset, before);
        index.verify();
    }

    @Test
    void shouldKeepARegionLockedUntilItIsPublished() {
        try (CoCuckooFixture fixture = filled()) {
            final CoCuckoo index = fixture.index();
            for (int sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++) {
                final long region = index.arena().allocateRegion(sizeClass, sizeClass);
                final long lock = base(region) + CORE_LOCK_OFFSET;
                final long special = sizeClass == LAST_CLASS ? 0 : CORE_SPECIAL;
                for (final int bytes : new int[] {HEADER_BYTES, regionBytes(sizeClass)}) {
                    slab(index).putLong(lock, CORE_REGION | 4_000 | CORE_LOCKED);
                    slab(index).putLong(base(region) + CORE_OFFSET, -1);
                    RegionBuilder.clear(slab(index), region, bytes);
                    assertEquals(CORE_REGION | 4_000 | CORE_LOCKED | special, slab(index).getLong(lock), "the count goes on");
                    assertEquals(0, slab(index).getLong(base(region) + CORE_OFFSET));
                    slab(index).putLong(lock, -1);
                    RegionBuilder.clear(slab(index), region, bytes);
                    assertEquals(CORE_REGION | CORE_LOCKED | special, slab(index).getLong(lock) & CORE_MASK);
                    SubgraphLocks.unlockCore(slab(index), base(region));
                    assertEquals(CORE_REGION | special, slab(index).getLong(lock) & CORE_MASK);
                }
                assertTrue(locks(index).tryLockCore(base(region)));
                index.arena().free(base(region), sizeClass);
            }
            index.verify();
        }
    }

    @Test
    void shouldNotBeSimpleWithAStash() {
        try (CoCuckooFixture fixture = filled()) {
            final CoCuckoo index = fixture.index();
            for (final byte[] key : CoCuckooTest.keysOfOneHash(12)) {
                fixture.put(key, 1L << 40 | key[0]);
            }
            final long region = index.directory().region(CoCuckooFixture.hash(CoCuckooTest.keysOfOneHash(1).get(0)));
            assertNotEquals(NULL, Stash.first(slab(index), base(region)));
            assertNotEquals(0, slab(index).getLong(base(region) + CORE_LOCK_OFFSET) & CORE_SPECIAL);
            index.verify();
        }
    }

    @Test
    void shouldMoveOneKeyWhereBothBucketsAreFull() {
        try (CoCuckooFixture fixture = filled()) {
            final CoCuckoo index = fixture.index();
            final CoreInserter inserter = new CoreInserter(slab(index));
            int moved = 0;
            for (long number = KEYS; number < 2 * KEYS; number++) {
                final long hash = CoCuckooFixture.hash(key(number));
                final long moves = CoCuckooTest.moves(slab(index));
                fixture.put(key(KEYS), KEYS); // its payload is known
                if (number > KEYS && inserter.put(index.directory().region(hash), hash, KEYS)) {
                    moved += CoCuckooTest.moves(slab(index)) == moves + 1 ? 1 : 0;
                }
            }
            assertTrue(moved > 20, moved + " puts moved a key");
            for (int i = 0; i <= KEYS; i++) {
                assertEquals(i, fixture.get(key(i)));
            }
        }
    }

    @Test
    void shouldAddNothingToARegionThatWasReplaced() {
        try (CoCuckooFixture fixture = filled()) {
            final CoCuckoo index = fixture.index();
            final CoreInserter inserter = new CoreInserter(slab(index));
            final long[] before = new long[KEYS];
            for (int i = 0; i < KEYS; i++) {
                before[i] = index.directory().region(CoCuckooFixture.hash(key(i)));
            }
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < KEYS; i++) {
                    fixture.remove(key(i));
                }
                for (int i = 0; i < (round + 1) * KEYS / 3; i++) {
                    fixture.put(key(i), i); // the blocks of regions are used again
                }
                int refused = 0;
                for (int i = 0; i < KEYS; i++) {
                    final long hash = CoCuckooFixture.hash(key(i + KEYS));
                    final long old = before[(int) ((i * 7919L + round) % KEYS)];
                    if (index.directory().region(hash) != old) {
                        assertFalse(inserter.put(old, hash, i), "not where the hash belongs");
                        refused++;
                    }
                }
                assertTrue(refused > KEYS / 2);
                index.verify();
            }
        }
    }

    /**
     * What a put read before it took the lock holds if the lock's word is the same: whatever changes it counts in the word. So
     * after each operation, by whatever way it went, regions with the same word are as they were.
     */
    @Test
    void shouldCountWhateverChangesWhatPutsRead() {
        final Random random = new Random(Seeds.seed("shouldCountWhateverChangesWhatPutsRead"));
        try (CoCuckooFixture fixture = filled()) {
            final Map<Long, long[]> before = simpleRegions(fixture.index());
            int same = 0;
            int changed = 0;
            for (int operation = 0; operation < 6_000; operation++) {
                final long number = random.nextInt(2 * KEYS);
                final boolean shrink = operation / 1_500 % 2 == 1;
                if (random.nextInt(4) == 0 == shrink) {
                    fixture.put(key(number), KEYS * (operation + 2L));
                } else {
                    fixture.remove(key(number));
                }
                final Map<Long, long[]> after = simpleRegions(fixture.index());
                for (final Map.Entry<Long, long[]> region : after.entrySet()) {
                    final long[] old = before.get(region.getKey());
                    if (old != null && old[0] == region.getValue()[0]) {
                        assertArrayEquals(old, region.getValue(), "operation " + operation + ", region " + region.getKey());
                        same++;
                    } else {
                        changed++;
                    }
                }
                before.clear();
                before.putAll(after);
            }
            assertTrue(same > 10_000 && changed > 1_000, same + " regions were as before, " + changed + " were not");
            fixture.index().verify();
        }
    }

    /** Of each published region of the last class its lock's word, and behind it what a put reads before it takes the lock. */
    private static Map<Long, long[]> simpleRegions(final CoCuckoo index) {
        final Map<Long, long[]> regions = new HashMap<>();
        for (int number = 0; number < 1 << index.directory().depth(); number++) {
            final long region = index.directory().firstRegionAt(number);
            if (region != NULL && sizeClass(region) == LAST_CLASS) {
                regions.put(region, whatPutsRead(slab(index), base(region)));
            }
        }
        return regions;
    }

    private static long[] whatPutsRead(final Slab slab, final long base) {
        final int slots = MAX_BUCKETS * SLOTS_PER_BUCKET;
        final long[] words = new long[4 + 2 * slots];
        words[0] = slab.getLong(base + CORE_LOCK_OFFSET);
        words[1] = slab.getLong(base + PATTERN_OFFSET);
        words[2] = slab.getLong(base + CORE_OFFSET) | 1;
        words[3] = slab.getLong(base + FULL_OFFSET);
        for (int i = 0; i < slots; i++) {
            if ((words[2] >>> i / SLOTS_PER_BUCKET & 1) != 0) {
                final long slot = base + HEADER_BYTES + (long) i * SLOT_BYTES;
                words[4 + 2 * i] = slab.getLong(slot) & PRESENT;
                words[5 + 2 * i] = slab.getLong(slot + TAG_OFFSET);
            }
        }
        return words;
    }

    /** Threads with keys of their own fill and empty the same few regions, whose blocks are used again and again. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldKeepWhatThreadsPutIntoRegionsThatComeAndGo(final int threads) throws Exception {
        final long seed = Seeds.seed("shouldKeepWhatThreadsPutIntoRegionsThatComeAndGo");
        final long bytes = 16L << 20;
        final HeapKeySource keys = new HeapKeySource(payload -> key(payload & (1 << NUMBER_BITS) - 1));
        final IndexContext context =
            new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(bytes), new EpochReclaimer(), keys, bytes);
        try (CoCuckoo index = new CoCuckoo(context)) {
            final long end = System.nanoTime() + CHURN_MILLIS * 1_000_000;
            final AtomicLong left = new AtomicLong();
            final AtomicBoolean failed = new AtomicBoolean();
            Threads.runTogether(threads, thread -> {
                try {
                    left.addAndGet(churn(index, thread, threads, new Random(seed + thread), end, failed));
                } catch (final Throwable e) {
                    failed.set(true);
                    throw e;
                }
            });
            assertEquals(left.get(), index.entryCount());
            index.verify();
        }
    }

    private static long churn(
        final CoCuckoo index, final int thread, final int threads, final Random random, final long end,
        final AtomicBoolean failed) {
        final int own = 4_000 / threads;
        final long[] payloads = new long[own];
        java.util.Arrays.fill(payloads, PointIndex.NONE);
        long generation = 0;
        while (System.nanoTime() < end && !failed.get()) {
            final int upTo = 1 + random.nextInt(own);
            final boolean fill = random.nextInt(3) != 0;
            for (int i = 0; i < own; i++) {
                final int at = random.nextInt(own);
                final int number = at * threads + thread;
                final byte[] key = key(number);
                if (fill && at < upTo) {
                    final long payload = ++generation << NUMBER_BITS | number;
                    assertEquals(payloads[at], index.put(key, 0, key.length, payload));
                    payloads[at] = payload;
                } else {
                    assertEquals(payloads[at], index.remove(key, 0, key.length));
                    payloads[at] = PointIndex.NONE;
                }
                final int other = random.nextInt(own);
                final byte[] otherKey = key((long) other * threads + thread);
                assertEquals(payloads[other], index.get(otherKey, 0, otherKey.length));
            }
        }
        long left = 0;
        for (final long payload : payloads) {
            left += payload == PointIndex.NONE ? 0 : 1;
        }
        return left;
    }

    /** Before the lock is taken, the tag may be of another use of the block. */
    @Test
    void shouldFindABucketOfTheRegionForAnyTag() {
        final Random random = new Random(Seeds.seed("CoreInserterTest.anyTag"));
        for (int i = 0; i < 100_000; i++) {
            final long tag = random.nextLong();
            final int primary = RegionLayout.primary(tag, RegionLayout.MAX_BUCKETS);
            final int secondary = RegionLayout.secondary(tag, RegionLayout.MAX_BUCKETS, primary);
            assertEquals(secondary, CoreInserter.alternate(tag, primary));
            assertEquals(primary, CoreInserter.alternate(tag, secondary));
            final int bucket = random.nextInt(RegionLayout.MAX_BUCKETS);
            final int other = CoreInserter.alternate(tag, bucket);
            assertTrue(other >= 0 && other < RegionLayout.MAX_BUCKETS, other + " for bucket " + bucket);
        }
    }
}
