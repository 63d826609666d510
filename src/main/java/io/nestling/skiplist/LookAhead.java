/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;

/**
 * Prefetches the nodes and records ahead of a cursor, and collects the nodes (after the paper's section 3.1, in the variant for
 * concurrent lists, section 3.2).
 * <p>
 * The list ahead of a seek is cut into gaps. A gap begins at a node that the node index lists and ends before the next listed
 * one. Up to a dozen gaps are walked along level 0 side by side. A phase takes a step in those that wait longest: it collects a
 * node that has arrived, and requests its record and the node behind it. A phase of 2^K steps follows every 2^K moves, so that
 * requests come in small numbers: processors drop requests that they have no buffers for. The cursor takes the nodes from the
 * gaps.
 * <p>
 * A gap is whole when its walk reaches its end node. If it has too many nodes, its walk misses that node, or its first node is
 * dead, it is broken: the cursor follows links behind the collected nodes until it comes to the end node.
 * <p>
 * With K = 0 or without a node index the cursor only follows links.
 * <p>
 * A seek is expected to be followed by as many moves as the one before. After a seek with several moves, the next one requests
 * what lies behind its key at once, and little beyond the expected moves.
 * <h2>Thread safety</h2>
 * One thread, as its cursor, within one guard. Nothing is missed: skip-list-concurrency.md, claims 18 and 19.
 */
final class LookAhead {
    static final int MAX_LEVEL = 3;
    private static final int GAPS = 64;
    private static final int GAPS_MASK = GAPS - 1;
    private static final int ROWS_SHIFT = 5;
    private static final int MAX_ROWS = 1 << ROWS_SHIFT;
    /* Instead of a gap's next node: the gap is whole, or will never be. */
    private static final int WHOLE = NULL;
    private static final int BROKEN = -1;
    /** After a seek with so many moves, the next seek starts its phases at once. */
    private static final int SCAN_MOVES = 4;
    /** Gaps ahead of the cursor, times 2^K: at its first move, on a long walk, and for an expected scan. */
    private static final int FIRST_LEAD = 1;
    private static final int LONG_LEAD = 3;
    private static final int SCAN_LEAD = 5;
    /** Moves (as a shift) after which the lead grows by a gap. */
    private static final int LEAD_SHIFT = 1;
    /** Nodes that are collected beyond the expected moves. */
    private static final int SPARE_NODES = 2;
    /** Gaps that are walked at a time, times 2^(K - 1). */
    private static final int MOST_WALKS = 3;
    /** Longer keys take three or more lines a record, so that phases are half as long. */
    private static final int LONG_KEY_BYTES = 48;

    private final Nodes nodes;
    private final Slab slab;
    private final KeySource keys;
    private final int topLevel;
    /* K for keys of the usual length. */
    private int level;
    private final PrefetchVector lines = new PrefetchVector();
    /* By gap: the collected nodes, their number, the requested node, and the node that ends the gap. */
    private final int[] rows = new int[GAPS << ROWS_SHIFT];
    private final int[] counts = new int[GAPS];
    private final int[] pending = new int[GAPS];
    private final int[] ends = new int[GAPS];
    /* The gaps under way, in the order of their last requests. Positions only grow. */
    private final int[] walked = new int[GAPS];
    private int firstWalk;
    private int walksEnd;
    /* The cursor's gap, its row there, and the end of the gaps. Positions only grow. */
    private int gap;
    private int row;
    private int gapsEnd;
    private NodeIndex nodeIndex;
    /* Index of the listed node at which the next gap but one begins. */
    private int extended;
    /* Where the next gap begins. */
    private int furthest;
    private int moves;
    private int expectedMoves;
    private int movesToPhase;
    /* Steps of walks since the last seek, each of which collects a node. */
    private int collected;
    private int usualKeyBytes;
    /* Whether the cursor has jumped by the node index and not moved since. */
    private boolean isSought;

