/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Searches copies of the product with planted bugs, which must be found: a tool that went blind fails. The property
 * {@code schedule.plants} has their names or {@code all}.
 */
final class Plants {
    /** Processor time of a search. */
    static final long MILLIS = 60_000;
    private static final Path BASE = Path.of(System.getProperty("basedir", ""));
    private static final String ASKED = System.getProperty("schedule.plants", "epoch-at-once,epoch-one-early");
    private static final int PARTS = 2;

    private Plants() {
    }

    /** Returns the plants of these names, which must be there. */
    static List<Plant> asked(final String names) throws IOException {
        final List<Plant> all = Plant.all(BASE.resolve("src/schedule/plants"), BASE.resolve("src/main/java"));
        assertFalse(all.isEmpty());
        return Input.plants("schedule.plants", names, all);
    }

    /** Returns the tests of each second plant that was asked for: two processes share them. */
    static Stream<DynamicTest> part(final int part) throws IOException {
        final List<Plant> plants = asked(ASKED);
        return IntStream.range(0, plants.size()).filter(i -> i % PARTS == part).mapToObj(plants::get)
            .map(plant -> DynamicTest.dynamicTest(plant.name(), () -> find(plant)));
    }

    private static void find(final Plant plant) {
        final Search.Outcome outcome = new Search(plant.compile(), false).search(plant.kind(), plant.weak(), 1, MILLIS, 1);
        assertFalse(outcome.findings().isEmpty(), () -> "not found in " + outcome.schedules() + " schedules");
        assertTrue(outcome.schedules() <= plant.schedules(),
            () -> "found after " + outcome.schedules() + " schedules, more than " + plant.schedules());
        System.out.println(plant.name() + ": found after " + outcome.schedules() + " schedules");
    }
}
