/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

/**
 * The next leaves in a cursor's walk. A list in the order of the walk holds leaves that were read, nodes whose buckets are under
 * way, and inner nodes with their remaining children. The bucket that was requested first is read first: its node becomes a leaf,
 * whose record is requested, or an inner node, whose children are requested in turn. So some buckets and some records are under
 * way at any time.
 * <pre>
 *  what comes next                                                            end of the list, then what is pending
 *  leaf, leaf, under way, leaf, under way, under way, inner node (3 left), under way, inner node (9 left)
 * </pre>
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile: a node counts if it was read whole while the one above was unchanged.
 * Otherwise the stream ends before that node as interrupted, and the cursor searches its position again.
 */
final class LeafStream {
    /* Processors drop requests beyond about twenty, and records are under way, too. */
    private static final int MOST_ON_THE_WAY = 12;
    /* Few at first, as a short scan does not need what lies behind its end. */
    private static final int FIRST_ON_THE_WAY = 8;
    /* Leaves whose records are requested before the first of them is handed out. */
    private static final int LEAD = 12;
    /* Nodes read in a row before as many are requested, and leaves handed out in a row; a power of two. */
    private static final int READ_IN_A_ROW = 4;
    /* Nodes taken from what is pending, under way or entered. */
    private static final int MOST_TAKEN = 8;
    /* With so many items in the list, as below long shared prefixes, only the next node is entered. */
    private static final int MOST_ITEMS = 256;
    /* More than MOST_ON_THE_WAY. */
    private static final int RING = 32;

    private static final long UPPER_HALF = -1L << Integer.SIZE;
    /* Hints of a node under way. */
    private static final int BY_COLOR = 1;
    private static final int TAKEN = 2;

    private final KeySource keys;
    private final LeafBuffer ready;
    private final PrefetchVector lines = new PrefetchVector();
    private final EntryProbe probe = new EntryProbe();
    private NodeTable table;
    private NameHash names;
    private Slab slab;
    /* Number of buckets, reloaded now and then: what moved since is searched elsewhere. */
    private long buckets;
    private boolean interrupted;

    private final LeafItems items = new LeafItems();
    private int leaves;
    private int innerNodes;
    private int firstInner;

    /* Nodes under way, in the order of their requests. */
    private final int[] asked = new int[RING];
    private int askedHead;
    private int askedTail;
    private int limit;

    /* Nodes under way that were taken from what is pending. */
    private int takenOnTheWay;

    LeafStream(final KeySource keys, final LeafBuffer ready) {
        this.keys = keys;
        this.ready = ready;
    }

    /** Drops all leaves; what is pending comes next. */
    void restart(final NodeTable newTable) {
        table = newTable;
        names = newTable.hash();
        slab = newTable.slab();
        interrupted = false;
        ready.clear();
        items.clear();
        leaves = 0;
        innerNodes = 0;
        firstInner = LeafItems.END;
        askedHead = 0;
        askedTail = 0;
        limit = FIRST_ON_THE_WAY;
        takenOnTheWay = 0;
    }

    /** Returns whether a change of the trie interrupted the walk: what is pending is useless. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** Hands out the next leaves; returns false if there are none, or if the trie has changed. */
    boolean next(final InnerPath pending, final boolean forward) {
        buckets = table.buckets();
        while ((leaves < LEAD + READ_IN_A_ROW || !items.isLeaf(items.first())) && !interrupted) {
            request(pending, forward);
            if (askedHead == askedTail) {
                break;
            }
            final int until = askedHead + Math.min(READ_IN_A_ROW, askedTail - askedHead);
            while (askedHead != until && !interrupted) {
                read(asked[askedHead++ & RING - 1], forward);
            }
        }
        // Mostly the same number, which is predictable.
        handOut(Math.max(READ_IN_A_ROW, leaves - LEAD & -READ_IN_A_ROW));
        return !ready.isEmpty();
    }

    private void handOut(final int most) {
        final int size = items.takeLeaves(ready.empty(MOST_ITEMS + MOST_ON_THE_WAY), most);
        leaves -= size;
        ready.filled(size);
    }

    // ---- requests

