/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.memory.GrowingSlab;
import io.nestling.memory.Slab;

/**
 * Says which region a hash belongs to. A region of depth {@code d} takes the hashes that end in its pattern of {@code d} bits and
 * stands at the entry with the number of the pattern, and nowhere else; an entry of 0 sends on to the entry without the
 * number's highest bit. So the directory doubles without a copy, and a split writes two entries.
 * <pre>
 *  entry, 4 bytes, putIntRelease / getIntAcquire:  bits 2..31 offset of the region in lines   bits 0..1 its size class
 * </pre>
 * Example: depth 3 and regions at 0 (depth 1), 1 (depth 2), 3 (depth 3) and 7 (depth 3). A hash that ends in 101 finds entry 5
 * empty and goes on to entry 1; one that ends in 110 goes by 6 and 2 to 0. Entries up to 1,023 stand in the slab of the regions, the
 * others in one of their own.
 * <h2>Thread safety</h2>
 * Any thread may look up; an entry is written by the one that has locked the region as a whole; growing takes a monitor.
 */
final class RegionDirectory implements AutoCloseable {
    static final long MAX_REGION_BYTES = (1L << 30) * LINE_BYTES;
    /** Bytes at the beginning of the slab of the regions that belong to the directory. */
    static final int FIRST_BYTES = 1 << 12;
    private static final int ENTRY_SHIFT = 2;
    private static final int FIRST_ENTRIES = FIRST_BYTES >>> ENTRY_SHIFT;
    private static final int LINE_SHIFT = 6;
    private static final int OFFSET_SHIFT = LINE_SHIFT - 2;
    private static final int CLASS_MASK = 3;
    private static final long UNSIGNED_INT_MASK = 0xFFFF_FFFFL;
    private static final int MAX_DEPTH = 28;

    private final Slab first;
    private final GrowingSlab growing;
    private final Slab slab;
    private final int maxDepth;
    private volatile int depth = MIN_DEPTH;

    /**
     * Makes an empty directory.
     *
     * @param first the slab of the regions, in whose first bytes a small directory stands
     * @param growing the slab of a larger one
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

    Slab slab() {
        return slab;
    }

    /** The region of a hash. A reader that finds that it does not take the hash asks again. */
    long region(final long hash) {
        int number = (int) hash & (1 << depth) - 1;
        int entry = entry(number);
        while (entry == 0) {
            number ^= Integer.highestOneBit(number);
            entry = entry(number);
        }
        return (entry & UNSIGNED_INT_MASK & ~CLASS_MASK) << OFFSET_SHIFT | entry & CLASS_MASK;
    }

    private int entry(final int number) {
        return (number < FIRST_ENTRIES ? first : slab).getIntAcquire((long) number << ENTRY_SHIFT);
    }

    /** The region that stands at an entry itself; 0 if there is none. */
    long regionAt(final int number) {
        final int entry = entry(number);
        return (entry & UNSIGNED_INT_MASK & ~CLASS_MASK) << OFFSET_SHIFT | entry & CLASS_MASK;
    }

    void publish(final int pattern, final long region) {
        (pattern < FIRST_ENTRIES ? first : slab).putIntRelease((long) pattern << ENTRY_SHIFT, (int) (base(region) >>> OFFSET_SHIFT) | sizeClass(region));
    }

    /** Makes room for regions of a depth; false if there is none. */
    boolean reachDepth(final int wanted) {
        if (wanted <= depth) {
            return true;
        }
        if (wanted > maxDepth) {
            return false;
        }
        synchronized (this) {
            if (wanted > depth) {
                if (1 << wanted > FIRST_ENTRIES && !growing.growTo((long) Integer.BYTES << wanted)) {
                    return false;
                }
                depth = wanted;
            }
            return true;
        }
    }

    long bytesUsed() {
        return FIRST_BYTES + (1 << depth > FIRST_ENTRIES ? (long) Integer.BYTES << depth : 0);
    }

    @Override
    public void close() {
        growing.close();
    }
}
