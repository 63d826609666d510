/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.Arrays;
import java.util.Random;

/**
 * A memory model weaker than that of x86, kept by vector clocks. A store appends to its word's history; the order of a history
 * is the order of execution. A load may return any store that is not older than the newest one that happens before it. A load
 * with acquire mode takes over the clock of the store's release, or of the release fence before a plain store; a plain load
 * keeps that clock until the fiber's next acquire fence. Loads with acquire mode never go back within a word's history; plain
 * ones may, as the Java memory model gives them no coherence.
 * <p>
 * Numbers on the heap that are stored by {@code lazySet}, {@code setRelease} or {@code setOpaque} have such histories too, from
 * one volatile store to the next.
 * <p>
 * What it leaves out of the Java memory model: loads that see a later store of another fiber (load buffering), and stale values
 * of other heap words; these are always the newest. A volatile store to the heap is a full fence.
 */
final class WeakMemory {
    /** Bytes of a word that an access covers, as a mask with a bit for each. */
    static final int WHOLE_WORD = 0xFF;

    /** The stores to one word of a slab since the fibers began. Number 0 stands for the value before. */
    static final class History {
        private static final int FIRST_SIZE = 4;
        private int count = 1;
        private long[] values = new long[FIRST_SIZE];
        private int[] masks = new int[FIRST_SIZE];
        private int[] fibers = new int[FIRST_SIZE];
        private int[] times = new int[FIRST_SIZE];
        private int[][] releases = new int[FIRST_SIZE][];
        private final int[] seen;

        History(final long before, final int fiberCount) {
            values[0] = before;
            masks[0] = WHOLE_WORD;
            seen = new int[fiberCount];
        }

        /** Says what clock comes with the value before. */
        void firstRelease(final int[] clock) {
            releases[0] = clock;
        }

        private int append() {
            if (count == values.length) {
                masks = Arrays.copyOf(masks, count * 2);
                fibers = Arrays.copyOf(fibers, count * 2);
                times = Arrays.copyOf(times, count * 2);
                releases = Arrays.copyOf(releases, count * 2);
                values = Arrays.copyOf(values, count * 2);
            }
            return count++;
        }
    }

    private final int[] fullFences;
    private final int[] ended;
    private final Random random;
    private final double staleChance;
    private int staleReads;

    WeakMemory(final int fibers, final Random random) {
        this.fullFences = new int[fibers];
        this.ended = new int[fibers];
        this.random = random;
        this.staleChance = new double[] {0.1, 0.4, 0.8}[random.nextInt(3)];
    }

    int staleReads() {
        return staleReads;
    }

    /**
     * Returns what a fiber reads.
     *
     * @param word the word's history
     * @param mask the bytes that are read
     * @param acquire whether the load has acquire mode
     */
    long load(final Fiber fiber, final History word, final int mask, final boolean acquire) {
        return load(fiber, word, mask, acquire, acquire);
    }

    /** Returns what a fiber reads from a word of the heap, where no load goes back. */
    long loadCoherent(final Fiber fiber, final History word, final boolean acquire) {
        return load(fiber, word, WHOLE_WORD, acquire, true);
    }

    private long load(
        final Fiber fiber, final History word, final int mask, final boolean acquire, final boolean coherent) {
        final int newest = word.count - 1;
        int oldest = newest;
        while (oldest > 0
            && ((word.masks[oldest] & mask) == 0 || word.times[oldest] > fiber.clock[word.fibers[oldest]])) {
            oldest--;
        }
        if (coherent) {
            oldest = Math.max(oldest, word.seen[fiber.id]);
        }
        int chosen = newest;
        if (oldest < newest && fiber.staleReadsLeft > 0 && random.nextDouble() < staleChance) {
            chosen = oldest + random.nextInt(newest - oldest + 1);
            if (((word.values[chosen] ^ word.values[newest]) & bits(mask)) != 0) {
                fiber.staleReadsLeft--;
                staleReads++;
                Trace.staleRead(fiber, word.values[chosen], word.values[newest]);
            }
        }
        if (coherent) {
            word.seen[fiber.id] = Math.max(chosen, word.seen[fiber.id]);
        }
        int rest = mask;
        for (int i = chosen; i >= 0 && rest != 0; i--) {
            if ((word.masks[i] & rest) != 0) {
                rest &= ~word.masks[i];
                Clock.join(acquire ? fiber.clock : fiber.pending, word.releases[i]);
            }
        }
        return word.values[chosen];
    }

    void store(
        final Fiber fiber, final History word, final int mask, final long value, final boolean release, final boolean cas) {
        final int i = word.append();
        word.values[i] = value;
        word.masks[i] = mask;
        word.fibers[i] = fiber.id;
        word.times[i] = ++fiber.clock[fiber.id];
        word.releases[i] = release ? fiber.clock.clone() : fiber.fence.clone();
        if (cas && i > 1) {
            Clock.join(word.releases[i], word.releases[i - 1]); // a read-modify-write continues the release before it
        }
        word.seen[fiber.id] = i;
    }

    /** A compare-and-set reads the newest value and synchronizes with its store. */
    void beforeCompareAndSet(final Fiber fiber, final History word, final boolean fullFence) {
        if (word != null) {
            Clock.join(fiber.clock, word.releases[word.count - 1]);
            word.seen[fiber.id] = word.count - 1;
        }
        if (fullFence) {
            fullFence(fiber);
        }
    }

    /** The fiber reads the newest value for sure, and synchronizes with its store. */
    void joinNewest(final Fiber fiber, final History word) {
        Clock.join(fiber.clock, word.releases[word.count - 1]);
    }

    void acquireFence(final Fiber fiber) {
        Clock.join(fiber.clock, fiber.pending);
    }

    void releaseFence(final Fiber fiber) {
        fiber.fence = fiber.clock.clone();
    }

    void fullFence(final Fiber fiber) {
        acquireFence(fiber);
        Clock.join(fullFences, fiber.clock);
        Clock.join(fiber.clock, fullFences);
        releaseFence(fiber);
    }

    /** All operations that ended before are visible, as if their threads had told this one. */
    void operationBegins(final Fiber fiber) {
        Clock.join(fiber.clock, ended);
    }

    void operationEnds(final Fiber fiber) {
        Clock.join(ended, fiber.clock);
    }

    static long bits(final int mask) {
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            bits |= (mask >>> i & 1) == 0 ? 0 : 0xFFL << Byte.SIZE * i;
        }
        return bits;
    }
}