    LookAhead(final Nodes nodes, final int topLevel) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.keys = nodes.keys();
        this.topLevel = topLevel;
        this.level = topLevel;
    }

    /** Restarts behind a jump of the cursor to a place that is not looked ahead from. */
    void restart() {
        expectedMoves = moves;
        moves = 0;
        collected = 0;
        firstWalk = walksEnd;
        gap = gapsEnd;
        furthest = NULL;
        isSought = false;
    }

    /**
     * Restarts behind a jump of the cursor to a node, found alive. With a node index, {@code indexBehind} is the list index of
     * its first node behind that one.
     */
    void restart(final NodeIndex index, final int indexBehind, final int node) {
        restart();
        nodeIndex = index;
        extended = indexBehind;
        isSought = topLevel > 0 && index != null;
        if (isSought && expectedMoves >= SCAN_MOVES && node != NULL) {
            begin(node);
        }
    }

    /** Says that the caller reads keys, most of them about so long. */
    void expectKeys(final int bytes) {
        usualKeyBytes = bytes;
        level = bytes > LONG_KEY_BYTES ? Math.max(1, topLevel - 1) : topLevel;
    }

    /** Returns the node after the cursor's; {@link SkipListNodeLayout#NULL} behind the last one. */
    int next(final int from) {
        if (isSought) {
            begin(from);
        }
        moves++;
        if (--movesToPhase <= 0) {
            runPhase();
        }
        if (gap != gapsEnd) {
            // Most gaps are short: a branch at the end of each would be mispredicted.
            final int own = gap & GAPS_MASK;
            final int within = row - counts[own] >> Integer.SIZE - 1;
            final int on = gap + 1 + within;
            final int at = row & within;
            if ((pending[own] & ~within) == WHOLE && on != gapsEnd && at < counts[on & GAPS_MASK]) {
                gap = on;
                row = at + 1;
                return rows[((on & GAPS_MASK) << ROWS_SHIFT) + at];
            }
        }
        return nextGap(from);
    }

    /** Returns K for keys as long as the last one read. */
    int level() {
        return level;
    }

    /** Returns whether the cursor follows links, as nothing was walked ahead; for tests. */
    boolean followsLinks() {
        return gap == gapsEnd || pending[gap & GAPS_MASK] == BROKEN;
    }

    private int nextGap(final int from) {
        while (gap != gapsEnd) {
            final int own = gap & GAPS_MASK;
            if (row < counts[own]) {
                return rows[(own << ROWS_SHIFT) + row++];
            }
            if (pending[own] == BROKEN) {
                final int next = nodes.next(from, 0);
                if (next != ends[own]) {
                    return next;
                }
                pending[own] = WHOLE;
            }
            if (pending[own] != WHOLE) {
                runPhase();
            } else if (ends[own] == NULL) {
                return NULL;
            } else {
                gap++;
                row = 0;
                if (gap == gapsEnd) {
                    runPhase(); // begins a gap at least
                }
            }
        }
        return nodes.next(from, 0);
    }

    /** Begins behind a sought node, with the knowledge of its search. */
    private void begin(final int from) {
        isSought = false;
        furthest = from;
        if (nodeIndex.node(extended) == from) {
            extended++;
        }
        extend();
        runPhase();
        row = 1;
    }

    private void runPhase() {
        movesToPhase = 1 << level;
        if (firstWalk != walksEnd) {
            walk(Math.min(walksEnd - firstWalk, 1 << level));
        }
        final boolean isExpected = moves < expectedMoves;
        final int lead = isExpected ? SCAN_LEAD << level
            : Math.min(LONG_LEAD << level, (FIRST_LEAD << level) + (moves >> LEAD_SHIFT));
        // Each walk under way collects one node more, at least.
        final int walks = isExpected ? Math.min(MOST_WALKS << level - 1, expectedMoves + SPARE_NODES - collected)
            : MOST_WALKS << level - 1;
        while (furthest != NULL && (gap == gapsEnd || gapsEnd - gap < lead && walksEnd - firstWalk < walks)) {
            extend();
        }
        lines.request();
    }

    /**
     * Takes a step in the gaps with the oldest requests. Reads plainly, since an acquire would have all fields read and the slab
     * checked again; nodes that these reads lead to are read only behind the fence.
     */
    private void walk(final int steps) {
        // skip-list-concurrency.md, claim 18
        final int[] own = walked;
        final int[] following = pending;
        final int[] count = counts;
        final int[] end = ends;
        final int[] row = rows;
        final Slab from = slab;
        final KeySource records = keys;
        final PrefetchVector requested = lines;
        final int keyBytes = usualKeyBytes;
        final int first = firstWalk;
        int last = walksEnd;
        for (int i = first; i != first + steps; i++) {
            final int at = own[i & GAPS_MASK];
            final int node = following[at];
            final int before = count[at];
            final long payload = from.getLong(offset(node) + PAYLOAD_OFFSET);
            final int next = from.getInt(linkOffset(node, 0)) & NODE_MASK;
            if (payload >= 0) {
                records.addTo(requested, payload, keyBytes);
            } else if (before == 0) {
                following[at] = BROKEN;
                continue;
            }
            row[(at << ROWS_SHIFT) + before] = node;
            count[at] = before + 1;
            if (before + 1 == MAX_ROWS) {
                following[at] = next == end[at] ? WHOLE : BROKEN;
                continue;
            }
            if (next == NULL) {
                following[at] = end[at] == NULL ? WHOLE : BROKEN;
                continue;
            }
            // No branch: the end of a gap is unpredictable.
            final int more = next == end[at] ? 0 : 1;
            following[at] = next & -more;
            own[last & GAPS_MASK] = at;
            last += more;
            requested.addIf(from, offset(next), more);
            requested.addIf(from, linkOffset(next, 0), more & (isLinkApart(next) ? 1 : 0));
        }
        VarHandle.acquireFence();
        firstWalk = first + steps;
        walksEnd = last;
        collected += steps;
    }

    /** Adds a gap from the end of the last one to the next listed node. */
    private void extend() {
        final int own = gapsEnd++ & GAPS_MASK;
        final int next = nodeIndex.node(extended++);
        counts[own] = 0;
        pending[own] = furthest;
        ends[own] = next;
        walked[walksEnd++ & GAPS_MASK] = own;
        furthest = next;
        if (next != NULL) {
            lines.add(slab, offset(next));
            lines.addIf(slab, linkOffset(next, 0), isLinkApart(next) ? 1 : 0);
        }
    }
}
