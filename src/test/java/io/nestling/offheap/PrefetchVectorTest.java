/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.bridge.NativeBridges;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A vector counts the lines of a range right, and never more than it has room for. */
@Tag("bridge")
class PrefetchVectorTest {
    private static final int LINE_BYTES = 64;
    private static final int LONGEST = 400;

    @Test
    void shouldAddTheLinesOfARange() {
        assumeTrue(NativeBridges.get().isNative(), "without a native bridge no line is collected");
        final PrefetchVector lines = new PrefetchVector();
        try (Slab slab = SlabAllocator.direct().allocate(1 << 12)) {
            for (int bytes = 1; bytes <= LONGEST; bytes++) {
                for (int from = 0; from < 2 * LINE_BYTES; from++) {
                    final int expected = (from + bytes - 1) / LINE_BYTES - from / LINE_BYTES + 1;
                    lines.add(slab.address(0) + from, bytes);
                    assertEquals(Math.min(expected, PrefetchVector.MOST_LINES), lines.size(), bytes + " bytes from " + from);
                    lines.request();
                    assertEquals(0, lines.size());
                }
            }
        }
    }

    @Test
    void shouldRequestLinesBeforeItIsFull() {
        assumeTrue(NativeBridges.get().isNative(), "without a native bridge no line is collected");
        final PrefetchVector lines = new PrefetchVector();
        try (Slab slab = SlabAllocator.direct().allocate(1 << 12)) {
            for (int i = 0; i < 1000; i++) {
                lines.add(slab.address(0), 1 + i * 37 % LONGEST);
                lines.add(slab.address(LINE_BYTES));
                assertTrue(lines.size() < PrefetchVector.CAPACITY, "after " + i + " ranges");
            }
            lines.request();
        }
    }

    @Test
    void shouldAddTheLinesOfSeveralOffsets() {
        final int most = PrefetchVector.CAPACITY - 1;
        final PrefetchVector lines = new PrefetchVector();
        try (Slab slab = SlabAllocator.direct().allocate(1 << 14)) {
            final long[] offsets = new long[3 * PrefetchVector.CAPACITY];
            for (int i = 0; i < offsets.length; i++) {
                offsets[i] = (long) i * LINE_BYTES;
            }
            for (int from = 0; from < 3; from++) {
                for (int end = from; end <= offsets.length; end++) {
                    lines.add(slab, offsets, from, end);
                    final int added = end - from;
                    // More than fit are requested on the way.
                    final int kept = added <= most ? added : added % PrefetchVector.CAPACITY;
                    assertEquals(NativeBridges.get().isNative() ? kept : 0, lines.size(), added + " lines");
                    lines.request();
                }
            }
        }
    }

    @Test
    void shouldIgnoreAddressZero() {
        assumeTrue(NativeBridges.get().isNative(), "without a native bridge no line is collected");
        final PrefetchVector lines = new PrefetchVector();
        lines.add(0);
        lines.add(0, 1);
        lines.add(0, LONGEST);
        assertEquals(0, lines.size());
    }
}
