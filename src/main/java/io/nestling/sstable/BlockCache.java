/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/**
 * Keeps unpacked data blocks of tables, so that a later read of one neither reads, checks nor unpacks it. Any number of
 * tables, and of sets of them, may share one. {@code io.nestling.caffeine.CaffeineBlockCache} is one that is bounded in bytes.
 * Lookups and scans use it; merges and verification read past it. A block of a closed or deleted table stays until others push
 * it out.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public interface BlockCache {
    /**
     * Returns a block.
     *
     * @param table an object that stands for the open table, and is equal to itself alone
     * @param offset where the block begins in its file
     * @return the bytes, which nobody changes; null if the cache does not have it
     */
    byte[] get(Object table, long offset);

    /**
     * Takes a block, which the cache may keep.
     *
     * @param table an object that stands for the open table, and is equal to itself alone
     * @param offset where the block begins in its file
     * @param block the bytes, which nobody changes any more
     */
    void put(Object table, long offset, byte[] block);
}
