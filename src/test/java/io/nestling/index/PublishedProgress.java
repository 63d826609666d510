/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the writer of a concurrency test says about its work. Stable keys: the number of those that are in the
 * index. A changing key: its generation, announced before the write and confirmed after it, so that a read
 * between two looks at these must answer with a generation from the confirmed one at its begin to the
 * announced one at its end.
 */
final class PublishedProgress {
    /** Every so many generations, a changing key is removed. */
    private static final int REMOVE_EVERY = 4;

    private final ConcurrentKeys keys;
    private final AtomicLongArray announced;
    private final AtomicLongArray confirmed;
    private volatile int stableWritten;
    private volatile boolean done;

    PublishedProgress(final ConcurrentKeys keys) {
        this.keys = keys;
        this.announced = new AtomicLongArray(keys.changing());
        this.confirmed = new AtomicLongArray(keys.changing());
    }

    ConcurrentKeys keys() {
        return keys;
    }

    /**
     * Tells whether a generation of a changing key leaves the key out of the index; generation 0 is before
     * the first write.
     */
    static boolean isAbsent(final long generation) {
        return generation % REMOVE_EVERY == 0;
    }

    long announce(final int number) {
        return announced.incrementAndGet(number);
    }

    void confirm(final int number) {
        confirmed.set(number, announced.get(number));
    }

    long announced(final int number) {
        return announced.get(number);
    }

    long confirmed(final int number) {
        return confirmed.get(number);
    }

    /** Number of stable keys written, all at the begin of the sequence. */
    int stableWritten() {
        return stableWritten;
    }

    void publish(final int written) {
        stableWritten = written;
    }

    boolean done() {
        return done;
    }

    void finish() {
        done = true;
    }

    /** Fills a map with what the index should hold in the end. */
    void fillModel(final Map<byte[], Long> model) {
        for (int i = 0; i < stableWritten; i++) {
            final int number = keys.stableNumber(i);
            model.put(keys.key(number), ConcurrentKeys.payload(number, 0));
        }
        for (int number = 0; number < keys.changing(); number++) {
            final long generation = confirmed.get(number);
            if (!isAbsent(generation)) {
                model.put(keys.key(number), ConcurrentKeys.payload(number, generation));
            }
        }
    }
}
