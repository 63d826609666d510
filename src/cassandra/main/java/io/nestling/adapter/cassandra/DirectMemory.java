/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.nestling.memory.SpaceExhaustedException;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * The memory of direct buffers, a quarter of which is left to Cassandra: a virtual machine that has none left collects all
 * garbage and waits half a second before it refuses a buffer, and Cassandra's network cannot do without.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class DirectMemory {
    private static final String LIMIT_OPTION = "MaxDirectMemorySize";
    private static final BufferPoolMXBean BUFFERS = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
    private static final long LIMIT_BYTES = limit() / 4 * 3;

    private DirectMemory() {
    }

    private static long limit() {
        long bytes = 0;
        try {
            final HotSpotDiagnosticMXBean options = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            bytes = options == null ? 0 : Long.parseLong(options.getVMOption(LIMIT_OPTION).getValue());
        } catch (final IllegalArgumentException e) {
            // another virtual machine
        }
        return bytes > 0 ? bytes : Runtime.getRuntime().maxMemory();
    }

    /**
     * Checks that memtables may take more of it.
     *
     * @throws SpaceExhaustedException if they would take what is left to Cassandra
     */
    static void checkRoom(final long bytes) {
        final long used = BUFFERS.getTotalCapacity();
        if (bytes > LIMIT_BYTES - used) {
            throw new SpaceExhaustedException("a slab of " + bytes + " bytes beside " + used + " in use would be more than "
                + LIMIT_BYTES + ", three quarters of -XX:" + LIMIT_OPTION);
        }
    }
}
