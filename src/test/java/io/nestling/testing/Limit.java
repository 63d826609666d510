/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A limit that tests lower, with the class that reads it.
 *
 * @param name its name, see {@link io.nestling.bytes.LoweredLimit}
 * @param className the class, without {@code io.nestling.}
 * @param least its lowest value
 * @param usual its value without a property
 */
public record Limit(String name, String className, int least, int usual) {
    /** All of them. */
    public static final List<Limit> ALL = List.of(
        new Limit("retires", "offheap.RetiredBlocks", 1, 64),
        new Limit("memory.stepBytes", "memory.MemoryBudget", 4 << 10, 16 << 10),
        new Limit("memory.guards", "offheap.EpochReclaimer", 1, 32),
        new Limit("memtable.heapOrderEntries", "memtable.order.LazyKeySorter", 4, 1 << 16),
        new Limit("memtable.tombstoneSlots", "memtable.TombstoneLayout", 3, 15),
        new Limit("memtable.smallKeys", "memtable.ShardStructure", 5, 128),
        new Limit("memtable.gateSlots", "memtable.SequenceGate", 1, 256),
        new Limit("memtable.writerSlots", "memtable.ShardLock", 2, 64),
        new Limit("wormhole.leafEntries", "wormhole.LeafLayout", 10, 88),
        new Limit("wormhole.mergeEntries", "wormhole.LeafLayout", 2, 50),
        new Limit("wormhole.segmentBucketsShift", "wormhole.MetaTrieHashTable", 0, 6),
        new Limit("wormhole.loadBuckets", "wormhole.MetaTrieHashTable", 1, 2),
        new Limit("skiplist.nodeIndexEntries", "skiplist.NodeIndexMaintainer", 16, 1 << 10),
        new Limit("skiplist.bucketNodes", "skiplist.NodeHash", 2, 14),
        new Limit("skiplist.bucketLoad", "skiplist.NodeHash", 1, 9),
        new Limit("skiplist.hashBuckets", "skiplist.NodeHash", 16, 256),
        new Limit("cuckootrie.bucketBits", "cuckootrie.NameHash", 1, 4),
        new Limit("mlpindex.buckets", "mlpindex.BucketWriter", 2, 8),
        new Limit("mlpindex.listEntries", "mlpindex.FlatLevels", 2, 30),
        new Limit("mlpindex.versions", "mlpindex.BucketTable", 1, 1 << 12),
        new Limit("cocuckoo.regionBucketsShift", "cocuckoo.RegionLayout", 4, 6),
        new Limit("cocuckoo.firstDepth", "cocuckoo.RegionDirectory", 1, 9),
        new Limit("cocuckoo.sparingRegions", "cocuckoo.RegionResizer", 1, 64));

    /**
     * Returns the lowest value of each limit.
     *
     * @return values by the names of the limits
     */
    public static Map<String, Integer> lowest() {
        return ALL.stream().collect(Collectors.toMap(Limit::name, Limit::least));
    }
}
