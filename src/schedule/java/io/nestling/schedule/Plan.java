/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.List;
import java.util.Random;

/**
 * The planned schedules of a scenario with two fibers, by number. Every single stop of either fiber is tried with every number
 * of whole operations of the other one in the gap; pairs of stops, and turns that stop both fibers within an operation, are all
 * tried where they are few, else a sample.
 *
 * @param number all its parts in one number
 */
record Plan(long number) {
    /** Planned schedules have at least this number. */
    static final long FIRST = 1L << 60;
    private static final long TURNS = 1L << 59;
    private static final int BOUND_BITS = 14;
    private static final int MOST_BOUND = (1 << BOUND_BITS) - 1;
    private static final int OPERATION_BITS = 6;
    private static final int MOST_OPERATIONS = (1 << OPERATION_BITS) - 1;
    private static final int FIBER_SHIFT = 58;
    private static final int MOST_SINGLE_STOPS = 400;
    private static final int SAMPLE = 60;

    private static Plan turns(final int first, final int firstBound, final int otherBound, final int lastBound) {
        return new Plan(FIRST | TURNS | (long) first << FIBER_SHIFT
            | (long) firstBound << 2 * BOUND_BITS | (long) otherBound << BOUND_BITS | lastBound);
    }

    private static Plan gaps(
        final int victim, final int firstBound, final int firstOperations, final int lastBound, final int lastOperations) {
        return new Plan(FIRST | (long) victim << FIBER_SHIFT | (long) firstOperations << 2 * BOUND_BITS + OPERATION_BITS
            | (long) lastOperations << 2 * BOUND_BITS | (long) firstBound << BOUND_BITS | lastBound);
    }

    Strategy strategy() {
        final int fiber = (int) (number >>> FIBER_SHIFT & 1);
        final int last = (int) number & MOST_BOUND;
        final int middle = (int) (number >>> BOUND_BITS) & MOST_BOUND;
        if ((number & TURNS) != 0) {
            return new Strategy.Turns(fiber, (int) (number >>> 2 * BOUND_BITS) & MOST_BOUND, middle, last);
        }
        final int firstOperations = (int) (number >>> 2 * BOUND_BITS + OPERATION_BITS) & MOST_OPERATIONS;
        final int lastOperations = (int) (number >>> 2 * BOUND_BITS) & MOST_OPERATIONS;
        return new Strategy.Gaps(fiber, new int[] {middle, last}, new int[] {firstOperations, lastOperations});
    }

    /**
     * Adds the numbers of all planned schedules.
     *
     * @param operations operations of each fiber
     */
    static void addAll(final List<Long> numbers, final Pilot pilot, final int[] operations, final Random random) {
        for (int victim = 0; victim < 2; victim++) {
            final int stops = Math.min(MOST_BOUND - 1, pilot.all().steps()[victim] / 2); // of two runs
            final int others = Math.min(MOST_BOUND - 1, pilot.all().steps()[1 - victim] / 2);
            final int most = Math.min(MOST_OPERATIONS, operations[1 - victim]);
            if (stops == 0 || others == 0 || most == 0) {
                continue;
            }
            final boolean all = (long) stops * most <= MOST_SINGLE_STOPS;
            for (int i = 0; i < (all ? stops * most : MOST_SINGLE_STOPS); i++) {
                final int single = all ? i : random.nextInt(stops * most);
                numbers.add(gaps(victim, 1 + single % stops, 1 + single / stops, MOST_BOUND, 0).number);
            }
            for (int i = 0; i < SAMPLE; i++) {
                final int stop = 1 + random.nextInt(stops);
                final int later = stop + 1 + random.nextInt(stops - stop + 1);
                numbers.add(gaps(victim, stop, 1 + random.nextInt(most), later, 1 + random.nextInt(most)).number);
                numbers.add(turns(victim, stop, 1 + random.nextInt(others), later).number);
            }
        }
    }
}
