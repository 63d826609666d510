/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.bytes.LoweredLimit;
import io.nestling.cocuckoo.WriteScratch.Builders;
import io.nestling.offheap.ScratchPool;
import io.nestling.offheap.Slab;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Replaces a region by a larger one, by two, or by a smaller one, or lets a {@link RegionDivider} divide it. The caller has
 * locked the region as a whole. Its payloads are frozen one by one and written to the new region with their hashes; then the
 * directory is updated. Readers find every key in either region, and a writer waits no longer than copying the 256 slots of a
 * region takes.
 * <h2>Thread safety</h2>
 * Any number of threads, each with a region of its own.
 */
final class RegionResizer {
    /** Result of growth: no memory, and the region is unchanged. */
    static final int REFUSED = 0;
    /** Result of growth: others replace the region, which stays locked for ever. */
    static final int REPLACED = 1;
    /** Result of growth: the region kept half of its keys, and must be unlocked. */
    static final int DIVIDED = 2;
    private static final int SPARING_REGIONS = LoweredLimit.of("cocuckoo.sparingRegions", 64, 1);
    private static final int SHRINK_SLACK = 2;
    private static final int SPARE_DEPTH = 4;
    /* Greatest share, in percent, to which a growing region is filled: four slots a bucket allow 97 (M. Dietzfelbinger and
       C. Weidling, 2007). */
    private static final int FILL = 80;
    private static final int PERCENT = 100;
    private static final int FIRST_DEPTHS = 4;

    private final Slab slab;
    private final RegionDirectory directory;
    private final RegionArena arena;
    private final SubgraphForest forest;
    private final AtomicInteger regions = new AtomicInteger(1 << MIN_DEPTH);
    private final ScratchPool<WriteScratch> scratches = new ScratchPool<>(WriteScratch::new);

    RegionResizer(final Slab slab, final RegionDirectory directory, final RegionArena arena, final SubgraphForest forest) {
        this.slab = slab;
        this.directory = directory;
        this.arena = arena;
        this.forest = forest;
    }

    int regions() {
        return regions.get();
    }

    /** Takes the working objects of a write, before it locks anything; the caller releases them. */
    WriteScratch takeScratch() {
        return scratches.take();
    }

    /** Allocates what may replace a region, before that is locked: under the lock a lack of heap must not occur. */
    void prepare(final WriteScratch scratch) {
        scratch.prepare(slab, forest, directory);
    }

    /** Makes the first regions, one for each lowest bit of a hash; returns false if there is no memory. */
    boolean createFirst() {
        final WriteScratch scratch = takeScratch();
        try {
            prepare(scratch);
            return createFirst(scratch.builders().lower);
        } finally {
            scratch.release();
        }
    }

    private boolean createFirst(final RegionBuilder builder) {
        for (int pattern = 0; pattern < 1 << MIN_DEPTH; pattern++) {
            final long region = arena.allocateRegion(0, 0);
            if (region == NULL) {
                return false;
            }
            builder.begin(region, pattern, MIN_DEPTH);
            builder.end();
            publish(builder);
        }
        return true;
    }

    /** Returns whether a region can grow, given memory; if not, more depth would serve few keys. */
    boolean canGrow(final long region) {
        final int depth = slab.getInt(base(region) + DEPTH_OFFSET);
        final int useful = SPARE_DEPTH + Math.max(FIRST_DEPTHS, Integer.SIZE - Integer.numberOfLeadingZeros(regions()));
        return sizeClass(region) < LAST_CLASS || depth < Math.min(useful, directory.maxDepth());
    }

    /** Makes room for the keys of a region; returns {@link #REPLACED}, {@link #DIVIDED} or {@link #REFUSED}. */
    int grow(final long region, final WriteScratch scratch) {
        final Builders builders = scratch.builders();
        final int keys = keys(region);
        final int sizeClass = sizeClass(region);
        if (sizeClass < LAST_CLASS && resize(region, classFor(keys + 1, sizeClass + 1), LAST_CLASS, builders)) {
            return REPLACED;
        }
        // Small tables save memory; large ones save a step that would copy each key again.
        if (sizeClass == LAST_CLASS && regions() >= SPARING_REGIONS) {
            if (Stash.first(slab, base(region)) == NULL && divide(region, builders.divider)) {
                return DIVIDED;
            }
            if (split(region, LAST_CLASS, builders)) {
                return REPLACED;
            }
        }
        return split(region, classFor(keys / 2 + 1, 0), builders) ? REPLACED : REFUSED;
    }

