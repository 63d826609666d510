/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.DEAD;
import static io.nestling.wormhole.LeafLayout.sameVersion;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Leaves that a cursor has copied and left on its way to its entry.
 * <h2>Thread safety</h2>
 * None; a cursor has its own.
 */
final class PassedLeaves {
    private final Leaves leaves;
    private long[] offsets = new long[2];
    private long[] states = new long[2];
    private int count;

    PassedLeaves(final Leaves leaves) {
        this.leaves = leaves;
    }

    void clear() {
        count = 0;
    }

    void add(final LeafSnapshot copy) {
        if (count == offsets.length) {
            states = Arrays.copyOf(states, 2 * count);
            offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count] = copy.leaf();
        states[count++] = copy.state();
    }

    /** Returns whether all of them are alive and still have the entries and the range that were copied. */
    boolean areUnchanged() {
        VarHandle.acquireFence(); // the last copies happened before the states are read
        for (int i = 0; i < count; i++) {
            final long state = leaves.state(offsets[i]);
            if (!sameVersion(states[i], state) || (state & DEAD) != 0) {
                return false;
            }
        }
        return true;
    }
}
