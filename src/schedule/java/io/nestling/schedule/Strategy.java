/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Decides where a fiber stops and which one goes on. The ready fiber of the highest priority runs; strategies differ in where
 * they change priorities.
 */
abstract class Strategy {
    private static final long ABOVE_ALL = 1_000;
    private long lowest;
    private long highest = 2 * ABOVE_ALL;

    /** Sets the priorities at the beginning. */
    abstract void begin(Fiber[] fibers, Random random);

    /** Returns whether the fiber that runs stops before this access, after its priority was changed. */
    abstract boolean stops(Fiber fiber, boolean shared);

    /** Returns whether the fiber stops now that an operation has ended. */
    boolean endsOperation(final Fiber fiber) {
        return false;
    }

    /** A fiber waits for another one: it goes last. */
    void yields(final Fiber fiber) {
        fiber.priority = --lowest;
    }

    final void raise(final Fiber fiber) {
        fiber.priority = ++highest;
    }

    Fiber choose(final Fiber[] fibers) {
        Fiber best = null;
        for (final Fiber fiber : fibers) {
            if (fiber.isReady() && (best == null || fiber.priority > best.priority)) {
                best = fiber;
            }
        }
        return best;
    }

    /** Shuffled numbers from 1: priorities at the beginning of a run. */
    private static void shufflePriorities(final Fiber[] all, final Random random) {
        final List<Fiber> order = new ArrayList<>(List.of(all));
        Collections.shuffle(order, random);
        for (int i = 0; i < all.length; i++) {
            order.get(i).priority = i + 1;
        }
    }

    /** One fiber after the other, without any concurrency: forwards or backwards. */
    static final class Sequential extends Strategy {
        private final boolean forwards;

        Sequential(final boolean forwards) {
            this.forwards = forwards;
        }

        @Override
        void begin(final Fiber[] fibers, final Random random) {
            for (final Fiber fiber : fibers) {
                fiber.priority = forwards ? fibers.length - fiber.id : fiber.id + 1;
            }
        }

        @Override
        boolean stops(final Fiber fiber, final boolean shared) {
            return false;
        }
    }

    /** At each access another fiber goes on with a certain chance. */
    static final class RandomWalk extends Strategy {
        private double chance;
        private Random random;

        @Override
        void begin(final Fiber[] fibers, final Random numbers) {
            random = numbers;
            chance = new double[] {0.5, 0.2, 0.05, 0.01}[numbers.nextInt(4)];
        }

        @Override
        boolean stops(final Fiber fiber, final boolean shared) {
            return random.nextDouble() < chance;
        }

        @Override
        Fiber choose(final Fiber[] fibers) {
            Fiber chosen = null;
            int ready = 0;
            for (final Fiber fiber : fibers) {
                if (fiber.isReady() && random.nextInt(++ready) == 0) {
                    chosen = fiber;
                }
            }
            return chosen;
        }
    }

    /** Stops at planned steps, counted by accesses to the words of a focus, or by all. */
    private abstract static class Planned extends Strategy {
        private final int[] sharedSteps;
        private final int[] allSteps;
        private final boolean byShared;
        private int[][] stops;
        private int[] next;

        /**
         * @param focus where fibers stop; null: anywhere
         */
        Planned(final Pilot pilot, final Conflicts.Focus focus) {
            byShared = focus != null;
            sharedSteps = byShared ? focus.steps() : null;
            allSteps = pilot.steps();
        }

        final void plan(final Fiber[] fibers, final int[] counts, final Random random) {
            stops = new int[fibers.length][];
            next = new int[fibers.length];
            for (int i = 0; i < fibers.length; i++) {
                final int most = Math.max(1, byShared ? sharedSteps[i] : allSteps[i]);
                stops[i] = random.ints(counts[i], 1, most + 1).sorted().toArray();
            }
        }

