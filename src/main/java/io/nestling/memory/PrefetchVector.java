/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import io.nestling.bridge.NativeBridge;
import io.nestling.bridge.NativeBridges;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Collects cache lines and requests them together by one native call. Where there is no native bridge, a line
 * is requested at once by an early load.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class PrefetchVector {
    /** Lines that are collected before they are requested on their own. */
    public static final int CAPACITY = 64;

    private static final NativeBridge BRIDGE = NativeBridges.get();
    private static final boolean NATIVE = BRIDGE.isNative();
    private static final int VECTOR_BYTES = CAPACITY * Long.BYTES;
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final long start;
    private int count;
    private int touched;

    /** Makes an empty vector. */
    public PrefetchVector() {
        start = NATIVE
            ? (long) Math.floorMod(NEXT.getAndIncrement(),
            (int) (MemoryBudget.SLAB_BYTES / VECTOR_BYTES)) * VECTOR_BYTES
            : 0;
    }

    /**
     * Adds the line of an offset.
     *
     * @param slab the slab
     * @param offset byte offset of four bytes in the line
     */
    public void add(final Slab slab, final long offset) {
        final long address = slab.address(offset);
        if (address == 0) {
            touched ^= slab.getInt(offset);
        } else {
            add(address);
        }
    }

    /**
     * Adds the line of an address.
     *
     * @param address machine address; 0 is ignored
     */
    public void add(final long address) {
        if (NATIVE && address != 0) {
            Scratch.SLAB.putLong(start + ((long) count << 3), address);
            if (++count == CAPACITY) {
                request();
            }
        }
    }

    /** Requests the lines that were added. */
    public void request() {
        if (count > 0) {
            BRIDGE.prefetchVector(Scratch.SLAB.address(start), count);
            count = 0;
        }
    }

    /**
     * The memory that addresses are handed over in: one region for the whole process, of which each vector
     * has its own part. When there are more vectors than parts, two may share one; then some wrong line is
     * requested, which does no harm.
     */
    private static final class Scratch {
        static final Slab SLAB = Slab.map(MemoryBudget.SLAB_BYTES);
    }
}
