/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The race finder by hand: {@code search KIND[,KIND] CPU-SECONDS FIRST-SEED weak|strong} or
 * {@code replay KIND SCENARIO SCHEDULE weak|strong}, {@code plants CPU-SECONDS FIRST-SEED [NAME]}, or
 * {@code mutants KIND CPU-SECONDS [PREFIX]}.
 */
final class Main {
    private Main() {
    }

    public static void main(final String[] arguments) throws IOException {
        final Search search = new Search(Map.of(), Boolean.getBoolean("schedule.weakCas"));
        if (arguments.length == 5 && arguments[0].equals("search")) {
            for (final String kind : arguments[1].split(",")) {
                final Search.Outcome outcome = search.search(kind, arguments[4].equals("weak"), Long.parseLong(arguments[3]),
                    1000L * Long.parseLong(arguments[2]), Integer.getInteger("schedule.findings", 10));
                System.out.println(
                    kind + " " + arguments[4] + ": " + outcome.summary() + ", " + outcome.findings().size() + " findings");
                outcome.findings().forEach(finding -> System.out.println(abbreviated(finding.toString())));
            }
        } else if (arguments.length == 5 && arguments[0].equals("replay")) {
            final List<String> lines = search.replay(arguments[1], Long.parseLong(arguments[2]), Long.parseLong(arguments[3]),
                arguments[4].equals("weak"));
            lines.forEach(System.out::println);
        } else if (arguments.length >= 3 && arguments[0].equals("plants")) {
            final Path base = Path.of(System.getProperty("basedir", ""));
            for (final Plant plant : Plant.all(base.resolve("src/schedule/plants"), base.resolve("src/main/java"))) {
                if (arguments.length == 3 || plant.name().equals(arguments[3])) {
                    final long begin = System.nanoTime();
                    final Search.Outcome outcome = new Search(plant.compile(), false)
                        .search(plant.kind(), plant.weak(), Long.parseLong(arguments[2]),
                            1000L * Long.parseLong(arguments[1]), 1);
                    final long millis = (System.nanoTime() - begin) / 1_000_000;
                    System.out.println(plant.name() + ", " + millis + " ms: " + (outcome.findings().isEmpty()
                        ? "NOT FOUND in " + outcome.schedules() : abbreviated(outcome.findings().get(0).toString())));
                }
            }
        } else if ((arguments.length == 3 || arguments.length == 4) && arguments[0].equals("mutants")) {
            new Mutants(search, Path.of(System.getProperty("basedir", "")).resolve("src/schedule/mutants.txt"))
                .run(arguments[1], 1000L * Long.parseLong(arguments[2]), arguments.length == 4 ? arguments[3] : "", System.out);
        } else {
            System.err.println("expected search KIND[,KIND] CPU-SECONDS FIRST-SEED weak|strong, "
                + "replay KIND SCENARIO SCHEDULE weak|strong, plants CPU-SECONDS FIRST-SEED [NAME], "
                + "or mutants KIND CPU-SECONDS [PREFIX]");
            System.exit(2);
        }
    }

    private static String abbreviated(final String text) {
        return text.length() > 2000 ? text.substring(0, 1000) + " ... " + text.substring(text.length() - 200) : text;
    }
}
