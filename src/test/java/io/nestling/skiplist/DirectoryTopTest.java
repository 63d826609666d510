/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** The first bytes of keys in a row lead to where steps from level to level lead, and are left aside where they tell nothing. */
class DirectoryTopTest {
    private static final int KEYS = 24_000;
    /** So many that the lowest level with few enough keys is the second. */
    private static final int MANY_KEYS = 450_000;

    private final Random random = Seeds.random("DirectoryTopTest");

    @Test
    void shouldFindTheLastKeyAtOrBelow() {
        for (int size = 1; size < 1_000; size += 1 + random.nextInt(9)) {
            final DirectoryTop top = DirectoryTop.of(size);
            final long[] chunks = new long[top.count()];
            for (int i = 0; i < chunks.length; i++) {
                chunks[i] = random.nextLong() >>> 1 + random.nextInt(60);
            }
            Arrays.sort(chunks);
            for (int entry = 0; entry < size; entry++) {
                final boolean kept = entry % (1 << Directory.BLOCK_SHIFT * top.level()) == 0;
                final long chunk = kept ? chunks[entry >> Directory.BLOCK_SHIFT * top.level()] : Long.MAX_VALUE >>> 8;
                top.set(entry, bytes(chunk << 1), Long.BYTES);
            }
            for (int i = 0; i < chunks.length; i++) {
                assertEquals(chunks[i], top.chunk(i));
                for (long chunk = chunks[i]; chunk <= Math.min(chunks[i] + 1, Long.MAX_VALUE - 1); chunk++) {
                    int last = i;
                    while (last + 1 < chunks.length && chunks[last + 1] <= chunk) {
                        last++;
                    }
                    assertEquals(last, top.floor(chunk), "of " + chunks.length);
                }
            }
        }
    }

    @Test
    void shouldTakeTheLowestLevelWithFewEnoughKeys() {
        final int most = DirectoryTop.MAX_KEYS << Directory.BLOCK_SHIFT;
        final int farMore = most << Directory.BLOCK_SHIFT;
        for (final int size : new int[] {most - 1, most, most + 1, farMore, farMore + 1}) {
            final DirectoryTop top = DirectoryTop.of(size);
            final int step = 1 << Directory.BLOCK_SHIFT * top.level();
            assertEquals((size - 1) / step + 1, top.count());
            assertTrue(top.count() <= DirectoryTop.MAX_KEYS, top.count() + " keys");
            assertTrue(top.level() == 1 || (size - 1) / (step >> Directory.BLOCK_SHIFT) + 1 > DirectoryTop.MAX_KEYS,
                "level " + top.level());
            for (int entry = 0; entry < size; entry++) {
                top.set(entry, bytes((long) entry << 1), Long.BYTES);
            }
            for (int i = 0; i < 100; i++) {
                final int entry = random.nextInt(size);
                assertEquals(entry / step, top.floor(top.chunk(entry / step)));
                assertEquals(entry / step, top.floor(top.chunk(entry / step) + entry % step));
            }
            assertTrue(top.tellsApart());
        }
    }

    @Test
    void shouldBeOfNoUseAmongKeysThatBeginAlike() {
        final DirectoryTop top = DirectoryTop.of(1_000);
        for (int entry = 0; entry < 1_000; entry++) {
            top.set(entry, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, (byte) entry}, 9);
        }
        assertFalse(top.tellsApart());
    }

    /** Keys differ within their first bytes, but for some that begin with the first bytes of another one. */
    @Test
    void shouldLeadToTheSameEntries() {
        checkEntries(KEYS, 1, 16L << 20);
    }

    @Test
    void shouldLeadToTheSameEntriesFromAHigherLevel() {
        assertTrue(checkEntries(MANY_KEYS, 20, 64L << 20) > DirectoryTop.MAX_KEYS << Directory.BLOCK_SHIFT);
    }

    /** Looks for one in so many keys; returns how many entries the directory had. */
    private int checkEntries(final int count, final int oneIn, final long maxBytes) {
        final TreeSet<byte[]> all = new TreeSet<>(Arrays::compareUnsigned);
        while (all.size() < count) {
            final byte[] key = new byte[random.nextInt(3) == 0 ? 3 + random.nextInt(9) : Long.BYTES];
            random.nextBytes(key);
            all.add(key);
            if (random.nextInt(20) == 0) {
                all.add(Arrays.copyOf(key, key.length + 1 + random.nextInt(9)));
            }
        }
        final List<byte[]> keys = new ArrayList<>(all);
        Collections.shuffle(keys, random);
        try (SkipList list = new SkipList(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(maxBytes),
            new EpochReclaimer(), new HeapKeySource(payload -> keys.get((int) payload)), maxBytes / 2), 2, false)) {
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(PointIndex.NONE, list.put(keys.get(i), 0, keys.get(i).length, i));
            }
            final Directory directory = list.nodes().directories().current();
            assertNotNull(directory);
            assertTrue(directory.hasTop());
            final byte[][] listed = new byte[directory.listed()][];
            Arrays.setAll(listed, i -> keys.get((int) list.nodes().payload(directory.node(i))));
            for (final byte[] key : keys) {
                if (random.nextInt(oneIn) > 0) {
                    continue;
                }
                assertFound(directory, list.nodes(), listed, key);
                final byte[] beside = key.clone();
                final int at = random.nextInt(key.length);
                beside[at] = (byte) (beside[at] + (random.nextBoolean() ? 1 : -1));
                assertFound(directory, list.nodes(), listed, beside);
                assertFound(directory, list.nodes(), listed, Arrays.copyOf(key, random.nextInt(key.length)));
            }
            for (int i = 0; i < keys.size(); i++) {
                final long[] payload = new long[1];
                list.getAll(KeyBatch.of(keys.get(i)), payload);
                assertEquals(i, payload[0]);
                assertEquals(i, list.get(keys.get(i), 0, keys.get(i).length));
            }
            list.verify();
            return directory.size();
        }
    }

    private static void assertFound(final Directory directory, final Nodes nodes, final byte[][] listed, final byte[] key) {
        final int at = Arrays.binarySearch(listed, key, Arrays::compareUnsigned);
        final int below = at >= 0 ? at : -at - 2;
        final long floor = directory.floor(nodes, key, 0, key.length);
        // Without the upper levels at once.
        long stepped = directory.approach(Integer.MAX_VALUE, nodes, key, 0, key.length);
        for (int level = Directory.levels(directory.size()) - 1; level > 0; level--) {
            stepped = directory.approachOn(level, stepped, nodes, key, 0, key.length);
        }
        assertEquals(directory.finish(stepped, nodes, key, 0, key.length), floor);
        if (below < 0) {
            assertEquals(Directory.NOWHERE, floor);
        } else {
            final long near = directory.narrow(floor, nodes, key, 0, key.length);
            assertEquals(below, Directory.entry(near));
            assertEquals(at >= 0, Directory.isOwn(near));
        }
    }

    private static byte[] bytes(final long number) {
        final byte[] bytes = new byte[Long.BYTES];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (number >>> Long.SIZE - Byte.SIZE * (i + 1));
        }
        return bytes;
    }
}
