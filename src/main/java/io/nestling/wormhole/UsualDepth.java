/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

/**
 * The median depth at which searches over prefix lengths end, and whether most of them end at or right beside it. Few searches
 * that end far away do not move it.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class UsualDepth {
    private static final int MAX_TRUST = 8;
    private static final int LOST_TRUST = 2;
    /* The median moves by a fraction of a depth with each search, so that a few in a row do not shift it. */
    private static final int PART_SHIFT = 3;
    private static final int HALF_STEP = 1 << PART_SHIFT - 1;

    /* For stepwise searches only. */
    private ProbeOrder order;
    private int parts;
    private int trust;

    /** Returns the usual depth. */
    int depth() {
        return parts + HALF_STEP >> PART_SHIFT;
    }

    /** Returns whether the next search is likely to end at the usual depth, one above or one below. */
    boolean isTrusted() {
        return trust > 0;
    }

    /** Returns the order of single probes for searches without a usual depth; it learns on its own. */
    ProbeOrder order() {
        if (order == null) {
            order = new ProbeOrder();
        }
        return order;
    }

    /** Counts where a search ended. */
    void learn(final int depth) {
        trust = Math.abs(depth - depth()) <= 1 ? Math.min(trust + 1, MAX_TRUST) : Math.max(trust - LOST_TRUST, 0);
        parts += Integer.signum((depth << PART_SHIFT) - parts);
    }
}
