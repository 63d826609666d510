/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.index.PointIndex;

/**
 * Removes words from the trie. A node with one child is replaced by that child, and remains only where the child is too wide for
 * its bucket.
 * <p>
 * The leaf goes first; until its parent knows, readers find a child that is missing and retry. A node that replaces its parent is
 * copied before it is removed.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class MlpRemover {
    private final BucketWriter writer;
    private final BucketTable table;
    private final FlatLevels flat;
    private final LeafWriter leaves;
    private final Node node = new Node();
    private final Node child = new Node();
    /* Levels of the inner nodes on the way, from the first. */
    private final int[] levels = new int[LAST_LEVEL];

    MlpRemover(final BucketWriter writer, final FlatLevels flat, final LeafWriter leaves) {
        this.writer = writer;
        this.table = writer.table();
        this.flat = flat;
        this.leaves = leaves;
    }

    /** Removes a key; returns its payload, or {@link PointIndex#NONE}. */
    long remove(final byte[] key, final int offset, final int length) {
        final long word = KeyWord.of(key, offset, length);
        if (!flat.contains(word)) {
            return PointIndex.NONE;
        }
        int depth = 0;
        int level = FIRST_LEVEL;
        while (true) {
            table.require(word, level, node);
            if (isLeaf(node.meta)) {
                return node.key == word ? removeFrom(key, offset, length, depth) : PointIndex.NONE;
            }
            final int full = fullKeyLen(node.meta);
            if (!KeyWord.sharePrefix(node.key, word, full) || !node.contains(KeyWord.byteAt(word, full))) {
                return PointIndex.NONE;
            }
            levels[depth++] = level;
            level = full + 1;
        }
    }

    private long removeFrom(final byte[] key, final int offset, final int length, final int depth) {
        final long old = node.meta;
        final long meta = leaves.remove(old, key, offset, length);
        final long before = leaves.before();
        if (meta != FREE) {
            if (meta != old) {
                node.meta = meta;
                writer.writeMeta(node);
            }
            leaves.finish();
            return before;
        }
        final long word = node.key;
        writer.remove(node.at);
        if (depth == 0) {
            flat.remove(word);
        } else {
            removeFromParent(word, depth);
        }
        leaves.discard(old);
        writer.shrinkIfSparse();
        return before;
    }

    private void removeFromParent(final long word, final int depth) {
        final int level = levels[depth - 1];
        table.require(word, level, node);
        final int gone = KeyWord.byteAt(word, fullKeyLen(node.meta));
        boolean narrower = false;
        // A child that is too wide to replace the node stays below it; a later removal or split compresses the path.
        if (count(node.meta) > 2 || !compress(node.otherChild(gone), word)) {
            narrower = node.removeChild(gone);
            if (narrower) {
                writer.replace(node.at, node);
            } else {
                writer.writeChildren(node);
            }
            if (node.key == word) {
                table.require(KeyWord.extend(word, fullKeyLen(node.meta), node.firstChild()), fullKeyLen(node.meta) + 1, child);
                node.key = child.key;
                writer.writeMinKey(node);
            }
        }
        raiseMinKeys(word, node.key, depth - 1);
        if (narrower) {
            shortenAbove(word, level);
        }
    }

    private void raiseMinKeys(final long word, final long next, final int depth) {
        for (int i = depth - 1; i >= 0; i--) {
            table.require(word, levels[i], node);
            if (node.key != word) {
                return;
            }
            node.key = next;
            writer.writeMinKey(node);
        }
    }

    /**
     * Shortens the way of a word above the node of a level that has become narrower: it may be an only child, and now fit its
     * parent's bucket. The node above that parent has more children, as this one was too wide for the parent alone.
     */
    void shortenAbove(final long word, final int level) {
        for (int above = FIRST_LEVEL; above < level; above = fullKeyLen(node.meta) + 1) {
            table.require(word, above, node);
        }
        if (level > FIRST_LEVEL && count(node.meta) == 1) {
            compress(node.firstChild(), word);
        }
    }

    /**
     * Replaces the node by its only remaining child, a given one, and its key by the child's; returns false if the child has no
     * room there. {@code word} is any word with the node's prefix.
     */
    private boolean compress(final int only, final long word) {
        final int level = level(node.meta);
        final int lower = fullKeyLen(node.meta) + 1;
        table.require(KeyWord.extend(word, lower - 1, only), lower, child);
        final long remaining = child.key;
        child.meta = withLevel(child.meta, level);
        if (table.used(bucketAt(node.at)) - cells(node.meta) + cells(child.meta) > CELLS) {
            return false;
        }
        writer.replace(node.at, child);
        table.require(remaining, lower, child);
        writer.remove(child.at);
        node.key = remaining;
        return true;
    }
}
