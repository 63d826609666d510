/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.ChildProcess;
import io.nestling.workload.Dataset;
import io.nestling.workload.RequestDistribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerCommandTest {
    private static final int KEYS = 2_000;

    private static PeerCommand peer(final String how) throws Exception {
        return new PeerCommand(how, ChildProcess.java(PeerProgram.class, how).command().stream()
            .map(word -> "'" + word + "'").collect(Collectors.joining(" ")), 1 + (how.equals("hangs") ? 0 : 30));
    }

    private static BenchmarkPlan plan(
        final String baseline, final List<PeerCommand> peers, final List<WorkloadType> workloads, final boolean cpuTime)
        throws Exception {
        return new BenchmarkPlan(List.of(new FakeFactory("map")), Optional.of(baseline), List.of(Dataset.of("rand-8")),
            List.of(KEYS), workloads, RequestDistribution.UNIFORM, 1, 1, TimeUnit.MILLISECONDS.toNanos(50), false, "test",
            cpuTime, peers, 1_000);
    }

    private static List<String> cells(final BenchmarkReport report) {
        return report.results().stream().map(result -> result.workload() + " " + result.subject()).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakePart(final boolean cpuTime) throws Exception {
        final List<String> failures = new ArrayList<>();
        final BenchmarkReport report = Benchmark.run(plan("serves", List.of(peer("serves")), cpuTime ? List.of(WorkloadType.C)
            : List.of(WorkloadType.values()), cpuTime), listener(failures));
        assertEquals(List.of(), failures);
        final List<String> served = cells(report).stream().filter(cell -> cell.endsWith(" serves")).toList();
        assertEquals(cpuTime ? List.of("c serves") : Arrays.stream(WorkloadType.values())
            .filter(ServedPeer.COMMANDS::containsKey).map(type -> type.workloadName() + " serves").toList(), served);
        for (final Result result : report.results()) {
            assertEquals(ServedPeer.COMMANDS.containsKey(WorkloadType.ofName(result.workload())),
                result.ratioToBaseline().isPresent(), result.workload());
            if (result.subject().equals("serves")) {
                assertEquals(10, result.indexBytesPerKey());
                assertEquals(25, result.totalBytesPerKey());
                assertTrue(result.opsPerSecond().min() > 0 && result.checksum().isEmpty() && result.latency().isEmpty());
            }
        }
        final SubjectDescription description = report.subjects().get(1);
        assertTrue(description.peer() && description.configuration().contains(PeerProgram.class.getName()));
        assertEquals(cpuTime ? "processor time" : "wall time", report.machine().get("clock"));
        assertFalse(report.machine().containsKey("failed"));
    }

    private static BenchmarkListener listener(final List<String> failures) {
        return new BenchmarkListener() {
            @Override
            public void begins(final String step) {
                // not of interest
            }

            @Override
            public void fails(final String reason) {
                failures.add(reason);
            }
        };
    }

    @Test
    void shouldGoOnWithoutPeersThatFail() throws Exception {
        final Map<String, String> problems = new TreeMap<>(Map.of(
            "dies", "ended with exit code 7 at 'get .*'; its last line: 'BYTES 1.5 records 2 more 3', "
                + "on the standard error: 'out of luck'",
            "hangs", "did not answer 'get .*' in 1 s; its last line: 'BYTES 1.5 records 2 more 3'",
            "babbles", "did not answer 'get .*' by operations, .*; its last line: 'as fast as  light'",
            "boasts", "did not answer 'get .*' by operations, .*; its last line: '1000000 0.000001 0.000001'",
            "chats", "said more than one line before 'get .*'; its last line: '0 0 0'",
            "lies", "gave up at 'get .*'; its last line: 'ERROR get: expected 1 but was 2'"));
        final List<PeerCommand> peers = new ArrayList<>();
        for (final String how : problems.keySet()) {
            peers.add(peer(how));
        }
        peers.add(new PeerCommand("absent", "/no/such/program", 30));
        problems.put("absent", "ended with exit code 127 at 'start'; its last line: '', "
            + "on the standard error: .*/no/such/program.*");
        final List<String> failures = new ArrayList<>();
        final BenchmarkReport report = Benchmark.run(
            plan("dies", peers, List.of(WorkloadType.LOAD, WorkloadType.C, WorkloadType.GETALL), false), listener(failures));
        assertEquals(problems.size(), failures.size(), failures::toString);
        for (final Map.Entry<String, String> problem : problems.entrySet()) {
            assertTrue(failures.stream().anyMatch(failure -> failure.matches(problem.getKey() + " " + problem.getValue())),
                () -> problem + " in " + String.join("\n", failures));
        }
        final List<String> loads = peers.stream().filter(peer -> !peer.name().equals("absent"))
            .map(peer -> "load " + peer.name()).toList();
        final List<String> expected = new ArrayList<>(List.of("load map"));
        expected.addAll(loads);
        expected.addAll(List.of("c map", "getall map"));
        assertEquals(expected, cells(report));
        assertEquals(String.join("; ", failures), report.machine().get("failed"));
    }

    /** What a shell says and does that is to load keys. */
    @Test
    void shouldGoOnWithoutPeersThatFailToLoad() throws Exception {
        final String loads = "echo READY; read line; echo " + KEYS + " 0.000001 0.000001; read line; echo ";
        final Map<String, String> problems = new TreeMap<>();
        final List<PeerCommand> peers = new ArrayList<>();
        final List<List<String>> wrong = new ArrayList<>(List.of(
            List.of("exec sleep 60", "did not answer 'start' in 1 s; its last line: ''"),
            List.of("echo READY when you are", "did not answer 'start' by READY; its last line: 'READY when you are'"),
            List.of("echo ERROR no room", "gave up at 'start'; its last line: 'ERROR no room'"),
            List.of("exit 3", "ended with exit code 3 at 'start'; its last line: ''"),
            List.of("echo READY; read line; echo 1999 0.000001 0.000001",
                "did not answer 'load 2000' by 2000 operations; its last line: '1999 0.000001 0.000001'")));
        for (final String bytes : List.of("BYTES 1.5", "BYTES 1.5 records", "BYTES some records 2", "BYTES -1 records 2",
            "BYTES 1 records -2", "BYTES 1e9 records 2", "BYTES NaN records 2", "1.5 2")) {
            wrong.add(List.of(loads + bytes,
                "did not answer 'bytes 0' by BYTES and two numbers; its last line: '" + bytes + "'"));
        }
        for (int i = 0; i < wrong.size(); i++) {
            final String what = wrong.get(i).get(0);
            peers.add(new PeerCommand(
                "peer" + i, "sh -c '" + what + (what.contains("echo") ? "; exec cat >&2" : "") + "' sh", i == 0 ? 1 : 30));
            problems.put("peer" + i, "peer" + i + " " + wrong.get(i).get(1));
        }
        final List<String> failures = new ArrayList<>();
        final BenchmarkReport report =
            Benchmark.run(plan("map", peers, List.of(WorkloadType.LOAD, WorkloadType.C), false), listener(failures));
        assertEquals(problems.size(), failures.size(), failures::toString);
        for (final String failure : failures) {
            final String problem = problems.get(failure.substring(0, failure.indexOf(' ')));
            assertTrue(failure.startsWith(problem), () -> failure + "\nis not\n" + problem);
        }
        assertEquals(List.of("load map", "c map"), cells(report));
        assertEquals(String.join("; ", failures), report.machine().get("failed"));
    }

    @Test
    void wrongPlansThrow() throws Exception {
        final List<PeerCommand> peers = List.of(new PeerCommand("map", "cat", 1));
        for (final String text : List.of("cat", "=cat", "a b=cat", "a= ")) {
            final String message = assertThrows(IllegalArgumentException.class, () -> PeerCommand.of(text, 1)).getMessage();
            assertTrue(message.startsWith("expected NAME=COMMAND"), message);
        }
        assertEquals(new PeerCommand("x", "a=b c", 1), PeerCommand.of("x=a=b c", 1));
        assertThrows(IllegalArgumentException.class, () -> PeerCommand.of("x=y", 0));
        assertEquals("a subject is named twice: map, map", assertThrows(IllegalArgumentException.class,
            () -> plan("map", peers, List.of(WorkloadType.C), false)).getMessage());
        assertEquals("--peer-command needs one of the workloads load, c, get-miss, get-dependent, seek, scan, iterate",
            assertThrows(IllegalArgumentException.class,
                () -> plan("map", List.of(new PeerCommand("x", "y", 1)), List.of(WorkloadType.A), false)).getMessage());
    }
}
