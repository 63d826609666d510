/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bench.MachineModel.ParallelReads;
import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.RequestDistribution;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;

class ComparisonTest {
    private static final MachineModel MODEL =
        new MachineModel(List.of(new ParallelReads(2, 130), new ParallelReads(1, 100)), List.of(), 1e8);

    private static Measurement measurement(final String name, final long checksum, final double... throughputs) {
        final Measurement measurement = new Measurement(name);
        for (final double throughput : throughputs) {
            measurement.add(throughput);
        }
        measurement.checksum(checksum);
        return measurement;
    }

    private static Comparison comparison(final String baseline, final int threads) throws DatasetException {
        return new Comparison(new BenchmarkPlan(
            List.of(new FakeFactory("a"), new FakeFactory("b")), Optional.ofNullable(baseline), List.of(Dataset.of("rand-8")),
            List.of(10), List.of(WorkloadType.C), RequestDistribution.UNIFORM, threads, 1, 1, true, "test", false, List.of(),
            1_000), Optional.of(MODEL));
    }

    private static List<Result> results(final Comparison comparison, final Measurement... measurements)
        throws DatasetException {
        comparison.add(new KeyMaterial(Dataset.of("rand-8"), 10, 0), WorkloadType.C, List.of(measurements));
        return comparison.results();
    }

    @Test
    void shouldTakeTheMiddleOfTheRounds() {
        assertEquals(new Spread(2, 1, 9), measurement("a", 5, 9, 1, 2).spread());
        assertEquals(new Spread(3, 1, 9), measurement("a", 5, 4, 9, 1, 2).spread());
        assertEquals(new Spread(7, 7, 7), measurement("a", 5, 7).spread());
    }

    @Test
    void shouldCompareWithTheBaseline() throws DatasetException {
        final List<Result> results = results(comparison("b", 1),
            measurement("a", 5, 2e6, 6e6, 4e6), measurement("b", 5, 2e6, 1e6, 9e6));
        assertEquals(2.0, results.get(0).ratioToBaseline().orElseThrow());
        assertEquals(1.0, results.get(1).ratioToBaseline().orElseThrow());
        assertEquals(new Spread(4e6, 2e6, 6e6), results.get(0).opsPerSecond());
        assertEquals("rand-8", results.get(0).dataset());
        assertEquals("c", results.get(0).workload());
        assertEquals(10, results.get(0).keys());
    }

    @Test
    void shouldCountTimeInMemoryReads() throws DatasetException {
        // 250 ns an operation, 100 ns a read.
        assertEquals(2.5, results(comparison(null, 1), measurement("a", 5, 4e6)).get(0).roundTrips().orElseThrow(), 1e-9);
        assertEquals(5.0, results(comparison(null, 2), measurement("a", 5, 4e6)).get(0).roundTrips().orElseThrow(), 1e-9);
        assertEquals(Optional.empty(),
            results(comparison(null, 2), measurement("a", 5, 4e6)).get(0).ratioToBaseline());
    }

    @Test
    void differentSumsFail() {
        final BenchmarkException e = assertThrows(BenchmarkException.class,
            () -> results(comparison("b", 1), measurement("a", 5, 1), measurement("b", 6, 1)));
        assertEquals("a and b have read different things in workload c", e.getMessage());
    }

    @Test
    void shouldShareTimeOutByWeight() {
        final long[] now = {-1_000};
        final TimeBudget budget = new TimeBudget(100, 4, () -> now[0]);
        assertEquals(50, budget.take(2));
        now[0] += 20;
        assertEquals(40, budget.take(1));
        now[0] += 70;
        assertEquals(40, budget.take(1), "what another one took beyond its share comes on top");
        now[0] += 70;
        assertEquals(0, budget.take(1));
    }

    @Test
    void shouldMeasureTheMemory() {
        final MachineModel model = new MemoryModelProbe(4L << 20, 50_000).measure();
        assertEquals(9, model.hugePages().size());
        assertEquals(9, model.smallPages().size());
        assertEquals(new int[] {1, 2, 4, 8, 10, 12, 16, 24, 32}.length, model.hugePages().stream().distinct().count());
        for (final ParallelReads reads : model.hugePages()) {
            assertTrue(reads.nanos() > 0 && reads.nanos() < 1e9, reads.toString());
        }
        assertTrue(model.hugePages().get(8).nanos() > model.hugePages().get(0).nanos(), model.toString());
        assertTrue(model.linesPerSecond() > 1e4, model.toString());
    }

    @Test
    void shouldTellTheFactsOfTheMachine() {
        final var facts = MachineProbe.facts("nestling bench");
        assertEquals("nestling bench", facts.get("command"));
        for (final String name : List.of("date", "processor", "cores", "jdk", "bridge", "hugePages", "glibcTunables")) {
            assertTrue(facts.containsKey(name), facts.toString());
        }
        assertFalse(facts.get("collector").toString().isBlank());
        final String options = " " + facts.get("options");
        for (final String given : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            assertEquals(given.startsWith("-X") || given.startsWith("-Dio.nestling."), options.contains(" " + given), given);
        }
    }
}
