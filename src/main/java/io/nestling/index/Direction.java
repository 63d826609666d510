/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A direction in key order. */
public enum Direction {
    /** From small keys to great ones. */
    FORWARD,
    /** From great keys to small ones. */
    REVERSE;

    /**
     * Returns whether keys ascend in this direction.
     *
     * @return true for {@link #FORWARD}
     */
    public boolean isForward() {
        return this == FORWARD;
    }
}
