/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.caffeine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import io.nestling.sstable.BlockCache;

/**
 * A cache of table blocks on the heap, bounded in bytes.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class CaffeineBlockCache implements BlockCache {
    /** Bytes that a block is charged beside its own: the entry, its key and the header of the array. */
    public static final int ENTRY_BYTES = 128;

    private final Cache<Place, byte[]> blocks;

    private CaffeineBlockCache(final long bytes) {
        blocks = Caffeine.newBuilder().maximumWeight(bytes)
            .weigher((final Place place, final byte[] block) -> block.length + ENTRY_BYTES)
            .executor(Runnable::run).recordStats().build();
    }

    /** A table, which is equal to itself alone, and an offset in its file. */
    private record Place(Object table, long offset) {
    }

    /**
     * Counts of the lookups and evictions of a cache.
     *
     * @param hits blocks that were found
     * @param misses blocks that were not
     * @param evictions blocks that made room for others
     * @param bytes bytes of the blocks now, {@link #ENTRY_BYTES} for each included
     */
    public record Stats(long hits, long misses, long evictions, long bytes) {
        /**
         * Returns the part of the reads that were hits.
         *
         * @return 0 to 1; 0 if there was no read
         */
        public double hitRate() {
            return hits == 0 ? 0 : (double) hits / (hits + misses);
        }
    }

    /**
     * Creates a cache.
     *
     * @param bytes most bytes of its blocks, {@link #ENTRY_BYTES} for each included; at least 1
     * @return a new cache
     * @throws IllegalArgumentException if it is not positive
     */
    public static CaffeineBlockCache ofBytes(final long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("expected bytes of at least 1 but was " + bytes);
        }
        return new CaffeineBlockCache(bytes);
    }

    @Override
    public byte[] get(final Object table, final long offset) {
        return blocks.getIfPresent(new Place(table, offset));
    }

    @Override
    public void put(final Object table, final long offset, final byte[] block) {
        blocks.put(new Place(table, offset), block);
    }

    /**
     * Returns the statistics.
     *
     * @return numbers as of now
     */
    public Stats stats() {
        final CacheStats stats = blocks.stats();
        final long bytes = blocks.policy().eviction().orElseThrow().weightedSize().orElse(0);
        return new Stats(stats.hitCount(), stats.missCount(), stats.evictionCount(), bytes);
    }
}
