/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nestling.catalog.IndexType;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import org.junit.jupiter.api.Test;

class OffHeapMetricsTest {
    @Test
    void shouldShowWhatMemtablesUse() {
        final SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new OffHeapMetrics().bindTo(registry);
        final double memtables = registry.get("nestling.memtables").gauge().value();
        final double records = used(registry, "records");
        final double ranges = used(registry, "range_tombstones");
        final double reserved = registry.get("nestling.offheap.reserved").gauge().value();
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).capacityBytes(8 << 20).build())) {
            for (int i = 0; i < 1000; i++) {
                memtable.put(("key " + i).getBytes(UTF_8), new byte[100]);
            }
            memtable.deleteRange("a".getBytes(UTF_8), "b".getBytes(UTF_8));
            assertEquals(memtables + 1, registry.get("nestling.memtables").gauge().value());
            assertTrue(used(registry, "records") >= records + 100_000, () -> "records " + used(registry, "records"));
            assertTrue(used(registry, "range_tombstones") > ranges);
            assertTrue(used(registry, "index") > 0);
            assertEquals(0, used(registry, "order"));
            assertTrue(registry.get("nestling.offheap.reserved").gauge().value() > reserved + 100_000);
        }
        assertEquals(memtables, registry.get("nestling.memtables").gauge().value());
    }

    private static double used(final SimpleMeterRegistry registry, final String purpose) {
        return registry.get("nestling.offheap.used").tag("purpose", purpose).gauge().value();
    }
}
