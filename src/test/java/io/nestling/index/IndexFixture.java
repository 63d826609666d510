/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.KeyCorpus;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * An index, what it works with, and the map that says what it should hold. Closing it checks that the index
 * gives back every byte of its budget.
 */
final class IndexFixture implements AutoCloseable {
    /** Payloads at the limits of fields that an index may keep them in. */
    static final long[] EXTREME_PAYLOADS = {
        0, 1, (1L << 30) - 1, 1L << 30, (1L << 31) - 1, 1L << 31, (1L << 32) - 1, 1L << 32, 1L << 40,
        (1L << 61) + 1, PointIndex.MAX_PAYLOAD - 1, PointIndex.MAX_PAYLOAD};
    private static final long SPREAD = 0x1E37_79B9_7F4A_7C15L;

    private final PointIndex index;
    private final IndexContext context;
    private final HeapKeySource keys = new HeapKeySource();
    private final NavigableMap<byte[], Long> model = new TreeMap<>(Arrays::compareUnsigned);
    private int puts;
    private int payloads;

    IndexFixture(final IndexFactory factory, final long maxBytes, final long budgetBytes) {
        this(factory, maxBytes, budgetBytes, null);
    }

    /** With a key source of its own, if not null; {@link #payload} is of no use then. */
    IndexFixture(final IndexFactory factory, final long maxBytes, final long budgetBytes,
        final KeySource source) {
        this.context = new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(budgetBytes), new EpochReclaimer(),
            source == null ? keys : source, maxBytes);
        this.index = factory.create(context);
    }

    PointIndex index() {
        return index;
    }

    boolean ordered() {
        return index instanceof OrderedIndex;
    }

    EntryCursor cursor() {
        return ((OrderedIndex) index).cursor();
    }

    IndexContext context() {
        return context;
    }

    /** What the index should hold. */
    NavigableMap<byte[], Long> model() {
        return model;
    }

    /** The payload with a number, known from now on as one of a key. */
    long payload(final int number, final byte[] key) {
        final long payload;
        if (number < EXTREME_PAYLOADS.length) {
            payload = EXTREME_PAYLOADS[number];
        } else {
            // The product with an odd number is a permutation of the payloads.
            final long spread = number * SPREAD & PointIndex.MAX_PAYLOAD;
            payload = isExtreme(spread) ? number + 100L : spread;
        }
        keys.register(payload, key);
        return payload;
    }

    private static boolean isExtreme(final long payload) {
        for (final long extreme : EXTREME_PAYLOADS) {
            if (payload == extreme) {
                return true;
            }
        }
        return false;
    }

    /** A payload never used before, known from now on as one of a key. */
    long nextPayload(final byte[] key) {
        return payload(payloads++, key);
    }

    /** Tells the key of a payload that the test has chosen. */
    void register(final long payload, final byte[] key) {
        keys.register(payload, key);
    }

    long get(final byte[] key) {
        return index.get(key, 0, key.length);
    }

    /** Puts into index and model and compares what was there before. */
    void put(final byte[] key) {
        put(key, nextPayload(key));
    }

    /** Puts a key; one time in four it is first put if it is absent. */
    void put(final byte[] key, final long payload) {
        if (puts++ % 4 == 0) {
            final long present = index.putIfAbsent(key, 0, key.length, payload);
            assertEquals(orNone(model.putIfAbsent(key, payload)), present,
                () -> "putIfAbsent returns what is there at " + KeyCorpus.text(key));
            checkGet(key);
        }
        final long before = index.put(key, 0, key.length, payload);
        assertEquals(orNone(model.put(key, payload)), before,
            () -> "put returns what was there at " + KeyCorpus.text(key));
    }

    /** Removes from index and model and compares what was there before. */
    void remove(final byte[] key) {
        final long before = index.remove(key, 0, key.length);
        assertEquals(orNone(model.remove(key)), before,
            () -> "remove returns what was there at " + KeyCorpus.text(key));
    }

    static long orNone(final Long payload) {
        return payload == null ? PointIndex.NONE : payload;
    }

    /** Looks one key up and compares. */
    void checkGet(final byte[] key) {
        assertEquals(orNone(model.get(key)), get(key), () -> "get " + KeyCorpus.text(key));
    }

    /** Verifies the structure and compares everything with the model. */
    void check() {
        index.verify();
        assertEquals(model.size(), index.entryCount(), "entryCount");
        assertTrue(index.bytesUsed() >= 0, () -> "bytesUsed " + index.bytesUsed());
        for (final Map.Entry<byte[], Long> entry : model.entrySet()) {
            final byte[] key = entry.getKey();
            assertEquals(entry.getValue(), get(key), () -> "get " + KeyCorpus.text(key));
        }
        if (ordered()) {
            checkWalk(Direction.FORWARD, model);
            checkWalk(Direction.REVERSE, model.descendingMap());
        }
    }

    private void checkWalk(final Direction direction, final NavigableMap<byte[], Long> expected) {
        final boolean forward = direction.isForward();
        final String walk = direction + " walk";
        byte[] before = {};
        try (EntryCursor cursor = cursor()) {
            boolean found = forward ? cursor.first() : cursor.last();
            for (final Map.Entry<byte[], Long> entry : expected.entrySet()) {
                final byte[] key = entry.getKey();
                assertTrue(found, () -> direction + " walk ends before " + KeyCorpus.text(key));
                assertKey(key, cursor, walk);
                assertEquals(entry.getValue(), cursor.payload(), () -> "payload of " + KeyCorpus.text(key));
                assertEquals(commonPrefix(before, key), cursor.commonPrefix(),
                    () -> direction + " walk: commonPrefix of " + KeyCorpus.text(key));
                before = key;
                found = forward ? cursor.next() : cursor.previous();
            }
            assertFalse(found, () -> walk + " goes on after the last key");
        }
    }

    static void assertKey(final byte[] expected, final EntryCursor cursor, final Object what) {
        if (!Arrays.equals(expected, 0, expected.length, cursor.keyBuffer(), 0, cursor.keyLength())) {
            assertArrayEquals(expected, cursor.key(), () -> what + ": expected " + KeyCorpus.text(expected)
                + ", stands on " + KeyCorpus.text(cursor.key()));
        }
    }

    static int commonPrefix(final byte[] left, final byte[] right) {
        final int mismatch = Arrays.mismatch(left, right);
        return mismatch < 0 ? left.length : mismatch;
    }

    @Override
    public void close() {
        index.close();
        assertEquals(0, context.budget().used(), "bytes of the budget that a closed index keeps");
    }
}