    private void request(final InnerPath pending, final boolean forward) {
        while (askedTail - askedHead < limit && (items.size() < MOST_ITEMS || firstInner == items.first())) {
            if (innerNodes + takenOnTheWay < MOST_TAKEN && items.size() < MOST_ITEMS && !pending.isEmpty()) {
                takePending(pending, forward);
            } else if (firstInner != LeafItems.END) {
                final int inner = firstInner;
                if (requestChildren(inner, items.size() < MOST_ITEMS ? limit - (askedTail - askedHead) : 1, forward)) {
                    innerNodes--;
                    firstInner = items.innerFrom(items.next(inner));
                }
            } else {
                break;
            }
        }
        limit = MOST_ON_THE_WAY;
        lines.request();
    }

    private void takePending(final InnerPath pending, final boolean forward) {
        pending.take(names, forward);
        final int node = items.add(LeafItems.END);
        items.setAbove(node, pending.lineAbove());
        items.setHints(node, TAKEN | (pending.mask() == BY_PARENT_MASK ? 0 : BY_COLOR));
        request(node, pending.hash(), pending.identity(), (long) pending.versionAbove() << Integer.SIZE);
        takenOnTheWay++;
    }

    /** Requests some children of an inner node; returns whether these are all. The last one replaces it in the list. */
    private boolean requestChildren(final int inner, final int most, final boolean forward) {
        final long name = items.hash(inner);
        final long hints = items.hints(inner);
        final long wanted = items.wanted(inner);
        final long line = items.above(inner);
        long left = items.rest(inner);
        int room = most;
        while (room > 0) {
            final int code = forward ? lowestCode(left) : highestCode(left);
            left &= ~childBit(code);
            final int node = left == 0 ? inner : items.add(inner);
            final int secondary = (int) (hints >>> code - 1) & 1;
            items.setAbove(node, line);
            items.setHints(node, 0);
            request(node, names.append(name, code),
                (int) wanted | code << SYMBOL_SHIFT | secondary << SECONDARY_SHIFT, wanted);
            if (left == 0) {
                return true;
            }
            room--;
        }
        items.setRest(inner, left);
        return false;
    }

    private void request(final int node, final long name, final int identity, final long versionAbove) {
        final long place = names.placed(name, identity & SECONDARY);
        final long at = NodeTable.offsetOf(place, buckets);
        items.setOnTheWay(node, name, versionAbove & UPPER_HALF | (identity | names.tag(place)) & ~UPPER_HALF, at);
        lines.add(slab, at);
        if ((items.hints(node) & BY_COLOR) != 0) {
            // No parent tells in which of its two buckets the node is.
            lines.add(slab, NodeTable.offsetOf(names.alternate(name), buckets));
        }
        asked[askedTail++ & RING - 1] = node;
    }

    // ---- what has arrived

    private void read(final int node, final boolean forward) {
        // cuckoo-trie-concurrency.md, claim 18
        final long wanted = items.wanted(node);
        final long hints = items.hints(node);
        if (!probe.readNode(table, items.line(node), items.hash(node), (int) wanted,
            (hints & BY_COLOR) == 0 ? BY_PARENT_MASK : BY_COLOR_MASK)
            || !probe.isWholeBelow(table, items.above(node), (int) (wanted >>> Integer.SIZE))) {
            interrupted = true;
            return;
        }
        final long head = probe.head();
        final long tail = probe.tail();
        if (isLeaf(head)) {
            final long leaf = CuckooTrieEntryLayout.payload(head, tail);
            items.setLeaf(node, leaf);
            leaves++;
            takenOnTheWay -= (int) hints >>> 1;
            keys.addTo(lines, leaf, ready.keyBytes());
            return;
        }
        items.setAbove(node, probe.line());
        final long version = (long) probe.version() << Integer.SIZE;
        if (type(head) == BITMAP) {
            takenOnTheWay -= (int) hints >>> 1;
            items.setInner(node, children(tail), CuckooTrieEntryLayout.hints(head, tail),
                version | color(head) << PARENT_COLOR_SHIFT);
            innerNodes++;
            if (items.innerFrom(items.next(node)) == firstInner) {
                firstInner = node;
            }
        } else {
            items.setHints(node, hints | BY_COLOR);
            request(node, JumpLabels.childHash(names, items.hash(node), head, tail),
                JumpLabels.childIdentity(head, tail), version);
        }
    }
}