        /** Returns whether a planned stop of the fiber is reached. */
        final boolean reached(final Fiber fiber, final boolean shared) {
            if (byShared && !shared) {
                return false;
            }
            final int steps = byShared ? fiber.sharedSteps : fiber.steps;
            boolean reached = false;
            while (next[fiber.id] < stops[fiber.id].length && stops[fiber.id][next[fiber.id]] <= steps) {
                next[fiber.id]++;
                reached = true;
            }
            return reached;
        }
    }

    /**
     * Probabilistic concurrency testing (Burckhardt and others 2010): random priorities, and a few steps where the fiber that
     * runs gets the lowest one.
     */
    static final class Priorities extends Planned {
        private final int depth;

        Priorities(final Pilot pilot, final Conflicts.Focus focus, final int depth) {
            super(pilot, focus);
            this.depth = depth;
        }

        @Override
        void begin(final Fiber[] fibers, final Random random) {
            shufflePriorities(fibers, random);
            final int[] counts = new int[fibers.length];
            for (int i = 0; i < depth; i++) {
                counts[random.nextInt(fibers.length)]++;
            }
            plan(fibers, counts, random);
        }

        @Override
        boolean stops(final Fiber fiber, final boolean shared) {
            if (reached(fiber, shared)) {
                yields(fiber);
                return true;
            }
            return false;
        }
    }

    /** One fiber is stopped up to three times, while others carry out whole operations. */
    static final class Window extends Planned {
        private Fiber[] all;
        private Fiber victim;
        private Random random;
        private final int[] operationsLeft;

        Window(final Pilot pilot, final Conflicts.Focus focus) {
            super(pilot, focus);
            operationsLeft = new int[pilot.steps().length];
        }

        @Override
        void begin(final Fiber[] fibers, final Random numbers) {
            all = fibers;
            random = numbers;
            shufflePriorities(fibers, numbers);
            victim = fibers[numbers.nextInt(fibers.length)];
            victim.priority = ABOVE_ALL;
            final int[] counts = new int[fibers.length];
            counts[victim.id] = 1 + numbers.nextInt(3);
            plan(fibers, counts, numbers);
            if (numbers.nextBoolean()) {
                letAnotherRun();
            }
        }

        private void letAnotherRun() {
            final Fiber other = all[random.nextInt(all.length)];
            if (other != victim && !other.done) {
                raise(other);
                operationsLeft[other.id] = 1;
                while (random.nextInt(5) < 2) {
                    operationsLeft[other.id]++;
                }
            }
        }

        @Override
        boolean stops(final Fiber fiber, final boolean shared) {
            if (fiber == victim && reached(fiber, shared)) {
                letAnotherRun();
                return true;
            }
            return false;
        }

        @Override
        boolean endsOperation(final Fiber fiber) {
            if (operationsLeft[fiber.id] > 0 && --operationsLeft[fiber.id] == 0) {
                yields(fiber);
                return true;
            }
            return false;
        }
    }

    /**
     * Each fiber is stopped once, one of them mostly twice: before an access of a focus, or between two operations. Where a fiber
     * stops or ends, the next one of a random order goes on. Three fibers that wait for each other in the middle of something are
     * met so.
     */
    static final class Relay extends Strategy {
        private static final int TRIES = 20;
        private static final int FEW = 4;
        private final int[] steps;
        private final int[] operations;
        private final int[][] stops;
        private final int[] next;
        private final boolean[] betweenOperations;
        private final List<Integer> legs = new ArrayList<>();
        private Fiber[] all;
        private Fiber current;
        private int leg;

        Relay(final Pilot pilot, final Conflicts.Focus focus) {
            steps = focus.steps();
            operations = pilot.operations();
            stops = new int[steps.length][];
            next = new int[steps.length];
            betweenOperations = new boolean[steps.length];
        }

