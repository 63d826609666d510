/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

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
    /* Codes of the name. */
    private byte[] name = new byte[LEVELS];
    private int depth;
    private long hash;
    private int level;
    private boolean started;

    /* Inner nodes above, each with its unvisited children. */
    private int levels;
    private long[] levelHash = new long[LEVELS];
    private int[] levelDepth = new int[LEVELS];
    private int[] levelNumber = new int[LEVELS];
    private int[] levelColor = new int[LEVELS];
    private long[] levelRest = new long[LEVELS];

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
        final int type = type(probe.head());
        if (type == JUMP) {
            return enterJump();
        }
        if (type == BITMAP) {
            push();
        }
        while (levels > 0 && levelRest[levels - 1] == 0) {
            levels--;
        }
        return levels > 0 && enterChild(levels - 1);
    }

    private boolean enterJump() {
        final long head = probe.head();
        final long tail = probe.tail();
        level++;
        for (int i = 0; i < labelCount(tail); i++) {
            append(label(head, tail, i) + FIRST_CODE);
        }
        if (!probe.byColor(table, hash, name[depth - 1], childColor(tail))) {
            throw new IllegalStateException("a jump node's child is missing at depth " + depth);
        }
        return true;
    }

    private boolean enterChild(final int of) {
        final long rest = levelRest[of];
        levelRest[of] = rest & rest - 1;
        depth = levelDepth[of];
        hash = levelHash[of];
        level = levelNumber[of] + 1;
        final int code = lowestCode(rest);
        append(code);
        if (!probe.byParent(table, hash, code, levelColor[of])) {
            throw new IllegalStateException("child " + code + " of a bitmap node is missing at depth " + depth);
        }
        return true;
    }

    private void push() {
        if (levels == levelHash.length) {
            levelDepth = Arrays.copyOf(levelDepth, levels * 2);
            levelNumber = Arrays.copyOf(levelNumber, levels * 2);
            levelColor = Arrays.copyOf(levelColor, levels * 2);
            levelRest = Arrays.copyOf(levelRest, levels * 2);
            levelHash = Arrays.copyOf(levelHash, levels * 2);
        }
        levelHash[levels] = hash;
        levelDepth[levels] = depth;
        levelNumber[levels] = level;
        levelColor[levels] = color(probe.head());
        levelRest[levels++] = children(probe.tail());
    }

    private void append(final int code) {
        if (depth == name.length) {
            name = Arrays.copyOf(name, depth * 2);
        }
        name[depth++] = (byte) code;
        hash = table.hash().append(hash, code);
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
        return level;
    }

    /** Returns the color that the entry must have as its parent color. */
    int expectedParentColor() {
        return levels > 0 && levelDepth[levels - 1] == depth - 1 ? levelColor[levels - 1] : NO_PARENT_COLOR;
    }
}
