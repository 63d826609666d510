/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RetiredBlocksTest {
    @Test
    void shouldRoundSizesUpByLittle() {
        int before = 0;
        for (int bytes = 1; bytes < 1 << 20; bytes += 1 + bytes / 100) {
            final int sizeClass = SizeClasses.of(bytes);
            final int rounded = SizeClasses.bytes(sizeClass);
            assertTrue(sizeClass >= before && sizeClass < SizeClasses.CLASSES);
            assertTrue(rounded >= bytes && rounded % 8 == 0, bytes + " to " + rounded);
            assertTrue(rounded <= Math.max(bytes + 7, bytes * 9L / 8 + 1), bytes + " to " + rounded);
            assertEquals(sizeClass, SizeClasses.of(rounded));
            before = sizeClass;
        }
        assertTrue(SizeClasses.of(1 << 30) < SizeClasses.CLASSES);
    }

    @Test
    void shouldFreeBlocksOnlyWhenNoReaderCanHoldThem() {
        final EpochReclaimer epochs = new EpochReclaimer();
        final List<Long> freed = new ArrayList<>();
        final RetiredBlocks blocks = new RetiredBlocks(epochs, freed::add);
        final int guard = epochs.enter();
        for (long pointer = 1; pointer <= 1000; pointer++) {
            blocks.retire(pointer, 24);
        }
        assertTrue(freed.isEmpty(), freed.size() + " freed under a guard");
        epochs.exit(guard);
        for (long pointer = 1001; pointer <= 2000; pointer++) {
            blocks.retire(pointer, 24);
        }
        assertTrue(freed.size() >= 1000 && freed.contains(1L));
    }

    /** Seen to fail with a list that was cleared once all of it was freed. */
    @Test
    void shouldFreeNothingTwiceIfTheReceiverThrows() {
        final EpochReclaimer epochs = new EpochReclaimer();
        final List<Long> freed = new ArrayList<>();
        final RetiredBlocks blocks = new RetiredBlocks(epochs, block -> {
            freed.add(block);
            if (block == 5) {
                throw new StackOverflowError();
            }
        });
        for (long pointer = 1; pointer <= 10; pointer++) {
            blocks.retire(pointer, 24);
        }
        assertThrows(StackOverflowError.class, blocks::reclaim);
        blocks.retire(11, 24);
        blocks.reclaim();
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L), freed);
    }
}
