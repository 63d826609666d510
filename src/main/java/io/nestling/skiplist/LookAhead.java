/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

import java.lang.invoke.VarHandle;

/**
 * Fetches the nodes and records that a cursor will come to, and collects the nodes (after the paper's section 3.1, in the variant
 * for lists that others change, section 3.2).
 * <p>
 * What lies ahead is cut into gaps: a gap begins at a node that is known without a walk, and ends before the next such node. They
 * are the nodes that the directory lists behind a seek, else those of a level that links lead to. A dozen gaps or fewer are
 * walked along level 0 side by side. A phase takes a step in those that wait longest: it notes a node that has arrived, and
 * requests its record and the node behind it. A phase of 2^K steps comes after every 2^K moves, whatever the cursor meets, so
 * that requests come in small numbers: processors forget those that they have no buffers for. The cursor takes the nodes from
 * the gaps.
 * <p>
 * A gap is whole when its walk comes to the node behind it. If the walk does not, or the first node is dead, the cursor goes on
 * by links behind what was collected, until it meets the beginning of a gap.
 * <p>
 * A seek is taken to be followed by as many moves as the one before it: if these were a number, what lies behind the key is
 * requested at once and not on the first move, and little beyond.
 * <h2>Thread safety</h2>
 * One thread, as its cursor, within one guard. Nothing is missed: skip-list-concurrency.md, claims 21 to 23.
 */
final class LookAhead {
    static final int MAX_LEVEL = 3;
    /* Level of the links that lead from gap to gap where there is no directory: gaps have eight nodes. */
    private static final int LINK_LEVEL = 1;
    private static final int LINK_GAP_SHIFT = 3;
    private static final int GAPS = 64;
    private static final int GAPS_MASK = GAPS - 1;
    private static final int ROWS_SHIFT = 5;
    private static final int MAX_ROWS = 1 << ROWS_SHIFT;
    /* In place of a gap's next node: it is whole, or it is not and will not be. */
    private static final int WHOLE = NULL;
    private static final int BROKEN = -1;
    /** Moves behind the last seek from which on the next one has its phases begin at once. */
    private static final int SCAN_MOVES = 4;
    /** Gaps ahead of the cursor, times 2^K: as soon as it walks, on a long walk, and at the begin of a scan. */
    private static final int FIRST_LEAD = 1;
    private static final int LONG_LEAD = 3;
    private static final int SCAN_LEAD = 5;
    /** Moves after which the cursor's lead is a gap longer. */
    private static final int LEAD_SHIFT = 1;
    private static final int PATIENCE = 256;
    /** Gaps that are begun beyond those that a scan's remaining rows take on average. */
    private static final int SPARE_GAPS = 2;
    /** Counted gaps that are enough: then all of them count half. */
    private static final int MANY_GAPS = 1 << 10;
    /** Bits behind the point of the number of gaps that a move takes. */
    private static final int RATE_SHIFT = 16;
    /** Gaps that are walked at a time, times 2^(K - 1). */
    private static final int MOST_WALKS = 3;
    /** Keys of more bytes take three lines a record or more, and phases half as long: it is lines in a row that count. */
    private static final int LONG_KEY_BYTES = 48;

