/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Threads;
import org.junit.jupiter.api.Test;

class PaddedAtomicLongTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 10_000;

    @Test
    void shouldReplaceTheNumberOnlyIfItIsAsExpected() {
        final PaddedAtomicLong number = new PaddedAtomicLong(7);
        assertEquals(7, number.get());
        assertFalse(number.compareAndSet(8, 9));
        assertEquals(7, number.get());
        assertTrue(number.compareAndSet(7, 9));
        assertEquals(9, number.get());
        number.set(-1);
        assertEquals(-1, number.get());
        number.setRelease(Long.MIN_VALUE);
        assertEquals(Long.MIN_VALUE, number.get());
    }

    @Test
    void shouldLoseNoChange() throws InterruptedException {
        final PaddedAtomicLong number = new PaddedAtomicLong(0);
        Threads.runTogether(THREADS, thread -> {
            for (int i = 0; i < ROUNDS; i++) {
                long before = number.get();
                while (!number.compareAndSet(before, before + 1)) {
                    before = number.get();
                }
            }
        });
        assertEquals((long) THREADS * ROUNDS, number.get());
    }
}
