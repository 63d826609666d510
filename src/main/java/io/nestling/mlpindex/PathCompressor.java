/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.NodeLayout.*;

/**
 * Replaces a node by its only child, so that a node of one child remains only where the child is too wide for its parent's
 * bucket.
 * <p>
 * The child is copied before it is removed: a reader that misses it at its old level retries.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class PathCompressor {
    private final BucketWriter writer;
    private final BucketTable table;

    PathCompressor(final BucketWriter writer) {
        this.writer = writer;
        this.table = writer.table();
    }

    /**
     * Shortens the way of a word above a node that has become narrower: it may be an only child, and now fit its parent's bucket.
     * The node above that parent has more children, as this one was too wide for the parent alone.
     *
     * @param level level of the node
     * @param node overwritten
     * @param child overwritten
     */
    void shortenAbove(final long word, final int level, final Node node, final Node child) {
        for (int above = FIRST_LEVEL; above < level; above = fullKeyLen(node.meta) + 1) {
            table.require(word, above, node);
        }
        if (level > FIRST_LEVEL && count(node.meta) == 1) {
            compress(node, node.firstChild(), child, word);
        }
    }

    /**
     * Replaces a parent by its only remaining child; returns false if the child has no room there.
     *
     * @param node the parent; its key becomes the child's
     * @param only the child's byte
     * @param child receives a copy of the child
     * @param word a word with the node's prefix
     */
    boolean compress(final Node node, final int only, final Node child, final long word) {
        final int level = level(node.meta);
        final int lower = fullKeyLen(node.meta) + 1;
        table.require(KeyWord.extend(word, lower - 1, only), lower, child);
        final long remaining = child.key;
        child.meta = withLevel(child.meta, level);
        final long bucket = bucketAt(node.at);
        if (table.used(bucket) - cells(node.meta) + cells(child.meta) > CELLS) {
            return false;
        }
        writer.replace(node.at, child);
        table.require(remaining, lower, child);
        writer.remove(child.at);
        node.key = remaining;
        return true;
    }
}
