/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Runs of units set aside, one a lane: writers of different lanes change different words, and mostly write nodes in different
 * lines.
 * <h2>Thread safety</h2>
 * Any thread takes units, by one CAS on a word of position and limit; one thread at a time begins runs.
 */
final class UnitRuns {
    /** Lanes for writers; a power of two. */
    static final int LANES = 8;
    /** The lane of cells. */
    static final int CELL_LANE = LANES;
    static final int COUNT = LANES + 1;
    /** Units of a run, which nodes of either of the small sizes fill. */
    static final int RUN_UNITS = 32 * LOW_UNITS * SMALL_UNITS;
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

    private static int index(final int lane) {
        return lane + 1 << STRIDE_SHIFT;
    }

    /** Takes units of a lane's run; returns {@link NodeLayout#NULL} if it has fewer. */
    int take(final int lane, final int units) {
        final int index = index(lane);
        final long taken = (long) units << Integer.SIZE;
        while (true) {
            final long state = words.get(index);
            if (limit(state) - position(state) < units) {
                return NULL;
            }
            if (words.compareAndSet(index, state, state + taken)) {
                return position(state);
            }
        }
    }

    /** Begins a run of a lane; returns the position and limit of the rest of the one before. */
    long begin(final int lane, final int position, final int limit) {
        return words.getAndSet(index(lane), (long) position << Integer.SIZE | limit);
    }

    /** Returns the position of a lane's run. */
    int position(final int lane) {
        return position(words.get(index(lane)));
    }

    /** Returns the number of units left in a lane's run. */
    int rest(final int lane) {
        final long state = words.get(index(lane));
        return limit(state) - position(state);
    }

    /** Returns the number of nodes that fit the runs, whichever of the small sizes they have. */
    long nodes() {
        long nodes = 0;
        for (int lane = 0; lane < COUNT; lane++) {
            nodes += rest(lane) / SMALL_UNITS;
        }
        return nodes;
    }

    /** Returns the number of units left in all runs. */
    long rest() {
        long rest = 0;
        for (int lane = 0; lane < COUNT; lane++) {
            rest += rest(lane);
        }
        return rest;
    }
}
