/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Runs of units set aside: each lane has one for nodes of height 1 and one for nodes of height 2 or 3, as these begin at
 * different multiples. Writers of different lanes change different words, and mostly write nodes in different lines.
 * <h2>Thread safety</h2>
 * Any thread takes units, by one CAS on a word of position and limit; one thread at a time begins runs.
 */
final class UnitRuns {
    /** Lanes for writers; a power of two. */
    static final int LANES = 8;
    /** The lane of spare units. */
    static final int SPARE_LANE = LANES;
    /** Nodes of a run. */
    static final int RUN_NODES = 128;
    /** Number of runs. */
    static final int COUNT = (LANES + 1) * 2;
    /* Words are 128 bytes apart: processors fetch lines in pairs. */
    private static final int STRIDE_SHIFT = 4;

    /* Position in the upper half, limit in the lower half, in units. */
    private final AtomicLongArray words = new AtomicLongArray(COUNT + 1 << STRIDE_SHIFT);

    private static int position(final long state) {
        return (int) (state >>> Integer.SIZE);
    }

    private static int limit(final long state) {
        return (int) state;
    }

    private static int index(final int run) {
        return run + 1 << STRIDE_SHIFT;
    }

    /** Returns the number of a lane's run for a size: even for nodes of height 1. */
    private static int run(final int lane, final int units) {
        return (lane << 1) + (units == LOW_UNITS ? 0 : 1);
    }

    private static int units(final int run) {
        return (run & 1) == 0 ? LOW_UNITS : SMALL_UNITS;
    }

    /** Takes units of a lane's run; returns {@link NodeLayout#NULL} if it is used up. */
    int take(final int lane, final int units) {
        return take(run(lane, units));
    }

    private int take(final int run) {
        final int index = index(run);
        final long taken = (long) units(run) << Integer.SIZE;
        while (true) {
            final long state = words.get(index);
            if (position(state) >= limit(state)) {
                return NULL;
            }
            if (words.compareAndSet(index, state, state + taken)) {
                return position(state);
            }
        }
    }

    /** Takes units of any lane's run for a size; returns {@link NodeLayout#NULL} if all are used up. */
    int takeAny(final int units) {
        int node = NULL;
        for (int lane = 0; lane <= LANES && node == NULL; lane++) {
            node = take(lane, units);
        }
        return node;
    }

    /** Sets units aside for a lane whose run is used up. */
    void begin(final int lane, final int units, final int position, final int limit) {
        words.set(index(run(lane, units)), (long) position << Integer.SIZE | limit);
    }

    /** Returns the position of a run. */
    int position(final int run) {
        return position(words.get(index(run)));
    }

    /** Returns the number of units left in a run. */
    int rest(final int run) {
        final long state = words.get(index(run));
        return limit(state) - position(state);
    }

    /** Returns the number of nodes that fit the runs. */
    long nodes() {
        long nodes = 0;
        for (int run = 0; run < COUNT; run++) {
            nodes += rest(run) / units(run);
        }
        return nodes;
    }

    /** Returns the number of units left in all runs. */
    long rest() {
        long rest = 0;
        for (int run = 0; run < COUNT; run++) {
            rest += rest(run);
        }
        return rest;
    }
}