    /** Replaces a region of few keys by one with fewer buckets; returns false if it is small enough or there is no memory. */
    boolean shrink(final long region, final WriteScratch scratch) {
        final int target = shrunkClass(region);
        return target < sizeClass(region) && resize(region, target, sizeClass(region) - 1, scratch.builders());
    }

    /** Returns the size class that suffices for the keys of a region. */
    int shrunkClass(final long region) {
        return sizeClass(region) == 0 ? 0 : classFor(SHRINK_SLACK * keys(region) + SHRINK_SLACK, 0);
    }

    /** Returns the smallest size class, from a given one on, that a number of keys do not overfill; otherwise the largest. */
    private static int classFor(final int keys, final int from) {
        int sizeClass = from;
        while (sizeClass < LAST_CLASS && keys > buckets(sizeClass) * SLOTS_PER_BUCKET * FILL / PERCENT) {
            sizeClass++;
        }
        return sizeClass;
    }

    private int keys(final long region) {
        int keys = forest.keys(base(region), bucketsOf(region));
        for (long block = Stash.first(slab, base(region)); block != NULL; block = slab.getLong(block)) {
            keys += Stash.SLOTS;
        }
        return keys;
    }

    /** Replaces a region by one of a range of size classes. */
    private boolean resize(final long region, final int least, final int most, final Builders builders) {
        final RegionBuilder builder = builders.lower;
        final long target = arena.allocateRegion(least, most);
        if (target == NULL) {
            return false;
        }
        final long base = base(region);
        final int pattern = slab.getInt(base + PATTERN_OFFSET);
        builder.begin(target, pattern, slab.getInt(base + DEPTH_OFFSET));
        if (!copy(region, 0, builder, builder, builders)) {
            abandon(region, builder);
            return false;
        }
        builder.end();
        publish(builder);
        retire(region);
        return true;
    }

    private boolean divide(final long region, final RegionDivider divider) {
        final int depth = slab.getInt(base(region) + DEPTH_OFFSET);
        final long upper = arena.allocateRegion(LAST_CLASS, LAST_CLASS);
        // Another block must be free: the last ones are left to smaller regions, so that more keys find room in the end.
        final long spare = upper == NULL ? NULL : arena.allocateRegion(LAST_CLASS, LAST_CLASS);
        free(spare);
        if (spare == NULL || !directory.reachDepth(depth + 1)) {
            free(upper);
            return false;
        }
        divider.divide(region, upper, depth);
        regions.incrementAndGet();
        return true;
    }

    private boolean split(final long region, final int halfClass, final Builders builders) {
        final long base = base(region);
        final int pattern = slab.getInt(base + PATTERN_OFFSET);
        final int depth = slab.getInt(base + DEPTH_OFFSET);
        final long lower = arena.allocateRegion(halfClass, LAST_CLASS);
        final long upper = lower == NULL ? NULL : arena.allocateRegion(halfClass, LAST_CLASS);
        if (upper == NULL || !directory.reachDepth(depth + 1)) {
            free(lower);
            free(upper);
            return false;
        }
        builders.lower.begin(lower, pattern, depth + 1);
        builders.upper.begin(upper, pattern | 1 << depth, depth + 1);
        if (!copy(region, 1L << depth, builders.lower, builders.upper, builders)) {
            abandon(region, builders.lower);
            free(builders.upper);
            return false;
        }
        builders.lower.end();
        builders.upper.end();
        publish(builders.upper);
        publish(builders.lower);
        regions.incrementAndGet();
        retire(region);
        return true;
    }

