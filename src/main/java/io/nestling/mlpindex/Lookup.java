/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

/**
 * Finds the leaf of a word: first in the buckets where most leaves stand, all at once, then down the trie.
 * <h2>Thread safety</h2>
 * Any number of readers inside guards.
 */
final class Lookup {
    private final BucketTable table;
    private final FlatLevels flat;
    private final LeafReader leaves;

    Lookup(final BucketTable table, final FlatLevels flat, final LeafReader leaves) {
        this.table = table;
        this.flat = flat;
        this.leaves = leaves;
    }

    BucketTable table() {
        return table;
    }

    FlatLevels flat() {
        return flat;
    }

    LeafReader leaves() {
        return leaves;
    }

    /** Returns the meta of the leaf of a word, or {@link MlpNodeLayout#FREE}. */
    long findLeaf(final long word) {
        final long meta = table.findHotLeaf(word);
        return meta != FREE || !flat.contains(word) ? meta : descend(word);
    }

    private long descend(final long word) {
        // mlpindex-concurrency.md, claim 3
        final Scratch scratch = Scratch.POOL.take();
        try {
            return descend(word, scratch.node);
        } finally {
            scratch.release();
        }
    }

    /**
     * Descends from the flat levels, which have the word's prefix. A word is absent as soon as one bit, leaf or inner node shows
     * it; a missing node has moved meanwhile, or its leaf is just being written.
     */
    private long descend(final long word, final Node node) {
        int times = 0;
        do {
            int level = FIRST_LEVEL;
            while (table.find(word, level, node)) {
                if (isLeaf(node.meta)) {
                    return node.key == word ? node.meta : FREE;
                }
                final int full = fullKeyLen(node.meta);
                if (!KeyWord.sharePrefix(node.key, word, full) || !node.contains(KeyWord.byteAt(word, full))) {
                    return FREE;
                }
                level = full + 1;
            }
            table.versions().pause(times++);
        } while (flat.contains(word));
        return FREE;
    }
}
