/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Searches the product for schedules that go wrong, and copies of it with planted bugs, which must be found: a tool that went
 * blind fails. Properties: {@code schedule.seconds} processor time of the whole search, {@code schedule.seed} first seed,
 * {@code schedule.only} kinds, {@code schedule.plants} names or {@code all}, {@code schedule.replay} a finding.
 */
class ScheduleTest {
    private static final List<String> INDEXES =
        List.of("trie", "cuckoo_trie", "wormhole", "mlp_index", "skip_list", "cocuckoo");
    private static final Path BASE = Path.of(System.getProperty("basedir", ""));
    private static final long SECONDS = Input.property("schedule.seconds", 15);
    private static final long SEED = Input.property("schedule.seed", 1);
    private static final String PLANTS = System.getProperty("schedule.plants", "epoch-at-once,epoch-one-early");
    private static final long PLANT_MILLIS = 60_000;

    private static List<String> kinds() {
        final List<String> kinds = new ArrayList<>(INDEXES);
        INDEXES.forEach(index -> kinds.add("memtable-" + index));
        INDEXES.forEach(index -> kinds.add("life-" + index));
        kinds.add("epochs");
        final String only = System.getProperty("schedule.only");
        if (only != null && !only.isBlank()) {
            return Arrays.asList(only.split(","));
        }
        return kinds;
    }

    @TestFactory
    Stream<DynamicTest> shouldFindNoScheduleThatGoesWrong() {
        final List<String> kinds = kinds();
        final long millis = 1_000 * SECONDS / (2 * kinds.size());
        return kinds.stream().flatMap(kind -> Stream.of(false, true).map(weak ->
            DynamicTest.dynamicTest(kind + (weak ? ", weak memory" : ""), () -> {
                final Search.Outcome outcome = new Search(Map.of(), false).search(kind, weak, SEED, millis, 1);
                System.out.println(kind + (weak ? ", weak memory: " : ": ") + outcome.summary());
                assertTrue(outcome.findings().isEmpty(), () -> outcome.findings().get(0).toString());
                assertTrue(outcome.schedules() > 0, "no schedule was run");
            })));
    }

    @TestFactory
    Stream<DynamicTest> shouldFindPlants() throws IOException {
        final List<Plant> all = Plant.all(BASE.resolve("src/schedule/plants"), BASE.resolve("src/main/java"));
        assertFalse(all.isEmpty());
        return Input.plants("schedule.plants", PLANTS, all).stream().map(plant -> DynamicTest.dynamicTest(plant.name(), () -> {
            final Search.Outcome outcome =
                new Search(plant.compile(), false).search(plant.kind(), plant.weak(), 1, PLANT_MILLIS, 1);
            assertFalse(outcome.findings().isEmpty(), () -> "not found in " + outcome.schedules() + " schedules");
            assertTrue(outcome.schedules() <= plant.schedules(),
                () -> "found after " + outcome.schedules() + " schedules, more than " + plant.schedules());
            System.out.println(plant.name() + ": found after " + outcome.schedules() + " schedules");
        }));
    }

    @Test
    void shouldReplayAFinding() throws IOException {
        final Plant plant = Plant.all(BASE.resolve("src/schedule/plants"), BASE.resolve("src/main/java")).stream()
            .filter(each -> each.name().equals("epoch-at-once")).findFirst().orElseThrow();
        final Search search = new Search(plant.compile(), false);
        final Finding finding = search.search(plant.kind(), plant.weak(), 1, PLANT_MILLIS, 1).findings().get(0);
        final List<String> lines = search.replay(
            new Input.Replay(finding.kind(), finding.scenario(), finding.schedule(), finding.weak()));
        assertEquals(finding.what(), lines.get(lines.size() - 1));
        assertTrue(lines.stream().anyMatch(line -> line.contains("stops at")), "the trace shows no switch");
    }

    @Test
    void shouldRepeatARun() {
        final Search search = new Search(Map.of(), false);
        for (final String kind : List.of("skip_list", "mlp_index", "memtable-wormhole")) {
            final Input.Replay asked = new Input.Replay(kind, 1, 7, true);
            final List<String> first = search.replay(asked);
            assertEquals(first, search.replay(asked), () -> kind + ": a run does not follow from its seed");
            assertEquals(first, new Search(Map.of(), false).replay(asked), () -> kind + ": in another loader");
        }
    }

    @Test
    void shouldReplayWhatAPropertyNames() {
        final String asked = System.getProperty("schedule.replay");
        Assumptions.assumeTrue(asked != null && !asked.isBlank(), "no schedule.replay");
        final List<String> lines = new Search(Map.of(), false).replay(Input.replay("schedule.replay", asked));
        lines.forEach(System.out::println);
        assertEquals("nothing is wrong", lines.get(lines.size() - 1));
    }
}
