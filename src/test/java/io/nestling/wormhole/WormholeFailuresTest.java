/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

/** A source of keys that fails in the middle of a put or of a removal: nothing has changed then, and no block is lost. */
class WormholeFailuresTest {
    private static final long BYTES = 16L << 20;
    /* As many as one leaf takes. */
    private static final int FEW_KEYS = 80;
    /* Some leaves, of which those between the first and the last one leave out what their keys share. */
    private static final int MANY_KEYS = 400;
    private static final int STRIDE = 7919;
    /* A put or removal that reads more keys has read them for a leaf that is divided or joined. */
    private static final int LEAF_HALF = 30;
    /* More than a word of a leaf holds. */
    private static final long GREAT_PAYLOAD = 1L << 60;

    /** Keys that are given before one cannot be read; negative: all are. */
    private int left = -1;
    private int keys;

    private byte[] key(final long payload) {
        return ("as long as a discriminator " + (payload - GREAT_PAYLOAD) * STRIDE % keys).getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] read(final long payload) {
        if (left >= 0 && left-- == 0) {
            throw new IllegalStateException("the record cannot be read");
        }
        return key(payload);
    }

    private IndexContext context(final int number) {
        keys = number;
        return new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), new HeapKeySource(this::read), BYTES);
    }

    @Test
    void shouldGiveBackTheBlockOfAPutThatFailed() {
        shouldPutInVainUntilAllKeysAreRead(FEW_KEYS);
    }

    @Test
    void shouldLeaveALeafAsItIsIfAKeyCannotBeReadWhileItIsDivided() {
        shouldPutInVainUntilAllKeysAreRead(MANY_KEYS);
    }

    private void shouldPutInVainUntilAllKeysAreRead(final int number) {
        final IndexContext context = context(number);
        int failures = 0;
        int most = 0;
        try (Wormhole index = new Wormhole(context)) {
            for (int i = 0; i < number; i++) {
                final int more = failuresUntilPut(index, i);
                failures += more;
                most = Math.max(most, more);
            }
            for (int i = 0; i < number; i++) {
                final byte[] key = key(GREAT_PAYLOAD + i);
                assertEquals(GREAT_PAYLOAD + i, index.get(key, 0, key.length));
            }
        }
        assertTrue(failures > number, "puts that failed: " + failures);
        assertEquals(number > FEW_KEYS, most > LEAF_HALF, "keys read by one put: " + most);
        assertEquals(0, context.budget().used());
    }

    @Test
    void shouldLeaveLeavesAsTheyAreIfAKeyCannotBeReadWhileTheyAreJoined() {
        final IndexContext context = context(MANY_KEYS);
        int most = 0;
        try (Wormhole index = new Wormhole(context)) {
            for (int i = 0; i < MANY_KEYS; i++) {
                final byte[] key = key(GREAT_PAYLOAD + i);
                index.put(key, 0, key.length, GREAT_PAYLOAD + i);
            }
            for (int i = 0; i < MANY_KEYS; i++) {
                most = Math.max(most, failuresUntilRemoved(index, i));
            }
            assertEquals(0, index.entryCount());
            index.verify();
        }
        assertTrue(most > LEAF_HALF, "keys read by one removal: " + most);
        assertEquals(0, context.budget().used());
    }

    private int failuresUntilRemoved(final Wormhole index, final int number) {
        final byte[] key = key(GREAT_PAYLOAD + number);
        for (int failures = 0;; failures++) {
            left = failures;
            try {
                assertEquals(GREAT_PAYLOAD + number, index.remove(key, 0, key.length));
                left = -1;
                assertEquals(PointIndex.NONE, index.get(key, 0, key.length));
                return failures;
            } catch (final IllegalStateException e) {
                assertEquals("the record cannot be read", e.getMessage());
                assertEquals(MANY_KEYS - number, index.entryCount());
                assertEquals(GREAT_PAYLOAD + number, index.get(key, 0, key.length));
                index.verify();
            } finally {
                left = -1;
            }
        }
    }

    private int failuresUntilPut(final Wormhole index, final int number) {
        final byte[] key = key(GREAT_PAYLOAD + number);
        for (int failures = 0;; failures++) {
            left = failures;
            try {
                assertEquals(PointIndex.NONE, index.put(key, 0, key.length, GREAT_PAYLOAD + number));
                return failures;
            } catch (final IllegalStateException e) {
                assertEquals("the record cannot be read", e.getMessage());
                assertEquals(number, index.entryCount());
                index.verify();
            } finally {
                left = -1;
            }
        }
    }
}
