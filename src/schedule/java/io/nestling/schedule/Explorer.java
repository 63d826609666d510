/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Runs schedules of scenarios of one kind. A schedule's number says how it is made, so that a finding can be replayed:
 * scenarios of two fibers are explored stop by stop, the others by sampling.
 */
final class Explorer {
    private static final long MOST_STEPS = 1_000_000;
    /* One in so many runs with weak memory has compare-and-sets of slabs that are no full fences. */
    private static final int WEAK_CAS_SHARE = 4;
    /* So few accesses to shared words need no narrower focus. */
    private static final int FEW_STEPS = 60;
    private static final long FIRST_PLANNED = Plan.FIRST;

    private final Scenario.Source source;
    private final Runnable resetCounters;
    private final boolean weakCas;
    private long schedules;
    private long steps;
    private long switches;
    private long staleReads;
    private long allSingles;
    private long allPairs;

    Explorer(final Scenario.Source source, final Runnable resetCounters, final boolean weakCas) {
        this.source = source;
        this.resetCounters = resetCounters;
        this.weakCas = weakCas;
    }

    long schedules() {
        return schedules;
    }

    @Override
    public String toString() {
        final long runs = Math.max(1, schedules);
        return String.format(Locale.ROOT, "%d schedules, %d steps, %.1f switches and %.2f stale reads each; "
                + "all single stops of %d scenarios, all pairs of %d",
            schedules, steps / runs, (double) switches / runs, (double) staleReads / runs, allSingles, allPairs);
    }

    private String run(
        final Scenario scenario, final long seed, final Scheduler.Run run, final Conflicts record) {
        Scheduler.reset(seed);
        resetCounters.run();
        source.reset();
        scenario.setUp();
        final String trouble = Scheduler.run(scenario.names(), scenario.bodies(), run, record);
        steps += Scheduler.time();
        switches += Scheduler.switches();
        staleReads += Scheduler.staleReads();
        return trouble != null ? trouble : scenario.judge();
    }

    /** Runs a scenario without concurrency, once in each direction, and learns the words that its fibers share. */
    private Pilot pilot(final Scenario scenario, final long seed) {
        final Conflicts conflicts = new Conflicts();
        final int fibers = scenario.names().length;
        final int[] all = new int[fibers];
        for (final boolean forwards : new boolean[] {true, false}) {
            final String wrong = run(scenario, seed,
                new Scheduler.Run(
                    new Strategy.Sequential(forwards), Conflicts.Focus.NONE, 1, false, false, MOST_STEPS), conflicts);
            if (wrong != null) {
                throw new IllegalStateException("wrong without any concurrency: " + wrong + '\n' + scenario);
            }
            for (int i = 0; i < fibers; i++) {
                all[i] = Math.max(all[i], Scheduler.fibers()[i].steps);
            }
        }
        return new Pilot(conflicts, conflicts.all(fibers), all, scenario.operations());
    }

    /** Runs one schedule of a scenario; returns what went wrong, or null. */
    private String schedule(final Scenario scenario, final long seed, final Pilot pilot, final long number, final boolean weak) {
        schedules++;
        final long runSeed = number * 1_000_003 + seed;
        final Random random = new Random(~runSeed);
        final int dice = random.nextInt(8);
        final boolean few = Arrays.stream(pilot.all().steps()).sum() <= FEW_STEPS;
        final Conflicts.Focus focus = number >= FIRST_PLANNED || few || dice < 3 ? pilot.all()
            : dice == 3 ? pilot.conflicts().some(pilot.steps().length, random)
            : pilot.conflicts().someSites(pilot.steps().length, random);
        return run(scenario, seed, new Scheduler.Run(
            strategy(pilot, focus, dice == 7, number), focus, runSeed, weak,
            weakCas || weak && random.nextInt(WEAK_CAS_SHARE) == 0, MOST_STEPS), null);
    }

    private static Strategy strategy(
        final Pilot pilot, final Conflicts.Focus focus, final boolean anywhere, final long number) {
        if (number >= FIRST_PLANNED) {
            return new Plan(number).strategy();
        }
        final boolean many = pilot.steps().length > 2;
        return switch ((int) (number % 4)) {
            case 0 -> many && number % 16 > 0 ? new Strategy.Relay(pilot, focus)
                : new Strategy.Priorities(pilot, anywhere ? null : focus, 1 + (int) (number / 4 % 4));
            case 1 -> many ? new Strategy.Relay(pilot, focus) : new Strategy.Window(pilot, anywhere ? null : focus);
            case 3 -> number % 16 == 15 ? new Strategy.RandomWalk()
                : many ? new Strategy.Relay(pilot, focus)
                : new Strategy.Priorities(pilot, anywhere ? null : focus, 2 + (int) (number / 4 % 4));
            default -> new Strategy.Window(pilot, anywhere ? null : focus);
        };
    }

    /**
     * Explores one scenario.
     *
     * @param kind name of the source
     * @param seed seed of the scenario
     * @param weak whether memory is weak
     * @param end tells to stop
     * @return the first finding, or null
     */
    Finding explore(final String kind, final long seed, final boolean weak, final BooleanSupplier end) {
        final Scenario scenario = source.scenario(seed);
        final Pilot pilot = pilot(scenario, seed);
        final List<Long> numbers = new ArrayList<>();
        Plan.Extent extent = new Plan.Extent(false, false);
        if (pilot.steps().length == 2) {
            extent = Plan.addAll(numbers, pilot, new Random(seed));
        }
        for (long i = 0; i < scenario.samples(); i++) {
            numbers.add(i);
        }
        for (final long number : numbers) {
            if (end.getAsBoolean()) {
                return null;
            }
            final String wrong = schedule(scenario, seed, pilot, number, weak);
            if (wrong != null) {
                return new Finding(kind, seed, number, weak, wrong, schedules);
            }
        }
        allSingles += extent.allSingles() ? 1 : 0;
        allPairs += extent.allPairs() ? 1 : 0;
        return null;
    }

    /**
     * Runs one schedule again and prints what it does.
     *
     * @param seed seed of the scenario
     * @param number number of the schedule
     * @param weak whether memory is weak
     * @return the trace, and what is wrong in the last line
     */
    List<String> replay(final long seed, final long number, final boolean weak) {
        final Scenario scenario = source.scenario(seed);
        final Pilot pilot = pilot(scenario, seed);
        Trace.begin();
        final String wrong = schedule(scenario, seed, pilot, number, weak);
        final List<String> lines = new ArrayList<>(Trace.end());
        lines.add(scenario.toString());
        lines.add(wrong == null ? "nothing is wrong" : wrong);
        return lines;
    }
}
