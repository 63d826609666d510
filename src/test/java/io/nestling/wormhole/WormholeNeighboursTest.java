/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

/** Cursors that go from a leaf to the next one, which has changed since they saw the first. */
class WormholeNeighboursTest {
    private static final long BYTES = 16L << 20;
    private static final int KEYS = 500;
    private static final int STRIDE = 309;
    /* Enough to divide any leaf. */
    private static final int MORE = 130;
    /* Key reads of a seek before which the trie is changed. */
    private static final int READS = 6;
    private static final int NUMBER_SHIFT = 16;
    private static final int LOW_MASK = 0xFFFF;
    private static final int FIRST = 1;
    private static final int OLD = 0x8000;
    private static final int BEHIND = 0x8800;
    private static final int LAST = 0x9000;

    private Runnable change;
    private int readsBefore;

    private static long payload(final int number, final int low) {
        return (long) number << NUMBER_SHIFT | low;
    }

    private static byte[] key(final long payload) {
        return ByteBuffer.allocate(Long.BYTES).putInt((int) (payload >>> NUMBER_SHIFT))
            .putInt((int) (payload & LOW_MASK) << NUMBER_SHIFT).array();
    }

    private byte[] read(final long payload) {
        if (change != null && readsBefore-- == 0) {
            final Runnable now = change;
            change = null;
            now.run();
        }
        return key(payload);
    }

    private Wormhole index() {
        final Wormhole index = new Wormhole(new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), new HeapKeySource(this::read), BYTES));
        for (int i = 0; i < KEYS; i++) {
            put(index, payload(i * STRIDE % KEYS, OLD)); // so that leaves are more than half full
        }
        return index;
    }

    private static void put(final Wormhole index, final long payload) {
        final byte[] key = key(payload);
        assertEquals(PointIndex.NONE, index.put(key, 0, key.length, payload));
    }

    private static void remove(final Wormhole index, final long payload) {
        final byte[] key = key(payload);
        assertEquals(payload, index.remove(key, 0, key.length));
    }

    /** While a seek compares keys, one comes at the end of its leaf, and after that another one in the next leaf. */
    @Test
    void shouldNotSeekPastAKeyThatCameBeforeTheOneFound() {
        int atLast = 0;
        try (Wormhole index = index(); EntryCursor cursor = index.cursor()) {
            for (int i = 0; i + 1 < KEYS; i++) {
                final long last = payload(i, LAST);
                final long first = payload(i + 1, FIRST);
                for (int reads = 0; reads < READS; reads++) {
                    readsBefore = reads;
                    change = () -> {
                        put(index, last);
                        put(index, first);
                    };
                    assertTrue(cursor.seek(key(payload(i, BEHIND))));
                    final long found = cursor.payload();
                    assertTrue(found == last || found == payload(i + 1, OLD), "key " + i + ": " + Long.toHexString(found));
                    atLast += found == last ? 1 : 0;
                    if (change == null) {
                        remove(index, first);
                        remove(index, last);
                    }
                    change = null;
                }
            }
        }
        assertTrue(atLast > 0, "the keys always came too late");
    }

    /** The leaf before the one where a cursor stands is divided; what it had moves to a leaf between the two. */
    @Test
    void shouldGoBackToEachKeyOfALeafThatWasDivided() {
        for (int i = MORE; i < KEYS; i++) {
            try (Wormhole index = index(); EntryCursor cursor = index.cursor()) {
                assertTrue(cursor.seek(key(payload(i, OLD))));
                for (int j = 0; j < MORE; j++) {
                    put(index, payload(i - 1 - j, LAST)); // one behind each old key, so that some of these move
                }
                boolean there = cursor.previous();
                while (there && (cursor.payload() & LOW_MASK) != OLD) {
                    there = cursor.previous();
                }
                assertTrue(there);
                assertEquals(payload(i - 1, OLD), cursor.payload(), "before key " + i);
            }
        }
    }

    /** A cursor that was only positioned before has copied a part of the leaf, which changes before it moves on. */
    @Test
    void shouldMoveOnInALeafThatHasChangedSinceAPartOfItWasCopied() {
        int shown = 0;
        for (int i = 1; i + 1 < KEYS; i++) {
            try (Wormhole index = index(); EntryCursor cursor = index.cursor()) {
                for (final boolean forward : new boolean[] {true, false}) {
                    final long neighbour = payload(forward ? i + 1 : i - 1, OLD);
                    final long added = payload(i, forward ? BEHIND : FIRST);
                    assertTrue(cursor.seek(key(payload(i - 1, OLD))));
                    assertTrue(cursor.seek(key(payload(i, OLD))));
                    put(index, added);
                    assertTrue(forward ? cursor.next() : cursor.previous());
                    if (cursor.payload() == added) { // not where the copy ends beside it
                        shown++;
                        assertEquals(Integer.BYTES, cursor.commonPrefix());
                        assertTrue(forward ? cursor.next() : cursor.previous());
                    }
                    assertEquals(neighbour, cursor.payload(), "beside key " + i);
                    // The key on which the cursor stands goes.
                    assertTrue(cursor.seek(key(payload(i - 1, OLD))));
                    assertTrue(cursor.seek(key(added)));
                    remove(index, added);
                    assertTrue(forward ? cursor.next() : cursor.previous());
                    assertEquals(neighbour, cursor.payload(), "behind what was removed beside key " + i);
                }
            }
        }
        assertTrue(shown > KEYS, "too few were copied anew: " + shown);
    }
}
