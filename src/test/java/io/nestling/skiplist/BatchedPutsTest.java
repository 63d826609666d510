/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import io.nestling.testing.Threads;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Keys that are announced together, and put afterwards: in that order, in others, or not at all. */
class BatchedPutsTest {
    private static final int ROUNDS = 400;

    private final EpochReclaimer epochs = new EpochReclaimer();
    private final List<byte[]> keys = new ArrayList<>();
    private final TreeMap<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);
    private final MemoryBudget budget = MemoryBudget.ofBytes(32L << 20);
    private final SkipList list = new SkipList(new IndexContext(
        SlabAllocator.direct(), budget, epochs, new HeapKeySource(payload -> keys.get((int) payload)), 32L << 20));

    @AfterEach
    void close() {
        list.verify();
        assertEquals(expected.size(), list.entryCount());
        final int guard = epochs.enter();
        try (EntryCursor cursor = list.cursor()) {
            cursor.first();
            for (final Map.Entry<byte[], Long> entry : expected.entrySet()) {
                assertTrue(cursor.valid());
                assertEquals(entry.getValue(), cursor.payload());
                cursor.next();
            }
            assertFalse(cursor.valid());
        } finally {
            epochs.exit(guard);
        }
        list.close();
        assertEquals(0, budget.used());
    }

    private void put(final byte[] key) {
        final Long before = expected.put(key, (long) keys.size());
        keys.add(key);
        assertEquals(before == null ? PointIndex.NONE : before, list.put(key, 0, key.length, keys.size() - 1));
    }

    /** Long steps and short ones; the fewer words, the more keys come twice. */
    private static byte[] key(final Random random, final int words) {
        final StringBuilder key = new StringBuilder("usr/share/");
        for (int i = 0; i < 4; i++) {
            key.append("a-long-step-".substring(random.nextInt(3))).append(random.nextInt(words)).append('/');
        }
        return key.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] shortKey(final Random random) {
        final byte[] key = new byte[random.nextInt(9)];
        random.nextBytes(key);
        return key;
    }

    private byte[][] batch(final Random random, final boolean paths, final int size) {
        final byte[][] batch = new byte[size][];
        for (int i = 0; i < size; i++) {
            batch[i] = random.nextInt(8) == 0 && !keys.isEmpty() ? keys.get(random.nextInt(keys.size()))
                : paths ? key(random, 20) : shortKey(random);
        }
        return batch;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldPutInTheOrderOfTheBatchAndInOthers(final boolean paths) {
        final Random random = Seeds.random("shouldPutInTheOrderOfTheBatchAndInOthers " + paths);
        for (int round = 0; round < ROUNDS; round++) {
            final byte[][] batch = batch(random, paths, 1 + random.nextInt(70));
            list.prefetchAll(KeyBatch.of(batch));
            final List<byte[]> order = new ArrayList<>(Arrays.asList(batch));
            switch (random.nextInt(5)) {
                case 0 -> Collections.shuffle(order, random);
                case 1 -> order.removeIf(key -> random.nextInt(3) == 0);
                case 2 -> order.add(random.nextInt(order.size()), paths ? key(random, 20) : shortKey(random));
                default -> {
                }
            }
            order.forEach(this::put);
            if (round % 50 == 49) {
                list.verify();
            }
        }
        assertNotNull(list.nodes.maintainer().current());
    }

    /** What was found in a node index that is there no longer is not used, and nothing is lost by that. */
    @Test
    void shouldNotUseWhatWasFoundBeforeARenewalOrARemoval() {
        final Random random = Seeds.random("shouldNotUseWhatWasFoundBeforeARenewalOrARemoval");
        while (list.nodes.maintainer().current() == null) {
            put(key(random, 20));
        }
        int changed = 0;
        int renewed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final byte[][] batch = batch(random, true, 32);
            list.prefetchAll(KeyBatch.of(batch));
            final NodeIndex before = list.nodes.maintainer().current();
            if (round % 64 == 63) {
                // Neighbours of what is put next are among those that go.
                final byte[] gone = round % 128 == 63 || expected.lowerKey(batch[0]) == null
                    ? expected.firstKey() : expected.lowerKey(batch[0]);
                assertEquals(expected.remove(gone), list.remove(gone, 0, gone.length));
            } else {
                for (int i = 0; i < 100; i++) {
                    put(key(random, 20));
                }
            }
            final NodeIndex now = list.nodes.maintainer().current();
            changed += before == null || before == now ? 0 : 1;
            renewed += before == null || now == null || before == now ? 0 : 1;
            for (final byte[] key : batch) {
                put(key);
            }
        }
        assertTrue(renewed > 0 && changed > renewed, renewed + " renewals between, of " + changed + " changes");
    }

    /** Several writers announce the same keys, and put and remove them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLoseNothingWhereOthersPutTheSameKeys(final boolean removes) throws InterruptedException {
        final long seed = Seeds.seed("shouldLoseNothingWhereOthersPutTheSameKeys " + removes);
        for (int i = 0; i < 20_000; i++) {
            keys.add(("usr/share/a-long-step-" + i % 50 + "/" + Integer.reverse(i) + "/x").getBytes(StandardCharsets.ISO_8859_1));
        }
        final LongAdder count = new LongAdder();
        Threads.runTogether(4, thread -> {
            final Random own = new Random(seed + thread);
            for (int round = 0; round < 700; round++) {
                final int reach = Math.min(keys.size(), 100 + round * 30);
                final int[] numbers = own.ints(1 + own.nextInt(50), 0, reach).toArray();
                list.prefetchAll(KeyBatch.of(Arrays.stream(numbers).mapToObj(keys::get).toArray(byte[][]::new)));
                if (removes && own.nextInt(200) == 0) {
                    final byte[] gone = keys.get(numbers[0]);
                    count.add(list.remove(gone, 0, gone.length) == PointIndex.NONE ? 0 : -1);
                }
                for (final int number : numbers) {
                    final byte[] key = keys.get(number);
                    final long before = list.put(key, 0, key.length, number);
                    count.add(before == PointIndex.NONE ? 1 : 0);
                    assertTrue(before == PointIndex.NONE || before == number);
                }
            }
        });
        assertEquals(count.sum(), list.entryCount());
        int missing = 0;
        for (int number = 0; number < keys.size(); number++) {
            final byte[] key = keys.get(number);
            final long payload = list.get(key, 0, key.length);
            if (payload == PointIndex.NONE) {
                missing++;
            } else {
                assertEquals(number, payload);
                expected.put(key, payload);
            }
        }
        assertTrue(missing < keys.size() / 2, missing + " are missing");
    }
}
