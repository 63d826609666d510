/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package consumer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.micrometer.OffHeapMetrics;

/** Binds the gauges of off-heap memory to a registry of Micrometer's. */
public final class MicrometerConsumer {
    private MicrometerConsumer() {
    }

    public static void main(final String[] args) {
        final SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new OffHeapMetrics().bindTo(registry);
        final MemtableOptions options = MemtableOptions.builder().index(IndexType.TRIE).capacityBytes(16 << 20).build();
        try (Memtable memtable = Memtable.open(options)) {
            memtable.put(new byte[8], new byte[100]);
            final double memtables = registry.get("nestling.memtables").gauge().value();
            final double records = registry.get("nestling.offheap.used").tag("purpose", "records").gauge().value();
            if (memtables != 1 || records < 100) {
                throw new AssertionError("gauges show " + memtables + " memtables, " + records + " bytes of records");
            }
        }
        System.out.println("micrometer module=" + OffHeapMetrics.class.getModule().getName());
    }
}
