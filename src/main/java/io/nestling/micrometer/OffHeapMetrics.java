/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.nestling.memtable.OffHeap;

import java.util.function.ToDoubleFunction;

/**
 * Gauges of the off-heap memory of this process's memtables, the figures of {@link OffHeap}:
 * <ul>
 * <li>{@code nestling.memtables}: number of open memtables</li>
 * <li>{@code nestling.offheap.used}: bytes in use, by the tag {@code purpose}: {@code index}, {@code records}, {@code order},
 * {@code range_tombstones}</li>
 * <li>{@code nestling.offheap.reserved}: bytes reserved, those in use included</li>
 * </ul>
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
@SuppressWarnings("exports") // who has Micrometer requires its module
public final class OffHeapMetrics implements MeterBinder {
    private final OffHeap offHeap = new OffHeap();

    /** Creates a binder. */
    public OffHeapMetrics() {
    }

    @Override
    public void bindTo(final MeterRegistry registry) {
        Gauge.builder("nestling.memtables", offHeap, OffHeap::getMemtables)
            .description("Open memtables").strongReference(true).register(registry);
        used(registry, "index", OffHeap::getIndexBytes);
        used(registry, "records", OffHeap::getRecordBytes);
        used(registry, "order", OffHeap::getOrderBytes);
        used(registry, "range_tombstones", OffHeap::getRangeTombstoneBytes);
        Gauge.builder("nestling.offheap.reserved", offHeap, OffHeap::getReservedBytes)
            .description("Off-heap bytes that memtables have reserved").baseUnit("bytes").strongReference(true)
            .register(registry);
    }

    private void used(final MeterRegistry registry, final String purpose, final ToDoubleFunction<OffHeap> bytes) {
        Gauge.builder("nestling.offheap.used", offHeap, bytes).tag("purpose", purpose)
            .description("Off-heap bytes that memtables use").baseUnit("bytes").strongReference(true).register(registry);
    }
}
