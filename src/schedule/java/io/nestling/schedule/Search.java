/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Searches for schedules that go wrong in one product, which may have a plant. */
final class Search {
    private static final String SOURCE = "io.nestling.schedule.scenario.IndexKinds";
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final RewritingLoader loader;
    private final boolean weakCas;

    /**
     * @param plants class files by internal name that replace those of the product
     */
    Search(final Map<String, byte[]> plants, final boolean weakCas) {
        Input.checkJdk();
        this.loader = new RewritingLoader(plants);
        this.weakCas = weakCas;
    }

    private Explorer explorer(final String kind) {
        try {
            final Scenario.Source source =
                (Scenario.Source) loader.loadClass(SOURCE).getConstructor(String.class).newInstance(kind);
            return new Explorer(source, loader::resetCounters, weakCas);
        } catch (final InvocationTargetException e) {
            throw e.getCause() instanceof final IllegalArgumentException unknown ? unknown
                : new IllegalStateException("scenarios of kind '" + kind + "' cannot be made", e.getCause());
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The result of a search. */
    record Outcome(long schedules, List<Finding> findings, String summary) { }

    /**
     * Searches scenarios of one kind.
     *
     * @param kind the kind
     * @param weak whether memory is weak
     * @param firstSeed seed of the first scenario; those that follow are one greater each
     * @param cpuMillis processor time of the search
     * @param mostFindings ends the search
     * @return its result
     */
    Outcome search(
        final String kind, final boolean weak, final long firstSeed, final long cpuMillis, final int mostFindings) {
        final Explorer explorer = explorer(kind);
        final long end = cpuNanos() + cpuMillis * NANOS_PER_MILLI;
        // On a slow machine the first scenario alone may take as long: one schedule is run in any case.
        final BooleanSupplier ended = () -> cpuNanos() >= end && explorer.schedules() > 0;
        final List<Finding> findings = new ArrayList<>();
        for (long seed = firstSeed; findings.size() < mostFindings && !ended.getAsBoolean(); seed++) {
            final Finding finding = explorer.explore(kind, seed, weak, ended);
            if (finding != null) {
                findings.add(finding);
            }
        }
        return new Outcome(explorer.schedules(), findings, explorer.toString());
    }

    List<String> replay(final Input.Replay asked) {
        return explorer(asked.kind()).replay(asked.scenario(), asked.schedule(), asked.weak());
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
