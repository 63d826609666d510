/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

/** Vector clocks: one number for each fiber, how many of its stores are known. */
final class Clock {
    private Clock() {
    }

    /** Adds to a clock all that another one knows; {@code null} knows nothing. */
    static void join(final int[] into, final int[] other) {
        if (other != null) {
            for (int i = 0; i < into.length; i++) {
                into[i] = Math.max(into[i], other[i]);
            }
        }
    }
}
