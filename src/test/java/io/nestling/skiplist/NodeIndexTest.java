/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.PaddedCounters;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** The node index finds the right entry, comes and goes as the list changes, and is never needed for a right answer. */
class NodeIndexTest {
    private static final int KEYS = 44_000;

    private final ListFixture fixture = ListFixture.ordered(64L << 20);

    @AfterEach
    void close() {
        fixture.close();
    }

    private NodeIndex nodeIndex() {
        return fixture.list().nodes.maintainer().current();
    }

    private void putAll(final int from, final int to) {
        for (int i = from; i < to; i++) {
            assertEquals(PointIndex.NONE, fixture.put(i, 1));
        }
    }

    @Test
    void shouldHaveNoneWhileTheListIsSmall() {
        putAll(0, 200);
        assertNull(nodeIndex());
        assertEquals(0, fixture.list().nodes.maintainer().bytes());
    }

    /** Counts of entries that many threads keep may be ahead of the list. */
    @Test
    void shouldGiveUpWhereNoneOfTheCountedNodesIsLeft() {
        final PaddedCounters counted = new PaddedCounters(1);
        counted.add(0, 0, 2_000);
        final MemoryBudget budget = MemoryBudget.ofBytes(4L << 20);
        final NodeIndexMaintainer maintainer = new NodeIndexMaintainer(fixture.list().nodes, budget, counted);
        for (int i = 0; i < 10; i++) {
            maintainer.onPut(true);
        }
        assertNull(maintainer.current());
        assertEquals(0, maintainer.bytes());
        assertEquals(budget.capacity(), budget.remaining());
        putAll(0, KEYS);
        assertRight(nodeIndex());
        fixture.list().verify();
    }

    @Test
    void shouldFindTheEntryBeforeAnyKey() {
        putAll(0, KEYS);
        assertRight(nodeIndex());
    }

    /** The stretch between two entries is longer than what is walked in one go. */
    @Test
    void shouldBeRenewedWhereManyKeysWereAdded() {
        putAll(0, KEYS);
        final NodeIndex before = nodeIndex();
        for (int i = 0; i < 6_000; i++) {
            final int number = denseNumber(i);
            if (number >= KEYS) {
                fixture.put(number, 1);
            }
        }
        for (int number = KEYS; number < 2 * KEYS; number++) {
            fixture.put(number, 1);
        }
        assertNotSame(before, nodeIndex());
        assertRight(nodeIndex());
        fixture.list().verify();
    }

    private void assertRight(final NodeIndex nodeIndex) {
        assertNotNull(nodeIndex);
        assertTrue(nodeIndex.listed > KEYS / 2, () -> nodeIndex.listed + " nodes");
        final Nodes nodes = fixture.list().nodes;
        final byte[][] keys = new byte[nodeIndex.listed][];
        assertEquals(SkipListNodeLayout.HEAD, nodeIndex.node(0));
        for (int i = 0; i < nodeIndex.listed; i++) {
            keys[i] = i == 0 ? new byte[0] : ListFixture.key(ListFixture.numberOf(nodes.payload(nodeIndex.node(i))));
            assertTrue(i == 0 || Arrays.compareUnsigned(keys[i - 1], keys[i]) < 0, "order of the nodeIndex");
        }
        assertEquals(SkipListNodeLayout.NULL, nodeIndex.node(nodeIndex.listed));
        for (int number = 0; number < 2 * KEYS; number += 3) {
            assertFound(nodeIndex, nodes, keys, ListFixture.key(number));
        }
        for (int i = 7; i < keys.length; i += 7) {
            assertFoundBeside(nodeIndex, nodes, keys, keys[i]);
        }
        final byte[] greatest = new byte[20];
        Arrays.fill(greatest, (byte) 0xFF);
        for (int length = 0; length <= greatest.length; length++) {
            assertFound(nodeIndex, nodes, keys, Arrays.copyOf(greatest, length));
            assertFound(nodeIndex, nodes, keys, new byte[length]);
        }
    }

