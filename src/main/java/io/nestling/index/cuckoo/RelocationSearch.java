/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.cuckoo;

/**
 * Finds a shortest chain of moves after which a new node has room in one of its two buckets: breadth first, so
 * that few nodes move, and with a bound on the buckets searched. It changes nothing; the caller makes the
 * moves in the given order, each into cells that are free by then or hold a node that was copied away, so that
 * concurrent readers find every node at all times.
 * <p>
 * Nodes may take different numbers of cells: a chain moves one node out of each bucket, and the one that moves
 * in must fit once the other has left.
 * <h2>Thread safety</h2>
 * One writer. The object is reused and allocates only in its constructor.
 */
public final class RelocationSearch {
    private static final int NONE = -1;
    /* Buckets that are prefetched together. */
    private static final int PREFETCHED_TOGETHER = 8;

    private final long[] bucket;
    private final int[] parent;
    private final int[] cell;
    private final int[] nodeCells;
    private int count;
    private int found = NONE;

    /** Creates a search that visits up to {@code maxBuckets} buckets, at least 2. */
    public RelocationSearch(final int maxBuckets) {
        bucket = new long[maxBuckets];
        parent = new int[maxBuckets];
        cell = new int[maxBuckets];
        nodeCells = new int[maxBuckets];
    }

    /**
     * Searches for a chain of moves after which a node of some cells fits into one of its buckets; the chain is empty if it fits
     * already. Returns whether it found one.
     */
    public boolean find(final CuckooBuckets table, final long primary, final long secondary, final int cells) {
        count = 0;
        found = NONE;
        add(primary, NONE, CuckooBuckets.NO_CELL, cells);
        if (secondary != primary) {
            add(secondary, NONE, CuckooBuckets.NO_CELL, cells);
        }
        if (fitsFrom(table, 0)) {
            return true;
        }
        if (table.knowsRoom()) {
            return findByRoom(table);
        }
        for (int at = 0; at < count; at++) {
            // The targets of one bucket's nodes are prefetched together; most often one of them has room.
            final int first = count;
            addMoves(table, at, true);
            table.request();
            if (fitsFrom(table, first)) {
                return true;
            }
        }
        return false;
    }

    /** Searches a table of which a bucket is read only to find where its nodes may go. */
    private boolean findByRoom(final CuckooBuckets table) {
        int prefetched = count; // the new node's own buckets are in the cache
        for (int at = 0; at < count; at++) {
            if (at == prefetched) {
                prefetched = Math.min(count, at + PREFETCHED_TOGETHER);
                for (int i = at; i < prefetched; i++) {
                    table.prefetch(bucket[i]);
                }
                table.request();
            }
            final int first = count;
            addMoves(table, at, false);
            if (fitsFrom(table, first)) {
                return true;
            }
        }
        return false;
    }

    private boolean fitsFrom(final CuckooBuckets table, final int first) {
        for (int at = first; at < count; at++) {
            if (table.fits(bucket[at], nodeCells[at], CuckooBuckets.NO_CELL)) {
                found = at;
                return true;
            }
        }
        return false;
    }

    private void addMoves(final CuckooBuckets table, final int at, final boolean prefetch) {
        final long from = bucket[at];
        for (int i = 0; i < table.cellsPerBucket() && count < bucket.length; i++) {
            final int moving = table.nodeCells(from, i);
            if (moving > 0 && table.fits(from, nodeCells[at], i)) {
                final long to = table.alternateBucket(from, i);
                if (!isOnChain(to, at)) {
                    if (prefetch) {
                        table.prefetch(to);
                    }
                    add(to, at, i, moving);
                }
            }
        }
    }

    /** Returns whether a bucket is in a chain: a second visit would find what the first one changed. */
    private boolean isOnChain(final long candidate, final int at) {
        for (int i = at; i != NONE; i = parent[i]) {
            if (bucket[i] == candidate) {
                return true;
            }
        }
        return false;
    }

    private void add(final long newBucket, final int from, final int leaving, final int cells) {
        bucket[count] = newBucket;
        parent[count] = from;
        cell[count] = leaving;
        nodeCells[count++] = cells;
    }

    /**
     * Returns the first move of the chain found, the one into a bucket with room: a number for {@link #fromBucket}, {@link
     * #fromCell}, {@link #toBucket} and {@link #nextMove}, negative if nothing has to move.
     */
    public int firstMove() {
        return parent[found] == NONE ? NONE : found;
    }

    /** Returns the move after another one, into the cells that this one freed; negative if that was the last. */
    public int nextMove(final int move) {
        final int next = parent[move];
        return parent[next] == NONE ? NONE : next;
    }

    /** Returns the bucket that the node of a move leaves. */
    public long fromBucket(final int move) {
        return bucket[parent[move]];
    }

    /** Returns the cell where the node of a move begins. */
    public int fromCell(final int move) {
        return cell[move];
    }

    /** Returns the bucket that the node of a move enters. */
    public long toBucket(final int move) {
        return bucket[move];
    }

    /** Returns the bucket, primary or secondary, that has room for the new node after all moves. */
    public long freedBucket() {
        int at = found;
        while (parent[at] != NONE) {
            at = parent[at];
        }
        return bucket[at];
    }
}
