/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.bytes.LoweredLimit;
import io.nestling.index.cuckoo.BucketAddressing;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;
import io.nestling.offheap.WriteFailure;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The hash table as readers see it. A node of a level stands in one of two buckets, which follow from the first bytes of its key.
 * The number of buckets grows and shrinks by one at a time.
 * <h2>Thread safety</h2>
 * Any number of readers beside one {@link BucketWriter}. A node that a reader does not find may have been moving to its other
 * bucket; only what is found counts.
 */
final class BucketTable {
    private static final int VERSIONS = LoweredLimit.powerOfTwo("mlpindex.versions", 1 << 12, 1);
    private static final long LOW_HALF = 0xFFFF_FFFFL;
    private static final int HOT_BITS = 4;
    private static final int HOT_MASK = (1 << HOT_BITS) - 1;

    private final Slab slab;
    private final KeyHash keyHash;
    private final MlpVersions versions;
    private final AtomicLong buckets;
    /* The two or three levels of most leaves, four bits each. A reader may see an older choice: it finds the same leaves, some of
       them later. */
    private int hotLevels = FIRST_LEVEL + 1 | FIRST_LEVEL << HOT_BITS;

    BucketTable(final Slab slab, final KeyHash keyHash, final long buckets, final WriteFailure failure) {
        this.slab = slab;
        this.keyHash = keyHash;
        this.versions = new MlpVersions(VERSIONS, failure);
        this.buckets = new AtomicLong(buckets);
    }

    long hash(final long word, final int level) {
        return keyHash.hash(KeyWord.prefix(word, level), level);
    }

    static long primary(final long hash, final long buckets) {
        return BucketAddressing.bucketOf(hash & LOW_HALF, buckets);
    }

    static long secondary(final long hash, final long buckets) {
        return BucketAddressing.bucketOf(hash >>> Integer.SIZE, buckets);
    }

    /** Adds the buckets where most leaves stand to the lines to prefetch, those of a word. */
    void addHotTo(final PrefetchVector lines, final long word) {
        for (int hot = hotLevels; hot != 0; hot >>>= HOT_BITS) {
            addTo(lines, word, hot & HOT_MASK);
        }
    }

    /** Adds the two buckets of a level of a word to the lines to prefetch. */
    void addTo(final PrefetchVector lines, final long word, final int level) {
        final long n = buckets();
        final long hash = hash(word, level);
        lines.add(slab, bucketOffset(primary(hash, n)));
        lines.add(slab, bucketOffset(secondary(hash, n)));
    }

    Slab slab() {
        return slab;
    }

    MlpVersions versions() {
        return versions;
    }

    /** Returns the number of buckets (acquire). */
    long buckets() {
        return buckets.getAcquire();
    }

    /** Publishes the number of buckets (release): readers that see it see what was written to these buckets before. */
    void setBuckets(final long count) {
        buckets.setRelease(count);
    }

    /**
     * Sets the levels of most leaves. The deeper one of the first two is examined first: what has the word as its key there is
     * the word's leaf more often than at the other, where the inner node above may have that key too.
     */
    void setHotLevels(final int first, final int second, final int third) {
        hotLevels = Math.max(first, second) | Math.min(first, second) << HOT_BITS | third << 2 * HOT_BITS;
    }

    /** Returns the lowest of the levels of most leaves. */
    int lowestHot() {
        int lowest = LAST_LEVEL;
        for (int hot = hotLevels; hot != 0; hot >>>= HOT_BITS) {
            lowest = Math.min(lowest, hot & HOT_MASK);
        }
        return lowest;
    }

    /**
     * Finds the leaf of a word where most leaves stand: in four buckets, all of which are read before the first is examined, then
     * in the two of a third level if many leaves are there. Returns its meta; 0 if it may be elsewhere or absent.
     */
    long findHotLeaf(final long word) {
        final long n = buckets();
        final int hot = hotLevels;
        final long hash0 = hash(word, hot & HOT_MASK);
        final long hash1 = hash(word, hot >>> HOT_BITS & HOT_MASK);
        final long bucket0 = primary(hash0, n);
        final long bucket1 = secondary(hash0, n);
        final long bucket2 = primary(hash1, n);
        final long bucket3 = secondary(hash1, n);
        final long found = findLeafIn(bucket0, bucket1, bucket2, bucket3, word);
        final int third = hot >>> 2 * HOT_BITS;
        if (found != FREE || third == 0) {
            return found;
        }
        final long hash2 = hash(word, third);
        final long bucket4 = primary(hash2, n);
        final long bucket5 = secondary(hash2, n);
        return findLeafIn(bucket4, bucket5, bucket4, bucket5, word);
    }

    /** Finds the leaf of a word in four buckets, of which some may be the same; all are read before the first is examined. */
    private long findLeafIn(final long bucket0, final long bucket1, final long bucket2, final long bucket3, final long word) {
        int cells = match(bucket0, word, 0)
            | match(bucket1, word, 0) << CELLS | match(bucket2, word, 0) << 2 * CELLS | match(bucket3, word, 0) << 3 * CELLS;
        // The key of an inner node is that of its first leaf, so that it may seem to be in two cells.
        while (cells != 0) {
            final int first = Integer.numberOfTrailingZeros(cells);
            final int number = first / CELLS;
            final long lower = number == 0 ? bucket0 : bucket1;
            final long upper = number == 2 ? bucket2 : bucket3;
            final long meta = leafAt(number < 2 ? lower : upper, first & CELLS - 1, word);
            if (meta != FREE) {
                return meta;
            }
            cells &= cells - 1;
        }
        return FREE;
    }

