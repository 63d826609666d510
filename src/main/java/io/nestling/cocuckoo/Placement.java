/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

/**
 * Puts an absent key into one of its two buckets: finds the case, moves other keys if necessary, and keeps the forest right (the
 * paper's algorithms 3 to 8).
 * <h2>Thread safety</h2>
 * The caller has locked the subgraphs of both buckets, or the region as a whole.
 */
final class Placement {
    /** The key was placed. */
    static final int PLACED = 0;
    /** Neither subgraph has a vacancy. */
    static final int MAXIMAL = 1;
    /** No vacancy can be reached. */
    static final int NO_PATH = 2;

    private final Slab slab;
    private final SubgraphForest forest;
    private final InsertionCounts counts;

    Placement(final Slab slab, final SubgraphForest forest, final InsertionCounts counts) {
        this.slab = slab;
        this.forest = forest;
        this.counts = counts;
    }

    /** Places a key; {@code bits} are the locked ones, {@link RegionLayout#ALL_LOCKED} for the whole region. */
    int place(final long region, final long hash, final long payload, final long bits, final KickPath kicks) {
        final long base = base(region);
        final int buckets = bucketsOf(region);
        final int primary = primary(hash, buckets);
        final int secondary = secondary(hash, buckets, primary);
        if (Long.bitCount(bits) == 1) {
            return placeZeroEmpty(region, hash, payload, bits, kicks); // neither is EMPTY: such a bucket shares no root
        }
        final boolean primaryEmpty = forest.isEmpty(base, primary);
        final boolean secondaryEmpty = forest.isEmpty(base, secondary);
        if (primaryEmpty && secondaryEmpty) {
            put(bucketOffset(base, primary), hash, payload);
            forest.union(base, primary, secondary, 2 * SLOTS_PER_BUCKET - 1);
            counts.count(InsertionCase.TWO_EMPTY);
            return PLACED;
        }
        if (primaryEmpty || secondaryEmpty) {
            final int empty = primaryEmpty ? primary : secondary;
            final int root = forest.root(base, primaryEmpty ? secondary : primary);
            put(bucketOffset(base, empty), hash, payload);
            final int vacancies = forest.vacancies(base, root) + SLOTS_PER_BUCKET - 1;
            if (empty < root) {
                forest.union(base, empty, root, vacancies); // the smaller number is the root
                forest.gather(base, buckets, empty);
            } else {
                forest.setParent(base, empty, root);
                forest.setRoot(base, root, vacancies);
            }
            counts.count(InsertionCase.ONE_EMPTY);
            return PLACED;
        }
        return placeZeroEmpty(region, hash, payload, bits, kicks);
    }

    private int placeZeroEmpty(
        final long region, final long hash, final long payload, final long bits, final KickPath kicks) {
        final long base = base(region);
        final int primary = primary(hash, bucketsOf(region));
        final int secondary = secondary(hash, bucketsOf(region), primary);
        final boolean oneRoot = Long.bitCount(bits) == 1;
        final int root0 = oneRoot ? Long.numberOfTrailingZeros(bits) : forest.root(base, primary);
        final int root1 = oneRoot ? root0 : forest.root(base, secondary);
        final boolean open0 = !forest.isMaximal(base, root0);
        final boolean open1 = root0 == root1 ? open0 : !forest.isMaximal(base, root1);
        if (!open0 && !open1) {
            return MAXIMAL;
        }
        final int free0 = open0 ? freeSlots(slab, bucketOffset(base, primary)) : 0;
        final int free1 = open1 ? freeSlots(slab, bucketOffset(base, secondary)) : 0;
        final KickPath path = (free0 | free1) != 0 ? null
            : searchPath(kicks, region, open0 ? primary : KickPath.NONE, open1 ? secondary : KickPath.NONE);
        if (path != null && !path.isFound()) {
            return NO_PATH;
        }
        final int vacancies = mergeSubgraphs(base, root0, root1) - 1;
        forest.setRoot(base, Math.min(root0, root1), vacancies);
        if (root0 != root1) {
            forest.gather(base, bucketsOf(region), Math.min(root0, root1));
            counts.count(open0 && open1 ? InsertionCase.DIFF_NON_NON : InsertionCase.DIFF_NON_MAX);
        }
        if (path == null) {
            final boolean first = Integer.bitCount(free0) >= Integer.bitCount(free1);
            putIn(base, hash, payload, first ? primary : secondary, first ? free0 : free1);
            return PLACED;
        }
        if (path.fills()) {
            forest.markFull(base, path.end());
        }
        put(path.move(slab, base), hash, payload);
        return PLACED;
    }

    /**
     * Places a key whose buckets are both in the subgraph of bucket 0, if one of them has a free slot, so
     * that the subgraph is not maximal; returns whether it did.
     */
    boolean placeInRoom(final long base, final long hash, final long payload, final int primary, final int secondary) {
        final int free0 = freeSlots(slab, bucketOffset(base, primary));
        final int free1 = freeSlots(slab, bucketOffset(base, secondary));
        if ((free0 | free1) == 0) {
            return false;
        }
        forest.setRoot(base, 0, forest.vacancies(base, 0) - 1);
        // The bucket with more room; without an unpredictable branch.
        final int swap = Integer.bitCount(free0) - Integer.bitCount(free1) >> Integer.SIZE - 1;
        putIn(base, hash, payload, primary ^ (primary ^ secondary) & swap, free0 ^ (free0 ^ free1) & swap);
        return true;
    }

    /** Puts a key in one of the free slots of a bucket. */
    private void putIn(final long base, final long hash, final long payload, final int bucket, final int free) {
        put(slotOffset(base, bucket, Integer.numberOfTrailingZeros(free)), hash, payload);
        if ((free & free - 1) == 0) {
            forest.markFull(base, bucket);
        }
    }

    /** Searches a path from one or two full buckets, whose subgraphs are locked. */
    private KickPath searchPath(final KickPath path, final long region, final int bucket0, final int bucket1) {
        final long base = base(region);
        if (bucket0 != KickPath.NONE) {
            forest.markFull(base, bucket0);
        }
        if (bucket1 != KickPath.NONE) {
            forest.markFull(base, bucket1);
        }
        path.begin(forest.full(base));
        if (bucket0 != KickPath.NONE) {
            path.add(slab, base, bucket0);
        }
        if (bucket1 != KickPath.NONE) {
            path.add(slab, base, bucket1);
        }
        path.search(slab, region);
        return path;
    }

    /** Merges two subgraphs, unless they are one; returns their vacancies together. */
    private int mergeSubgraphs(final long base, final int root0, final int root1) {
        int vacancies = forest.vacancies(base, root0);
        if (root0 != root1) {
            vacancies += forest.vacancies(base, root1);
            forest.union(base, root0, root1, vacancies);
        }
        return vacancies;
    }

    private void put(final long slot, final long hash, final long payload) {
        slab.putLongRelease(slot + TAG_OFFSET, hash);
        slab.putLongRelease(slot, payload | PRESENT);
    }
}
