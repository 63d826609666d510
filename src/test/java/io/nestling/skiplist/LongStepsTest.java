/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Keys that share many bytes with their neighbours, as file paths do: tails and marks of the directory, chunks that move. */
class LongStepsTest {
    private static final int KEYS = 14_000;

    private static byte[] key(final Random random) {
        final StringBuilder key = new StringBuilder("usr/share/");
        for (int i = 0; i < 6; i++) {
            key.append("a-long-step-".substring(random.nextInt(3))).append(random.nextInt(9))
                .append(random.nextInt(3) == 0 ? "\0\0" : "/");
        }
        return key.toString().substring(0, key.length() - random.nextInt(30)).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static List<byte[]> keys(final Random random, final int count) {
        final TreeSet<byte[]> all = new TreeSet<>(Arrays::compareUnsigned);
        while (all.size() < count) {
            all.add(key(random));
        }
        final List<byte[]> keys = new ArrayList<>(all);
        Collections.shuffle(keys, random);
        return keys;
    }

    private static SkipList list(final List<byte[]> keys) {
        return new SkipList(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(16L << 20),
            new EpochReclaimer(), new HeapKeySource(payload -> keys.get((int) payload)), 8L << 20));
    }

    /** Bytes that two keys share if both go on with zeroes. */
    private static int shared(final byte[] one, final byte[] other) {
        final int length = Math.max(one.length, other.length) + 2 * Long.BYTES;
        final int mismatch = Arrays.mismatch(Arrays.copyOf(one, length), Arrays.copyOf(other, length));
        return mismatch < 0 ? Directory.MAX_SHARED : mismatch;
    }

