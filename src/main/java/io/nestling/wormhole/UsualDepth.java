/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

/**
 * Where searches on prefix lengths usually end: the depth that half of them do not go beyond, and whether most of them end
 * there or right beside it. Few searches that end far away do not move it.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class UsualDepth {
    private static final int MAX_TRUST = 8;
    private static final int LOST_TRUST = 2;
    /* The median moves by a part of a step of depth with each search, so that a few in a row do not carry it off. */
    private static final int PART_SHIFT = 3;
    private static final int HALF_STEP = 1 << PART_SHIFT - 1;

    /* Made for searches by steps only. */
    private ProbeOrder order;
    private int parts;
    private int trust;

    /** Returns the depth at which searches usually end. */
    int depth() {
        return parts + HALF_STEP >> PART_SHIFT;
    }

    /** Returns whether the next search is likely to end there, one above or one below. */
    boolean isTrusted() {
        return trust > 0;
    }

    /** Returns the order of probes one at a time where no depth is the usual one; it learns on its own. */
    ProbeOrder order() {
        if (order == null) {
            order = new ProbeOrder();
        }
        return order;
    }

    /** Takes note of where a search ended. */
    void learn(final int depth) {
        trust = Math.abs(depth - depth()) <= 1 ? Math.min(trust + 1, MAX_TRUST) : Math.max(trust - LOST_TRUST, 0);
        parts += Integer.signum((depth << PART_SHIFT) - parts);
    }
}