    /**
     * Returns the cells of a bucket, as bits, whose key begins with the first bytes of a word; reads them as they are, torn or
     * not.
     */
    private int match(final long bucket, final long word, final int shift) {
        return slab.matchSlots(bucketOffset(bucket), word, shift);
    }

    /** Returns the meta of the leaf of a word at a cell, or {@link MlpNodeLayout#FREE}. */
    private long leafAt(final long bucket, final int cell, final long word) {
        final long at = cellOffset(bucket, cell);
        while (true) {
            final int version = versions.begin(bucket);
            final long meta = slab.getLongAcquire(at + META_OFFSET);
            final boolean found =
                MlpNodeLayout.isLeaf(meta) && slab.getLong(at + KEY_OFFSET) == word && begins(bucket, cell);
            if (versions.unchanged(bucket, version)) {
                return found ? meta : FREE;
            }
        }
    }

    /** Returns whether a node begins at a cell, so that the cell holds no children. */
    boolean begins(final long bucket, final int cell) {
        final long start = bucketOffset(bucket);
        final int single = isSingle(slab.getLong(start)) | isSingle(slab.getLong(start + CELL_BYTES)) << 1
            | isSingle(slab.getLong(start + 2 * CELL_BYTES)) << 2;
        final int before = (1 << cell) - 1;
        return (single & before) == before || beginsAfterWide(bucket, cell);
    }

    private boolean beginsAfterWide(final long bucket, final int cell) {
        int at = 0;
        while (at < cell) {
            final int cells = cells(slab.getLong(cellOffset(bucket, at)));
            if (cells == 0) {
                // A wide node is being appended: its children are written, its meta is not. No node stands behind a free cell.
                return false;
            }
            at += cells;
        }
        return at == cell;
    }

    /**
     * Copies the node of a level for the first bytes of a word; returns whether it was found, otherwise it may have moved
     * meanwhile.
     */
    boolean find(final long word, final int level, final Node node) {
        final long n = buckets();
        final long hash = hash(word, level);
        return findIn(primary(hash, n), secondary(hash, n), word, level, node);
    }

    /** Finds a node of a level that must be present. For the writer. */
    void require(final long word, final int level, final Node node) {
        if (!find(word, level, node)) {
            throw new AssertionError("no node at level " + level + " of word " + Long.toHexString(word));
        }
    }

    /** Finds a node again that may have been moved since it was read. For the writer. */
    void requireAgain(final long word, final Node node) {
        final boolean stays = slab.getLong(node.at) == node.meta && slab.getLong(node.at + KEY_OFFSET) == node.key
            && begins(bucketAt(node.at), cellAt(node.at));
        if (!stays) {
            require(word, level(node.meta), node);
        }
    }

    /** Finds a node in its two buckets. */
    boolean findIn(final long bucket0, final long bucket1, final long word, final int level, final Node node) {
        final int shift = Long.SIZE - Byte.SIZE * level;
        int cells = match(bucket0, word, shift) | match(bucket1, word, shift) << CELLS;
        while (cells != 0) {
            final int first = Integer.numberOfTrailingZeros(cells);
            if (readAt(first < CELLS ? bucket0 : bucket1, first & CELLS - 1, word, level, node)) {
                return true;
            }
            cells &= cells - 1;
        }
        return false;
    }

    /** Reads the node of a level for a word, if it begins at a cell. */
    private boolean readAt(final long bucket, final int cell, final long word, final int level, final Node node) {
        final long at = cellOffset(bucket, cell);
        while (true) {
            final int version = versions.begin(bucket);
            final long meta = slab.getLongAcquire(at + META_OFFSET);
            final long key = slab.getLong(at + KEY_OFFSET);
            if (meta == FREE || level(meta) != level || !KeyWord.sharePrefix(key, word, level)
                || cell + cells(meta) > CELLS || !begins(bucket, cell)) {
                return false;
            }
            copy(at, meta, key, node);
            if (versions.unchanged(bucket, version)) {
                return true;
            }
        }
    }

    /** Returns the number of cells that the nodes of a bucket take. For the writer. */
    int used(final long bucket) {
        int used = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            // All ones where a node may begin: without a branch, which would often be mispredicted.
            final int begins = (cell ^ used) - 1 >> Integer.SIZE - 1;
            used += cells(slab.getLong(cellOffset(bucket, cell))) & begins;
        }
        return used;
    }

    /** Reads the node that begins at a cell. For the writer. */
    void read(final long bucket, final int cell, final Node node) {
        final long at = cellOffset(bucket, cell);
        copy(at, slab.getLong(at + META_OFFSET), slab.getLong(at + KEY_OFFSET), node);
    }

    private void copy(final long at, final long meta, final long key, final Node node) {
        node.at = at;
        node.meta = meta;
        node.key = key;
        for (int i = 0; i < 2 * (MlpNodeLayout.cells(meta) - 1); i++) {
            node.words[i] = slab.getLong(at + CHILDREN_OFFSET + ((long) i << 3));
        }
    }
}
