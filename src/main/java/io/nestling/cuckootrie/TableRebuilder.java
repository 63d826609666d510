/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import java.util.Arrays;

/**
 * Builds the same trie in another table with another seed, when so many names share a hash that their two buckets cannot hold
 * them.
 * <h2>Thread safety</h2>
 * The writer only. Readers use the old table until the new one is published.
 */
final class TableRebuilder {
    private static final int LEVELS = 64;

    private final NodeTable from;
    private final NodeTable to;
    private final Relocator relocator;
    /* By depth of the walk: hash and color of the nodes above in the new table. */
    private long[] hashAt = new long[LEVELS];
    private int[] colorAt = new int[LEVELS];
    /* A jump node without its child's color so far. */
    private long jumpHead;
    private long jumpTail;
    private int jumpDepth = -1;

    TableRebuilder(final NodeTable from, final NodeTable to, final Relocator relocator) {
        this.from = from;
        this.to = to;
        this.relocator = relocator;
    }

    /** Copies everything; returns false if there is not enough room. */
    boolean run() {
        if (!relocator.reserve(from.entries())) {
            return false;
        }
        final NodeWalk walk = new NodeWalk(from);
        while (walk.next()) {
            if (!copy(walk)) {
                return false;
            }
        }
        return true;
    }

    private boolean copy(final NodeWalk walk) {
        final int depth = walk.depth();
        reserve(depth);
        final long head = walk.head();
        if (depth == 0) {
            relocator.writeRoot(head & ~0xFFFF_FFFFL, walk.tail());
            keep(depth, to.hash().root(), ROOT_COLOR, head, walk.tail());
            return true;
        }
        final boolean belowJump = walk.expectedParentColor() == NO_PARENT_COLOR;
        final int above = belowJump ? jumpDepth : depth - 1;
        long hash = hashAt[above];
        for (int i = above; i < depth; i++) {
            hash = to.hash().append(hash, walk.code(i));
        }
        final int parentColor = belowJump ? NO_PARENT_COLOR : colorAt[above];
        final int identity = identity(walk.code(depth - 1), parentColor, 0);
        final int color = relocator.place(hash, identity, head & ~0xFFFF_FFFFL, walk.tail(), depth);
        if (color < 0) {
            return false;
        }
        relocator.writeHintsOfPlaced(hash);
        if (depth == BucketLayout.TOP_DEPTH && walk.code(depth - 1) >= FIRST_CODE) {
            to.putTopColor(walk.topName(), color + 1);
        }
        if (belowJump) {
            relocator.rewrite(hashAt[jumpDepth], jumpHead, jumpDepth, jumpHead, JumpLabels.withChild(jumpTail, color));
        }
        keep(depth, hash, color, head, walk.tail());
        return true;
    }

    private void keep(final int depth, final long hash, final int color, final long head, final long tail) {
        hashAt[depth] = hash;
        colorAt[depth] = color;
        if (type(head) == JUMP) {
            jumpDepth = depth;
            jumpTail = tail;
            final int code = depth == 0 ? 0 : code(head);
            jumpHead = head & ~0xFFFF_FFFFL | identity(code, 0, color) & 0xFFFF_FFFFL;
        }
    }

    private void reserve(final int depth) {
        if (depth >= hashAt.length) {
            final int size = Math.max(depth + 1, hashAt.length * 2);
            colorAt = Arrays.copyOf(colorAt, size);
            hashAt = Arrays.copyOf(hashAt, size);
        }
    }
}
