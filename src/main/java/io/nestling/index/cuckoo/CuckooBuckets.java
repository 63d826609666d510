/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.cuckoo;

/**
 * A table as {@link RelocationSearch} sees it: buckets of a fixed number of cells, and nodes that each take one or more
 * cells of a bucket and have one alternate bucket.
 * <h2>Thread safety</h2>
 * One thread: the writer.
 */
public interface CuckooBuckets {
    /** Denotes no cell. */
    int NO_CELL = -1;

    /** Returns the number of cells of a bucket, the same for all. */
    int cellsPerBucket();

    /** Returns the number of cells of the node that begins at a cell; 0 if no node begins there or the node must not move. */
    int nodeCells(long bucket, int cell);

    /** Returns the other bucket of a node that begins at a cell, which may be the same one. */
    long alternateBucket(long bucket, int cell);

    /**
     * Returns whether a bucket has room for a node of some cells, after the node at cell {@code leaving} has left, if that is not
     * {@link #NO_CELL}.
     */
    boolean fits(long bucket, int nodeCells, int leaving);

    /**
     * Returns whether {@link #fits} needs no read of a bucket that no node leaves. If so, the search prefetches a bucket only
     * when it has to read the bucket's nodes.
     */
    default boolean knowsRoom() {
        return false;
    }

    /** Prefetches a bucket that will be read soon, or collects it for {@link #request}. */
    void prefetch(long bucket);

    /** Requests the buckets that {@link #prefetch} collected. */
    default void request() {
    }
}
