/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import java.util.Arrays;

/**
 * In which order a search on prefix lengths takes its probes, one at a time, so that each halves not the lengths that are
 * left but the searches that have ended at them lately. A tree: node 1 is the first probe, nodes {@code 2 n} and {@code 2 n + 1}
 * are what follows node n where it misses and where it hits.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class ProbeOrder {
    /** The first node. */
    static final int ROOT = 1;

    /* Depths beyond the last one count as it. */
    private static final int DEPTHS = 128;
    private static final int NODES = 1 << 8;
    /* A search that has ended somewhere weighs as much as so many depths at which none has. */
    private static final int WEIGHT = 64;
    /* Searches between two looks at where they end, at first and later. */
    private static final int FIRST_LEARNED = 64;
    private static final int MOST_LEARNED = 1 << 12;

    private final int[] ended = new int[DEPTHS];
    private final int[] sums = new int[DEPTHS + 1];
    private final byte[] probes = new byte[NODES];
    private int learned;
    private int interval = FIRST_LEARNED;

    /**
     * Returns the length that a node probes, or 0 where the tree says no more: then what is left is to be halved. A length that
     * is not among those left counts as a hit if they are longer, and as a miss if they are shorter.
     */
    int probe(final int node) {
        return node < NODES ? probes[node] : 0;
    }

    /** Takes note of where a search ended. */
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
            ended[depth] >>>= 1; // what was long ago counts less and less
        }
        Arrays.fill(probes, (byte) 0);
        arrange(ROOT, 0, DEPTHS - 1);
    }

    /** Chooses the probe of a node behind which searches end at some depths, and those below. */
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
