/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

/** A put that fails before its key is in the list, as its source of keys does, leaves the list as it was. */
class FailedPutTest {
    private static final long BYTES = 64L << 20;
    /* Longer than what a node has of a key, so that keys are read. */
    private static final String BEGINNING = "a key of more bytes than a node has ";

    private final EpochReclaimer epochs = new EpochReclaimer();
    private Runnable onRead = () -> { };
    private final HeapKeySource keys = new HeapKeySource(this::keyOf);
    private final SkipList list =
        new SkipList(new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), epochs, keys, BYTES), 2,
            ListFixture.HASH);

    private byte[] keyOf(final long payload) {
        onRead.run();
        return key(payload);
    }

    private static byte[] key(final long payload) {
        return (BEGINNING + (1_000 + payload)).getBytes(StandardCharsets.UTF_8);
    }

    private long put(final long payload) {
        final byte[] key = key(payload);
        final int guard = epochs.enter();
        try {
            return list.tryPut(new Splice(), key, 0, key.length, payload, false);
        } finally {
            epochs.exit(guard);
        }
    }

    private void assertHolds(final long... payloads) {
        assertEquals(payloads.length, list.entryCount());
        final int guard = epochs.enter();
        for (final long payload : payloads) {
            assertEquals(payload, list.get(key(payload), 0, key(payload).length));
        }
        epochs.exit(guard);
        list.verify();
    }

    @AfterEach
    void close() {
        list.close();
    }

    @Test
    void shouldLeaveTheListAsItWasIfAKeyCannotBeRead() {
        assertEquals(PointIndex.NONE, put(10));
        assertEquals(PointIndex.NONE, put(30));
        final IllegalStateException failure = new IllegalStateException("no key");
        onRead = () -> {
            throw failure;
        };
        assertSame(failure, assertThrows(IllegalStateException.class, () -> put(20)));
        onRead = () -> { };
        assertHolds(10, 30);
    }

    /** The node is there already, as another key came in between before it was linked. */
    @ParameterizedTest
    @ValueSource(longs = {20, 21, 22, 23, 24})
    void shouldGiveTheNodeOfAFailedPutBack(final long payload) {
        assertEquals(PointIndex.NONE, put(10));
        assertEquals(PointIndex.NONE, put(30));
        final byte[] key = key(payload);
        final Splice splice = new Splice();
        final int guard = epochs.enter();
        // The reads of the search before the node is linked are those of a search for the same key.
        final int[] reads = {0};
        onRead = () -> reads[0]++;
        assertEquals(SkipListNodeLayout.NULL,
            splice.locate(list.nodes, key, 0, key.length, SkipListNodeLayout.height(hash(key))));
        epochs.exit(guard);
        final int last = reads[0];
        assertTrue(last > 0);
        final IllegalStateException failure = new IllegalStateException("no key");
        reads[0] = 0;
        onRead = () -> {
            reads[0]++;
            if (reads[0] == last) {
                final Runnable own = onRead;
                onRead = () -> { };
                assertEquals(PointIndex.NONE, put(11));
                onRead = own;
            } else if (reads[0] > last) {
                throw failure;
            }
        };
        assertSame(failure, assertThrows(IllegalStateException.class, () -> put(payload)));
        onRead = () -> { };
        assertHolds(10, 11, 30);
        assertEquals(PointIndex.NONE, put(payload));
        assertHolds(10, 11, payload, 30);
    }

    /** A payload from one on whose key has a node of some levels, or of one if they are not wanted. */
    private long payloadOfHeight(final long from, final boolean tall) {
        long payload = from;
        while (SkipListNodeLayout.height(hash(key(payload))) > 1 != tall) {
            payload++;
        }
        return payload;
    }

    /** A tall node comes in between, so that the way to the upper levels is looked for again when the key is there already. */
    @Test
    void shouldHaveAKeyThatIsLinkedWhenAnotherOneCannotBeReadAnyMore() {
        final long between = payloadOfHeight(100, true);
        final long before = payloadOfHeight(between + 1, false);
        final long payload = payloadOfHeight(before + 1, true);
        for (final long first : new long[] {10, before, 900}) {
            put(first);
        }
        final byte[] key = key(payload);
        final int[] reads = {0};
        onRead = () -> reads[0]++;
        final int guard = epochs.enter();
        new Splice().locate(list.nodes, key, 0, key.length, SkipListNodeLayout.height(hash(key)));
        epochs.exit(guard);
        final int last = reads[0];
        final int[] failed = {0};
        reads[0] = 0;
        onRead = () -> {
            if (++reads[0] == last) {
                final Runnable own = onRead;
                onRead = () -> { };
                put(between);
                onRead = own;
            } else if (list.entryCount() == 5) {
                failed[0]++;
                throw new IllegalStateException("no key");
            }
        };
        assertEquals(PointIndex.NONE, put(payload));
        onRead = () -> { };
        assertTrue(failed[0] > 0, "nothing was read after the key was linked");
        assertHolds(10, between, before, payload, 900);
        list.remove(key, 0, key.length);
        assertHolds(10, between, before, 900);
    }

    private long hash(final byte[] key) {
        return list.nodes.hashOf(key, 0, key.length);
    }

    /** A put that ends between the node index and the list leaves nothing to the next search of its thread. */
    @Test
    void shouldNotLeadTheNextSearchAstray() {
        long count = 0;
        while (list.nodes.maintainer().current() == null) {
            assertEquals(PointIndex.NONE, put(count++));
        }
        final byte[] first = key(0);
        final byte[] last = key(8_999);
        assertEquals(PointIndex.NONE, put(8_999));
        onRead = () -> {
            if (StackWalker.getInstance().walk(frames ->
                frames.anyMatch(frame -> frame.getClassName().equals(NodeHash.class.getName())))) {
                throw new IllegalStateException("no key");
            }
        };
        final Exception e = assertThrows(IllegalStateException.class, () -> list.put(last, 0, last.length, 8_999));
        assertEquals("no key", e.getMessage());
        onRead = () -> { };
        final long place = list.hash.lock(hash(first)); // so that the list is asked
        final int guard = epochs.enter();
        try {
            assertEquals(0, list.get(first, 0, first.length));
        } finally {
            epochs.exit(guard);
            list.hash.unlock(place);
        }
    }
}
