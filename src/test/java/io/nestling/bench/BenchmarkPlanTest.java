/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.RequestDistribution;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

class BenchmarkPlanTest {
    private static BenchmarkPlan plan(
        final List<SubjectFactory> subjects, final String baseline, final List<Integer> keys, final int threads,
        final WorkloadType... workloads) throws DatasetException {
        return new BenchmarkPlan(subjects, Optional.ofNullable(baseline), List.of(Dataset.of("rand-8")), keys,
            List.of(workloads), RequestDistribution.UNIFORM, threads, 1, 1, false, "test", false, List.of(), 1_000);
    }

    private static void assertProblem(
        final String problem, final List<SubjectFactory> subjects, final String baseline, final List<Integer> keys,
        final int threads, final WorkloadType... workloads) {
        final IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> plan(subjects, baseline, keys, threads, workloads));
        assertEquals(problem, e.getMessage());
    }

    @Test
    void partsThatDoNotFitThrowIllegalArgument() {
        final List<SubjectFactory> one = List.of(new FakeFactory("one"));
        final List<Integer> keys = List.of(5);
        assertProblem("the baseline 'two' is not among the subjects: one", one, "two", keys, 1, WorkloadType.C);
        assertProblem("--keys 0 is less than 1", one, "one", List.of(5, 0), 1, WorkloadType.C);
        assertProblem("--threads 0 is less than 1", one, "one", keys, 0, WorkloadType.C);
        assertProblem("--threads 1025 is more than 1024", one, "one", keys, 1025, WorkloadType.C);
        assertProblem("nothing to measure", one, "one", keys, 1);
        assertProblem("nothing to measure", List.of(), null, keys, 1, WorkloadType.C);
        assertProblem("a subject is named twice: one, one",
            List.of(new FakeFactory("one"), new FakeFactory("one")), null, keys, 1, WorkloadType.C);
        assertProblem("workload scan needs an index in key order, none of these is: points",
            List.of(new FakeFactory("points").unordered()), null, keys, 1, WorkloadType.C, WorkloadType.SCAN);
    }

    @Test
    void shouldRunWorkloadsInTheirOrderAndOnce() throws DatasetException {
        final BenchmarkPlan plan = plan(List.of(new FakeFactory("one")), null, List.of(5), 1,
            WorkloadType.D, WorkloadType.C, WorkloadType.LOAD, WorkloadType.C);
        assertEquals(List.of(WorkloadType.LOAD, WorkloadType.C, WorkloadType.D), plan.workloads());
    }

    @Test
    void shouldFindWorkloadsByName() {
        for (final WorkloadType type : WorkloadType.values()) {
            assertEquals(type, WorkloadType.ofName(type.workloadName()));
            assertTrue(List.of("keys", "entries", "operations").contains(type.unit()));
        }
        assertEquals(WorkloadType.C, WorkloadType.ofName("get"));
        assertEquals(WorkloadType.GET_DEPENDENT, WorkloadType.ofName("Dependent"));
        assertEquals(WorkloadType.LOAD_SORTED, WorkloadType.ofName("LOAD_SORTED"));
        final IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> WorkloadType.ofName("g"));
        assertTrue(e.getMessage().startsWith("expected one of load-sorted, load-reversed, insert-75, "),
            e.getMessage());
    }

    @Test
    void shouldFindSubjectsByName() {
        assertEquals("trie", Subjects.ofName("TRIE").subjectName());
        assertEquals(Subjects.all().subList(0, Subjects.indexes().size()), Subjects.indexes());
        final IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> Subjects.ofName("tree"));
        assertTrue(e.getMessage().startsWith("expected one of trie, "), e.getMessage());
    }
}
