/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongFunction;

/** Keys that share many bytes with their neighbours, as file paths do. */
class LongStepsTest {
    private static final int KEYS = 24_000;
    /* Multiples of all numbers of threads. */
    private static final int[] REMOVED_AT = {1_000, 3_400, 9_200};
    private static final int[] LENGTHS = {1, 3, 10, 30, 64, 100, 170};

    private static byte[] key(final Random random) {
        final StringBuilder key = new StringBuilder("usr/share/");
        for (int i = 0; i < 6; i++) {
            key.append("a-long-step-".substring(random.nextInt(3))).append(random.nextInt(9))
                .append(random.nextInt(3) == 0 ? "\0\0" : "/");
        }
        return key.toString().substring(0, key.length() - random.nextInt(30)).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Long steps, keys longer than comparisons copy, and runs of zeroes, at ends too. */
    private static byte[] longKey(final Random random) {
        final StringBuilder key = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            key.append(String.valueOf((char) ('p' + random.nextInt(3))).repeat(LENGTHS[random.nextInt(LENGTHS.length)]));
            if (random.nextInt(4) == 0) {
                key.append("\0".repeat(random.nextInt(4) == 0 ? random.nextInt(25) : random.nextInt(3)));
            }
        }
        key.setLength(key.length() - random.nextInt(3) * random.nextInt(key.length()) / 2);
        return key.append("\0".repeat(random.nextInt(3) * random.nextInt(2))).toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static List<byte[]> keys(final Random random, final Function<Random, byte[]> generator, final int count) {
        final TreeSet<byte[]> all = new TreeSet<>(Arrays::compareUnsigned);
        while (all.size() < count) {
            all.add(generator.apply(random));
        }
        final List<byte[]> keys = new ArrayList<>(all);
        Collections.shuffle(keys, random);
        return keys;
    }

    private static SkipList list(final List<byte[]> keys) {
        return list(keys, MemoryBudget.ofBytes(16L << 20));
    }

    private static SkipList list(final List<byte[]> keys, final MemoryBudget budget) {
        return list(payload -> keys.get((int) payload), budget);
    }

    private static SkipList list(final LongFunction<byte[]> keyOf, final MemoryBudget budget) {
        return new SkipList(SkipListFactory.withoutHash(
            new IndexContext(SlabAllocator.direct(), budget, new EpochReclaimer(), new HeapKeySource(keyOf), 8L << 20)));
    }

    @Test
    void shouldFindAllKeysByEachNodeIndex() {
        final Random random = Seeds.random("shouldFindAllKeysByEachNodeIndex");
        assertFinds(keys(random, LongStepsTest::key, KEYS), random);
    }

    @Test
    void shouldFindAllLongKeysByEachNodeIndex() {
        final Random random = Seeds.random("shouldFindAllLongKeysByEachNodeIndex");
        assertFinds(keys(random, LongStepsTest::longKey, KEYS), random);
    }

    private static void assertFinds(final List<byte[]> keys, final Random random) {
        try (SkipList list = list(keys)) {
            NodeIndex before = null;
            int maintainer = 0;
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(PointIndex.NONE, list.put(keys.get(i), 0, keys.get(i).length, i));
                final NodeIndex nodeIndex = list.nodes.maintainer().current();
                if (nodeIndex != before) {
                    before = nodeIndex;
                    maintainer++;
                    assertRight(list, nodeIndex, keys, random);
                    list.verify();
                    for (int j = 0; j <= i; j++) {
                        assertEquals(j, list.get(keys.get(j), 0, keys.get(j).length));
                    }
                    assertFindsAll(list, keys, i, random);
                }
            }
            assertTrue(maintainer >= 3, maintainer + " maintainer");
            list.verify();
        }
    }

    /** Batches find the keys that are there, up to a number, and no others. */
    private static void assertFindsAll(final SkipList list, final List<byte[]> keys, final int last, final Random random) {
        for (int from = 0; from < keys.size();) {
            final int size = Math.min(keys.size() - from, 1 + random.nextInt(80));
            final long[] payloads = new long[size];
            list.getAll(KeyBatch.of(keys.subList(from, from + size).toArray(new byte[0][])), payloads);
            for (int i = 0; i < size; i++) {
                assertEquals(from + i <= last ? from + i : PointIndex.NONE, payloads[i], "key " + (from + i));
            }
            from += size;
        }
    }

    private static void assertRight(
        final SkipList list, final NodeIndex nodeIndex, final List<byte[]> keys, final Random random) {
        final Nodes nodes = list.nodes;
        final byte[][] listed = new byte[nodeIndex.listed][];
        Arrays.setAll(listed, i -> i == 0 ? new byte[0] : keys.get((int) nodes.payload(nodeIndex.node(i))));
        for (final byte[] key : keys) {
            assertFound(nodeIndex, nodes, listed, key);
            final byte[] beside = key.clone();
            beside[random.nextInt(key.length)] += (byte) (1 - 2 * random.nextInt(2));
            assertFound(nodeIndex, nodes, listed, beside);
            assertFound(nodeIndex, nodes, listed, Arrays.copyOf(key, random.nextInt(key.length + 3)));
        }
    }

