/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import java.util.Arrays;

/**
 * Visits all nodes in key order, parents first, and knows the name of the current one.
 * <h2>Thread safety</h2>
 * None; no writer may work.
 */
final class NodeWalk {
    private static final int LEVELS = 64;

    private final NodeTable table;
    private final EntryProbe probe = new EntryProbe();
    private final InnerPath pending = new InnerPath();
    /* Codes of the name, and by its length the number of nodes above each node on the path. */
    private byte[] name = new byte[LEVELS];
    private int[] level = new int[LEVELS];
    private int depth;
    private long hash;
    private int expectedParentColor = NO_PARENT_COLOR;
    private boolean started;

    NodeWalk(final NodeTable table) {
        this.table = table;
    }

    /** Moves to the next node; returns false behind the last one. */
    boolean next() {
        if (!started) {
            started = true;
            hash = table.hash().root();
            probe.root(table);
            return isUsed(probe.head());
        }
        if (type(probe.head()) == JUMP) {
            for (int i = 0; i < labelCount(probe.tail()); i++) {
                name[depth + i] = (byte) (label(probe.head(), probe.tail(), i) + FIRST_CODE);
            }
        }
        if (!isLeaf(probe.head())) {
            pending.add(hash, depth, probe);
        }
        return !pending.isEmpty() && enter();
    }

    private boolean enter() {
        final boolean belowJump = pending.isSingle();
        final int above = level[belowJump ? depth : pending.nextDepth() - 1];
        depth = pending.nextDepth();
        if (depth + MAX_LABELS > name.length) {
            level = Arrays.copyOf(level, depth * 2);
            name = Arrays.copyOf(name, depth * 2);
        }
        level[depth] = above + 1;
        pending.take(table.hash(), true);
        hash = pending.hash();
        name[depth - 1] = (byte) CuckooTrieEntryLayout.code(pending.identity());
        expectedParentColor = belowJump ? NO_PARENT_COLOR : parentColor(pending.identity());
        if (!pending.read(table, probe)) {
            throw new IllegalStateException((belowJump ? "jump" : "bitmap") + " node without its child at depth " + depth);
        }
        return true;
    }

    long head() {
        return probe.head();
    }

    long tail() {
        return probe.tail();
    }

    /** Returns the offset of the current node's bucket. */
    long line() {
        return probe.line();
    }

    int cell() {
        return probe.cell();
    }

    /** Returns the hash of the node's name. */
    long hash() {
        return hash;
    }

    /** Returns the number of codes of the node's name. */
    int depth() {
        return depth;
    }

    /** Returns code {@code i} of the node's name. */
    int code(final int i) {
        return name[i];
    }

    /** Returns the number of a name of {@link BucketLayout#TOP_DEPTH} symbols. */
    int topName() {
        int number = 0;
        for (int i = 0; i < BucketLayout.TOP_DEPTH; i++) {
            number = number << SYMBOL_BITS | name[i] - FIRST_CODE;
        }
        return number;
    }

    /** Returns the number of nodes above. */
    int level() {
        return level[depth];
    }

    /** Returns the color that the entry must have as its parent color. */
    int expectedParentColor() {
        return expectedParentColor;
    }
}
