/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The two clocks by which work is measured.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class WorkClock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private WorkClock() {
    }

    /**
     * Returns the time of a clock, for differences within one thread.
     *
     * @param cpuTime true for the processor time of the calling thread, false for wall time
     * @return nanoseconds since some moment
     */
    static long nanos(final boolean cpuTime) {
        return cpuTime ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
    }
}
