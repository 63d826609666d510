/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.bridge.NativeBridge;
import io.nestling.bridge.NativeBridges;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Collects cache lines and prefetches them together by one native call. Without a native bridge, an early load
 * requests each line at once.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class PrefetchVector {
    /** Number of lines at which a vector requests them without a call of {@link #request}. */
    public static final int CAPACITY = 64;
    /** Most lines of a range: processors prefetch the rest of a range that is read in order. */
    public static final int MOST_LINES = 4;

    private static final NativeBridge BRIDGE = NativeBridges.get();
    private static final boolean NATIVE = BRIDGE.isNative();
    private static final int LINE_SHIFT = 6;
    private static final int LINE_BYTES = 1 << LINE_SHIFT;
    private static final int VECTOR_BYTES = CAPACITY * Long.BYTES;
    private static final int VECTORS = 1 << 10;
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final long start;
    private int count;

    /** Creates an empty vector. */
    public PrefetchVector() {
        start = NATIVE
            ? (long) (NEXT.getAndIncrement() & VECTORS - 1) * VECTOR_BYTES
            : 0;
    }

    /** Adds the line of an offset, at which four bytes lie in that line. */
    public void add(final Slab slab, final long offset) {
        final long address = slab.address(offset);
        if (address == 0) {
            EarlyLoad.use(slab.getInt(offset));
        } else {
            add(address);
        }
    }

    /** Adds the lines of several offsets, from one to before another one in the array. */
    public void add(final Slab slab, final long[] offsets, final int from, final int end) {
        final long base = slab.address(0);
        if (base == 0 || count + end - from >= CAPACITY) {
            for (int i = from; i < end; i++) {
                add(slab, offsets[i]);
            }
        } else if (NATIVE) {
            long at = start + ((long) count << 3);
            for (int i = from; i < end; i++) {
                Scratch.SLAB.putLong(at, base + offsets[i]);
                at += Long.BYTES;
            }
            count += end - from;
        }
    }

    /** Adds the line of an offset if a number is 1, not if it is 0, without a branch. */
    public void addIf(final Slab slab, final long offset, final int number) {
        final long address = slab.address(offset);
        if (address == 0) {
            EarlyLoad.use(slab.getInt(offset));
        } else if (NATIVE) {
            // An address that is not counted is overwritten.
            Scratch.SLAB.putLong(start + ((long) count << 3), address);
            count += number;
            if (count == CAPACITY) {
                request();
            }
        }
    }

    /** Adds the line of a machine address; 0 is ignored. */
    public void add(final long address) {
        if (NATIVE && address != 0) {
            Scratch.SLAB.putLong(start + ((long) count << 3), address);
            if (++count == CAPACITY) {
                request();
            }
        }
    }

    /** Adds the lines of a range of bytes from a machine address on, at most {@link #MOST_LINES}; 0 is ignored. */
    public void add(final long address, final int bytes) {
        final int last = ((int) address & LINE_BYTES - 1) + bytes - 1 >> LINE_SHIFT;
        addRow(address, Math.min(1 + last, MOST_LINES), bytes > LINE_BYTES);
    }

    /**
     * Adds one to four consecutive lines, more than two only if {@code many}. No branch depends on the number of lines, since
     * it varies unpredictably from range to range: addresses that are not counted are overwritten.
     */
    private void addRow(final long address, final int number, final boolean many) {
        if (NATIVE && address != 0) {
            if (count >= CAPACITY - MOST_LINES) {
                request();
            }
            final long end = start + ((long) count << 3);
            if (many) {
                Scratch.SLAB.putSeries(end, address, LINE_BYTES);
            } else {
                Scratch.SLAB.putLong(end, address);
                Scratch.SLAB.putLong(end + Long.BYTES, address + LINE_BYTES);
            }
            count += number;
        }
    }

    /** Prefetches the lines added since the last request. */
    public void request() {
        if (count > 0) {
            BRIDGE.prefetchVector(Scratch.SLAB.address(start), count);
            count = 0;
        }
    }

    /** Returns the number of lines added and not requested. */
    int size() {
        return count;
    }

    /**
     * The memory that passes addresses to the native call: one region for the process, of which each vector
     * has a part. If there are more vectors than parts, two may share one and request some wrong
     * lines, which does no harm. The region is never closed; it is freed with the class loader of this class.
     */
    private static final class Scratch {
        static final Slab SLAB = Slab.allocateCollected(VECTORS * VECTOR_BYTES);
    }
}
