/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.EpochReclaimer;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SlabAllocator;
import io.nestling.testing.HeapKeySource;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

/** A source of keys that fails in the middle of a put that divides no leaf: nothing has changed then, and no block is lost. */
class WormholeFailuresTest {
    private static final long BYTES = 16L << 20;
    private static final int KEYS = 80;
    /* More than a word of a leaf holds. */
    private static final long GREAT_PAYLOAD = 1L << 60;

    /** Keys that are given before one cannot be read; negative: all are. */
    private int left = -1;

    private static byte[] key(final long payload) {
        return ("as long as a discriminator " + (payload - GREAT_PAYLOAD) * 7919 % KEYS).getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] read(final long payload) {
        if (left >= 0 && left-- == 0) {
            throw new IllegalStateException("the record cannot be read");
        }
        return key(payload);
    }

    @Test
    void shouldGiveBackTheBlockOfAPutThatFailed() {
        final IndexContext context = new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), new HeapKeySource(this::read), BYTES);
        int failures = 0;
        try (Wormhole index = new Wormhole(context)) {
            for (int i = 0; i < KEYS; i++) {
                failures += failuresUntilPut(index, i);
            }
            for (int i = 0; i < KEYS; i++) {
                final byte[] key = key(GREAT_PAYLOAD + i);
                assertEquals(GREAT_PAYLOAD + i, index.get(key, 0, key.length));
            }
        }
        assertTrue(failures > KEYS, "puts that failed: " + failures);
        assertEquals(0, context.budget().used());
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