    private final Nodes nodes;
    private final Slab slab;
    private final KeySource keys;
    private final int topLevel;
    /* K for keys of the usual length. */
    private int level;
    private final PrefetchVector lines = new PrefetchVector();
    /* By gap: the nodes that were collected, how many, the one that was requested, and the one that the gap ends before. */
    private final int[] rows = new int[GAPS << ROWS_SHIFT];
    private final int[] counts = new int[GAPS];
    private final int[] pending = new int[GAPS];
    private final int[] ends = new int[GAPS];
    /* The gaps that are walked, in the order in which their next nodes were requested; positions that go on counting. */
    private final int[] walked = new int[GAPS];
    private int firstWalk;
    private int walksEnd;
    /* The gap that the cursor is in, its place there, and the end of the gaps; positions that go on counting. */
    private int gap;
    private int row;
    private int gapsEnd;
    /* Whether the cursor goes by links, since its gap is broken or there is none. */
    private boolean astray = true;
    private Directory directory;
    private int extended;
    /* Where the next gap begins. */
    private int furthest;
    private int moves;
    private int expectedMoves;
    private int movesToPhase;
    private int movesAstray;
    /* Moves behind seeks and the gaps of the directory that they led through, which tell how many nodes these have. Old ones
       count less. */
    private int countedMoves;
    private int countedGaps;
    private int gapsAMove = 1 << RATE_SHIFT;
    /* The gap that the cursor began in, while there is a directory. */
    private int firstGap;
    private int usualKeyBytes;
    private Splice splice;

