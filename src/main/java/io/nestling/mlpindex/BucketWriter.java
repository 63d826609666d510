/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.NodeLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.bytes.LoweredLimit;
import io.nestling.index.cuckoo.BucketAddressing;
import io.nestling.index.cuckoo.CuckooBuckets;
import io.nestling.index.cuckoo.RelocationSearch;
import io.nestling.memory.GrowingSlab;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memory.WriteFailure;

import java.util.Arrays;

/**
 * What the writer does to buckets: appends, replaces and removes nodes, makes room by moving nodes to their other bucket, and
 * adds and removes buckets one at a time.
 * <p>
 * A node is written to its new place before it leaves the old one. Whatever makes a reader miss something that it could have
 * found in a bucket happens under the bucket's version; appending does not.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class BucketWriter implements CuckooBuckets {
    private static final int FIRST_BUCKETS = LoweredLimit.of("mlpindex.buckets", 8, 2);
    private static final int SEARCHED_BUCKETS = 250;
    private static final int GROWTHS_PER_ATTEMPT = 4;
    /* A node that has to leave may make room for itself by other nodes that have to, so many times. */
    private static final int DEEPEST_EVICTION = 2;
    /* What one attempt to make room searches at most before it gives up or the table grows. */
    private static final int SEARCHES_PER_ATTEMPT = 24;
    private static final int FILL_NUMERATOR = 5;
    private static final int FILL_DENOMINATOR = 8;
    /* Fewer cells in use than one in so many make the table shrink, and keep it from growing beyond a few buckets. */
    private static final int SPARSE = 4;
    private static final int FEW_BUCKETS = 256;
    private static final int SHRINKS_PER_CALL = 8;
    private static final int PREFETCHED_SPLITS = 3;
    private static final long NO_BUCKET = -1;
    private static final int BUCKET_WORDS = BUCKET_BYTES / Long.BYTES;

    private final GrowingSlab growing;
    private final Slab slab;
    private final BucketTable table;
    private final RelocationSearch search = new RelocationSearch(SEARCHED_BUCKETS);
    private final Node moving = new Node();
    private final PrefetchVector lines = new PrefetchVector();
    private final long[] image = new long[BUCKET_WORDS];
    private final long[] leaving = new long[BUCKET_WORDS];
    private long cellsUsed;
    private long highestBuckets = FIRST_BUCKETS;
    private long relocations;
    /* A bucket of which somebody knows where its nodes stand, and whether one of them may stand elsewhere by now. */
    private long watched = NO_BUCKET;
    private boolean moved;
    /* Buckets that moves must leave alone: room is being made in them. */
    private final long[] closed = new long[DEEPEST_EVICTION + 1];
    private int closedCount;
    private int searchesLeft;

    BucketWriter(final GrowingSlab growing, final KeyHash keyHash, final WriteFailure failure) {
        this.growing = growing;
        this.slab = growing.slab();
        if (!growing.growTo((long) FIRST_BUCKETS * BUCKET_BYTES)) {
            throw new SpaceExhaustedException("a table begins with " + FIRST_BUCKETS + " buckets: " + space());
        }
        this.table = new BucketTable(slab, keyHash, FIRST_BUCKETS, failure);
    }

    private String space() {
        return growing.limit() + " of " + slab.size() + " bytes of the table are taken, the budget gives no more";
    }

    BucketTable table() {
        return table;
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

    /** Requests the buckets where a node will be looked for or put. */
    void prefetch(final long word0, final long word1, final int level) {
        table.addTo(lines, word0, level);
        table.addTo(lines, word1, level);
        lines.request();
    }

    /** Begins to note whether nodes of a bucket move. */
    void watch(final long at) {
        watched = bucketAt(at);
        moved = false;
    }

    /** Returns whether a node may stand elsewhere than when {@link #watch} was called. */
    boolean hasMoved() {
        return moved;
    }

    /**
     * Finds a bucket with room for a node that is not there yet, moving others and adding buckets as needed.
     *
     * @throws SpaceExhaustedException if there is none
     */
    long makeRoom(final long word, final int level, final int cells) {
        growIfFull(cells);
        while (true) {
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
            if (cells == SMALL_CELLS && hasChain(primary, secondary, SMALL_CELLS)) {
                return carryOutMoves();
            }
            // Where only wide nodes stand no single one can leave: a wide one has to, which takes more than one chain.
            if (evict(primary, cells, DEEPEST_EVICTION)) {
                return primary;
            }
            if (evict(secondary, cells, DEEPEST_EVICTION)) {
                return secondary;
            }
            // Where nodes meet whatever the size of the table is, more buckets would take the room of those that fit.
            final boolean sparse = n > FEW_BUCKETS && (cellsUsed + cells) * SPARSE < n * CELLS;
            if (sparse || !grow(GROWTHS_PER_ATTEMPT)) {
                throw new SpaceExhaustedException("no room for a node of " + cells + " cells in " + n + " buckets, "
                    + cellsUsed + " of " + n * CELLS + " cells are taken: "
                    + (sparse ? "too many nodes belong to the same buckets" : space()));
            }
        }
    }

    private boolean hasChain(final long primary, final long secondary, final int cells) {
        return searchesLeft-- > 0 && search.find(this, primary, secondary, cells);
    }

    private long carryOutMoves() {
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            move(search.fromBucket(move), search.fromCell(move), search.toBucket(move));
        }
        return search.freedBucket();
    }

    private void move(final long from, final int cell, final long to) {
        table.read(from, cell, moving);
        append(to, moving);
        remove(from, cell);
        relocations++;
    }

    /** Frees cells of a bucket: nodes leave it one after the other, each with chains of moves of its own. */
    private boolean evict(final long bucket, final int cells, final int depth) {
        closed[closedCount++] = bucket;
        try {
            while (table.used(bucket) + cells > CELLS) {
                if (!evictOne(bucket, NO_CELL, depth)) {
                    return false;
                }
            }
            return true;
        } finally {
            closedCount--;
        }
    }

    /** Frees at least one cell of a node's bucket by moves that leave the node there; false if there are none. */
    boolean freeBeside(final long at) {
        final long bucket = bucketAt(at);
        searchesLeft = SEARCHES_PER_ATTEMPT;
        closed[closedCount++] = bucket;
        try {
            return evictOne(bucket, cellAt(at), DEEPEST_EVICTION);
        } finally {
            closedCount--;
        }
    }

    /** Moves one node out of a closed bucket: one for which a chain makes room, or else one for which others are evicted. */
    private boolean evictOne(final long bucket, final int except, final int depth) {
        for (int cell = 0; cell < CELLS; cell++) {
            final int leaving = cell == except ? 0 : cellsAt(bucket, cell);
            if (leaving > 0) {
                final long to = alternateBucket(bucket, cell);
                if (!isClosed(to) && hasChain(to, to, leaving)) {
                    move(bucket, cell, carryOutMoves());
                    return true;
                }
            }
        }
        for (int cell = 0; cell < CELLS && depth > 0; cell++) {
            final int leaving = cell == except ? 0 : cellsAt(bucket, cell);
            if (leaving > 0) {
                final long to = alternateBucket(bucket, cell);
                if (!isClosed(to) && evict(to, leaving, depth - 1)) {
                    move(bucket, cell, to);
                    return true;
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

    /** Returns whether a node of some cells finds room in one of its buckets as they are; if so, gives the bucket. */
    long roomWithoutMoves(final long word, final int level, final int cells) {
        final long n = table.buckets();
        final long hash = table.hash(word, level);
        final long primary = BucketTable.primary(hash, n);
        if (table.used(primary) + cells <= CELLS) {
            return primary;
        }
        final long secondary = BucketTable.secondary(hash, n);
        return table.used(secondary) + cells <= CELLS ? secondary : NO_BUCKET;
    }

    /** Puts a node into a bucket with room. Readers see all of it from one store on, the last. */
    void append(final long bucket, final Node node) {
        final int cell = table.used(bucket);
        final int cells = node.cells();
        final long at = cellOffset(bucket, cell);
        for (int i = 0; i < 2 * (cells - 1); i++) {
            slab.putLong(at + CHILDREN_OFFSET + ((long) i << 3), node.words[i]);
        }
        slab.putLong(at + KEY_OFFSET, node.key);
        slab.putLongRelease(at, node.meta);
        node.at = at;
        cellsUsed += cells;
    }

    void remove(final long bucket, final int cell) {
        rewrite(bucket, cell, null);
    }

    void remove(final long at) {
        rewrite(bucketAt(at), cellAt(at), null);
    }

    /** Puts a node in the place of another one in the same bucket, which must have room for it. */
    void replace(final long at, final Node node) {
        rewrite(bucketAt(at), cellAt(at), node);
    }

    /** Moves the nodes of a bucket together, with another node or none in the place of one. */
    private void rewrite(final long bucket, final int cell, final Node node) {
        final long start = bucketOffset(bucket);
        final int removed = cells(slab.getLong(cellOffset(bucket, cell)));
        final int used = table.used(bucket);
        int to = 0;
        for (int i = 0; i < 2 * cell; i++) {
            image[to++] = slab.getLong(start + ((long) i << 3));
        }
        int added = 0;
        if (node != null) {
            added = node.cells();
            node.at = cellOffset(bucket, cell);
            image[to++] = node.meta;
            image[to++] = node.key;
            for (int i = 0; i < 2 * (added - 1); i++) {
                image[to++] = node.words[i];
            }
        }
        for (int i = 2 * (cell + removed); i < 2 * used; i++) {
            image[to++] = slab.getLong(start + ((long) i << 3));
        }
        while (to < BUCKET_WORDS) {
            image[to++] = 0;
        }
        moved |= bucket == watched;
        table.versions().beginChange(bucket);
        for (int i = 2 * cell; i < 2 * Math.max(used, used - removed + added); i++) {
            slab.putLong(start + ((long) i << 3), image[i]);
        }
        table.versions().endChange(bucket);
        cellsUsed += added - removed;
    }

    /**
     * Writes the children of a node that has as many cells as before. Those of one cell stand in its meta. Of several words,
     * some could be read before this change and some after the next, between which a child may have gone from one to another.
     */
    void writeChildren(final Node node) {
        if (node.cells() == SMALL_CELLS) {
            writeMeta(node);
            return;
        }
        final long bucket = bucketAt(node.at);
        table.versions().beginChange(bucket);
        for (int i = 0; i < 2 * (node.cells() - 1); i++) {
            slab.putLong(node.at + CHILDREN_OFFSET + ((long) i << 3), node.words[i]);
        }
        slab.putLongRelease(node.at, node.meta);
        table.versions().endChange(bucket);
    }

    /** Writes the meta of a node of one cell that stays in its place: another payload, another set of children. */
    void writeMeta(final Node node) {
        slab.putLongRelease(node.at, node.meta);
    }

    /** Writes the smallest word below an inner node, which shares the bytes that readers look at with the one before. */
    void writeMinKey(final Node node) {
        slab.putLongRelease(node.at + KEY_OFFSET, node.key);
    }

    private void growIfFull(final int cells) {
        final long wanted = (cellsUsed + cells) * FILL_DENOMINATOR;
        int added = 0;
        // A table that had to be filled, as there was no memory, gets its room back by and by.
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
        final long added = table.buckets();
        if (!growing.growTo(bucketOffset(added + 1))) {
            return false;
        }
        highestBuckets = Math.max(highestBuckets, added + 1);
        final long from = BucketAddressing.splitFrom(added);
        table.prefetch(BucketAddressing.splitFrom(added + PREFETCHED_SPLITS), added + PREFETCHED_SPLITS);
        final long start = bucketOffset(from);
        final int used = 2 * table.used(from);
        int staying = 0;
        int gone = 0;
        for (int i = 0; i < used;) {
            final long meta = slab.getLong(start + ((long) i << 3));
            final long key = slab.getLong(start + ((long) i << 3) + KEY_OFFSET);
            final int end = i + 2 * cells(meta);
            final boolean stays = belongs(key, level(meta), from, added + 1);
            while (i < end) {
                final long word = slab.getLong(start + ((long) i++ << 3));
                if (stays) {
                    image[staying++] = word;
                } else {
                    leaving[gone++] = word;
                }
            }
        }
        // Readers who know an older, larger number of buckets may look into the new one already.
        final long end = bucketOffset(added);
        table.versions().beginChange(added);
        for (int i = 0; i < gone; i++) {
            slab.putLong(end + ((long) i << 3), leaving[i]);
        }
        table.versions().endChange(added);
        table.setBuckets(added + 1);
        if (gone > 0) {
            Arrays.fill(image, staying, used, 0);
            writeImage(from, used);
        }
        return true;
    }

    /** Writes the image of the words of a bucket that are used. */
    private void writeImage(final long bucket, final int words) {
        final long start = bucketOffset(bucket);
        moved |= bucket == watched;
        table.versions().beginChange(bucket);
        for (int i = 0; i < words; i++) {
            slab.putLong(start + ((long) i << 3), image[i]);
        }
        table.versions().endChange(bucket);
    }

    private boolean belongs(final long key, final int level, final long bucket, final long buckets) {
        final long hash = table.hash(key, level);
        return BucketTable.primary(hash, buckets) == bucket || BucketTable.secondary(hash, buckets) == bucket;
    }

    /** Gives up some of the last buckets if few cells are in use. */
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
        closed[closedCount++] = last;
        try {
            while (table.used(to) + table.used(last) > CELLS) {
                if (!evictOne(last, NO_CELL, 0)) {
                    return false;
                }
            }
        } finally {
            closedCount--;
        }
        final int used = table.used(last);
        for (int cell = 0; cell < used; cell += moving.cells()) {
            table.read(last, cell, moving);
            append(to, moving);
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

    /** Charges memory for more cells than are in use now, so that they will find room. */
    void promise(final long cells) {
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
        final long meta = slab.getLong(cellOffset(bucket, cell));
        return meta != FREE && table.begins(bucket, cell) ? cells(meta) : 0;
    }

    @Override
    public long alternateBucket(final long bucket, final int cell) {
        final long at = cellOffset(bucket, cell);
        final long n = table.buckets();
        final long hash = table.hash(slab.getLong(at + KEY_OFFSET), level(slab.getLong(at)));
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