    /** Keys that have most bytes in common with a listed one. */
    private static void assertFoundBeside(
        final NodeIndex nodeIndex, final Nodes nodes, final byte[][] keys, final byte[] listed) {
        assertFound(nodeIndex, nodes, keys, listed);
        assertFound(nodeIndex, nodes, keys, Arrays.copyOf(listed, listed.length + 1));
        assertFound(nodeIndex, nodes, keys, Arrays.copyOf(listed, listed.length - 1));
        for (int i = 0; i < listed.length; i++) {
            for (int change = -1; change <= 1; change += 2) {
                final byte[] beside = listed.clone();
                beside[i] = (byte) (beside[i] + change);
                assertFound(nodeIndex, nodes, keys, beside);
            }
        }
    }

    private static void assertFound(final NodeIndex nodeIndex, final Nodes nodes, final byte[][] keys, final byte[] key) {
        final int at = Arrays.binarySearch(keys, key, Arrays::compareUnsigned);
        final int below = at >= 0 ? at : -at - 2;
        final long floor = nodeIndex.floor(nodes, key, 0, key.length);
        assertNarrows(nodeIndex, nodes, floor, keys, key, at);
        assertEquals(below / NodeIndex.GROUP, NodeIndex.entry(floor), "entry");
    }

    /**
     * A group is narrowed down to the listed node at or below a key.
     *
     * @param at where the key is among the listed ones, or as a binary search says that it is not
     */
    static void assertNarrows(
        final NodeIndex nodeIndex, final Nodes nodes, final long floor, final byte[][] keys, final byte[] key, final int at) {
        final int below = at >= 0 ? at : -at - 2;
        final long found = nodeIndex.narrow(floor, nodes, key, 0, key.length);
        assertEquals(below, NodeIndex.entry(found));
        assertEquals(at > 0, NodeIndex.isExact(found), "only the head has index 0");
        assertTrue(NodeIndex.sharedBefore(found) <= shared(keys[below], key), "bytes shared with the node before");
        final int behind = below + 1 < keys.length ? shared(keys[below + 1], key) : 0;
        assertTrue(NodeIndex.sharedBehind(found) <= behind, "bytes shared with the node behind");
    }

    /** Bytes that two keys share if both go on with zeroes. */
    static int shared(final byte[] one, final byte[] other) {
        final int length = Math.max(one.length, other.length) + 2 * Long.BYTES;
        final int mismatch = Arrays.mismatch(Arrays.copyOf(one, length), Arrays.copyOf(other, length));
        return mismatch < 0 ? NodeIndex.MAX_SHARED : mismatch;
    }

    @Test
    void shouldEndWithARemovedEntryAndComeAgain() {
        putAll(0, KEYS);
        final int entry = ListFixture.numberOf(fixture.list().nodes.payload(nodeIndex().node(7)));
        fixture.remove(entry);
        assertNull(nodeIndex());
        assertEquals(0, fixture.list().nodes.maintainer().bytes());
        assertEquals(PointIndex.NONE, fixture.get(entry));
        putAll(KEYS, 2 * KEYS);
        assertNotNull(nodeIndex());
        fixture.list().verify();
        for (int i = 0; i < 2 * KEYS; i++) {
            assertEquals(i == entry ? PointIndex.NONE : ListFixture.payload(i, 1), fixture.get(i));
        }
    }

    /** Numbers whose keys, which spell reversed bits, lie side by side. */
    private static int denseNumber(final int i) {
        return Integer.reverse(1 << 15 | i) >>> Integer.SIZE - ListFixture.NUMBER_BITS;
    }

    /** A stretch of the list grows much faster than the node index is renewed. */
    @Test
    void shouldNotNeedItsHelpWhereManyKeysWereAdded() {
        putAll(0, KEYS);
        final NodeIndex before = nodeIndex();
        final int dense = 3_000;
        for (int i = 0; i < dense; i++) {
            final int number = denseNumber(i);
            if (number >= KEYS) {
                fixture.put(number, 1);
            }
        }
        assertEquals(before, nodeIndex(), "not renewed yet");
        fixture.list().verify();
        final KeyBatch batch = new KeyBatch();
        final long[] payloads = new long[dense];
        try (EntryCursor cursor = fixture.list().cursor()) {
            for (int i = 0; i < dense; i++) {
                final int number = denseNumber(i);
                final byte[] key = ListFixture.key(number);
                batch.add(key, 0, key.length);
                assertEquals(ListFixture.payload(number, 1), fixture.get(number));
                assertTrue(cursor.seek(key));
                assertEquals(ListFixture.payload(number, 1), cursor.payload());
            }
        }
        fixture.list().getAll(batch, payloads);
        for (int i = 0; i < dense; i++) {
            final int number = denseNumber(i);
            assertEquals(ListFixture.payload(number, 1), payloads[i]);
        }
    }