    LookAhead(final Nodes nodes, final int topLevel) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.keys = nodes.keys();
        this.topLevel = topLevel;
        this.level = topLevel;
    }

    /**
     * The cursor was sent to a node.
     *
     * @param sought the splice by which it was found, not to be changed before the next call; null if there is none
     * @param node the node, which was found alive then
     */
    void restart(final Splice sought, final int node) {
        countGaps();
        expectedMoves = moves;
        moves = 0;
        drop();
        splice = sought;
        if (sought != null && expectedMoves >= SCAN_MOVES && node != NULL) {
            begin(node);
        }
    }

    /** The caller reads keys, of which most are about so long. */
    void expectKeys(final int bytes) {
        usualKeyBytes = bytes;
        level = bytes > LONG_KEY_BYTES ? Math.max(1, topLevel - 1) : topLevel;
    }

    /** Counts the moves since the last seek and the gaps that they led through, if all of them were the directory's. */
    private void countGaps() {
        final int passed = gap - firstGap;
        if (directory == null || astray || passed < SCAN_MOVES || passed > MANY_GAPS || moves > MANY_GAPS << ROWS_SHIFT) {
            return; // too few to tell anything, or so many that sums might overflow
        }
        if (countedGaps > MANY_GAPS) {
            countedMoves >>= 1;
            countedGaps >>= 1;
        }
        countedMoves += moves;
        countedGaps += passed;
        gapsAMove = (countedGaps << RATE_SHIFT) / countedMoves;
    }

    private void drop() {
        firstWalk = walksEnd;
        gap = gapsEnd;
        astray = true;
        movesAstray = 0;
        directory = null;
        furthest = NULL;
    }

    /** The node after the one that the cursor stands on; null behind the last one. */
    int next(final int from) {
        if (splice != null) {
            begin(from);
        }
        moves++;
        if (--movesToPhase <= 0) {
            runPhase();
        }
        if (!astray) {
            // Most gaps are short, so that a branch at the end of each would be foretold wrong: the next one is chosen without.
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

    /** K for keys as long as the last one that was read. */
    int level() {
        return level;
    }

    /** Moves behind seeks that were counted, and the gaps that they led through. */
    int countedMoves() {
        return countedMoves;
    }

    int countedGaps() {
        return countedGaps;
    }

    /** Whether the cursor goes by links, as nothing was walked ahead of where it stands. */
    boolean isAstray() {
        return astray;
    }

    private int nextGap(final int from) {
        while (!astray) {
            final int own = gap & GAPS_MASK;
            if (row < counts[own]) {
                return rows[(own << ROWS_SHIFT) + row++];
            }
            if (pending[own] == WHOLE) {
                if (ends[own] == NULL) {
                    return NULL;
                }
                gap++;
                row = 0;
                if (gap == gapsEnd) {
                    runPhase();
                    astray = gap == gapsEnd;
                }
            } else if (pending[own] == BROKEN) {
                astray = true;
            } else {
                runPhase();
            }
        }
        return nextByLink(from);
    }

    private int nextByLink(final int from) {
        final int next = nodes.next(from, 0);
        if (next == NULL) {
            return NULL;
        }
        if (gapsEnd - gap > 1 && next == ends[gap & GAPS_MASK]) {
            gap++;
            row = 0;
            astray = false;
            movesAstray = 0;
            return skipBroken(next);
        }
        if (++movesAstray > PATIENCE || gap + 1 == gapsEnd && furthest == NULL) {
            drop();
        }
        if (gap == gapsEnd && leadsOn(next)) {
            directory = null;
            furthest = next;
            beginGaps();
        }
        return next;
    }

    /** The first node of the gap, which the cursor has come to by links; if the gap has none, it goes on by links. */
    private int skipBroken(final int first) {
        final int own = gap & GAPS_MASK;
        while (counts[own] == 0 && pending[own] > 0) {
            runPhase();
        }
        if (counts[own] == 0) {
            astray = true;
        } else {
            row = 1;
        }
        return first;
    }

    /** Begins behind a node that was sought with what the search has seen. */
    private void begin(final int from) {
        directory = splice.directory();
        firstGap = gap;
        extended = splice.placeBehind();
        splice = null;
        if (directory == null) {
            if (leadsOn(from)) {
                furthest = from;
                beginGaps();
            }
            return;
        }
        furthest = directory.node(extended++);
        if (furthest == from) {
            furthest = directory.node(extended++);
        }
        addGap(from, furthest);
        request(furthest);
        beginGaps();
    }

    /**
     * Whether the link of the gaps' level leads on from a node that was met on level 0. Until its writer has come to an end, it
     * may say what was so before this guard began: a node that is another one by now.
     */
    private boolean leadsOn(final int node) {
        final int meta = nodes.metaAcquire(node);
        return height(meta) > LINK_LEVEL && (meta & LINKED) != 0 && nodes.payload(node) >= 0;
    }

    private void beginGaps() {
        runPhase();
        astray = gap == gapsEnd;
        row = 1;
    }

    private void addGap(final int start, final int end) {
        final int own = gapsEnd++ & GAPS_MASK;
        counts[own] = 0;
        pending[own] = start;
        ends[own] = end;
        walked[walksEnd++ & GAPS_MASK] = own;
    }

    private void runPhase() {
        movesToPhase = 1 << level;
        if (firstWalk != walksEnd) {
            walk(Math.min(walksEnd - firstWalk, 1 << level));
        }
        final int lead = lead();
        while (furthest != NULL && gapsEnd - gap < lead && walksEnd - firstWalk < MOST_WALKS << level - 1) {
            extend(directory != null ? directory.node(extended++) : nodes.next(furthest, LINK_LEVEL));
        }
        lines.request();
    }

    /**
     * Takes a step in the gaps whose next nodes were requested first; by plain reads, since one by acquire has all fields read
     * and the slab checked again. Of the nodes that they lead to, nothing is read before the fence.
     */
    private void walk(final int steps) {
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
            // Whether a gap ends here cannot be foretold: no branch.
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
    }

    /** Gaps that are begun ahead of the cursor. */
    private int lead() {
        final int remaining = expectedMoves - moves;
        if (remaining > 0) {
            // How many nodes a gap has depends on the directory's age: one if it is new, almost two before the next one.
            final int gaps = directory == null ? remaining >> LINK_GAP_SHIFT
                : Math.min(remaining, MANY_GAPS) * gapsAMove >> RATE_SHIFT;
            return Math.min(SCAN_LEAD << level, SPARE_GAPS + gaps);
        }
        return Math.min(LONG_LEAD << level, (FIRST_LEAD << level) + (moves >> LEAD_SHIFT));
    }

    private void extend(final int next) {
        addGap(furthest, next);
        furthest = next;
        request(next);
    }

    private void request(final int node) {
        if (node != NULL) {
            lines.add(slab, offset(node));
            lines.addIf(slab, linkOffset(node, 0), isLinkApart(node) ? 1 : 0);
        }
    }
}
