/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bench.FakeFactory.Passing;
import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Effort;
import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.RequestDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

class BenchmarkTest {
    private static final int KEYS = 3_000;
    private static final int ROUNDS = Effort.count(1, 3, 3);
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(Effort.count(10, 50, 50));

    private final List<String> steps = new ArrayList<>();

    private static BenchmarkPlan plan(
        final List<SubjectFactory> subjects, final int threads, final RequestDistribution distribution,
        final WorkloadType... workloads) throws DatasetException {
        return new BenchmarkPlan(subjects, Optional.of(subjects.get(0).subjectName()), List.of(Dataset.of("rand-8")),
            List.of(KEYS), List.of(workloads), distribution, threads, ROUNDS, ROUND_NANOS, false, "test",
            false, List.of(), 1_000);
    }

    private BenchmarkReport run(final List<SubjectFactory> subjects, final int threads, final WorkloadType... workloads)
        throws DatasetException {
        return Benchmark.run(plan(subjects, threads, RequestDistribution.UNIFORM, workloads), steps::add);
    }

    private BenchmarkException failure(
        final UnaryOperator<OrderedIndex> fault, final WorkloadType... workloads) {
        final FakeFactory right = new FakeFactory("right");
        final FakeFactory wrong = new FakeFactory("wrong", fault);
        final BenchmarkException failure =
            assertThrows(BenchmarkException.class, () -> run(List.of(right, wrong), 1, workloads));
        assertEquals(0, right.open());
        assertEquals(0, wrong.open());
        return failure;
    }

    private static void assertNames(final BenchmarkException failure, final String workload) {
        assertEquals("wrong gave wrong answers in workload " + workload + " (3,000 keys of rand-8)", failure.getMessage());
    }

    @Test
    void shouldMeasureEveryWorkloadOnEverySubject() throws DatasetException {
        final FakeFactory first = new FakeFactory("first");
        final FakeFactory second = new FakeFactory("second");
        final BenchmarkReport report = run(List.of(first, second), 1, WorkloadType.values());
        assertEquals(2 * WorkloadType.values().length, report.results().size());
        assertEquals(List.of("first", "second"), report.subjects().stream().map(SubjectDescription::name).toList());
        final List<String> names = Arrays.stream(WorkloadType.values()).map(WorkloadType::workloadName).toList();
        assertEquals(names, report.results().stream().map(Result::workload).distinct().toList());
        for (int i = 0; i < report.results().size(); i += 2) {
            final Result a = report.results().get(i);
            final Result b = report.results().get(i + 1);
            assertEquals(a.checksum(), b.checksum(), a.workload());
            assertEquals(KEYS, a.keys());
            assertEquals(10, a.indexBytesPerKey());
            assertEquals(25, a.totalBytesPerKey());
            assertEquals(1.0, a.ratioToBaseline().orElseThrow());
            assertEquals(b.opsPerSecond().median() / a.opsPerSecond().median(), b.ratioToBaseline().orElseThrow(), 1e-9);
            assertTrue(a.opsPerSecond().min() > 0 && a.opsPerSecond().min() <= a.opsPerSecond().median()
                && a.opsPerSecond().median() <= a.opsPerSecond().max(), a.toString());
            assertFalse(a.roundTrips().isPresent());
        }
        assertEquals(0, first.open());
        assertEquals(0, second.open());
    }

    @Test
    void shouldTimeSingleOperations() throws DatasetException {
        final BenchmarkReport report =
            run(List.of(new FakeFactory("map")), 1, WorkloadType.C, WorkloadType.GET_MISS, WorkloadType.GET_DEPENDENT);
        for (final Result result : report.results()) {
            final LatencyPercentiles latency = result.latency().orElseThrow();
            assertTrue(latency.p50() > 0 && latency.p50() <= latency.p90() && latency.p90() <= latency.p99()
                && latency.p99() <= latency.p999() && latency.p999() <= latency.max(), latency.toString());
        }
    }