        @Override
        void begin(final Fiber[] fibers, final Random random) {
            all = fibers;
            final int twice = random.nextInt(fibers.length + fibers.length / 2);
            for (int i = 0; i < fibers.length; i++) {
                betweenOperations[i] = operations[i] > 1 && random.nextInt(operations[i] > FEW ? 4 : 2) > 0;
                final int most = betweenOperations[i] ? operations[i] - 1 : Math.max(1, steps[i]);
                stops[i] = random.ints(i == twice ? 2 : 1, 1, most + 1).sorted().toArray();
                legs.add(i);
            }
            Collections.shuffle(legs, random);
            if (random.nextInt(3) == 0) {
                legs.addAll(legs); // each twice in the same order
            } else {
                for (int i = 0; i < fibers.length; i++) {
                    legs.addAll(Collections.nCopies(stops[i].length, i));
                }
                for (int i = 0; i < TRIES && (i == 0 || hasNeighbours()); i++) {
                    Collections.shuffle(legs, random);
                }
            }
            shufflePriorities(fibers, random);
            raise(fibers[legs.get(0)]);
        }

        private boolean hasNeighbours() {
            for (int i = 1; i < legs.size(); i++) {
                if (legs.get(i).equals(legs.get(i - 1))) {
                    return true;
                }
            }
            return false;
        }

        @Override
        Fiber choose(final Fiber[] fibers) {
            if (current != null && current.done) {
                goOn();
            }
            current = super.choose(fibers);
            return current;
        }

        /** Has the fiber of the next leg run. */
        private void goOn() {
            do {
                leg++;
            } while (leg < legs.size() && all[legs.get(leg)].done);
            if (leg < legs.size()) {
                raise(all[legs.get(leg)]);
            }
        }

        private boolean reached(final Fiber fiber, final int at) {
            final int[] own = stops[fiber.id];
            if (next[fiber.id] == own.length || own[next[fiber.id]] > at) {
                return false;
            }
            next[fiber.id]++;
            goOn();
            return true;
        }

        @Override
        boolean stops(final Fiber fiber, final boolean shared) {
            return shared && !betweenOperations[fiber.id] && reached(fiber, fiber.sharedSteps);
        }

        @Override
        boolean endsOperation(final Fiber fiber) {
            return betweenOperations[fiber.id] && reached(fiber, fiber.operations);
        }
    }

    /**
     * Two fibers in turns: the first runs to its n-th access to a shared word, the second to its m-th, the first to its k-th,
     * and so on; then to their ends. All such lists of bounds together are all schedules with so many switches.
     */
    static final class Turns extends Strategy {
        private final int first;
        private final int[] bounds;
        private int turn;

        Turns(final int first, final int... bounds) {
            this.first = first;
            this.bounds = bounds.clone();
        }

        @Override
        void begin(final Fiber[] fibers, final Random random) {
            Arrays.stream(fibers).forEach(fiber -> fiber.priority = fiber.id == first ? 2 : 1);
        }

        @Override
        boolean stops(final Fiber fiber, final boolean shared) {
            if (shared && turn < bounds.length && (fiber.id == first) == (turn % 2 == 0)
                && fiber.sharedSteps >= bounds[turn]) {
                turn++;
                yields(fiber);
                return true;
            }
            return false;
        }
    }

    /**
     * One of two fibers is stopped once or twice, at its n-th access to a shared word, while the other one carries out a
     * number of whole operations.
     */
    static final class Gaps extends Strategy {
        private final int victim;
        private final int[] bounds;
        private final int[] operations;
        private Fiber stopped;
        private int gap;
        private int left;

        /**
         * @param bounds shared accesses of the victim before each stop
         * @param operations operations of the other fiber in each gap
         */
        Gaps(final int victim, final int[] bounds, final int[] operations) {
            this.victim = victim;
            this.bounds = bounds;
            this.operations = operations;
        }

        @Override
        void begin(final Fiber[] fibers, final Random random) {
            stopped = fibers[victim];
            stopped.priority = ABOVE_ALL;
        }

        @Override
        boolean stops(final Fiber fiber, final boolean shared) {
            if (shared && fiber == stopped && gap < bounds.length && fiber.sharedSteps >= bounds[gap]) {
                left = operations[gap++];
                fiber.priority = -1;
                return true;
            }
            return false;
        }

        @Override
        boolean endsOperation(final Fiber fiber) {
            if (fiber != stopped && left > 0 && --left == 0) {
                stopped.priority = ABOVE_ALL;
                return true;
            }
            return false;
        }
    }
}
