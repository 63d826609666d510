/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts the parts of an index. The figures are exact only while no writer works. */
final class CoCuckooStatistics {
    private static final int[] SIZE_LIMITS = {2, 3, 4, 5, 10, 20, 40, MAX_BUCKETS};

    /* The paper's table 2, insertions only, and its figure 6: one slot a bucket, one table of fixed size. */
    private static final Map<String, Object> PAPER_INSERTIONS = paperInsertions();
    private static final Map<String, Object> PAPER_SUBGRAPHS =
        Collections.unmodifiableMap(new TreeMap<>(Map.of("3", 44.25, "1-10", 99.0)));

    private final CoCuckoo index;
    private final Slab slab;
    private final long[] byClass = new long[SIZE_CLASSES];
    private final long[] bySize = new long[MAX_BUCKETS + 1];
    private final Map<Integer, Long> byDepth = new TreeMap<>();
    private long regions;
    private long slots;
    private long keysInPrimary;
    private long keysInSecondary;
    private long keysInStash;
    private long emptyBuckets;
    private long maximal;

    private CoCuckooStatistics(final CoCuckoo index) {
        this.index = index;
        this.slab = index.reader().slab();
    }

    static CoCuckooStatistics of(final CoCuckoo index) {
        final CoCuckooStatistics statistics = new CoCuckooStatistics(index);
        index.directory().regions().forEach(statistics::count);
        return statistics;
    }

    /** Returns the number of keys of an index by the forests and stashes of its regions; the caller is inside a guard. */
    static long keys(final CoCuckoo index) {
        final Slab slab = index.reader().slab();
        return index.directory().regions().map(region -> Stash.keys(slab, base(region))
            + index.forest().keys(base(region), bucketsOf(region))).sum();
    }

    private void count(final long region) {
        final long base = base(region);
        final int buckets = bucketsOf(region);
        regions++;
        byClass[sizeClass(region)]++;
        byDepth.merge(slab.getInt(base + DEPTH_OFFSET), 1L, Long::sum);
        slots += buckets * SLOTS_PER_BUCKET;
        for (int bucket = 0; bucket < buckets; bucket++) {
            countBucket(base, buckets, bucket);
        }
        keysInStash += Stash.keys(slab, base);
    }

    private void countBucket(final long base, final int buckets, final int bucket) {
        final SubgraphForest forest = index.forest();
        if (forest.isEmpty(base, bucket)) {
            emptyBuckets++;
        } else if (forest.isRoot(base, bucket)) {
            bySize[Long.bitCount(forest.members(base, buckets, bucket))]++;
            maximal += forest.isMaximal(base, bucket) ? 1 : 0;
        }
        for (int i = 0; i < SLOTS_PER_BUCKET; i++) {
            final long slot = slotOffset(base, bucket, i);
            if (isPresent(slab.getLongAcquire(slot))) {
                final boolean primary = primary(slab.getLong(slot + TAG_OFFSET), buckets) == bucket;
                keysInPrimary += primary ? 1 : 0;
                keysInSecondary += primary ? 0 : 1;
            }
        }
    }

    Map<String, Object> figures() {
        final long keys = keysInPrimary + keysInSecondary;
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("regions", regions);
        figures.put("regionsByBuckets", byBuckets());
        figures.put("regionsByDepth", byDepth());
        figures.put("slots", slots);
        figures.put("load", slots == 0 ? 0.0 : (double) keys / slots);
        figures.put("keysInFirstBucket", keysInPrimary);
        figures.put("keysInSecondBucket", keysInSecondary);
        figures.put("keysInStash", keysInStash);
        final Map<String, Object> insertions = index.counts().figures(keys + keysInStash);
        figures.put("insertionsByCase", insertions);
        figures.put("insertionPercent", percent(insertions));
        figures.put("insertionPercentInPaper", PAPER_INSERTIONS);
        final Map<String, Object> subgraphs = subgraphs();
        figures.put("subgraphsByBuckets", subgraphs);
        figures.put("subgraphPercent", percent(subgraphs));
        figures.put("subgraphPercentInPaper", PAPER_SUBGRAPHS);
        figures.put("maximalSubgraphs", maximal);
        figures.put("emptyBuckets", emptyBuckets);
        figures.put("directoryBytes", index.directory().bytesUsed());
        figures.put("freeBytes", index.arena().bytesFree());
        figures.put("retiredBytes", index.arena().bytesRetired());
        return figures;
    }

    private Map<String, Object> byBuckets() {
        final Map<String, Object> classes = new LinkedHashMap<>();
        for (int sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++) {
            classes.put(Integer.toString(buckets(sizeClass)), byClass[sizeClass]);
        }
        return classes;
    }

    private Map<String, Object> byDepth() {
        final Map<String, Object> depths = new LinkedHashMap<>();
        byDepth.forEach((depth, count) -> depths.put(Integer.toString(depth), count));
        return depths;
    }

    private Map<String, Object> subgraphs() {
        final Map<String, Object> sizes = new LinkedHashMap<>();
        int from = 1;
        for (final int limit : SIZE_LIMITS) {
            long count = 0;
            for (int size = from; size <= limit; size++) {
                count += bySize[size];
            }
            sizes.put(from == limit ? Integer.toString(limit) : from + "-" + limit, count);
            from = limit + 1;
        }
        return sizes;
    }

    private static Map<String, Object> paperInsertions() {
        final Map<String, Object> percent = new LinkedHashMap<>();
        percent.put(InsertionCase.TWO_EMPTY.figureName(), 25.673);
        percent.put(InsertionCase.ONE_EMPTY.figureName(), 37.9628);
        percent.put(InsertionCase.SAME_NON.figureName(), 0.0003);
        percent.put(InsertionCase.DIFF_NON_NON.figureName(), 13.1447);
        percent.put(InsertionCase.DIFF_NON_MAX.figureName(), 9.239);
        percent.put(InsertionCase.MAX.figureName(), 13.9802);
        return Collections.unmodifiableMap(percent);
    }

    /** Returns each count's share in percent. */
    private static Map<String, Object> percent(final Map<String, Object> counts) {
        long sum = 0;
        for (final Object count : counts.values()) {
            sum += (Long) count;
        }
        final double all = Math.max(1, sum);
        final Map<String, Object> percent = new LinkedHashMap<>();
        counts.forEach((name, count) -> percent.put(name, 100.0 * (Long) count / all));
        return percent;
    }
}
