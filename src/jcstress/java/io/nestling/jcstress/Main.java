/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jcstress;

import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;
import org.openjdk.jcstress.infra.grading.ReportUtils;
import org.openjdk.jcstress.infra.runners.TestList;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Runs the jcstress tests in the current directory, prints a line for each, and fails if a test has a forbidden outcome or no
 * result, or if a weakened one did not show its interesting outcome. Such a one runs again, three times as long each time,
 * before it fails: on a busy machine its threads seldom meet. What jcstress itself prints goes to a file.
 */
public final class Main {
    private static final String PACKAGE = "io.nestling.";
    private static final String CONSOLE = "console.txt";
    private static final int STATES = Blocks.COUNT / 4;
    private static final int STRIDE = 256;
    private static final int ITERATIONS = 3;
    private static final long MIN_MILLIS = 100;
    private static final long MAX_REPEATED_MILLIS = 10_000;
    /* What it takes jcstress to find out what the JVM can do, and a process to begin and to end. */
    private static final int PROBING_MILLIS = 8_000;
    private static final int PROCESS_MILLIS = 1_000;
    /* Processes of a test when everything is tried: each of two actors by the interpreter, C1 or C2, with some flags. */
    private static final int ALL_PROCESSES = 20;
    /* The compiler places instructions at random where it may, and soon. */
    private static final String RANDOM_ORDER =
        "-XX:+UnlockDiagnosticVMOptions -XX:+StressLCM -XX:+StressGCM -XX:CompileThresholdScaling=0.1";
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";
    private static final int[] TIMES_LONGER = {1, 3, 9, 27};

    private final boolean all;
    private final Map<String, TestResult> results = new TreeMap<>();

    private Main(final boolean all) {
        this.all = all;
    }

    /**
     * Runs the tests.
     *
     * @param args seconds that all take together, if none is given more; {@code long} for all ways to compile a test, anything
     *     else for one; a pattern that the names of tests contain
     * @throws Exception if jcstress does not run
     */
    public static void main(final String[] args) throws Exception {
        final TreeSet<String> tests = TestList.tests().stream().filter(Pattern.compile(args[2]).asPredicate())
            .collect(Collectors.toCollection(TreeSet::new));
        final Main main = new Main(args[1].equals("long"));
        TreeSet<String> missing = tests;
        final long processes = Math.max(1, tests.size() * (main.all ? ALL_PROCESSES : 1L));
        final long millis = Math.max(MIN_MILLIS,
            ((Integer.parseInt(args[0]) * 1_000L - PROBING_MILLIS) / processes - PROCESS_MILLIS) / ITERATIONS);
        try (PrintStream console = new PrintStream(new FileOutputStream(CONSOLE), true, StandardCharsets.UTF_8)) {
            for (int i = 0; i < TIMES_LONGER.length && !missing.isEmpty(); i++) {
                main.run(missing, Math.max(millis, Math.min(MAX_REPEATED_MILLIS, millis * TIMES_LONGER[i])), console);
                missing = tests.stream().filter(main::isUnseen).collect(Collectors.toCollection(TreeSet::new));
            }
        }
        System.exit(main.report(tests) ? 0 : 1);
    }

    private void run(final TreeSet<String> tests, final long millis, final PrintStream console) throws Exception {
        final String names = tests.stream().map(Pattern::quote).collect(Collectors.joining("|", "^(", ")$"));
        final Options options = new Options(options(names, millis).toArray(new String[0]));
        final PrintStream out = System.out;
        System.setOut(console);
        try {
            if (!options.parse()) {
                throw new IOException("jcstress does not accept its options, see " + CONSOLE);
            }
            new JCStress(options).run();
        } catch (final AssertionError e) {
            console.println(e); // it tells of forbidden outcomes, which the results have
        } finally {
            System.setOut(out);
        }
        final InProcessCollector collector = new InProcessCollector();
        final DiskReadCollector reader = new DiskReadCollector(options.getResultFile(), collector);
        reader.dump();
        reader.close();
        for (final TestResult result : ReportUtils.mergedByName(collector.getTestResults())) {
            results.put(result.getName(), result);
        }
    }

    private List<String> options(final String names, final long millis) {
        final List<String> options = new ArrayList<>(List.of(
            "-r", "report", "-t", names, "-f", "1", "-fsm", "1", "-iters", String.valueOf(ITERATIONS),
            "-time", String.valueOf(millis), "-strideSize", String.valueOf(STRIDE),
            "-strideCount", String.valueOf(STATES / STRIDE), "-af", "NONE", "-sc", String.valueOf(all)));
        options.addAll(all ? List.of("-jvmArgsPrepend", NATIVE_ACCESS) : List.of("-jvmArgs", RANDOM_ORDER + " " + NATIVE_ACCESS));
        return options;
    }

    /** Prints the results; returns whether all are as they must be. */
    private boolean report(final TreeSet<String> tests) {
        int failures = tests.isEmpty() ? 1 : 0;
        for (final String test : tests) {
            final String error = error(test);
            System.out.println((error.isEmpty() ? "[INFO] " : "[ERROR] ") + line(test) + error);
            failures += error.isEmpty() ? 0 : 1;
        }
        if (failures > 0) {
            System.out.println("[ERROR] jcstress: " + failures + " failures in " + tests.size() + " tests, see "
                + System.getProperty("user.dir"));
        }
        return failures == 0;
    }

    private String line(final String test) {
        final TestResult result = results.get(test);
        final String name = String.format(Locale.ROOT, "%-42s", test.replace(PACKAGE, ""));
        if (result == null) {
            return name;
        }
        final List<GradingResult> interesting = outcomes(test, Expect.ACCEPTABLE_INTERESTING);
        final long seen = interesting.stream().mapToLong(outcome -> outcome.count).sum();
        return name + String.format(Locale.ROOT, "%,12d samples", result.getTotalCount())
            + (seen == 0 ? "" : String.format(Locale.ROOT, ",%,9d times: %s", seen, interesting.get(0).description));
    }

    /** Returns the error of a result; empty if there is none. */
    private String error(final String test) {
        final TestResult result = results.get(test);
        if (result == null || result.getTotalCount() == 0) {
            return ": no result";
        }
        if (result.status() != Status.NORMAL) {
            return ": " + result.status() + " " + result.getMessages();
        }
        final List<GradingResult> forbidden = outcomes(test, Expect.FORBIDDEN);
        forbidden.addAll(outcomes(test, Expect.UNKNOWN));
        forbidden.removeIf(outcome -> outcome.count == 0);
        if (!forbidden.isEmpty()) {
            return ": forbidden outcome " + forbidden.get(0).id + ", " + forbidden.get(0).count + " times";
        }
        return isUnseen(test) ? ": did not show what its weakening allows" : "";
    }

    /** Returns whether a test is a weakened one whose outcome was not seen. */
    private boolean isUnseen(final String test) {
        final List<GradingResult> interesting = outcomes(test, Expect.ACCEPTABLE_INTERESTING);
        final Predicate<GradingResult> seen = outcome -> outcome.count > 0;
        return !interesting.isEmpty() && interesting.stream().noneMatch(seen);
    }

    /** Outcomes of a kind, seen or not. */
    private List<GradingResult> outcomes(final String test, final Expect kind) {
        final List<GradingResult> outcomes = new ArrayList<>();
        if (results.containsKey(test)) {
            outcomes.addAll(results.get(test).grading().gradingResults.values());
            outcomes.removeIf(outcome -> outcome.expect != kind);
        }
        return outcomes;
    }
}
