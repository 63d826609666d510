/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;

import io.nestling.index.IndexContext;
import io.nestling.index.cuckoo.BucketAddressing;
import io.nestling.memory.GrowingSlab;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.Slab;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memory.WriteFailure;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * The hash table that holds the nodes: a slab of buckets whose number changes by one at a time, the hash of
 * names, how many cells of each bucket are free, and figures by depth that tell which levels are worth prefetching.
 * <h2>Thread safety</h2>
 * The writer changes it; readers take {@link #buckets()} anew whenever they do not find what must be there.
 */
final class NodeTable implements AutoCloseable {
    /** Depths beyond this one are taken together. */
    static final int DEPTHS = 256;
    private static final int TOP_MASK = 0xFF;
    /* Deeper ones would have to be asked for in vain too often. */
    private static final int MAX_STATION = 240;
    /* A depth with less than a 1,024th of the entries is not looked at. */
    private static final int STATION_SHARE_SHIFT = 10;
    /* Most leaves, as a share, that may be elsewhere than at the depth where leaves are looked for and the next one. */
    private static final int ELSEWHERE_SHARE_SHIFT = 2;
    /* Share of the leaves that must stand at the lower of these two depths for puts to request it at once. */
    private static final int LOWER_SHARE_SHIFT = 2;
    /* What it takes to find a leaf there, at the next depth, and elsewhere, in halves of the first, roughly. */
    private static final int LEAF_COST = 2;
    private static final int LOWER_LEAF_COST = 3;
    private static final int ELSEWHERE_COST = 8;
    /* So few entries of a depth stay in the nearer caches; a greater number, or a share of all, was slower. */
    private static final int SMALL_LEVEL = 1024;
    /* A release store: a volatile one would wait for all lines that the writer is just storing to. */
    private static final AtomicLongFieldUpdater<NodeTable> BUCKETS =
        AtomicLongFieldUpdater.newUpdater(NodeTable.class, "buckets");
    private static final int MASK_WORDS = DEPTHS / Long.SIZE;
    /* A depth is reached rarely if it holds at most a 32nd of the entries, with all below it that are worthwhile. */
    private static final int RARE_SHARE_SHIFT = 5;

    private final GrowingSlab growing;
    private final Slab slab;
    private final NameHash hash;
    private final long maxBuckets;
    private final FreeCounts free = new FreeCounts();
    private final WriteFailure failure;
    private final OperationCount operations;
    private final long[] entriesAt = new long[DEPTHS];
    private final long[] leavesAt = new long[DEPTHS];
    /* Bit d: prefetch depth d. Read by any thread without order: it decides on prefetches only. */
    private final long[] worthwhile = new long[MASK_WORDS];
    private volatile long buckets;
    private int deepestWorthwhile;
    private int deepestUsual;
    private int deepestStation;
    private int upperStation;
    private int deepestForPut = Integer.MAX_VALUE;
    private long mostBuckets;
    private long entries;
    private long leaves;

    /**
     * Makes an empty table.
     *
     * @param context source of memory
     * @param seed seed of the hash
     * @throws SpaceExhaustedException if there is no memory for the smallest table
     */
    NodeTable(final IndexContext context, final long seed) {
        this.failure = context.failure();
        this.operations = new OperationCount(failure);
        final long wanted = Math.min(context.maxBytes(), context.allocator().maxSlabBytes());
        final long usable = Math.min(wanted, context.budget().capacity());
        final long step = MemoryBudget.SLAB_BYTES;
        this.maxBuckets = bucketAt(usable);
        this.hash = new NameHash(seed, Math.max(2, maxBuckets));
        this.buckets = hash.minBuckets();
        this.mostBuckets = buckets;
        free.reach(buckets);
        this.growing = new GrowingSlab(
            context.allocator(), context.budget(),
            Math.min((wanted + step - 1) / step * step, context.allocator().maxSlabBytes()));
        this.slab = growing.slab();
        if (buckets > maxBuckets || !growing.growTo(bucketOffset(buckets))) {
            growing.close();
            throw new SpaceExhaustedException(
                "the smallest table takes " + bucketOffset(buckets) + " bytes, the index may have " + usable
                    + ", the budget has " + context.budget().remaining() + " left");
        }
    }

    /** Says whether a write ended half-way, which nobody waits for. */
    WriteFailure failure() {
        return failure;
    }

    Slab slab() {
        return slab;
    }

    NameHash hash() {
        return hash;
    }

    /** Where the writer's operations begin and end. A table that has given way to another one stays within one. */
    OperationCount operations() {
        return operations;
    }

    /** How many cells of each bucket are free; for the writer. */
    FreeCounts freeCounts() {
        return free;
    }

    /** Returns the number of buckets. */
    long buckets() {
        return buckets;
    }

    /** Returns the greatest number of buckets that there may ever be. */
    long maxBuckets() {
        return maxBuckets;
    }

    /** Returns the offset of the bucket of a hash, for a number of buckets. */
    static long offsetOf(final long hash, final long buckets) {
        return bucketOffset(BucketAddressing.bucketOf(hash, buckets));
    }

    /** Returns the color of the node of {@link BucketLayout#TOP_DEPTH} symbols and 1, or 0 if there is none. */
    int topColor(final int name) {
        return slab.getIntAcquire(topWord(name)) >>> topShift(name) & TOP_MASK;
    }

    /** Tells readers the color of such a node and 1, or 0 that there is none any more. */
    void putTopColor(final int name, final int color) {
        final int rest = slab.getInt(topWord(name)) & ~(TOP_MASK << topShift(name));
        slab.putIntRelease(topWord(name), rest | color << topShift(name));
    }

    /** Makes sure that a number of buckets can be used. */
    boolean canHold(final long wanted) {
        return wanted <= maxBuckets && growing.growTo(bucketOffset(wanted));
    }

    /** Gives memory back that was charged and is behind a number of buckets, and that was never used. */
    void release(final long wanted) {
        growing.shrinkTo(bucketOffset(Math.max(wanted, mostBuckets)));
    }

    /** Changes the number of buckets for all readers; what they will look for in other places is already there. */
    void publishBuckets(final long count) {
        mostBuckets = Math.max(mostBuckets, count);
        BUCKETS.lazySet(this, count);
        VarHandle.storeStoreFence(); // what moved is cleared afterwards
    }

    /** Returns the number of buckets that there have been at most. */
    long bucketsTouched() {
        return mostBuckets;
    }

    long bytesCharged() {
        return growing.limit();
    }

    /** Returns the number of entries in buckets, without the root. */
    long entries() {
        return entries;
    }

    long entriesAt(final int depth) {
        return entriesAt[depth];
    }

    void count(final int depth, final int change) {
        entries += change;
        entriesAt[Math.min(depth, DEPTHS - 1)] += change;
    }

    long leavesAt(final int depth) {
        return leavesAt[depth];
    }

    /** Counts an entry of a depth, if it is a leaf and not the root. */
    void countLeaf(final int depth, final long head, final int change) {
        if (EntryLayout.isLeaf(head) && depth > 0) {
            leaves += change;
            leavesAt[Math.min(depth, DEPTHS - 1)] += change;
        }
    }

    /** Returns whether the entries of a depth are many enough to miss the caches. */
    boolean isWorthwhile(final int depth) {
        final int counted = Math.min(depth, DEPTHS - 1);
        return (worthwhile[counted >>> 6] >>> counted & 1) != 0;
    }

    /** Counts anew which depths are worthwhile. */
    void weighDepths() {
        int deepest = 0;
        for (int word = 0; word < MASK_WORDS; word++) {
            long bits = 0;
            for (int i = 0; i < Long.SIZE; i++) {
                if (entriesAt[(word << 6) + i] >= SMALL_LEVEL) {
                    bits |= 1L << i;
                    deepest = (word << 6) + i;
                }
            }
            worthwhile[word] = bits;
        }
        deepestWorthwhile = deepest == DEPTHS - 1 ? Integer.MAX_VALUE - 1 : deepest;
        deepestUsual = deepest == DEPTHS - 1 ? deepestWorthwhile : deepestUsual(deepest);
        int station = MAX_STATION;
        while (station > 0 && entriesAt[station] <= entries >>> STATION_SHARE_SHIFT) {
            station -= EntryLayout.STATION_STEP;
        }
        deepestStation = station;
        upperStation = leaves >= SMALL_LEVEL ? weighUpperStations() : 0;
        deepestForPut = upperStation == 0 ? Integer.MAX_VALUE : deepestForPut(upperStation);
    }

    /** Returns the depth which, with the next one, has most leaves, if these are nearly all; 0 if they are not. */
    private int weighUpperStations() {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int depth = EntryLayout.FIRST_UPPER_STATION; depth < EntryLayout.LAST_UPPER_STATION; depth++) {
            final long elsewhere = leaves - leavesAt[depth] - leavesAt[depth + 1];
            final long cost =
                leavesAt[depth] * LEAF_COST + leavesAt[depth + 1] * LOWER_LEAF_COST + elsewhere * ELSEWHERE_COST;
            if (elsewhere <= leaves >>> ELSEWHERE_SHARE_SHIFT && cost < least) {
                best = depth;
                least = cost;
            }
        }
        return best;
    }

    private int deepestForPut(final int upper) {
        return leavesAt[upper + 1] > leaves >>> LOWER_SHARE_SHIFT ? upper + 1 : upper;
    }

    private int deepestUsual(final int deepest) {
        int depth = deepest;
        long rare = depth == 0 ? 0 : entriesAt[depth];
        while (depth > 0 && rare <= entries >>> RARE_SHARE_SHIFT) {
            rare += entriesAt[--depth];
        }
        return depth;
    }

    /** Returns the greatest depth at which walks look for a station to begin at, or 0. Read without order, too. */
    int deepestStation() {
        return deepestStation;
    }

    /**
     * Returns the depth at which, and at the next one, {@link UpperLookup} finds nearly all leaves, or 0. Read without order,
     * too.
     */
    int upperStation() {
        return upperStation;
    }

    /**
     * Returns the deepest depth that puts request before they know that they get there; any, if there is none. For the writer.
     */
    int deepestForPut() {
        return deepestForPut;
    }

    /** Returns a depth that few walks go beyond. Read without order, too. */
    int deepestUsual() {
        return deepestUsual;
    }

    /** Returns the greatest depth that is worthwhile. */
    int deepestWorthwhile() {
        return deepestWorthwhile;
    }

    @Override
    public void close() {
        growing.close();
    }
}
