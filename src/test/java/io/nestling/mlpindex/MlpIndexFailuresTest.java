/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A source of keys that fails in the middle of a removal from a run of keys that share eight bytes: nothing has changed then. */
class MlpIndexFailuresTest {
    private static final long BYTES = 16L << 20;

    /** Keys that are given before one cannot be read; negative: all are. */
    private int left = -1;
    private int keys;

    /** The first key is as long as a word, and so a leaf of another kind when it is alone. */
    private static byte[] key(final long payload) {
        return "the same".concat(payload == 0 ? "" : Long.toString(payload)).getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] read(final long payload) {
        if (left >= 0 && left-- == 0) {
            throw new IllegalStateException("the record cannot be read");
        }
        return key(payload);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 300})
    void shouldLeaveARunAsItIsIfAKeyCannotBeRead(final int number) {
        keys = number;
        shouldRemoveInVainUntilAllKeysAreRead(false);
        shouldRemoveInVainUntilAllKeysAreRead(true);
    }

    private void shouldRemoveInVainUntilAllKeysAreRead(final boolean downwards) {
        final IndexContext context = new IndexContext(
            SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), new EpochReclaimer(), new HeapKeySource(this::read), BYTES);
        int failures = 0;
        try (MlpIndex index = new MlpIndex(context)) {
            for (int i = 0; i < keys; i++) {
                final byte[] key = key(i);
                assertEquals(PointIndex.NONE, index.put(key, 0, key.length, i));
            }
            for (int i = 0; i < keys; i++) {
                failures += failuresUntilRemoved(index, downwards ? keys - 1 - i : i, keys - i);
            }
        }
        assertTrue(failures >= keys, "removals that failed: " + failures);
        assertEquals(0, context.budget().used());
    }

    private int failuresUntilRemoved(final MlpIndex index, final int number, final int there) {
        final byte[] key = key(number);
        for (int failures = 0;; failures++) {
            left = failures;
            try {
                assertEquals(number, index.remove(key, 0, key.length));
                left = -1;
                assertEquals(PointIndex.NONE, index.get(key, 0, key.length));
                assertEquals(there - 1, index.entryCount());
                return failures;
            } catch (final IllegalStateException e) {
                assertEquals("the record cannot be read", e.getMessage());
                left = -1;
                assertEquals(number, index.get(key, 0, key.length));
                assertEquals(there, index.entryCount());
                index.verify();
            } finally {
                left = -1;
            }
        }
    }
}
