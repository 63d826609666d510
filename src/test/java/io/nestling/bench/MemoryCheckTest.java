/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.RequestDistribution;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

class MemoryCheckTest {
    private static final long GIB = 1L << 30;

    private static BenchmarkPlan plan(final SubjectFactory... subjects) throws DatasetException {
        return new BenchmarkPlan(List.of(subjects), Optional.empty(), List.of(Dataset.of("rand-8")), List.of(1_000),
            List.of(WorkloadType.C), RequestDistribution.UNIFORM, 1, 1, 1, false, "test", false, List.of(), 1_000);
    }

    private static String problem(final SystemMemory memory, final SubjectFactory... subjects) {
        return assertThrows(BenchmarkException.class,
            () -> new MemoryCheck(plan(subjects), memory).check(Dataset.of("rand-8"))).getMessage();
    }

    @Test
    void shouldAcceptWhatFits() {
        final SystemMemory memory = new SystemMemory(2 * GIB, 0, OptionalLong.of(4 * GIB), GIB);
        assertDoesNotThrow(() -> new MemoryCheck(plan(new FakeFactory("a").needing(GIB, GIB)), memory)
            .check(Dataset.of("rand-8")));
        final SystemMemory unknown = new SystemMemory(2 * GIB, 0, OptionalLong.empty(), GIB);
        assertDoesNotThrow(() -> new MemoryCheck(plan(new FakeFactory("a").needing(GIB, 999 * GIB)), unknown)
            .check(Dataset.of("rand-8")));
    }

    @Test
    void heapThatIsTooSmallFails() {
        final SystemMemory memory = new SystemMemory(2 * GIB, 0, OptionalLong.of(90 * GIB), GIB);
        assertEquals("1,000 keys of rand-8 need about 3.1 GiB of Java heap, there is 2.0 GiB; "
            + "NESTLING_JAVA_OPTS=-Xmx4g gives more",
            problem(memory, new FakeFactory("a").needing(GIB, 0), new FakeFactory("b").needing(2 * GIB, 0)));
    }

    @Test
    void systemThatHasTooLittleLeftFails() {
        final SystemMemory memory = new SystemMemory(2 * GIB, GIB / 2, OptionalLong.of(3 * GIB), 9 * GIB);
        final String problem = problem(memory, new FakeFactory("a").needing(GIB, 2 * GIB), new FakeFactory("b").needing(0, GIB));
        assertEquals("1,000 keys of rand-8 need about 3.0 GiB off the heap and 1.1 GiB on it, the system has 3.0 GiB left; "
            + "--keys takes fewer", problem);
    }

    @Test
    void limitOfDirectBuffersCountsForThoseWhoUseThem() {
        final SystemMemory memory = new SystemMemory(2 * GIB, 0, OptionalLong.of(90 * GIB), GIB);
        assertEquals("1,000 keys of rand-8 need about 2.0 GiB of direct buffers, the limit is 1.0 GiB; "
            + "-XX:MaxDirectMemorySize=3g in NESTLING_JAVA_OPTS sets another one",
            problem(memory, new FakeFactory("a").needing(0, 2 * GIB).withDirectBuffers()));
    }

    @Test
    void shouldKnowTheMemoryOfThisProcess() {
        final SystemMemory memory = SystemMemory.now();
        assertTrue(memory.heapBytes() > 0 && memory.usedHeapBytes() > 0 && memory.directBufferBytes() > 0, memory.toString());
        assertTrue(memory.usedHeapBytes() <= memory.heapBytes(), memory.toString());
    }
}