    private void publish(final RegionBuilder builder) {
        directory.publish(builder.region());
        SubgraphLocks.unlockCore(slab, base(builder.region()));
    }

    /** Freezes and copies all keys; those whose hash has {@code bit} go to the upper region. */
    private boolean copy(
        final long region, final long bit, final RegionBuilder lower, final RegionBuilder upper, final Builders builders) {
        // cocuckoo-concurrency.md, claim 8
        final long base = base(region);
        final long end = bucketOffset(base, bucketsOf(region));
        if (!copy(base + HEADER_BYTES, end, bit, lower, upper, builders)) {
            return false;
        }
        for (long block = Stash.first(slab, base); block != NULL; block = slab.getLong(block)) {
            final long first = Stash.slots(block);
            if (!copy(first, first + Stash.SLOTS * SLOT_BYTES, bit, lower, upper, builders)) {
                return false;
            }
        }
        return true;
    }

    private boolean copy(
        final long from, final long to, final long bit, final RegionBuilder lower, final RegionBuilder upper,
        final Builders builders) {
        final long[] tags = builders.tags;
        final long[] words = builders.words;
        // First all freezing, then all writing: a CAS waits for the stores before it, which miss the caches. Keys of the lower
        // region fill the arrays from the left, those of the upper one from the right, without a branch.
        int left = 0;
        int right = tags.length - 1;
        for (long slot = from; slot < to; slot += SLOT_BYTES) {
            final long word = KickPath.freeze(slab, slot);
            final long tag = slab.getLong(slot + TAG_OFFSET);
            final int isUpper = (int) ((tag & bit | -(tag & bit)) >>> Long.SIZE - 1);
            final int at = left + (right - left & -isUpper);
            final int count = (int) (word >>> PRESENT_BIT) & 1;
            words[at] = word & ~MOVING;
            tags[at] = tag;
            left += count & ~isUpper;
            right -= count & isUpper;
        }
        for (int i = 0; i < left; i++) {
            if (!add(lower, tags[i], words[i])) {
                return false;
            }
        }
        for (int i = tags.length - 1; i > right; i--) {
            if (!add(upper, tags[i], words[i])) {
                return false;
            }
        }
        return true;
    }

    private boolean add(final RegionBuilder target, final long tag, final long word) {
        return target.add(tag, word) || addToStash(target, tag, word);
    }

    private boolean addToStash(final RegionBuilder target, final long tag, final long word) {
        if (target.addToStash(tag, word)) {
            return true;
        }
        final long block = arena.allocateStash();
        if (block == NULL) {
            return false;
        }
        target.addStashBlock(block);
        return target.addToStash(tag, word);
    }

    /** Thaws a region and frees the one that was to replace it. */
    private void abandon(final long region, final RegionBuilder builder) {
        final long base = base(region);
        thaw(base + HEADER_BYTES, bucketOffset(base, bucketsOf(region)));
        for (long block = Stash.first(slab, base); block != NULL; block = slab.getLong(block)) {
            thaw(Stash.slots(block), Stash.slots(block) + Stash.SLOTS * SLOT_BYTES);
        }
        free(builder);
    }

    private void thaw(final long from, final long to) {
        for (long slot = from; slot < to; slot += SLOT_BYTES) {
            final long word = slab.getLongAcquire(slot);
            if ((word & MOVING) != 0) {
                slab.putLongRelease(slot, word & ~MOVING);
            }
        }
    }

    private void free(final RegionBuilder builder) {
        long block = Stash.first(slab, base(builder.region()));
        while (block != NULL) {
            final long next = slab.getLong(block);
            arena.free(block, RegionArena.STASH);
            block = next;
        }
        free(builder.region());
    }

    private void free(final long region) {
        if (region != NULL) {
            arena.free(base(region), sizeClass(region));
        }
    }

    private void retire(final long region) {
        final long base = base(region);
        for (long block = Stash.first(slab, base); block != NULL; block = slab.getLong(block)) {
            arena.retire(block, RegionArena.STASH);
        }
        arena.retire(base, sizeClass(region));
    }
}
