/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessTimesTest {
    private static final long MICROS = 300_000;
    private static final long LARGE = 20_000_000;

    private volatile Object kept;

    @Test
    void shouldCountWorkAndCollectionApart() {
        final ProcessTimes begin = ProcessTimes.of(ProcessHandle.current().pid());
        final long processor = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - processor < MICROS * 1000) {
            Thread.onSpinWait();
        }
        final ProcessTimes worked = ProcessTimes.of(ProcessHandle.current().pid()).since(begin);
        assertTrue(worked.work() >= MICROS * 9 / 10, worked::toString);
        assertTrue(worked.collection() < MICROS / 2, worked::toString);
        final Object[] objects = new Object[(int) (LARGE / 20)];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new byte[16];
        }
        kept = objects;
        final ProcessTimes filled = ProcessTimes.of(ProcessHandle.current().pid());
        for (int i = 0; i < 10; i++) {
            System.gc();
        }
        final ProcessTimes collected = ProcessTimes.of(ProcessHandle.current().pid()).since(filled);
        assertTrue(kept != null && collected.collection() > 0, collected::toString);
        assertTrue(collected.collection() <= collected.total() && collected.collection() * 2 > collected.work(),
                collected::toString);
        assertTrue(ProcessTimes.of(ProcessHandle.current().pid()).compilation() > 0, "no compilation");
    }
}
