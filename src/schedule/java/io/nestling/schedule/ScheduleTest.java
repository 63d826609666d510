/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
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
 * Searches the product for schedules that go wrong. Properties: {@code schedule.seconds} processor time of the whole search,
 * {@code schedule.seed} first seed, {@code schedule.only} kinds, {@code schedule.replay} a finding.
 */
class ScheduleTest {
    private static final List<String> INDEXES =
        List.of("trie", "cuckoo_trie", "wormhole", "mlp_index", "skip_list", "cocuckoo");
    private static final long SECONDS = Input.property("schedule.seconds", 15);
    private static final long SEED = Input.property("schedule.seed", 1);

    private static List<String> kinds() {
        final List<String> kinds = new ArrayList<>(INDEXES);
        INDEXES.forEach(index -> kinds.add("memtable-" + index));
        INDEXES.forEach(index -> kinds.add("life-" + index));
        kinds.add("epochs");
        kinds.add("budget");
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

    @Test
    void shouldReplayAFinding() throws IOException {
        final Plant plant = Plants.asked("epoch-at-once").get(0);
        final Search search = new Search(plant.compile(), false);
        final Finding finding = search.search(plant.kind(), plant.weak(), 1, Plants.MILLIS, 1).findings().get(0);
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
