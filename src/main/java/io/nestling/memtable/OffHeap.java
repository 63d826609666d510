/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bridge.NativeBridges;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.ToLongFunction;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The off-heap memory of this process's memtables. A server of beans keeps the class loader of each bean, so that an application
 * registers it by itself: {@code OffHeap.register()}.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. Each asks all open memtables: it is for monitoring, not for hot paths.
 */
public final class OffHeap implements OffHeapMXBean {
    /** Name of the registered bean. */
    public static final String OBJECT_NAME = "io.nestling:type=OffHeap";

    private static final Set<Memtable> OPEN = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final Set<Memtable> memtables;

    /** Creates a view of the process's memtables. */
    public OffHeap() {
        this(OPEN);
    }

    /** Creates a view of a synchronized set. */
    OffHeap(final Set<Memtable> memtables) {
        this.memtables = memtables;
    }

    /**
     * Registers a bean with the platform's server under {@link #OBJECT_NAME}.
     *
     * @throws IllegalStateException if the server refuses, as it does a second bean of that name
     */
    public static void register() {
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new OffHeap(), new ObjectName(OBJECT_NAME));
        } catch (final JMException e) {
            throw new IllegalStateException("cannot register " + OBJECT_NAME, e);
        }
    }

    /**
     * Ends {@link #register}; does nothing if no bean is registered.
     *
     * @throws IllegalStateException if the server of beans refuses
     */
    public static void unregister() {
        try {
            final ObjectName name = new ObjectName(OBJECT_NAME);
            if (ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            }
        } catch (final JMException e) {
            throw new IllegalStateException("cannot unregister " + OBJECT_NAME, e);
        }
    }

    static boolean isOpen(final Memtable memtable) {
        return OPEN.contains(memtable);
    }

    static void opened(final Memtable memtable) {
        OPEN.add(memtable);
    }

    static void closed(final Memtable memtable) {
        OPEN.remove(memtable);
    }

    @Override
    public int getMemtables() {
        return memtables.size();
    }

    @Override
    public long getIndexBytes() {
        return sum(memtable -> memtable.stats().indexBytes() - memtable.state().heap().bytes()) - getOrderBytes();
    }

    @Override
    public long getRecordBytes() {
        return sum(memtable -> memtable.stats().recordBytes());
    }

    @Override
    public long getOrderBytes() {
        return sum(memtable -> memtable.shards().orderBytes());
    }

    @Override
    public long getRangeTombstoneBytes() {
        return sum(memtable -> memtable.state().rangeTombstones().bytes());
    }

    @Override
    public long getReservedBytes() {
        return sum(memtable -> memtable.state().budget().used() - memtable.state().heap().bytes());
    }

    @Override
    public String getBridge() {
        return NativeBridges.description();
    }

    private long sum(final ToLongFunction<Memtable> bytes) {
        final List<Memtable> open;
        synchronized (memtables) {
            open = new ArrayList<>(memtables);
        }
        long sum = 0;
        for (final Memtable memtable : open) {
            try {
                sum += bytes.applyAsLong(memtable);
            } catch (final IllegalStateException e) {
                continue; // closed meanwhile
            }
        }
        return Math.max(0, sum);
    }
}
