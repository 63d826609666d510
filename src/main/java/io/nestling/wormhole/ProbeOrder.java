/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import java.util.Arrays;

/**
 * The order of single probes of a search over prefix lengths: each probe halves not the remaining lengths but the searches that
 * recently ended at them. A tree: node 1 is the first probe; nodes {@code 2 n} and {@code 2 n + 1} follow node n after a miss and
 * after a hit.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class ProbeOrder {
    /** The first node. */
    static final int ROOT = 1;

    /* Greater depths count as the last one. */
    private static final int DEPTHS = 128;
    private static final int NODES = 1 << 8;
    /* A search that ended at a depth weighs as much as so many depths without one. */
    private static final int WEIGHT = 64;
    /* Searches between two arrangements: at first, and at most. */
    private static final int FIRST_LEARNED = 64;
    private static final int MOST_LEARNED = 1 << 12;

    private final int[] ended = new int[DEPTHS];
    private final int[] sums = new int[DEPTHS + 1];
    private final byte[] probes = new byte[NODES];
    private int learned;
    private int interval = FIRST_LEARNED;

    /**
     * Returns the length that a node probes, or 0 where the tree ends and the caller halves the remaining lengths. A length below
     * all remaining ones counts as a hit, one above them as a miss.
     */
    int probe(final int node) {
        return node < NODES ? probes[node] : 0;
    }

    /** Counts where a search ended. */
    void learn(final int depth) {
        ended[Math.min(depth, DEPTHS - 1)] += WEIGHT;
        if (++learned == interval) {
            learned = 0;
            interval = Math.min(2 * interval, MOST_LEARNED);
            arrange();
        }
    }

    private void arrange() {
        for (int depth = 0; depth < DEPTHS; depth++) {
            sums[depth + 1] = sums[depth] + ended[depth] + 1;
            ended[depth] >>>= 1; // older searches count less and less
        }
        Arrays.fill(probes, (byte) 0);
        arrange(ROOT, 0, DEPTHS - 1);
    }

    /** Chooses the probe of a node behind which searches end at a range of depths, and those below. */
    private void arrange(final int node, final int low, final int high) {
        if (low == high || node >= NODES) {
            return;
        }
        final int middle = sums[low] + sums[high + 1] >>> 1;
        int at = low + 1;
        while (at < high && sums[at + 1] <= middle) {
            at++;
        }
        if (at < high && sums[at + 1] - middle < middle - sums[at]) {
            at++;
        }
        probes[node] = (byte) at;
        arrange(2 * node, low, at - 1);
        arrange(2 * node + 1, at, high);
    }
}
