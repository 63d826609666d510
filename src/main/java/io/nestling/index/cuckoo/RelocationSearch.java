/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index.cuckoo;

/**
 * Finds a shortest chain of moves after which a new node has room in one of its two buckets: breadth first, so
 * that few nodes move, and with a bound on the buckets looked at. It changes nothing; its user carries the
 * moves out in the order given, each into a place that is free by then or was left by a copied node, so that
 * concurrent readers meet every node at all times.
 * <p>
 * Nodes may take different numbers of cells: a chain moves one node out of each bucket, and the one that moves
 * in must fit once the other has left.
 * <h2>Thread safety</h2>
 * One writer. The object is used again and again and allocates only when made.
 */
public final class RelocationSearch {
    private static final int NONE = -1;
    /* Buckets whose nodes are looked at that are asked for together. */
    private static final int ASKED_TOGETHER = 8;

    private final long[] bucket;
    private final int[] parent;
    private final int[] cell;
    private final int[] nodeCells;
    private int count;
    private int found = NONE;

    /**
     * Makes a search.
     *
     * @param maxBuckets most buckets that one search looks at, at least 2
     */
    public RelocationSearch(final int maxBuckets) {
        bucket = new long[maxBuckets];
        parent = new int[maxBuckets];
        cell = new int[maxBuckets];
        nodeCells = new int[maxBuckets];
    }

    /**
     * Searches a chain of moves, which is empty if the node fits as it is.
     *
     * @param table the buckets
     * @param primary bucket of the new node
     * @param secondary its other bucket
     * @param cells cells that it takes
     * @return whether there is a chain
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
            // What leaves one bucket goes to buckets that are fetched together; most often one of them has room.
            final int first = count;
            addMoves(table, at, true);
            table.request();
            if (fitsFrom(table, first)) {
                return true;
            }
        }
        return false;
    }

    /** The same where a bucket has to be read only to know where its nodes may go. */
    private boolean findByRoom(final CuckooBuckets table) {
        int asked = count; // the new node's own buckets are at hand
        for (int at = 0; at < count; at++) {
            if (at == asked) {
                asked = Math.min(count, at + ASKED_TOGETHER);
                for (int i = at; i < asked; i++) {
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

    private void addMoves(final CuckooBuckets table, final int at, final boolean askFor) {
        final long from = bucket[at];
        for (int i = 0; i < table.cellsPerBucket() && count < bucket.length; i++) {
            final int moving = table.nodeCells(from, i);
            if (moving > 0 && table.fits(from, nodeCells[at], i)) {
                final long to = table.alternateBucket(from, i);
                if (!isOnChain(to, at)) {
                    if (askFor) {
                        table.prefetch(to);
                    }
                    add(to, at, i, moving);
                }
            }
        }
    }

    /** A bucket must not be twice in one chain: its second visit would meet what the first one changed. */
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
     * Goes to the first move of the chain that was found, the one into a bucket with room.
     *
     * @return a number for {@link #fromBucket}, {@link #fromCell}, {@link #toBucket} and {@link #nextMove};
     * negative if nothing has to move
     */
    public int firstMove() {
        return parent[found] == NONE ? NONE : found;
    }

    /**
     * The move after another one, into the place that this one made free.
     *
     * @param move the other one
     * @return its number, or a negative one if that was the last
     */
    public int nextMove(final int move) {
        final int next = parent[move];
        return parent[next] == NONE ? NONE : next;
    }

    /**
     * Where the node stands that moves.
     *
     * @param move number of the move
     * @return its bucket
     */
    public long fromBucket(final int move) {
        return bucket[parent[move]];
    }

    /**
     * Where the node stands that moves.
     *
     * @param move number of the move
     * @return the cell where it begins
     */
    public int fromCell(final int move) {
        return cell[move];
    }

    /**
     * Where the node goes.
     *
     * @param move number of the move
     * @return the bucket
     */
    public long toBucket(final int move) {
        return bucket[move];
    }

    /**
     * The bucket where the new node fits once all moves are done.
     *
     * @return its primary or its secondary bucket
     */
    public long freedBucket() {
        int at = found;
        while (parent[at] != NONE) {
            at = parent[at];
        }
        return bucket[at];
    }

    /**
     * Buckets that the last search looked at or meant to look at.
     *
     * @return their number
     */
    public int bucketsSearched() {
        return count;
    }
}