    @Test
    void shouldNotAskForTheSameKeyTwiceInARow() throws DatasetException {
        final int[] lookups = new int[2];
        final byte[][] last = {new byte[0]};
        run(List.of(new FakeFactory("map", index -> new Passing(index) {
            @Override
            public long get(final byte[] key, final int offset, final int length) {
                final byte[] wanted = Arrays.copyOfRange(key, offset, offset + length);
                lookups[Arrays.equals(wanted, last[0]) ? 1 : 0]++;
                last[0] = wanted;
                return super.get(key, offset, length);
            }
        })), 1, WorkloadType.GET_DEPENDENT);
        // By chance it is one in 3,000.
        assertTrue(lookups[0] > 5_000 && lookups[1] < lookups[0] / 100, lookups[1] + " repeated, " + lookups[0] + " not");
    }

    @ParameterizedTest
    @EnumSource(WorkloadType.class)
    void shouldRunWithThreads(final WorkloadType workload) throws DatasetException {
        final BenchmarkReport report = run(List.of(new FakeFactory("map")), 3, workload);
        assertEquals(3, report.results().get(0).threads());
        assertTrue(report.results().get(0).opsPerSecond().min() > 0);
    }

    @Test
    void shouldRunWithASkewedDistribution() throws DatasetException {
        final BenchmarkPlan plan = plan(List.of(new FakeFactory("map")), 1, RequestDistribution.ZIPFIAN, WorkloadType.C,
            WorkloadType.SCAN, WorkloadType.A, WorkloadType.E);
        assertEquals(4, Benchmark.run(plan, steps::add).results().size());
    }

    @Test
    void shouldLeaveUnorderedSubjectsOutOfScans() throws DatasetException {
        final BenchmarkReport report = run(
            List.of(new FakeFactory("points").unordered(), new FakeFactory("map")), 1, WorkloadType.C, WorkloadType.SCAN);
        assertEquals(List.of("points c", "map c", "map scan"),
            report.results().stream().map(result -> result.subject() + " " + result.workload()).toList());
        assertFalse(report.results().get(2).ratioToBaseline().isPresent());
    }

    @Test
    void shouldRotateTheOrderOfSubjects() throws DatasetException {
        final List<String> made = new ArrayList<>();
        final List<SubjectFactory> subjects = new ArrayList<>();
        for (final String name : List.of("a", "b", "c")) {
            subjects.add(new FakeFactory(name, index -> index, made));
        }
        final BenchmarkPlan plan = new BenchmarkPlan(subjects, Optional.empty(), List.of(Dataset.of("rand-8")), List.of(100),
            List.of(WorkloadType.LOAD), RequestDistribution.UNIFORM, 1, 3, TimeUnit.SECONDS.toNanos(30), false, "test",
            false, List.of(), 1_000);
        final BenchmarkReport report = Benchmark.run(plan, steps::add);
        // Two warm-ups, three rounds, one for latencies with a warm-up of its own.
        assertEquals("abcabc" + "abcbcacab" + "abc" + "abc", String.join("", made));
        assertFalse(report.baseline().isPresent());
        assertTrue(report.results().get(0).latency().isPresent());
        assertTrue(steps.stream().anyMatch(step -> step.contains("round 3")), steps.toString());
    }

    @Test
    void wrongPayloadFails() {
        assertNames(failure(index -> new Passing(index) {
            private int gets;

            @Override
            public long get(final byte[] key, final int offset, final int length) {
                final long payload = super.get(key, offset, length);
                return ++gets == KEYS + 1_000 ? payload ^ 1 : payload;
            }
        }, WorkloadType.C), "c");
    }

