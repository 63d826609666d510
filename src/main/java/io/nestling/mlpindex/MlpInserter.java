/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.PrefetchVector;

/**
 * Adds words to the trie.
 * <p>
 * Until the leaf of a new word is stored, each step keeps what readers could find before: a node that moves down a level is
 * copied first, a parent knows of a child before the child exists. Before there is room for the leaf, a node is only widened, or
 * copied; if there is none, the copy is removed again.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class MlpInserter {
    private final BucketWriter writer;
    private final BucketTable table;
    private final FlatLevels flat;
    private final LeafWriter leaves;
    private final MlpRemover remover;
    private final PrefetchVector lines = new PrefetchVector();
    private final Node node = new Node();
    private final Node other = new Node();
    private final Node leaf = new Node();
    /* Levels on the way whose inner nodes have a smallest word above the new one, as bits. */
    private int levelsAbove;

    MlpInserter(final BucketWriter writer, final FlatLevels flat, final LeafWriter leaves, final MlpRemover remover) {
        this.writer = writer;
        this.table = writer.table();
        this.flat = flat;
        this.leaves = leaves;
        this.remover = remover;
    }

    /**
     * Adds a key, or replaces its payload; returns the earlier payload, or {@link PointIndex#NONE}.
     *
     * @param replaces whether the payload of a present key is replaced
     */
    long put(final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        final long word = KeyWord.of(key, offset, length);
        prefetch(word);
        levelsAbove = 0;
        leaf.meta = FREE;
        try {
            return put(word, key, offset, length, payload, replaces);
        } catch (final SpaceExhaustedException e) {
            leaves.discard(leaf.meta);
            throw e;
        }
    }

    private long put(
        final long word, final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        if (!flat.contains(word)) {
            insertBelowFlat(word, length, payload);
            return PointIndex.NONE;
        }
        int level = start(word);
        while (true) {
            if (isLeaf(node.meta) && node.key == word) {
                return change(key, offset, length, payload, replaces);
            }
            final int depth = KeyWord.commonPrefix(node.key, word);
            if (isLeaf(node.meta) || depth < fullKeyLen(node.meta)) {
                final boolean wasWide = cells(node.meta) > SMALL_CELLS;
                split(word, level, depth, length, payload);
                lowerMinKeys(word);
                if (wasWide) {
                    // It may have been an only child that was too wide to replace its parent.
                    remover.shortenAbove(word, level);
                }
                return PointIndex.NONE;
            }
            if (Long.compareUnsigned(word, node.key) < 0) {
                levelsAbove |= 1 << level;
            }
            final int keyLength = fullKeyLen(node.meta);
            if (!node.contains(KeyWord.byteAt(word, keyLength))) {
                addChild(word, level, keyLength, length, payload);
                lowerMinKeys(word);
                return PointIndex.NONE;
            }
            level = keyLength + 1;
            table.require(word, level, node);
        }
    }

    /**
     * Reads the node where the search for a word begins, and returns its level: mostly at or just above the levels of leaves,
     * since a node is found without those above. A word below the node's smallest word begins at the top: the nodes above may
     * need a new smallest word.
     */
    private int start(final long word) {
        final int lowest = table.lowestHot();
        for (int level = lowest; level > FIRST_LEVEL && level >= lowest - 1; level--) {
            if (table.find(word, level, node) && Long.compareUnsigned(word, node.key) >= 0) {
                return level;
            }
        }
        table.require(word, FIRST_LEVEL, node);
        return FIRST_LEVEL;
    }

    /** Requests the likely nodes on the way of a word. */
    private void prefetch(final long word) {
        table.addHotTo(lines, word);
        if (table.lowestHot() > FIRST_LEVEL) {
            table.addTo(lines, word, table.lowestHot() - 1);
        }
        lines.request();
    }

    private long change(final byte[] key, final int offset, final int length, final long payload, final boolean replaces) {
        final long meta = leaves.put(node.meta, key, offset, length, payload, replaces);
        if (meta != node.meta) {
            node.meta = meta;
            writer.writeMeta(node);
        }
        leaves.finish();
        return leaves.before();
    }

    private void insertBelowFlat(final long word, final int length, final long payload) {
        makeLeaf(word, FIRST_LEVEL, length, payload);
        final long bucket = writer.makeRoom(word, FIRST_LEVEL, SMALL_CELLS);
        flat.add(word);
        writer.append(bucket, leaf);
    }

    private void makeLeaf(final long word, final int level, final int length, final long payload) {
        leaf.meta = leaves.create(length, level, payload);
        leaf.key = word;
    }

    /** Moves a node down a level, below a new one that branches at a depth. */
    private void split(final long word, final int level, final int depth, final int length, final long payload) {
        // mlpindex-concurrency.md, claim 6
        final long bucket;
        final long moved = node.key;
        table.addTo(lines, moved, depth + 1);
        table.addTo(lines, word, depth + 1);
        lines.request();
        makeLeaf(word, depth + 1, length, payload);
        final long lower = writer.makeRoom(moved, depth + 1, cells(node.meta));
        other.copyFrom(node);
        other.meta = withLevel(node.meta, depth + 1);
        writer.append(lower, other);
        try {
            bucket = writer.makeRoom(word, depth + 1, SMALL_CELLS);
        } catch (final SpaceExhaustedException e) {
            table.require(moved, depth + 1, other);
            writer.remove(other.at);
            throw e;
        }
        table.requireAgain(word, node);
        final long minKey = Long.compareUnsigned(word, moved) < 0 ? word : moved;
        other.setInner(level, depth, minKey, KeyWord.byteAt(moved, depth), KeyWord.byteAt(word, depth));
        writer.replace(node.at, other);
        writer.append(bucket, leaf);
    }

    /** Adds a leaf below a node whose key has {@code keyLength} bytes. */
    private void addChild(final long word, final int level, final int keyLength, final int length, final long payload) {
        makeLeaf(word, keyLength + 1, length, payload);
        if (node.isFull()) {
            widen(word, level);
        }
        final long bucket = writer.makeRoom(word, keyLength + 1, SMALL_CELLS);
        table.requireAgain(word, node);
        node.addChild(KeyWord.byteAt(word, keyLength));
        writer.writeChildren(node);
        writer.append(bucket, leaf);
    }

    /** Widens a node by one cell, with the same children: beside its neighbours, or as a copy in its other bucket. */
    private void widen(final long word, final int level) {
        final int widened = cells(node.meta) + 1;
        while (table.used(bucketAt(node.at)) == CELLS) {
            long bucket = BucketWriter.NO_BUCKET;
            if (!writer.freeBeside(node.at)) {
                bucket = writer.findRoom(word, level, widened);
                if (bucket == BucketWriter.NO_BUCKET) {
                    // A node whose two buckets are one never has room for a copy; with more buckets its neighbours leave.
                    writer.growFor(widened);
                }
            }
            table.require(word, level, node);
            if (bucket != BucketWriter.NO_BUCKET && bucket != bucketAt(node.at)) {
                other.copyFrom(node);
                other.widen();
                writer.append(bucket, other);
                writer.remove(node.at);
                table.require(word, level, node);
                return;
            }
        }
        node.widen();
        writer.replace(node.at, node);
    }

    private void lowerMinKeys(final long word) {
        for (int level = FIRST_LEVEL; levelsAbove >>> level != 0; level++) {
            if ((levelsAbove >>> level & 1) != 0) {
                table.require(word, level, node);
                node.key = word;
                writer.writeMinKey(node);
            }
        }
    }
}
