/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.bytes.LoweredLimit;
import io.nestling.index.cuckoo.BucketAddressing;
import io.nestling.index.cuckoo.CuckooBuckets;
import io.nestling.index.cuckoo.RelocationSearch;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

/**
 * Changes buckets: appends, replaces and removes nodes, makes room by moving nodes to their other bucket, and adds and removes
 * buckets one at a time.
 * <p>
 * A node is written to its new bucket before it leaves the old one. A change that can hide from a reader what a bucket had
 * happens under the bucket's version; appending hides nothing.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class BucketWriter implements CuckooBuckets {
    /** Stands for no bucket. */
    static final long NO_BUCKET = -1;
    private static final int FIRST_BUCKETS = LoweredLimit.of("mlpindex.buckets", 8, 2);
    private static final int SEARCHED_BUCKETS = 250;
    private static final int GROWTHS_PER_ATTEMPT = 4;
    /* Greatest depth to which leaving nodes make room for themselves by making others leave. */
    private static final int DEEPEST_EVICTION = 2;
    /* Searches of one attempt to make room before it gives up or the table grows. */
    private static final int SEARCHES_PER_ATTEMPT = 24;
    private static final int FILL_NUMERATOR = 5;
    private static final int FILL_DENOMINATOR = 8;
    /* Below a quarter of the cells in use the table shrinks, and does not grow beyond a few buckets. */
    private static final int SPARSE = 4;
    private static final int FEW_BUCKETS = 1 << 12;
    private static final int SHRINKS_PER_CALL = 8;
    private static final int PREFETCHED_SPLITS = 3;
    private static final int BUCKET_WORDS = BUCKET_BYTES / Long.BYTES;

    private final GrowingSlab growing;
    private final Slab slab;
    private final BucketTable table;
    private final RelocationSearch search = new RelocationSearch(SEARCHED_BUCKETS);
    private final Node moving = new Node();
    private final PrefetchVector lines = new PrefetchVector();
    private final long[] image = new long[BUCKET_WORDS];
    private final LevelCounts counts;
    private long cellsUsed;
    private long highestBuckets = FIRST_BUCKETS;
    private long relocations;
    /* Buckets in which room is being made, so that nothing moves into them. */
    private final long[] closed = new long[DEEPEST_EVICTION + 1];
    private int closedCount;
    private int searchesLeft;

    BucketWriter(final GrowingSlab growing, final KeyHash keyHash, final WriteFailure failure) {
        this.growing = growing;
        this.slab = growing.slab();
        if (!growing.growTo((long) FIRST_BUCKETS * BUCKET_BYTES)) {
            throw new SpaceExhaustedException("no room for a table of " + FIRST_BUCKETS + " buckets: " + space());
        }
        this.table = new BucketTable(slab, keyHash, FIRST_BUCKETS, failure);
        this.counts = new LevelCounts(table);
    }

    private String space() {
        return growing.limit() + " of " + slab.size() + " bytes of the table are taken, and the slab or the budget has no more";
    }

    BucketTable table() {
        return table;
    }

    LevelCounts counts() {
        return counts;
    }

    long cellsUsed() {
        return cellsUsed;
    }

    long relocations() {
        return relocations;
    }

    long bytesUsed() {
        return bucketOffset(table.buckets());
    }

    /**
     * Finds a bucket with room for an absent node; moves others and adds buckets as needed.
     *
     * @throws SpaceExhaustedException if there is no room
     */
    long makeRoom(final long word, final int level, final int cells) {
        growIfFull(cells);
        while (true) {
            final long bucket = findRoom(word, level, cells);
            if (bucket != NO_BUCKET) {
                return bucket;
            }
            growFor(cells);
        }
    }

    /** Finds a bucket with room for a node without more buckets; moves others as needed. Returns {@link #NO_BUCKET} for none. */
    long findRoom(final long word, final int level, final int cells) {
        final long n = table.buckets();
        final long hash = table.hash(word, level);
        final long primary = BucketTable.primary(hash, n);
        final long secondary = BucketTable.secondary(hash, n);
        final int usedPrimary = table.used(primary);
        final int usedSecondary = table.used(secondary);
        if (Math.min(usedPrimary, usedSecondary) + cells <= CELLS) {
            return usedSecondary < usedPrimary ? secondary : primary;
        }
        searchesLeft = SEARCHES_PER_ATTEMPT;
        if (cells == SMALL_CELLS && moveAlongChain(primary, secondary, SMALL_CELLS)) {
            return search.freedBucket();
        }
        // Between wide nodes no single one can leave: a wide one must, which takes more than one chain.
        if (evict(primary, cells, NO_CELL, DEEPEST_EVICTION)) {
            return primary;
        }
        return evict(secondary, cells, NO_CELL, DEEPEST_EVICTION) ? secondary : NO_BUCKET;
    }

    /**
     * Adds buckets because no node can make room for a node.
     *
     * @throws SpaceExhaustedException if there is no memory, or the table is so sparse that more buckets would not help
     */
    void growFor(final int cells) {
        final long n = table.buckets();
        // Nodes that collide in a sparse table do so at any size: more buckets would only take the memory of nodes that fit.
        final boolean sparse = n > FEW_BUCKETS && (cellsUsed + cells) * SPARSE < n * CELLS;
        if (sparse || !grow(GROWTHS_PER_ATTEMPT)) {
            throw new SpaceExhaustedException("no room for a node of " + cells + " cells in " + n + " buckets, "
                + cellsUsed + " of " + n * CELLS + " cells are taken: "
                + (sparse ? "too many nodes belong to the same buckets" : space()));
        }
    }

    /** Frees cells of one of two buckets by a chain of moves, if there is one. */
    private boolean moveAlongChain(final long primary, final long secondary, final int cells) {
        if (searchesLeft-- <= 0 || !search.find(this, primary, secondary, cells)) {
            return false;
        }
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            move(search.fromBucket(move), search.fromCell(move), search.toBucket(move));
        }
        return true;
    }

    private void move(final long from, final int cell, final long to) {
        // mlpindex-concurrency.md, claim 7
        table.read(from, cell, moving);
        append(to, moving);
        remove(cellOffset(from, cell));
        relocations++;
    }

    /** Frees cells of a bucket: nodes but one leave one after the other, each by chains of moves of its own. */
    private boolean evict(final long bucket, final int cells, final int except, final int depth) {
        closed[closedCount++] = bucket;
        try {
            while (table.used(bucket) + cells > CELLS) {
                if (!evictOne(bucket, except, depth)) {
                    return false;
                }
            }
            return true;
        } finally {
            closedCount--;
        }
    }

    /** Frees at least one cell of a node's full bucket by moves that keep the node there; returns false if there are none. */
    boolean freeBeside(final long at) {
        searchesLeft = SEARCHES_PER_ATTEMPT;
        return evict(bucketAt(at), 1, cellAt(at), DEEPEST_EVICTION);
    }

    /** Moves one node out of a closed bucket: one with a chain of moves, or else one for which others are evicted. */
    private boolean evictOne(final long bucket, final int except, final int depth) {
        for (int pass = 0; pass <= Math.min(depth, 1); pass++) {
            for (int cell = 0; cell < CELLS; cell++) {
                final int leaving = cell == except ? 0 : cellsAt(bucket, cell);
                if (leaving > 0) {
                    final long to = alternateBucket(bucket, cell);
                    final boolean hasRoom = !isClosed(to)
                        && (pass == 0 ? moveAlongChain(to, to, leaving) : evict(to, leaving, NO_CELL, depth - 1));
                    if (hasRoom) {
                        move(bucket, cell, to);
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private boolean isClosed(final long bucket) {
        for (int i = 0; i < closedCount; i++) {
            if (closed[i] == bucket) {
                return true;
            }
        }
        return false;
    }

    /** Appends a node to a bucket with room. The last store publishes all of it. */
    void append(final long bucket, final Node node) {
        // mlpindex-concurrency.md, claim 2
        final int cell = table.used(bucket);
        final int cells = cells(node.meta);
        final long at = cellOffset(bucket, cell);
        for (int i = 0; i < 2 * (cells - 1); i++) {
            slab.putLong(at + CHILDREN_OFFSET + ((long) i << 3), node.words[i]);
        }
        slab.putLong(at + KEY_OFFSET, node.key);
        slab.putLongRelease(at + META_OFFSET, node.meta);
        node.at = at;
        cellsUsed += cells;
        counts.added(node.meta);
    }

    void remove(final long at) {
        replace(at, null);
    }

    /** Replaces a node by another one in the same bucket, which must have room for it, or removes it for null. */
    void replace(final long at, final Node node) {
        final long bucket = bucketAt(at);
        final long old = slab.getLong(at + META_OFFSET);
        final int removed = cells(old);
        final int behind = table.used(bucket) - cellAt(at) - removed;
        int added = 0;
        int to = 0;
        if (node != null) {
            added = cells(node.meta);
            node.at = at;
            image[to++] = node.meta;
            image[to++] = node.key;
            for (int i = 0; i < 2 * (added - 1); i++) {
                image[to++] = node.words[i];
            }
        }
        for (int i = 0; i < 2 * behind; i++) {
            image[to++] = slab.getLong(at + CELL_BYTES * (long) removed + ((long) i << 3));
        }
        table.versions().beginChange(bucket);
        for (int i = 0; i < 2 * (behind + Math.max(removed, added)); i++) {
            slab.putLong(at + ((long) i << 3), i < to ? image[i] : 0);
        }
        table.versions().endChange(bucket);
        cellsUsed += added - removed;
        counts.removed(old);
        if (node != null) {
            counts.added(node.meta);
        }
    }

    /**
     * Writes the children of a node that keeps its number of cells. Those of one cell stand in the meta. Several words change
     * under the version: a reader that sees some words before this change and some after the next could miss a child that went
     * from one word to another.
     */
    void writeChildren(final Node node) {
        // mlpindex-concurrency.md, claim 4
        if (cells(node.meta) == SMALL_CELLS) {
            writeMeta(node);
            return;
        }
        final long bucket = bucketAt(node.at);
        table.versions().beginChange(bucket);
        for (int i = 0; i < 2 * (cells(node.meta) - 1); i++) {
            slab.putLong(node.at + CHILDREN_OFFSET + ((long) i << 3), node.words[i]);
        }
        slab.putLongRelease(node.at + META_OFFSET, node.meta);
        table.versions().endChange(bucket);
    }

    /** Writes the meta of a node of one cell that stays: another payload, or another set of children. */
    void writeMeta(final Node node) {
        slab.putLongRelease(node.at + META_OFFSET, node.meta);
    }

    /** Writes the smallest word below an inner node; it shares with the one before the bytes that readers compare. */
    void writeMinKey(final Node node) {
        slab.putLongRelease(node.at + KEY_OFFSET, node.key);
    }

    private void growIfFull(final int cells) {
        final long wanted = (cellsUsed + cells) * FILL_DENOMINATOR;
        int added = 0;
        // A table that was overfilled for lack of memory gets its room back gradually.
        while (added < GROWTHS_PER_ATTEMPT && wanted > table.buckets() * CELLS * FILL_NUMERATOR && grow(1)) {
            added++;
        }
    }

    private boolean grow(final int count) {
        for (int i = 0; i < count; i++) {
            if (!addBucket()) {
                return i > 0;
            }
        }
        return true;
    }

    private boolean addBucket() {
        // mlpindex-concurrency.md, claim 5
        final long added = table.buckets();
        if (!growing.growTo(bucketOffset(added + 1))) {
            return false;
        }
        highestBuckets = Math.max(highestBuckets, added + 1);
        final long from = BucketAddressing.splitFrom(added);
        lines.add(slab.address(bucketOffset(BucketAddressing.splitFrom(added + PREFETCHED_SPLITS))));
        lines.add(slab.address(bucketOffset(added + PREFETCHED_SPLITS)));
        lines.request();
        int gone = 0;
        final int used = table.used(from);
        for (int cell = 0; cell < used; cell += cells(moving.meta)) {
            table.read(from, cell, moving);
            if (!belongs(moving.key, level(moving.meta), from, added + 1)) {
                append(added, moving);
                gone |= 1 << cell;
            }
        }
        table.setBuckets(added + 1);
        for (int cell = CELLS - 1; cell >= 0; cell--) {
            if ((gone >>> cell & 1) != 0) {
                remove(cellOffset(from, cell));
            }
        }
        return true;
    }

    private boolean belongs(final long key, final int level, final long bucket, final long buckets) {
        final long hash = table.hash(key, level);
        return BucketTable.primary(hash, buckets) == bucket || BucketTable.secondary(hash, buckets) == bucket;
    }

    /** Removes some of the last buckets if few cells are in use. */
    void shrinkIfSparse() {
        for (int i = 0; i < SHRINKS_PER_CALL; i++) {
            final long n = table.buckets();
            if (n <= FIRST_BUCKETS || cellsUsed * SPARSE > n * CELLS || !dropBucket(n - 1)) {
                return;
            }
        }
    }

    private boolean dropBucket(final long last) {
        final long to = BucketAddressing.splitFrom(last);
        searchesLeft = SEARCHES_PER_ATTEMPT;
        // Nodes that leave the last bucket may go to the other one, whose room shrinks: so again until the rest fits.
        while (table.used(to) + table.used(last) > CELLS) {
            if (!evict(last, table.used(to), NO_CELL, 0)) {
                return false;
            }
        }
        final int used = table.used(last);
        for (int cell = 0; cell < used; cell += cells(moving.meta)) {
            table.read(last, cell, moving);
            append(to, moving);
            counts.removed(moving.meta);
        }
        table.setBuckets(last);
        if (used > 0) {
            table.versions().beginChange(last);
            slab.clear(bucketOffset(last), BUCKET_BYTES);
            table.versions().endChange(last);
            cellsUsed -= used;
        }
        return true;
    }

    /** Reserves memory for more cells than are in use. */
    void reserve(final long cells) {
        final long buckets = cells == 0 ? 0 : (cellsUsed + cells) * FILL_DENOMINATOR
            / (CELLS * FILL_NUMERATOR - 1) + 4 * FIRST_BUCKETS;
        growing.shrinkTo(bucketOffset(Math.max(highestBuckets, buckets)));
        if (!growing.growTo(bucketOffset(buckets))) {
            throw new SpaceExhaustedException("no room for " + cells + " more cells beside " + cellsUsed + ": " + space());
        }
    }

    @Override
    public int cellsPerBucket() {
        return CELLS;
    }

    @Override
    public int nodeCells(final long bucket, final int cell) {
        return isClosed(bucket) ? 0 : cellsAt(bucket, cell);
    }

    private int cellsAt(final long bucket, final int cell) {
        return table.begins(bucket, cell) ? cells(slab.getLong(cellOffset(bucket, cell))) : 0;
    }

    @Override
    public long alternateBucket(final long bucket, final int cell) {
        final long at = cellOffset(bucket, cell);
        final long n = table.buckets();
        final long hash = table.hash(slab.getLong(at + KEY_OFFSET), level(slab.getLong(at + META_OFFSET)));
        final long primary = BucketTable.primary(hash, n);
        return primary == bucket ? BucketTable.secondary(hash, n) : primary;
    }

    @Override
    public boolean fits(final long bucket, final int nodeCells, final int leaving) {
        final int left = leaving == NO_CELL ? 0 : cellsAt(bucket, leaving);
        return !isClosed(bucket) && table.used(bucket) - left + nodeCells <= CELLS;
    }

    @Override
    public void prefetch(final long bucket) {
        lines.add(slab, bucketOffset(bucket));
    }

    @Override
    public void request() {
        lines.request();
    }
}
