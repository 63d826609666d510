/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.offheap.WriteFailure;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MlpVersionsTest {
    private static final long NANOS = 300_000_000L;
    private static final int PAUSE = 200;
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    @Test
    void shouldTellThatSomethingChanged() {
        final MlpVersions versions = new MlpVersions(4, new WriteFailure());
        final int version = versions.begin(1);
        assertTrue(versions.unchanged(1, version));
        versions.beginChange(2);
        versions.endChange(2);
        assertTrue(versions.unchanged(1, version), "another place");
        versions.beginChange(1);
        assertFalse(versions.unchanged(1, version), "a change is under way");
        versions.endChange(1);
        assertFalse(versions.unchanged(1, version), "a change is over");
        assertTrue(versions.unchanged(5, versions.begin(5)));
        assertEquals(versions.begin(1), versions.begin(5), "places that share a version");
    }

    @Test
    void shouldShowNoTornState() throws InterruptedException {
        assertEquals(0, tornStates(true, NANOS));
    }

    /** The same reader without the versions: it must tear, or the test above proves nothing. */
    @Test
    void readsWithoutVersionsTear() throws InterruptedException {
        assertTrue(tornStates(false, PATIENCE_NANOS) > 0);
    }

    private static long tornStates(final boolean validated, final long nanos) throws InterruptedException {
        final MlpVersions versions = new MlpVersions(1, new WriteFailure());
        final AtomicLongArray words = new AtomicLongArray(64);
        final AtomicBoolean done = new AtomicBoolean();
        final Thread writer = new Thread(() -> {
            for (long value = 0; !done.get(); value++) {
                versions.beginChange(0);
                for (int i = 0; i < words.length(); i++) {
                    words.setOpaque(i, value);
                }
                versions.endChange(0);
                for (int i = 0; i < PAUSE; i++) {
                    Thread.onSpinWait();
                }
            }
        });
        writer.start();
        final long end = System.nanoTime() + nanos;
        long torn = 0;
        while (System.nanoTime() < end && (validated || torn == 0)) {
            final int version = validated ? versions.begin(0) : 0;
            final long last = words.getOpaque(words.length() - 1);
            final long first = words.getOpaque(0);
            if ((!validated || versions.unchanged(0, version)) && first != last) {
                torn++;
            }
        }
        done.set(true);
        writer.join();
        return torn;
    }
}
