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
 * {@code replay KIND SCENARIO SCHEDULE weak|strong}, {@code plants CPU-SECONDS FIRST-SEED [NAME[,NAME]]}, or
 * {@code mutants KIND CPU-SECONDS [PREFIX]}.
 */
final class Main {
    private Main() {
    }

    public static void main(final String[] arguments) throws IOException {
        try {
            Input.checkJdk();
            run(arguments);
        } catch (final IllegalArgumentException | IllegalStateException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }

    private static void run(final String[] arguments) throws IOException {
        final Search search = new Search(Map.of(), Boolean.getBoolean("schedule.weakCas"));
        if (arguments.length == 5 && arguments[0].equals("search")) {
            final long millis = 1000L * Input.number("CPU-SECONDS", arguments[2]);
            final long seed = Input.number("FIRST-SEED", arguments[3]);
            final boolean weak = Input.isWeak("memory", arguments[4]);
            for (final String kind : arguments[1].split(",")) {
                final Search.Outcome outcome =
                    search.search(kind, weak, seed, millis, (int) Input.property("schedule.findings", 10));
                System.out.println(
                    kind + " " + arguments[4] + ": " + outcome.summary() + ", " + outcome.findings().size() + " findings");
                outcome.findings().forEach(finding -> System.out.println(abbreviated(finding.toString())));
            }
        } else if (arguments.length == 5 && arguments[0].equals("replay")) {
            final Input.Replay asked = Input.replay("replay", String.join(",", List.of(arguments).subList(1, 5)));
            search.replay(asked).forEach(System.out::println);
        } else if (arguments.length >= 3 && arguments.length <= 4 && arguments[0].equals("plants")) {
            final long millis = 1000L * Input.number("CPU-SECONDS", arguments[1]);
            final long seed = Input.number("FIRST-SEED", arguments[2]);
            final Path base = Path.of(System.getProperty("basedir", ""));
            final List<Plant> all = Plant.all(base.resolve("src/schedule/plants"), base.resolve("src/main/java"));
            for (final Plant plant : Input.plants("NAME", arguments.length == 3 ? "all" : arguments[3], all)) {
                final long begin = System.nanoTime();
                final Search.Outcome outcome =
                    new Search(plant.compile(), false).search(plant.kind(), plant.weak(), seed, millis, 1);
                final long taken = (System.nanoTime() - begin) / 1_000_000;
                System.out.println(plant.name() + ", " + taken + " ms: " + (outcome.findings().isEmpty()
                    ? "NOT FOUND in " + outcome.schedules() : abbreviated(outcome.findings().get(0).toString())));
            }
        } else if ((arguments.length == 3 || arguments.length == 4) && arguments[0].equals("mutants")) {
            new Mutants(search, Path.of(System.getProperty("basedir", "")).resolve("src/schedule/mutants.txt"))
                .run(arguments[1], 1000L * Long.parseLong(arguments[2]), arguments.length == 4 ? arguments[3] : "", System.out);
        } else {
            throw new IllegalArgumentException("expected search KIND[,KIND] CPU-SECONDS FIRST-SEED weak|strong, "
                + "replay KIND SCENARIO SCHEDULE weak|strong, plants CPU-SECONDS FIRST-SEED [NAME[,NAME]], "
                + "or mutants KIND CPU-SECONDS [PREFIX] but was "
                + String.join(" ", arguments));
        }
    }

    private static String abbreviated(final String text) {
        return text.length() > 2000 ? text.substring(0, 1000) + " ... " + text.substring(text.length() - 200) : text;
    }
}
