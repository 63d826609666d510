/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.Slab;

import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Finds the region of a hash. A region of depth {@code d} covers the hashes that end in its pattern of {@code d} bits, and stands
 * at all entries whose numbers end in the pattern, so that one load finds it. A split of the deepest region doubles the directory
 * by a copy of its entries.
 * <pre>
 *  entry, 4 bytes, putIntRelease / getIntAcquire: the number of a region, see RegionLayout
 * </pre>
 * Example: depth 2 and regions with the patterns 0 (depth 1), 01 and 11 (depth 2). The first one stands at the entries 0 and 2,
 * the others at 1 and 3. The entries of a depth of at most 9 stand in the slab of the regions, deeper ones in a slab of their
 * own, where they never move.
 * <h2>Thread safety</h2>
 * Any thread may look up. Entries are written in a monitor, those of a region by the thread that has locked it as a whole. A
 * reader with an earlier depth reads an entry of a shorter pattern, and asks again if that region does not cover the hash.
 */
final class RegionDirectory implements AutoCloseable {
    static final long MAX_REGION_BYTES = (1L << 30) * LINE_BYTES;
    /** Bytes of the directory at the beginning of the slab of the regions. */
    static final int FIRST_BYTES = 1 << 11;
    private static final int ENTRY_SHIFT = 2;
    private static final int FIRST_DEPTH = LoweredLimit.of("cocuckoo.firstDepth", 9, 1);
    private static final int MAX_DEPTH = 28;

    private final Slab first;
    private final GrowingSlab growing;
    private final Slab slab;
    private final int maxDepth;
    private volatile int depth = MIN_DEPTH;

    /**
     * Makes an empty directory. A small directory stands in the first bytes of the regions' slab, a larger one in a slab of its
     * own.
     */
    RegionDirectory(final Slab first, final GrowingSlab growing) {
        this.first = first;
        this.growing = growing;
        this.slab = growing.slab();
        this.maxDepth = Math.min(MAX_DEPTH, Long.SIZE - 1 - Long.numberOfLeadingZeros(slab.size() >>> ENTRY_SHIFT));
    }

    int depth() {
        return depth;
    }

    /** Returns the greatest depth with address space. */
    int maxDepth() {
        return maxDepth;
    }

    Slab slab() {
        return slab;
    }

    /** Returns the region of a hash. A reader asks again if that region does not cover the hash. */
    long region(final long hash) {
        final int current = depth;
        return entries(current).getIntAcquire((hash & (1L << current) - 1) << ENTRY_SHIFT) & UNSIGNED_INT_MASK;
    }

    private Slab entries(final int ofDepth) {
        return ofDepth <= FIRST_DEPTH ? first : slab;
    }

    /** Returns the region at an entry. */
    long regionAt(final int number) {
        return entries(depth).getIntAcquire((long) number << ENTRY_SHIFT) & UNSIGNED_INT_MASK;
    }

    /** Returns the region at an entry if no smaller number has the same one, else {@link RegionLayout#NULL}. */
    long firstRegionAt(final int number) {
        final long region = regionAt(number);
        return first.getInt(base(region) + PATTERN_OFFSET) == number ? region : NULL;
    }

    /** Returns all regions in the order of their patterns, and those that come meanwhile. */
    LongStream regions() {
        return IntStream.iterate(0, number -> number < 1 << depth, number -> number + 1)
            .mapToLong(this::firstRegionAt).filter(region -> region != NULL);
    }

    /** Writes a region to all entries of its pattern. */
    synchronized void publish(final long region) {
        // cocuckoo-concurrency.md, claim 10
        final long step = 1L << first.getInt(base(region) + DEPTH_OFFSET);
        final Slab entries = entries(depth);
        for (long number = first.getInt(base(region) + PATTERN_OFFSET); number < 1L << depth; number += step) {
            entries.putIntRelease(number << ENTRY_SHIFT, (int) region);
        }
    }

    /** Grows the directory to a depth; returns false if it cannot. */
    boolean reachDepth(final int wanted) {
        return wanted <= depth || wanted <= maxDepth && growTo(wanted);
    }

    private synchronized boolean growTo(final int wanted) {
        while (depth < wanted) {
            final int next = depth + 1;
            if (next > FIRST_DEPTH && !growing.growTo((long) Integer.BYTES << next)) {
                return false;
            }
            final Slab from = entries(depth);
            final Slab to = entries(next);
            final long half = (long) Integer.BYTES << depth;
            for (long at = 0; at < half; at += Integer.BYTES) {
                final int entry = from.getInt(at);
                if (to != from) { // a plain store over an entry would take its publication from it
                    to.putInt(at, entry);
                }
                to.putInt(half + at, entry);
            }
            depth = next; // publishes the entries
        }
        return true;
    }

    long bytesUsed() {
        return FIRST_BYTES + (depth > FIRST_DEPTH ? (long) Integer.BYTES << depth : 0);
    }

    @Override
    public void close() {
        growing.close();
    }
}
