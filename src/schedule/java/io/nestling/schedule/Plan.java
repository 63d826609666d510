/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.List;
import java.util.Random;

/**
 * The planned schedules of a scenario with two fibers, by number. Every single stop of either fiber is tried with every number
 * of whole operations of the other one in the gap, and every pair of stops, one of each fiber or both of one, where they are few;
 * else a sample. Of turns with three stops there always is a sample.
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
    private static final int MOST_PAIRS = 1_500;
    private static final int SAMPLE = 60;

    /** The stops of a scenario that are planned: all single ones, all pairs. */
    record Extent(boolean allSingles, boolean allPairs) { }

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

    /** Adds the numbers of all planned schedules; returns whether all there are. */
    static Extent addAll(final List<Long> numbers, final Pilot pilot, final Random random) {
        boolean allSingles = true;
        boolean allPairs = true;
        for (int victim = 0; victim < 2; victim++) {
            final int stops = Math.min(MOST_BOUND - 1, pilot.all().steps()[victim]);
            final int others = Math.min(MOST_BOUND - 1, pilot.all().steps()[1 - victim]);
            final int most = Math.min(MOST_OPERATIONS, pilot.operations()[1 - victim]);
            if (stops == 0 || others == 0 || most == 0) {
                continue;
            }
            final boolean singles = (long) stops * most <= MOST_SINGLE_STOPS;
            for (int i = 0; i < (singles ? stops * most : MOST_SINGLE_STOPS); i++) {
                final int single = singles ? i : random.nextInt(stops * most);
                numbers.add(gaps(victim, 1 + single % stops, 1 + single / stops, MOST_BOUND, 0).number);
            }
            final boolean pairs = singles
                && (long) stops * others + (long) stops * stops * most * (most - 1) / 4 <= MOST_PAIRS;
            if (pairs) {
                addPairs(numbers, victim, stops, others, most);
            }
            for (int i = 0; i < SAMPLE; i++) {
                final int stop = 1 + random.nextInt(stops);
                final int later = stop + 1 + random.nextInt(stops - stop + 1);
                if (!pairs) {
                    numbers.add(gaps(victim, stop, 1 + random.nextInt(most), later, 1 + random.nextInt(most)).number);
                    numbers.add(turns(victim, stop, 1 + random.nextInt(others), MOST_BOUND).number);
                }
                numbers.add(turns(victim, stop, 1 + random.nextInt(others), later).number);
            }
            allSingles &= singles;
            allPairs &= pairs;
        }
        return new Extent(allSingles, allPairs);
    }

    /** Adds every stop of one fiber with every stop of the other one, and every two stops of the one. */
    private static void addPairs(
        final List<Long> numbers, final int victim, final int stops, final int others, final int most) {
        for (int stop = 1; stop <= stops; stop++) {
            for (int other = 1; other <= others; other++) {
                numbers.add(turns(victim, stop, other, MOST_BOUND).number);
            }
            for (int later = stop + 1; later <= stops; later++) {
                for (int first = 1; first < most; first++) {
                    for (int second = 1; second <= most - first; second++) {
                        numbers.add(gaps(victim, stop, first, later, second).number);
                    }
                }
            }
        }
    }
}