    @Test
    void keyThatIsLostFails() {
        assertNames(failure(index -> new Passing(index) {
            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                return key[offset] == 7 ? PointIndex.NONE : super.put(key, offset, length, payload);
            }
        }, WorkloadType.LOAD), "load");
    }

    @Test
    void missThatFindsFails() {
        assertNames(failure(index -> new Passing(index) {
            @Override
            public long get(final byte[] key, final int offset, final int length) {
                final long payload = super.get(key, offset, length);
                return payload == PointIndex.NONE ? 5 : payload;
            }
        }, WorkloadType.GET_MISS), "get-miss");
    }

    @Test
    void subjectThatThrowsIsNamed() {
        final BenchmarkException failure = failure(index -> new Passing(index) {
            @Override
            public void getAll(final KeyBatch keys, final long[] payloads) {
                throw new UnsupportedOperationException("no batches");
            }
        }, WorkloadType.GETALL);
        assertEquals("wrong failed in workload getall (3,000 keys of rand-8): "
            + "java.lang.UnsupportedOperationException: no batches", failure.getMessage());
    }

    @Test
    void wrongBatchFails() {
        assertNames(failure(index -> new Passing(index) {
            @Override
            public void getAll(final KeyBatch keys, final long[] payloads) {
                super.getAll(keys, payloads);
                payloads[keys.size() - 1] = payloads[0];
            }
        }, WorkloadType.GETALL), "getall");
    }

    @Test
    void wrongPreviousPayloadFails() {
        assertNames(failure(index -> new Passing(index) {
            private long puts;

            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                final long previous = super.put(key, offset, length, payload);
                return puts++ > KEYS ? payload + 1 : previous;
            }
        }, WorkloadType.A), "a");
    }

    @ParameterizedTest
    @EnumSource(value = WorkloadType.class, names = {"INSERT_75", "INSERT_50", "INSERT_25"})
    void wrongPayloadOfALookupWhileFillingFails(final WorkloadType workload) {
        final BenchmarkException failure = failure(index -> new Passing(index) {
            private long gets;

            @Override
            public long get(final byte[] key, final int offset, final int length) {
                return super.get(key, offset, length) + (++gets == 300 ? 1 : 0);
            }
        }, workload);
        assertTrue(failure.getMessage().contains("gave wrong answers in workload " + workload.workloadName()),
            failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldMeasureMemtables(final int threads) throws DatasetException {
        final List<SubjectFactory> subjects = List.of(Subjects.memtable(IndexType.TRIE, 2, 8),
            Subjects.memtable(IndexType.SKIP_LIST, 1, 100), Subjects.memtable(IndexType.COCUCKOO, 0, 9));
        final WorkloadType[] workloads = {
            WorkloadType.INSERT_50, WorkloadType.FIRST_FLUSH, WorkloadType.LOAD, WorkloadType.C, WorkloadType.GETALL,
            WorkloadType.SCAN, WorkloadType.FLUSH, WorkloadType.HOT, WorkloadType.D};
        final BenchmarkReport report = run(subjects, threads, workloads);
        assertEquals(subjects.size() * workloads.length, report.results().size());
        for (int i = 0; i < report.results().size(); i += subjects.size()) {
            final Result first = report.results().get(i);
            assertEquals("trie_memtable", first.subject());
            assertTrue(first.indexBytesPerKey() > 5 && first.totalBytesPerKey() > first.indexBytesPerKey(), first.toString());
            assertEquals(1, report.results().subList(i, i + subjects.size()).stream().map(Result::checksum).distinct().count());
        }
        assertTrue(report.subjects().stream().noneMatch(SubjectDescription::peer));
    }

    /** The first subject is measured after a full collection, the second one as filled. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldKeepTheBetterStateOfASubjectThatTheCollectorMoves(final int slow) throws DatasetException {
        final List<String> made = new ArrayList<>();
        final FakeFactory moved = new FakeFactory("moved", index -> {
            final boolean isSlow = made.size() == slow;
            return new Passing(index) {
                @Override
                public void getAll(final KeyBatch keys, final long[] payloads) {
                    LockSupport.parkNanos(isSlow ? 1_000_000 : 0);
                    super.getAll(keys, payloads);
                }
            };
        }, made).onTheHeap();
        final BenchmarkReport report = run(List.of(moved, new FakeFactory("map")), 1, WorkloadType.GETALL, WorkloadType.E);
        assertEquals(List.of("moved", "moved"), made);
        assertEquals(List.of("moved getall", "map getall", "moved e", "map e"),
            report.results().stream().map(result -> result.subject() + " " + result.workload()).toList());
        // A batch of 32 keys takes a millisecond.
        assertTrue(report.results().get(0).opsPerSecond().median() > 32_000, report.results().toString());
        assertEquals(slow == 1, String.valueOf(report.machine().get("betterAsFilled")).contains("moved in getall (3,000 keys of"),
            report.machine().toString());
        assertEquals(0, moved.open());
    }

    @Test
    void shouldFlushASubjectThatTheCollectorMovesInBothStates() throws DatasetException {
        final List<String> made = new ArrayList<>();
        final int[] cursors = new int[1];
        run(List.of(new FakeFactory("moved", index -> new Passing(index) {
            @Override
            public EntryCursor cursor() {
                cursors[0]++;
                return super.cursor();
            }
        }, made).onTheHeap()), 1, WorkloadType.FIRST_FLUSH);
        assertEquals(2 * (made.size() - 2), cursors[0], "two warm-ups without a flush, then two flushes a round");
    }

    @ParameterizedTest
    @EnumSource(value = WorkloadType.class, names = {"SEEK", "SCAN", "ITERATE", "FLUSH", "FIRST_FLUSH", "E"})
    void cursorThatSkipsAKeyFails(final WorkloadType workload) {
        final BenchmarkException failure = failure(index -> new Passing(index) {
            @Override
            public EntryCursor cursor() {
                return new SkippingCursor(super.cursor());
            }
        }, workload);
        assertTrue(failure.getMessage().contains("wrong") && failure.getMessage().contains(workload.workloadName()),
            failure.getMessage());
    }

    private static FakeFactory full(final String name) {
        return new FakeFactory(name, index -> new Passing(index) {
            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                throw new SpaceExhaustedException("full at 17 bytes");
            }
        });
    }

    @Test
    void shouldGoOnWithoutASubjectThatHasNoRoom() throws DatasetException {
        final FakeFactory full = full("full");
        final BenchmarkReport report =
            run(List.of(full, new FakeFactory("map")), 2, WorkloadType.LOAD, WorkloadType.C);
        final String reason =
            "full is left out, it cannot take the keys of workload load (3,000 keys of rand-8): full at 17 bytes";
        assertEquals(List.of("map load", "map c"),
            report.results().stream().map(result -> result.subject() + " " + result.workload()).toList());
        assertEquals(reason, report.machine().get("leftOut"));
        assertEquals(0, full.open());
    }

    @Test
    void noSubjectThatHasRoomFails() {
        final BenchmarkException failure = assertThrows(BenchmarkException.class,
            () -> run(List.of(full("full"), full("also")), 1, WorkloadType.C));
        assertEquals("full is left out, it cannot take the keys of workload load (3,000 keys of rand-8): full at 17 bytes",
            failure.getMessage());
    }

    @Test
    void tooLittleMemoryIsSaidBeforeLoading() throws DatasetException {
        final FakeFactory greedy = new FakeFactory("greedy").needing(1L << 50, 0);
        final BenchmarkException failure =
            assertThrows(BenchmarkException.class, () -> run(List.of(greedy), 1, WorkloadType.C));
        assertTrue(failure.getMessage().startsWith("3,000 keys of rand-8 need about 1048576.1 GiB of Java heap, there is "),
            failure.getMessage());
        assertEquals(List.of("looking at rand-8"), steps);
    }
}
