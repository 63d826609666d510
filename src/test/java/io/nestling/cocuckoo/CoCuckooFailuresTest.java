/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.PointIndex;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

/** A source of keys that fails in the middle of a write: nothing has changed then, and nothing stays locked. */
class CoCuckooFailuresTest {
    private static final Duration ENOUGH = Duration.ofSeconds(30);
    private static final int KEYS = 40;

    /** Comparisons that succeed before one fails; negative: all do. */
    private final AtomicInteger left = new AtomicInteger(-1);

    private void compare() {
        if (left.get() >= 0 && left.getAndDecrement() == 0) {
            throw new IllegalStateException("the record cannot be read");
        }
    }

    /** Keys that share both buckets, so that each write compares several, before and behind the lock, and in the stash. */
    @Test
    void shouldUnlockWhatItHasLocked() {
        final List<byte[]> keys = CoCuckooTest.keysOfOneHash(KEYS);
        try (CoCuckooFixture fixture = new CoCuckooFixture(this::compare)) {
            assertTimeoutPreemptively(ENOUGH, () -> {
                for (int i = 0; i < KEYS; i++) {
                    final byte[] key = keys.get(i);
                    final int number = i;
                    final int failures = failingUntilItSucceeds(fixture, i, () -> fixture.put(key, number));
                    assertTrue(failures >= Math.min(i, 2), "comparisons that failed: " + failures);
                }
                for (int i = KEYS - 1; i >= 0; i--) {
                    final byte[] key = keys.get(i);
                    failingUntilItSucceeds(fixture, i + 1, () -> fixture.remove(key));
                    assertEquals(PointIndex.NONE, fixture.get(key));
                }
            });
            fixture.index().verify();
        }
    }

    /** Does a write whose first comparison fails, then with one that succeeds before, and so on; returns how often it failed. */
    private int failingUntilItSucceeds(final CoCuckooFixture fixture, final int count, final Runnable write) {
        for (int failures = 0;; failures++) {
            left.set(failures);
            try {
                write.run();
                return failures;
            } catch (final IllegalStateException e) {
                assertEquals("the record cannot be read", e.getMessage());
                assertEquals(-1, left.get());
                assertEquals(count, fixture.index().entryCount());
                fixture.index().verify();
            } finally {
                left.set(-1);
            }
        }
    }

    @Test
    void shouldRemoveAKeyThatCouldNotBeComparedBefore() {
        final byte[] key = {1, 2, 3};
        try (CoCuckooFixture fixture = new CoCuckooFixture(this::compare)) {
            fixture.put(key, 7);
            left.set(1); // found at a glance, and then once more with its subgraph locked
            assertThrows(IllegalStateException.class, () -> fixture.remove(key));
            assertEquals(7L, assertTimeoutPreemptively(ENOUGH, () -> fixture.remove(key)));
        }
    }
}