    @Test
    void shouldFindAllKeysWhileDirectoriesComeAndGo() {
        final Random random = Seeds.random("shouldFindAllKeysWhileDirectoriesComeAndGo");
        final List<byte[]> keys = keys(random, KEYS);
        try (SkipList list = list(keys)) {
            Directory before = null;
            int marked = 0;
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(PointIndex.NONE, list.put(keys.get(i), 0, keys.get(i).length, i));
                final Directory directory = list.nodes().directories().current();
                if (directory != before) {
                    before = directory;
                    marked += directory.hasMarks() ? 1 : 0;
                    assertRight(list, directory, keys, random);
                    list.verify();
                    for (int j = 0; j <= i; j++) {
                        assertEquals(j, list.get(keys.get(j), 0, keys.get(j).length));
                    }
                }
            }
            assertTrue(marked >= 3, marked + " directories with marks");
            list.verify();
        }
    }

    private static void assertRight(
        final SkipList list, final Directory directory, final List<byte[]> keys, final Random random) {
        final Nodes nodes = list.nodes();
        final byte[][] listed = new byte[directory.listed()][];
        Arrays.setAll(listed, i -> keys.get((int) nodes.payload(directory.node(i))));
        for (final byte[] key : keys) {
            assertFound(directory, nodes, listed, key);
            final byte[] beside = key.clone();
            beside[random.nextInt(key.length)] += (byte) (1 - 2 * random.nextInt(2));
            assertFound(directory, nodes, listed, beside);
            assertFound(directory, nodes, listed, Arrays.copyOf(key, random.nextInt(key.length + 3)));
        }
    }

    private static void assertFound(
        final Directory directory, final Nodes nodes, final byte[][] listed, final byte[] key) {
        final int at = Arrays.binarySearch(listed, key, Arrays::compareUnsigned);
        final int below = at >= 0 ? at : -at - 2;
        final long floor = directory.floor(nodes, key, 0, key.length);
        if (below < 0) {
            assertEquals(Directory.NOWHERE, floor);
            return;
        }
        final long near = directory.narrow(floor, nodes, key, 0, key.length);
        int records = 0;
        while (Directory.isTied(directory.narrow(floor, nodes, key, 0, key.length, records))) {
            assertTrue(++records <= Directory.GROUP, "records of a group");
        }
        assertEquals(near, directory.narrow(floor, nodes, key, 0, key.length, records));
        assertEquals(below, Directory.entry(near));
        assertEquals(at >= 0, Directory.isOwn(near));
        assertTrue(Directory.sharedBefore(near) <= shared(listed[below], key), "bytes shared with the node before");
        assertTrue(Directory.sharedBehind(near) <= (below + 1 < listed.length ? shared(listed[below + 1], key) : 0),
            "bytes shared with the node behind");
    }

    /** Threads compare nodes with keys while their chunks are moved to and fro. */
    @Test
    void shouldCompareRightWhileChunksMove() throws InterruptedException {
        final Random random = Seeds.random("shouldCompareRightWhileChunksMove");
        final List<byte[]> keys = keys(random, 4_000);
        try (SkipList list = list(keys)) {
            for (int i = 0; i < keys.size(); i++) {
                list.put(keys.get(i), 0, keys.get(i).length, i);
            }
            final Nodes nodes = list.nodes();
            final List<Integer> all = new ArrayList<>();
            for (int node = nodes.next(NodeLayout.HEAD, 0); node != NodeLayout.NULL; node = nodes.next(node, 0)) {
                all.add(node);
            }
            final AtomicInteger current = new AtomicInteger();
            final AtomicBoolean done = new AtomicBoolean();
            final AtomicReference<AssertionError> failure = new AtomicReference<>();
            final Thread[] readers = new Thread[2];
            for (int i = 0; i < readers.length; i++) {
                final Random own = new Random(random.nextLong());
                readers[i] = new Thread(() -> {
                    try {
                        while (!done.get()) {
                            compareSome(nodes, keys, all, current, own);
                        }
                    } catch (final AssertionError e) {
                        failure.compareAndSet(null, e);
                    }
                });
                readers[i].start();
            }
            int moves = 0;
            for (int i = 0; i < all.size() && failure.get() == null; i++) {
                current.set(i);
                moves += moveUp(nodes, all.get(i), keys.get((int) nodes.payload(all.get(i))));
            }
            done.set(true);
            for (final Thread reader : readers) {
                reader.join();
            }
            assertNull(failure.get(), () -> "a comparison: " + failure.get().getMessage());
            assertTrue(moves > 20 * all.size(), moves + " moves");
            list.verify();
        }
    }

    /** Moves the chunk of a node by small steps towards the end of its key, and back again as often as that may be. */
    private static int moveUp(final Nodes nodes, final int node, final byte[] key) {
        int moves = 0;
        for (int turn = 0; turn <= NodeLayout.MAX_RETREATS; turn++) {
            for (int place = 0; place <= key.length; place += Long.BYTES - 2) {
                final int before = nodes.meta(node);
                nodes.placeChunk(node, place, key, key.length);
                moves += nodes.meta(node) == before ? 0 : 1;
            }
        }
        return moves;
    }

    private static void compareSome(
        final Nodes nodes, final List<byte[]> keys, final List<Integer> all, final AtomicInteger current, final Random random) {
        final int at = current.get();
        final int node = all.get(at);
        final byte[] own = keys.get((int) nodes.payload(node));
        final int beside = Math.max(0, Math.min(all.size() - 1, at + random.nextInt(5) - 2));
        final byte[] key = keys.get((int) nodes.payload(all.get(beside)));
        final int shared = shared(own, key);
        final int order = Integer.signum(Arrays.compareUnsigned(own, key)) + 1; // LESS, EQUAL, GREATER
        for (int i = 0; i < 50; i++) {
            final int known = Math.max(0, Math.min(shared, own.length) - random.nextInt(20));
            assertEquals(order, Nodes.order(nodes.compare(node, key, 0, key.length, known)));
            final long exactly = nodes.compareExactly(node, key, 0, key.length, known);
            assertEquals(order, Nodes.order(exactly));
            assertTrue(order == Nodes.EQUAL || Nodes.shared(exactly) == shared, "bytes shared");
        }
    }
}
