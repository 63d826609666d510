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

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs the jcstress tests, prints a line for each, and fails if one of them has a forbidden outcome, has no result, or is a
 * weakened one whose interesting outcome was not seen. What jcstress itself says goes to a file.
 */
public final class Main {
    private static final String PACKAGE = "io.nestling.";
    private static final int STATES = Blocks.COUNT / 8;
    private static final int STRIDE = 64;
    private static final int ITERATIONS = 3;
    /* What it takes to begin and to end a process of one test. */
    private static final int PROCESS_MILLIS = 1_000;
    /* Configurations of a test when everything is tried: three ways to run each of two actors, flags for the compiler. */
    private static final int ALL_CONFIGURATIONS = 20;
    /* The compiler places instructions at random where it may. */
    private static final String RANDOM_ORDER = "-XX:+UnlockDiagnosticVMOptions -XX:+StressLCM -XX:+StressGCM";
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private Main() {
    }

    /**
     * Runs the tests in the current directory.
     *
     * @param args seconds that all take together; {@code quick} for one process a test, {@code long} for all ways to compile it;
     *     maybe a pattern that names of tests have to contain
     * @throws Exception if jcstress does not run
     */
    public static void main(final String[] args) throws Exception {
        final int seconds = Integer.parseInt(args[0]);
        final boolean all = args[1].equals("long");
        final List<String> options = options(seconds, all, args.length > 2 ? args[2] : "");
        final Path console = Path.of("console.txt");
        final Options parsed = new Options(options.toArray(new String[0]));
        final PrintStream out = System.out;
        final Map<String, TestResult> results = new TreeMap<>();
        try (PrintStream file = new PrintStream(Files.newOutputStream(console), true, StandardCharsets.UTF_8)) {
            System.setOut(file);
            if (!parsed.parse()) {
                throw new IOException("jcstress refuses " + options);
            }
            run(new JCStress(parsed));
        } finally {
            System.setOut(out);
        }
        read(parsed.getResultFile(), results);
        int failures = 0;
        for (final String test : new JCStress(parsed).getTests()) {
            final String error = error(results.get(test));
            out.println((error.isEmpty() ? "[INFO] " : "[ERROR] ") + line(test, results.get(test)) + error);
            failures += error.isEmpty() ? 0 : 1;
        }
        if (failures > 0 || results.isEmpty()) {
            out.println("[ERROR] jcstress: " + failures + " of " + results.size() + " tests failed, see "
                + console.toAbsolutePath());
            System.exit(1);
        }
    }

    private static List<String> options(final int seconds, final boolean all, final String filter) {
        final int processes = TestList.tests().size() * (all ? ALL_CONFIGURATIONS : 1);
        final int millis = Math.max(100, (seconds * 1_000 / processes - PROCESS_MILLIS) / ITERATIONS);
        final List<String> options = new ArrayList<>(List.of(
            "-r", "report", "-t", filter, "-f", "1", "-fsm", "1", "-iters", String.valueOf(ITERATIONS),
            "-time", String.valueOf(millis), "-strideSize", String.valueOf(STRIDE),
            "-strideCount", String.valueOf(STATES / STRIDE), "-af", "NONE", "-sc", String.valueOf(all)));
        final String flags = Runtime.version().feature() > 17 ? NATIVE_ACCESS : "";
        if (!all) {
            options.addAll(List.of("-jvmArgs", (RANDOM_ORDER + " " + flags).strip()));
        } else if (!flags.isEmpty()) {
            options.addAll(List.of("-jvmArgsPrepend", flags));
        }
        return options;
    }

    private static void run(final JCStress jcstress) throws Exception {
        try {
            jcstress.run();
        } catch (final AssertionError e) {
            System.out.println(e); // outcomes that are forbidden are told of from the results
        }
    }

    private static void read(final String file, final Map<String, TestResult> results) throws Exception {
        final InProcessCollector collector = new InProcessCollector();
        final DiskReadCollector reader = new DiskReadCollector(file, collector);
        reader.dump();
        reader.close();
        for (final TestResult result : ReportUtils.mergedByName(collector.getTestResults())) {
            results.put(result.getName(), result);
        }
    }

    private static String line(final String test, final TestResult result) {
        final StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-44s", test.replace(PACKAGE, "")));
        if (result != null) {
            line.append(String.format(Locale.ROOT, "%,12d samples", result.getTotalCount()));
            for (final GradingResult outcome : result.grading().gradingResults.values()) {
                if (outcome.expect == Expect.ACCEPTABLE_INTERESTING && outcome.count > 0) {
                    line.append(String.format(Locale.ROOT, ", %,d times %s", outcome.count, outcome.id));
                }
            }
        }
        return line.toString();
    }

    /** Says what is wrong with a result; empty if nothing is. */
    private static String error(final TestResult result) {
        if (result == null) {
            return ": no result";
        }
        if (result.status() != Status.NORMAL) {
            return ": " + result.status() + " " + result.getMessages();
        }
        boolean hasInteresting = false;
        boolean sawInteresting = false;
        for (final GradingResult outcome : result.grading().gradingResults.values()) {
            if (outcome.count > 0 && (outcome.expect == Expect.FORBIDDEN || outcome.expect == Expect.UNKNOWN)) {
                return ": forbidden outcome " + outcome.id + ", " + outcome.count + " times";
            }
            if (outcome.expect == Expect.ACCEPTABLE_INTERESTING) {
                hasInteresting = true;
                sawInteresting |= outcome.count > 0;
            }
        }
        return hasInteresting && !sawInteresting ? ": did not show what its weakening allows" : "";
    }
}
