/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

/**
 * Loads of words that are read again soon: they bring their cache lines together, where the reads to come would wait for one line
 * after the other. Without a native bridge they take the place of prefetches.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class EarlyLoad {
    /* Any number that is seldom loaded: then a shared line is written. */
    private static final int SELDOM = 0x9E37_79B9;
    private static int times;

    private EarlyLoad() {
    }

    /** Uses loaded words, combined in any way, so that the compiler keeps the loads. */
    public static void use(final int words) {
        if (words == SELDOM) {
            times++; // a race loses a count, which nobody reads
        }
    }
}
