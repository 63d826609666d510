/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;

import io.nestling.index.IndexContext;
import io.nestling.index.cuckoo.BucketAddressing;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * The hash table of the nodes: a slab of buckets whose number changes by one at a time, the hash of names, the numbers of free
 * cells, and counts by depth that tell which levels are worth prefetching.
 * <h2>Thread safety</h2>
 * The writer changes it. A reader reloads {@link #buckets()} whenever it does not find what must be there.
 */
final class NodeTable implements AutoCloseable {
    /** Greater depths are counted together. */
    static final int DEPTHS = 256;
    private static final int TOP_MASK = 0xFF;
    /* Deeper checkpoints would be requested for nothing too often. */
    private static final int MAX_CHECKPOINT = 240;
    /* A depth with less than a 1,024th of the entries is ignored. */
    private static final int CHECKPOINT_SHARE_SHIFT = 10;
    /* Greatest share of the leaves outside of the guessed depth and the next one. */
    private static final int ELSEWHERE_SHARE_SHIFT = 2;
    /* Rough costs of finding a leaf at the guessed depth, at the next one, and elsewhere, in halves of the first. */
    private static final int LEAF_COST = 2;
    private static final int LOWER_LEAF_COST = 3;
    private static final int ELSEWHERE_COST = 8;
    /* So few entries of a depth stay in the nearer caches; a greater number, or a share of all entries, was slower. */
    private static final int SMALL_LEVEL = 1024;
    /* A release store: a volatile one would wait for all lines that the writer is storing to. */
    private static final AtomicLongFieldUpdater<NodeTable> BUCKETS =
        AtomicLongFieldUpdater.newUpdater(NodeTable.class, "buckets");

    private final GrowingSlab growing;
    private final Slab slab;
    private final NameHash hash;
    private final long maxBuckets;
    private final FreeCounts free = new FreeCounts();
    private final WriteFailure failure;
    private final OperationCount operations;
    private final long[] entriesAt = new long[DEPTHS];
    private final long[] leavesAt = new long[DEPTHS];
    /* The depths to prefetch. Read without order, as it decides on prefetches only. */
    private final boolean[] worthwhile = new boolean[DEPTHS];
    private volatile long buckets;
    private int deepestWorthwhile;
    private int deepestCheckpoint;
    private int guessedDepth;
    private long mostBuckets;
    private long entries;
    private long leaves;

    /** Makes an empty table; throws if there is no memory for the smallest one. */
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
                "no room for a table of " + bucketOffset(buckets) + " bytes: the index may have " + usable
                    + ", the budget has " + context.budget().remaining() + " left");
        }
    }

    /** Returns where a write records the error that ended it halfway; no one waits for such a write. */
    WriteFailure failure() {
        return failure;
    }

    Slab slab() {
        return slab;
    }

    NameHash hash() {
        return hash;
    }

    /** Returns the count of the writer's operations. A replaced table stays within an operation for good. */
    OperationCount operations() {
        return operations;
    }

    /** Returns the numbers of free cells, for the writer. */
    FreeCounts freeCounts() {
        return free;
    }

    /** Returns the number of buckets. */
    long buckets() {
        return buckets;
    }

    /** Returns the greatest possible number of buckets. */
    long maxBuckets() {
        return maxBuckets;
    }

    /** Returns the offset of the bucket of a hash, for a number of buckets. */
    static long offsetOf(final long hash, final long buckets) {
        return bucketOffset(BucketAddressing.bucketOf(hash, buckets));
    }

    /** Adds both buckets of a name to those to request. */
    void addBoth(final PrefetchVector lines, final long name) {
        final long now = buckets;
        lines.add(slab, offsetOf(name, now));
        lines.add(slab, offsetOf(hash.alternate(name), now));
    }

    /** Returns the color of the node of {@link BucketLayout#TOP_DEPTH} symbols plus 1, or 0 if absent. */
    int topColor(final int name) {
        return slab.getIntAcquire(topWord(name)) >>> topShift(name) & TOP_MASK;
    }

    /** Publishes the color of such a node plus 1, or 0 that it is gone. */
    void putTopColor(final int name, final int color) {
        final int rest = slab.getInt(topWord(name)) & ~(TOP_MASK << topShift(name));
        slab.putIntRelease(topWord(name), rest | color << topShift(name));
    }

    /** Charges memory for a number of buckets; returns false if there is none. */
    boolean canHold(final long wanted) {
        return wanted <= maxBuckets && growing.growTo(bucketOffset(wanted));
    }

    /** Returns the bytes of a new table of some buckets. */
    long bytesOf(final long wanted) {
        return bucketOffset(Math.max(wanted, hash.minBuckets()));
    }

    /** Releases charged, never used memory behind a number of buckets. */
    void release(final long wanted) {
        growing.shrinkTo(bucketOffset(Math.max(wanted, mostBuckets)));
    }

    /** Publishes the number of buckets; entries already stand where readers will look for them. */
    void publishBuckets(final long count) {
        // cuckoo-trie-concurrency.md, claim 5
        mostBuckets = Math.max(mostBuckets, count);
        BUCKETS.lazySet(this, count);
        VarHandle.storeStoreFence(); // before the cells of moved entries are cleared
    }

    /** Returns the greatest number of buckets so far. */
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

    /** Counts an entry of a depth if it is a leaf, the root excepted. */
    void countLeaf(final int depth, final long head, final int change) {
        if (CuckooTrieEntryLayout.isLeaf(head) && depth > 0) {
            leaves += change;
            leavesAt[Math.min(depth, DEPTHS - 1)] += change;
        }
    }

    /** Returns whether a depth has enough entries to miss the caches. */
    boolean isWorthwhile(final int depth) {
        return worthwhile[Math.min(depth, DEPTHS - 1)];
    }

    /** Recounts which depths are worthwhile. */
    void weighDepths() {
        int deepest = 0;
        for (int depth = 0; depth < DEPTHS; depth++) {
            worthwhile[depth] = entriesAt[depth] >= SMALL_LEVEL;
            deepest = worthwhile[depth] ? depth : deepest;
        }
        deepestWorthwhile = deepest == DEPTHS - 1 ? Integer.MAX_VALUE - 1 : deepest;
        int checkpoint = MAX_CHECKPOINT;
        while (checkpoint > 0 && entriesAt[checkpoint] <= entries >>> CHECKPOINT_SHARE_SHIFT) {
            checkpoint -= CuckooTrieEntryLayout.CHECKPOINT_STEP;
        }
        deepestCheckpoint = checkpoint;
        guessedDepth = leaves >= SMALL_LEVEL ? weighGuessedDepth() : 0;
    }

    /** Returns the depth that, with the next one, has most leaves if these are nearly all; else 0. */
    private int weighGuessedDepth() {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int depth = CuckooTrieEntryLayout.FIRST_GUESSED_DEPTH; depth < CuckooTrieEntryLayout.LAST_GUESSED_DEPTH; depth++) {
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

    /** Returns the greatest depth at which walks look for a checkpoint, or 0. Read without order, too. */
    int deepestCheckpoint() {
        return deepestCheckpoint;
    }

    /**
     * Returns the depth at which, and at the next one, {@link DepthGuessLookup} finds nearly all leaves, or 0. Read without
     * order, too.
     */
    int guessedDepth() {
        return guessedDepth;
    }

    /** Returns the greatest worthwhile depth. Read without order, too. */
    int deepestWorthwhile() {
        return deepestWorthwhile;
    }

    @Override
    public void close() {
        growing.close();
    }
}
