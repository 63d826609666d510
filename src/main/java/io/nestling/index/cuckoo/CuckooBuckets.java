/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.cuckoo;

/**
 * A table as {@link RelocationSearch} sees it: buckets of a fixed number of cells, and nodes that take one or more
 * cells of a bucket each and could stand in one other bucket.
 * <h2>Thread safety</h2>
 * Called by the writer only.
 */
public interface CuckooBuckets {
    /** Stands for no cell. */
    int NO_CELL = -1;

    /**
     * Cells of a bucket.
     *
     * @return their number, the same for all buckets
     */
    int cellsPerBucket();

    /**
     * Cells that the node beginning at a cell takes.
     *
     * @param bucket the bucket
     * @param cell the cell
     * @return their number; 0 if no node begins there, or one that must not move
     */
    int nodeCells(long bucket, int cell);

    /**
     * The other bucket of a node.
     *
     * @param bucket the bucket where it stands
     * @param cell the cell where it begins
     * @return the bucket where it may stand as well, which may be the same
     */
    long alternateBucket(long bucket, int cell);

    /**
     * Tells whether a node would find room in a bucket.
     *
     * @param bucket the bucket
     * @param nodeCells cells that the node takes
     * @param leaving the cell where a node begins that would have left before, or {@link #NO_CELL}
     * @return whether it fits
     */
    boolean fits(long bucket, int nodeCells, int leaving);

    /**
     * Tells whether {@link #fits} answers without reading a bucket of which nothing leaves. If so, the search asks for
     * buckets only when it has to know what stands in them.
     *
     * @return whether it does
     */
    default boolean knowsRoom() {
        return false;
    }

    /**
     * Names a bucket that will be looked at soon.
     *
     * @param bucket the bucket
     */
    void prefetch(long bucket);

    /** Asks for the buckets that were named, where {@link #prefetch} has not done so. */
    default void request() {
    }
}