    private static void assertFound(
        final NodeIndex nodeIndex, final Nodes nodes, final byte[][] listed, final byte[] key) {
        final int at = Arrays.binarySearch(listed, key, Arrays::compareUnsigned);
        final long floor = nodeIndex.floor(nodes, key, 0, key.length);
        NodeIndexTest.assertNarrows(nodeIndex, nodes, floor, listed, key, at);
    }

    /** A renewal of the node index ends where there is no heap for it: the put that worked on it is done all the same. */
    @Test
    void shouldGiveTheNodeIndexUpWhereTheHeapEnds() {
        final Random random = Seeds.random("shouldGiveTheNodeIndexUpWhereTheHeapEnds");
        final List<byte[]> keys = keys(random, LongStepsTest::key, KEYS);
        final MemoryBudget budget = MemoryBudget.ofBytes(16L << 20);
        final AtomicInteger left = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        final LongFunction<byte[]> keyOf = payload -> {
            // A look at the stack takes long, and a renewal asks for many keys.
            if (left.get() > 0 && left.incrementAndGet() % 16 == 0 && isRenewal()) {
                left.set(0);
                ended.incrementAndGet();
                throw new OutOfMemoryError("none for a renewal");
            }
            return keys.get((int) payload);
        };
        try (SkipList list = list(keyOf, budget)) {
            for (int i = 0; i < keys.size(); i++) {
                left.compareAndSet(0, i % 2_500 == 2_000 ? 1 : 0);
                assertEquals(PointIndex.NONE, list.put(keys.get(i), 0, keys.get(i).length, i));
            }
            assertTrue(ended.get() >= 2, ended + " renewals ended");
            assertFindsAll(list, keys, keys.size() - 1, random);
            list.verify();
        }
        assertEquals(0, budget.used());
    }

    private static boolean isRenewal() {
        return StackWalker.getInstance().walk(frames -> frames.limit(8).anyMatch(
            frame -> frame.getClassName().startsWith(NodeIndexMaintainer.class.getName())));
    }

    /** Node indexes come and go while threads put, look up and remove keys of their own. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldFindWhatIsThereWhileThreadsPutAndRemove(final int threads) throws InterruptedException {
        final Random random = Seeds.random("shouldFindWhatIsThereWhileThreadsPutAndRemove");
        final List<byte[]> keys = keys(random, threads == 2 ? LongStepsTest::key : LongStepsTest::longKey, KEYS);
        final MemoryBudget budget = MemoryBudget.ofBytes(16L << 20);
        final AtomicInteger maintainer = new AtomicInteger();
        final AtomicInteger left = new AtomicInteger();
        final long seed = random.nextLong();
        try (SkipList list = list(keys, budget)) {
            Threads.runTogether(threads, thread -> {
                final Random own = new Random(seed + thread);
                final BitSet present = new BitSet();
                NodeIndex before = null;
                for (int round = 0; round < 3; round++) {
                    for (int i = thread; i < keys.size(); i += threads) {
                        put(list, keys, i, present);
                        if (round == 0 && Arrays.binarySearch(REMOVED_AT, i - thread) >= 0) {
                            for (int j = thread; j < thread + 6 * threads; j += threads) {
                                remove(list, keys, j, present); // the list grows on, and gets node indexes again
                            }
                        }
                        final int other = own.nextInt(keys.size() / threads) * threads + thread;
                        assertEquals(present.get(other) ? other : PointIndex.NONE, get(list, keys.get(other)));
                        final NodeIndex nodeIndex = list.nodes.maintainer().current();
                        if (nodeIndex != before) {
                            maintainer.addAndGet(nodeIndex != null ? 1 : 0);
                            before = nodeIndex;
                        }
                    }
                    for (int i = 0; i < 20 * (round + 1); i++) {
                        remove(list, keys, own.nextInt(keys.size() / threads) * threads + thread, present);
                        put(list, keys, own.nextInt(keys.size() / threads) * threads + thread, present);
                    }
                }
                for (int i = thread; i < keys.size(); i += threads) {
                    assertEquals(present.get(i) ? i : PointIndex.NONE, get(list, keys.get(i)));
                }
                left.addAndGet(present.cardinality());
            });
            assertTrue(threads > 1 || maintainer.get() >= 2, maintainer + " maintainer");
            assertEquals(left.get(), list.entryCount());
            list.verify();
        }
        assertEquals(0, budget.used());
    }

    private static void put(final SkipList list, final List<byte[]> keys, final int number, final BitSet present) {
        final byte[] key = keys.get(number);
        assertEquals(present.get(number) ? number : PointIndex.NONE, list.put(key, 0, key.length, number));
        present.set(number);
    }

    private static void remove(final SkipList list, final List<byte[]> keys, final int number, final BitSet present) {
        final byte[] key = keys.get(number);
        assertEquals(present.get(number) ? number : PointIndex.NONE, list.remove(key, 0, key.length));
        present.clear(number);
    }

    private static long get(final SkipList list, final byte[] key) {
        return list.get(key, 0, key.length);
    }
}
