/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh;

import io.nestling.bench.SubjectFactory;
import io.nestling.bench.Subjects;
import io.nestling.jmh.peer.PeerCheck;
import io.nestling.offheap.Slab;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The check of the suite, in seconds: the peers do what is asked of them, every benchmark runs on every
 * subject with few keys, and the answers are right. It runs in one process without warm-up, so that its
 * figures mean nothing.
 */
final class Smoke {
    private static final int KEYS = 1000;
    private static final long ITERATION_MILLIS = 5;
    private static final int NEWER_RELEASE = 22;
    private static final String LOCK_PROP_NAME = "jmh.ignoreLock";

    private static final List<Class<?>> ORDERED = List.of(
        SeekBenchmark.class, ScanBenchmark.class, IterationBenchmark.class, MergeBenchmark.class);
    private static final List<Class<?>> UNORDERED = List.of(
        GetBenchmark.class, DependentGetBenchmark.class, GetAllBenchmark.class, InsertBenchmark.class,
        MixedReadWriteBenchmark.class, FootprintBenchmark.class);
    private static final List<Class<?>> OF_MEMTABLES = List.of(BatchWriteBenchmark.class, FlushBenchmark.class);

    private Smoke() {
    }

    /** Runs everything; throws at the first thing that is wrong. */
    static void run() {
        System.out.println("# " + RunHeader.machine() + "\n# " + RunHeader.memory());
        if (Runtime.version().feature() >= NEWER_RELEASE && Slab.MAX_BYTES <= Integer.MAX_VALUE) {
            throw new IllegalStateException("the classes for newer releases are not packed, or the jar is not multi-release");
        }
        final List<SubjectFactory> subjects = Subjects.all();
        if (Subjects.peers().isEmpty()) {
            throw new IllegalStateException("no peers are packed");
        }
        for (final SubjectFactory factory : subjects) {
            factory.obstacle().ifPresent(obstacle -> {
                throw new IllegalStateException(factory.subjectName() + " cannot run: " + obstacle);
            });
        }
        PeerCheck.run();
        RunHeader.silence();
        final List<SubjectFactory> ordered = subjects.stream().filter(SubjectFactory::ordered).toList();
        final List<RunResult> results = new ArrayList<>();
        results.addAll(runAll(ORDERED, "index", ordered));
        results.addAll(runAll(UNORDERED, "index", subjects));
        results.addAll(runAll(OF_MEMTABLES, "memtableIndex", Subjects.indexes()));
        report(results);
    }

    private static Collection<RunResult> runAll(
        final List<Class<?>> benchmarks, final String parameter, final List<SubjectFactory> subjects) {
        System.setProperty(LOCK_PROP_NAME, "true");
        final ChainedOptionsBuilder options = new OptionsBuilder()
            .forks(0).warmupIterations(0).measurementIterations(1).measurementTime(TimeValue.milliseconds(ITERATION_MILLIS))
            .shouldFailOnError(true).verbosity(VerboseMode.SILENT)
            .param("keys", String.valueOf(KEYS)).param("batch", "8").param("cursors", "4")
            .param(parameter, subjects.stream().map(SubjectFactory::subjectName).toArray(String[]::new));
        for (final Class<?> benchmark : benchmarks) {
            options.include("\\b" + benchmark.getSimpleName() + "\\.");
        }
        try {
            return new Runner(options.build()).run();
        } catch (final RunnerException e) {
            throw new IllegalStateException("a benchmark failed: " + e.getMessage(), e);
        }
    }

    private static void report(final List<RunResult> results) {
        final Map<String, Integer> runs = new TreeMap<>();
        for (final RunResult result : results) {
            final String name = result.getParams().getBenchmark();
            if (!(result.getPrimaryResult().getScore() > 0)) {
                throw new IllegalStateException(name + " has done nothing");
            }
            runs.merge(name.replace(Smoke.class.getPackageName() + ".", ""), 1, Integer::sum);
        }
        final List<Class<?>> expected = new ArrayList<>(ORDERED);
        expected.addAll(UNORDERED);
        expected.addAll(OF_MEMTABLES);
        for (final Class<?> benchmark : expected) {
            if (runs.keySet().stream().noneMatch(name -> name.startsWith(benchmark.getSimpleName() + "."))) {
                throw new IllegalStateException(benchmark.getSimpleName() + " was not run");
            }
        }
        runs.forEach((name, count) -> System.out.printf(Locale.ROOT, "%-40s %3d runs%n", name, count));
    }
}
