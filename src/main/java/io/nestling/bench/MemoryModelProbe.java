/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.bench.MachineModel.ParallelReads;
import io.nestling.bytes.Hashing;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.util.ArrayList;
import java.util.List;

/**
 * Measures the speed of the memory: reads of random lines of a region larger than caches, of which K are
 * independent of each other and the next K depend on all of these.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class MemoryModelProbe {
    private static final int[] PARALLEL = {1, 2, 4, 8, 10, 12, 16, 24, 32};
    private static final int ROUNDS = 6;
    private static final int SMALL_PAGE_BYTES = 4096;
    private static final int LINE_SHIFT = 6;
    private static final int STEPS_AT_ONCE = 256;
    private static final long ODD = 0x9E37_79B9_7F4A_7C15L;
    private static final int PREFETCH_DISTANCE = 16;

    private final long bytes;
    private final long nanos;
    private long state = 1;

    /**
     * Creates a probe of a region of some bytes, a power of two. One measurement takes {@code nanos}; there are about a hundred.
     */
    MemoryModelProbe(final long bytes, final long nanos) {
        this.bytes = bytes;
        this.nanos = nanos;
    }

    MachineModel measure() {
        final double[] huge = new double[PARALLEL.length];
        final double[] small = new double[PARALLEL.length];
        double lines = 0;
        try (Slab hugePages = touched(false); Slab smallPages = touched(true)) {
            for (int round = 0; round <= ROUNDS; round++) {
                parallelReads(hugePages, huge, round == 0);
                parallelReads(smallPages, small, round == 0);
                lines = round == 0 ? 0 : Math.max(lines, linesPerSecond(hugePages, round % 2 == 0));
            }
        }
        return new MachineModel(reads(huge), reads(small), lines);
    }

    private Slab touched(final boolean smallPages) {
        final Slab slab = SlabAllocator.direct().allocate(bytes);
        if (smallPages) {
            slab.useSmallPages(0, bytes);
        }
        for (long offset = 0; offset < bytes; offset += SMALL_PAGE_BYTES) {
            slab.putLong(offset, 1);
        }
        return slab;
    }

    /** Keeps the least time of all rounds, as other load of the machine only slows them. */
    private void parallelReads(final Slab slab, final double[] least, final boolean first) {
        for (int i = 0; i < PARALLEL.length; i++) {
            final double time = step(slab, PARALLEL[i]);
            // The first round only warms up.
            least[i] = first ? Double.MAX_VALUE : Math.min(least[i], time);
        }
    }

    private static List<ParallelReads> reads(final double[] nanos) {
        final List<ParallelReads> reads = new ArrayList<>();
        for (int i = 0; i < PARALLEL.length; i++) {
            reads.add(new ParallelReads(PARALLEL[i], nanos[i]));
        }
        return reads;
    }

    /** Returns the time of a step of a number of reads in nanoseconds. */
    private double step(final Slab slab, final int reads) {
        final long start = System.nanoTime();
        long steps = 0;
        long now;
        do {
            state = steps(slab, reads, state);
            steps += STEPS_AT_ONCE;
            now = System.nanoTime();
        } while (now - start < nanos);
        return (double) (now - start) / steps;
    }

    private long steps(final Slab slab, final int reads, final long from) {
        final int shift = Long.numberOfLeadingZeros(bytes - 1) + LINE_SHIFT;
        long seed = from;
        for (int i = 0; i < STEPS_AT_ONCE; i++) {
            long sum = 0;
            for (int read = 0; read < reads; read++) {
                sum += slab.getLong(Hashing.mix64(seed + read * ODD) >>> shift << LINE_SHIFT);
            }
            // The next addresses depend on every read.
            seed = seed * ODD + sum + 1;
        }
        return seed;
    }

    /** Returns the rate of independent reads, with prefetches or with the processor's out-of-order execution. */
    private double linesPerSecond(final Slab slab, final boolean prefetch) {
        final long start = System.nanoTime();
        long lines = 0;
        long now;
        do {
            state += independent(slab, state, prefetch);
            lines += STEPS_AT_ONCE;
            now = System.nanoTime();
        } while (now - start < nanos);
        return lines * 1e9 / (now - start);
    }

    private long independent(final Slab slab, final long from, final boolean prefetch) {
        final int shift = Long.numberOfLeadingZeros(bytes - 1) + LINE_SHIFT;
        long sum = 1;
        for (int i = 0; i < STEPS_AT_ONCE; i++) {
            if (prefetch) {
                slab.prefetch((from + i + PREFETCH_DISTANCE) * ODD >>> shift << LINE_SHIFT);
            }
            sum += slab.getLong((from + i) * ODD >>> shift << LINE_SHIFT);
        }
        return sum + STEPS_AT_ONCE;
    }
}
