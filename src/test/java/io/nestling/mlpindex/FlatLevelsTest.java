/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Seeds;

import java.util.Random;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

class FlatLevelsTest {
    private static final long MIB = 1 << 20;
    private static final int SHIFT = Long.SIZE - 3 * Byte.SIZE;

    private final BlockAllocator blocks = new BlockAllocator(
        SlabAllocator.direct(), MemoryBudget.ofBytes(8 * MIB), new EpochReclaimer(), 8 * MIB, MlpBlockClasses.all());
    private final FlatLevels flat = new FlatLevels(blocks);
    private final TreeSet<Integer> model = new TreeSet<>();

    /** Few first and second bytes, so that lists become arrays, bytes become bitmaps, and both become empty again. */
    @Test
    void shouldHoldASetOfPrefixes() {
        final Random random = Seeds.random("FlatLevelsTest");
        for (int round = 0; round < 12; round++) {
            final int seconds = 1 << random.nextInt(9);
            final int thirds = 1 << random.nextInt(9);
            for (int i = 0; i < 3_000; i++) {
                change(random.nextInt(3) << 16 | random.nextInt(seconds) << 8 | random.nextInt(thirds), round % 3 < 2);
            }
            check();
            if (round % 4 == 3) {
                new TreeSet<>(model).forEach(prefix -> change(prefix, false));
                assertEquals(0, flat.bytesUsed());
                check();
            }
        }
        blocks.close();
    }

    private void change(final int prefix, final boolean add) {
        final long word = (long) prefix << SHIFT;
        final long before = flat.bytesUsed();
        final long most = flat.bytesFor(1);
        if (add && model.add(prefix)) {
            flat.add(word);
            assertTrue(flat.bytesUsed() - before <= most, () -> flat.bytesUsed() - before + " bytes, reserved " + most);
        } else if (!add && model.remove(prefix)) {
            flat.remove(word);
        }
    }

    private void check() {
        assertEquals(blocks.bytesUsed(), BlockAllocator.RESERVED_BYTES + flat.bytesUsed());
        final long[] bits = new long[ChildMap.WORDS];
        final TreeSet<Integer> shown = new TreeSet<>();
        for (int pair = flat.nextPair(0, true); pair >= 0; pair = flat.nextPair(pair + 1, true)) {
            flat.copyBits(pair, bits);
            for (int third = ChildMap.ceiling(bits, 0); third >= 0; third = ChildMap.ceiling(bits, third + 1)) {
                shown.add(pair << 8 | third);
            }
        }
        assertEquals(model, shown);
        for (int pair = 0; pair < 4 << 8; pair++) {
            final Integer above = model.ceiling(pair << 8);
            final Integer below = model.floor(pair << 8 | 0xFF);
            assertEquals(above == null ? -1 : above >>> 8, flat.nextPair(pair, true));
            assertEquals(below == null ? -1 : below >>> 8, flat.nextPair(pair, false));
        }
        for (int prefix = 0; prefix < 4 << 16; prefix++) {
            assertEquals(model.contains(prefix), flat.contains((long) prefix << SHIFT));
        }
    }
}
