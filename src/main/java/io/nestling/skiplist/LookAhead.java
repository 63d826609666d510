/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

/**
 * Fetches the nodes and records that a cursor will come to, by way of the towers (the paper's section 3.1, in the variant for
 * lists that others change, section 3.2).
 * <p>
 * A task says: everything from {@code start} to {@code end}, which are linked on {@code level}, is to be fetched, and the line
 * of {@code start} is there or on its way. A phase takes every task of the queue once: it requests the record of {@code start}
 * and the nodes that {@code start} links to below and on the level, and queues a task for each gap between them.
 * <p>
 * New tasks come from a chain of nodes that runs ahead of the cursor: the entries of the directory behind a seek, else the
 * links of level K. A phase comes after every few moves, whatever the cursor meets, since the nodes of the chain may be removed.
 * The chain is extended as the cursor passes its nodes; after many moves without one it begins anew at the next node of its
 * height.
 * <h2>Thread safety</h2>
 * One thread, as its cursor, within one guard. Links that others change meanwhile only lead to lines that are not needed.
 */
final class LookAhead {
    static final int MAX_LEVEL = 3;
    private static final int CAPACITY = 512;
    private static final int CAPACITY_MASK = CAPACITY - 1;
    /* A task: start in bits 0..30, end in 31..61, level in 62..63. */
    private static final int END_SHIFT = 31;
    private static final int LEVEL_SHIFT = 62;
    private static final int BURST_MOVE = 2;
    private static final int BURST = 3;
    /** Moves after which a walk counts as long. */
    private static final int LONG_MOVES = 64;
    /* Segments of the chain between the cursor and the chain's end, of some 10 nodes with a directory and 2^K or more without. */
    private static final int SHORT_LEAD = 6;
    private static final int LONG_LEAD = 10;
    /** Moves between two phases of a walk that is not long yet; those of a long one are 2^K moves apart. */
    private static final int SHORT_PHASE = 4;
    private static final int MAX_EXTENSIONS = 6;
    private static final int LINKED_LEAD = 8;
    private static final int MARKS_MASK = 15;
    private static final int PATIENCE = 256;

    private final Nodes nodes;
    private final Slab slab;
    private final KeySource keys;
    private final int topLevel;
    private final PrefetchVector lines = new PrefetchVector();
    private final long[] tasks = new long[CAPACITY];
    private int head;
    private int tail;
    /* The chain: of the directory's entries, or by the links of level K. */
    private Directory directory;
    private int entry;
    private int furthest;
    /* Nodes of the chain that the cursor has not passed. */
    private final int[] marks = new int[MARKS_MASK + 1];
    private int firstMark;
    private int lastMark;
    private int moves;
    private int movesToPhase;
    private int movesSinceMark;
    private Splice splice;

    LookAhead(final Nodes nodes, final int topLevel) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.keys = nodes.keys();
        this.topLevel = topLevel;
    }

    /**
     * The cursor was sent to a node.
     *
     * @param sought the splice by which it was found, not to be changed before the next call; null if there is none
     */
    void restart(final Splice sought) {
        moves = 0;
        splice = sought;
        dropChain();
    }

    private void dropChain() {
        head = tail;
        furthest = NULL;
        directory = null;
        firstMark = lastMark;
        movesSinceMark = 0;
    }

    /** The cursor moves forward from a node to the next one. */
    void onMove(final int from, final int to) {
        moves++;
        if (splice != null) {
            begin(from);
            splice = null;
            runPhase();
            return;
        }
        if (moves == BURST_MOVE) {
            for (int i = 0; i < BURST; i++) {
                runPhase();
            }
            return;
        }
        if (firstMark != lastMark && to == marks[firstMark & MARKS_MASK]) {
            firstMark++;
            movesSinceMark = 0;
        } else if (++movesSinceMark > PATIENCE) {
            dropChain();
        }
        if (furthest == NULL && head == tail && height(nodes.meta(to)) > topLevel) {
            // Behind the last entry of the directory nodes may be lower than its level.
            directory = null;
            furthest = to;
        }
        if (--movesToPhase <= 0) {
            runPhase();
        }
    }

    private int lead() {
        return directory == null ? LINKED_LEAD : moves < LONG_MOVES ? SHORT_LEAD : LONG_LEAD;
    }

    /** Begins with what the search has seen: the nodes behind the key on each level. */
    private void begin(final int from) {
        int level = splice.lowestLevel();
        directory = splice.directory();
        entry = splice.entry();
        // The nodes behind the key with which the first tasks end are the first of the chain.
        final int ramp = directory == null ? MAX_LEVEL : Directory.LEVEL;
        if (level > ramp) {
            furthest = from;
            return;
        }
        int start = from;
        if (level > 0) {
            level--;
        }
        while (level <= ramp && start != NULL) {
            final int end = splice.behind(level + 1);
            push(start, end, level);
            start = end;
            level++;
        }
        furthest = start;
        if (start != NULL) {
            addMark(start);
        }
    }

    private void addMark(final int node) {
        lines.add(slab, offset(node));
        marks[lastMark++ & MARKS_MASK] = node;
    }

    private void push(final int start, final int end, final int level) {
        if (start != end && start != NULL && tail - head < CAPACITY) {
            tasks[tail++ & CAPACITY_MASK] = start | (long) end << END_SHIFT | (long) level << LEVEL_SHIFT;
        }
    }

    private void runPhase() {
        movesToPhase = moves < LONG_MOVES ? SHORT_PHASE : 1 << topLevel;
        for (int count = tail - head; count > 0; count--) {
            final long task = tasks[head++ & CAPACITY_MASK];
            take((int) task & NODE_MASK, (int) (task >>> END_SHIFT) & NODE_MASK, (int) (task >>> LEVEL_SHIFT));
        }
        for (int i = 0; i < MAX_EXTENSIONS && furthest != NULL && lastMark - firstMark <= lead(); i++) {
            extend();
        }
        lines.request();
    }

    private void extend() {
        final int next;
        if (directory == null) {
            next = nodes.next(furthest, topLevel);
            push(furthest, next, topLevel);
        } else {
            next = directory.node(++entry);
            push(furthest, next, Directory.LEVEL);
        }
        furthest = next;
        if (next != NULL) {
            addMark(next);
        }
    }

    private void take(final int start, final int end, final int level) {
        final long payload = nodes.payload(start);
        if (payload >= 0) {
            lines.add(keys.address(payload));
        }
        int above = end;
        for (int i = level; i >= 0; i--) {
            final int next = nodes.next(start, i);
            if (next != above) {
                if (next != NULL) {
                    lines.add(slab, offset(next));
                }
                push(next, above, i);
                above = next;
            }
        }
    }
}
