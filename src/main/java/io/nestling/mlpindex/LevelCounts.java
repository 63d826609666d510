/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

/**
 * Counts leaves by level, and publishes the levels of most of them.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class LevelCounts {
    private static final int CHANGES_PER_CHOICE = 1024;
    /* A third level is requested if the first two lack more than one leaf in so many. */
    private static final int LEAVES_PER_MISSING = 64;

    private final BucketTable table;
    private final long[] leaves = new long[LAST_LEVEL + 1];
    private int changes;

    LevelCounts(final BucketTable table) {
        this.table = table;
    }

    long leaves(final int level) {
        return leaves[level];
    }

    /** Counts a node that was written, if it is a leaf. */
    void added(final long meta) {
        if (isLeaf(meta)) {
            leaves[level(meta)]++;
            if (++changes == CHANGES_PER_CHOICE) {
                changes = 0;
                choose();
            }
        }
    }

    /** Counts a node that was removed, if it is a leaf. */
    void removed(final long meta) {
        if (isLeaf(meta)) {
            leaves[level(meta)]--;
        }
    }

    private void choose() {
        final int first = largest(0, 0);
        final int second = largest(first, 0);
        long all = 0;
        for (int level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
            all += leaves[level];
        }
        final long missing = all - leaves[first] - leaves[second];
        table.setHotLevels(first, second, missing > all / LEAVES_PER_MISSING ? largest(first, second) : 0);
    }

    private int largest(final int except, final int orElse) {
        int best = 0;
        for (int level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
            if (level != except && level != orElse && (best == 0 || leaves[level] > leaves[best])) {
                best = level;
            }
        }
        return best;
    }
}