    /** Chunks of eight bytes are often equal among such keys, in the node index and behind it. */
    @Test
    void shouldLookUpBatchesOfKeysWithLongSteps() {
        final Random random = Seeds.random("shouldLookUpBatchesOfKeysWithLongSteps");
        final TreeSet<String> all = new TreeSet<>();
        while (all.size() < 12_000) {
            final StringBuilder key = new StringBuilder();
            for (int i = 0; i < 5; i++) {
                key.append("a-long-step-").append(random.nextInt(9)).append(random.nextInt(3) == 0 ? "\0\0" : "/");
            }
            all.add(key.toString());
        }
        final List<byte[]> keys = new ArrayList<>();
        all.forEach(key -> keys.add(key.getBytes(StandardCharsets.ISO_8859_1)));
        Collections.shuffle(keys, random);
        final int present = keys.size() - 2_000;
        try (SkipList list = new SkipList(SkipListFactory.withoutHash(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(16L << 20), new EpochReclaimer(),
            new HeapKeySource(payload -> keys.get((int) payload)), 8L << 20)))) {
            for (int i = 0; i < present; i++) {
                assertEquals(PointIndex.NONE, list.put(keys.get(i), 0, keys.get(i).length, i));
            }
            assertNotNull(list.nodes.maintainer().current());
            for (int from = 0; from < keys.size();) {
                final int size = Math.min(keys.size() - from, 1 + random.nextInt(80));
                final KeyBatch batch = KeyBatch.of(keys.subList(from, from + size).toArray(new byte[0][]));
                final long[] payloads = new long[size];
                list.getAll(batch, payloads);
                for (int i = 0; i < size; i++) {
                    assertEquals(from + i < present ? from + i : PointIndex.NONE, payloads[i], new String(
                        keys.get(from + i), StandardCharsets.ISO_8859_1));
                }
                from += size;
            }
        }
    }

    /** Among keys of 65,534 zeroes and one more byte, keys of nothing but zeroes share nearly as much with each other. */
    @Test
    void shouldTellLongKeysFromThoseThatDifferByZeroesAtTheirEndsAlone() {
        final Random random = Seeds.random("shouldTellLongKeysFromThoseThatDifferByZeroesAtTheirEndsAlone");
        final List<byte[]> keys = new ArrayList<>();
        for (int length = 0; length < 400; length++) {
            keys.add(new byte[length]);
        }
        for (int last = 1; last <= 40; last++) {
            final byte[] key = new byte[PointIndex.MAX_KEY_BYTES];
            key[key.length - 1] = (byte) last;
            keys.add(key);
        }
        for (int i = 0; i < 3_000; i++) {
            final byte[] key = new byte[Long.BYTES];
            random.nextBytes(key);
            key[0] |= 1;
            keys.add(key);
        }
        Collections.shuffle(keys, random);
        try (SkipList list = new SkipList(SkipListFactory.withoutHash(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(16L << 20), new EpochReclaimer(),
            new HeapKeySource(payload -> keys.get((int) payload)), 8L << 20)))) {
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(PointIndex.NONE, list.put(keys.get(i), 0, keys.get(i).length, i));
            }
            assertNotNull(list.nodes.maintainer().current());
            for (int i = 0; i < keys.size(); i++) {
                final int length = keys.get(i).length;
                assertEquals(i, list.get(keys.get(i), 0, length), "a key of " + length + " bytes");
                final long[] payload = new long[1];
                list.getAll(KeyBatch.of(keys.get(i)), payload);
                assertEquals(i, payload[0]);
                assertEquals(i, list.put(keys.get(i), 0, length, i));
            }
            assertEquals(keys.size(), list.entryCount());
            list.verify();
        }
    }
}
