/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bench.BenchmarkReport;
import io.nestling.bench.Result;
import io.nestling.bench.Spread;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class MeasurementsTest {
    @Test
    void shouldFindResultsInTheOrderOfTheRun() {
        final Measurements measurements = new Measurements(ReportFixture.full().report());
        final Setting million = new Setting("rand-8", 1_000_000, 1);
        assertEquals(List.of(million, new Setting("rand-8", 3_000_000, 1)), measurements.settings());
        assertEquals(List.of("load", "c", "scan"), measurements.workloads(million));
        assertEquals(List.of("trie", "cuckoo_trie", "cassandra_trie"),
            measurements.row(million, "c").stream().map(Result::subject).toList());
        assertEquals(Optional.empty(), measurements.find(million, "flush", measurements.subject("trie")));
        assertTrue(measurements.subject("cassandra_trie").baseline());
        assertTrue(measurements.subject("cassandra_trie").peer());
    }

    @Test
    void shouldKnowSubjectsThatAreNotDescribed() {
        final Measurements measurements = new Measurements(
            new ReportFixture().add(ReportFixture.result("stray", "c", 1e6)).report());
        assertEquals("stray", measurements.subject("stray").name());
        assertEquals(1, measurements.subjects().size());
    }

    @Test
    void shouldShortenFilesOnlyIfThatTellsThemApart() {
        final Measurements one = new Measurements(dataset("/data/a/keys.txt", "rand-8"));
        assertEquals("keys.txt", one.datasetLabel("/data/a/keys.txt"));
        assertEquals("rand-8", one.datasetLabel("rand-8"));
        final Measurements two = new Measurements(dataset("/data/a/keys.txt", "/data/b/keys.txt"));
        assertEquals("/data/a/keys.txt", two.datasetLabel("/data/a/keys.txt"));
        assertEquals("/data/a/", new Measurements(dataset("/data/a/", "b")).datasetLabel("/data/a/"));
    }

    @Test
    void shouldTellWhetherRoundsOverlapThoseOfTheBaseline() {
        final Result base = withSpread("base", 100, 90, 110);
        final Result near = withSpread("near", 112, 105, 120);
        final Result far = withSpread("far", 130, 111, 140);
        final Measurements measurements = new Measurements(
            new ReportFixture().baseline("base").add(base).add(near).add(far).report());
        assertTrue(measurements.overlapsBaseline(near));
        assertFalse(measurements.overlapsBaseline(far));
        assertFalse(measurements.overlapsBaseline(base));
        final Measurements without = new Measurements(new ReportFixture().add(base).add(near).report());
        assertFalse(without.overlapsBaseline(near));
    }

    @Test
    void shouldTakeTheFirstNumberThatIsOne() {
        final Result unknown = new Result("trie", "rand-8", "load", 1_000_000, 1, new Spread(1, 1, 1), Double.NaN, Double.NaN,
            Optional.empty(), Optional.empty(), Optional.empty(), 0);
        final Measurements measurements = new Measurements(
            new ReportFixture().add(unknown).add(ReportFixture.result("trie", "c", 2)).report());
        final Setting setting = measurements.settings().get(0);
        assertEquals(44, measurements.first(setting, measurements.subject("trie"), Result::totalBytesPerKey));
        assertTrue(Double.isNaN(measurements.first(setting, measurements.subject("trie"), result -> Double.NaN)));
    }

    @Test
    void shouldGiveTwentySubjectsDifferentLooks() {
        final Set<String> looks = new HashSet<>();
        final Set<Shape> shapes = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            final SubjectStyle subject = new SubjectStyle("s" + i, i, false, false, "");
            assertTrue(looks.add(subject.classes() + subject.shape()), subject.toString());
            shapes.add(subject.shape());
        }
        assertEquals(Shape.values().length, shapes.size());
    }

    private static Result withSpread(final String subject, final double median, final double min, final double max) {
        return new Result(subject, "rand-8", "c", 1, 1, new Spread(median, min, max), 1, 1, Optional.empty(), Optional.empty(),
            Optional.empty(), 0);
    }

    private static BenchmarkReport dataset(final String... names) {
        final ReportFixture report = new ReportFixture();
        for (final String name : names) {
            report.add(new Result("trie", name, "c", 1, 1, new Spread(1, 1, 1), 1, 1, Optional.empty(), Optional.empty(),
                Optional.empty(), 0));
        }
        return report.report();
    }
}
