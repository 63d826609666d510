/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The writer of a concurrency test: writes the stable keys in their sequence, and changes a changing key
 * after each.
 */
final class ConcurrentWriter {
    private final PointIndex index;
    private final PublishedProgress progress;
    private final ConcurrentKeys keys;
    private final Random random;
    private int written;

    ConcurrentWriter(final PointIndex index, final PublishedProgress progress, final Random random) {
        this.index = index;
        this.progress = progress;
        this.keys = progress.keys();
        this.random = random;
    }

    /** Writes one stable key and changes one other; false if all stable keys were written before. */
    boolean writeOnce() {
        if (written == keys.stable()) {
            return false;
        }
        final int number = keys.stableNumber(written);
        final byte[] key = keys.key(number);
        assertEquals(PointIndex.NONE, index.put(key, 0, key.length, ConcurrentKeys.payload(number, 0)));
        progress.publish(++written);
        // Mostly a few of them, so that readers meet the writer.
        final int hot = Math.min(ConcurrentReader.HOT, keys.changing());
        change(random.nextInt(random.nextInt(4) == 0 ? keys.changing() : hot));
        return true;
    }

    private void change(final int number) {
        final byte[] key = keys.key(number);
        final long generation = progress.announce(number);
        final long expected = PublishedProgress.isAbsent(generation - 1)
            ? PointIndex.NONE
            : ConcurrentKeys.payload(number, generation - 1);
        final long before = PublishedProgress.isAbsent(generation)
            ? index.remove(key, 0, key.length)
            : index.put(key, 0, key.length, ConcurrentKeys.payload(number, generation));
        assertEquals(expected, before, "what a write returns");
        progress.confirm(number);
    }
}
