/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.util.Arrays;

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
    private static final int ITEMS = 128;
    /* With so many items in the list, as below long shared prefixes, only the next node is entered. */
    private static final int MOST_ITEMS = 256;
    /* More than MOST_ON_THE_WAY. */
    private static final int RING = 32;

    /* An item is eight numbers, and is named by the index of the first one. */
    private static final int ITEM_SHIFT = 3;
    /* Remaining children in the order of their codes, or LEAF_READ or ON_THE_WAY. */
    private static final int REST = 0;
    /* Hash of the node, or payload of the leaf. */
    private static final int HASH = 1;
    /* Of an inner node: the children that stand in their secondary buckets. Of a node under way: BY_COLOR, TAKEN. */
    private static final int HINTS = 2;
    /*
     * Lower half: what identifies a node at the place where it is looked for first; of an inner node its color for its
     * children. Upper half: version of the bucket ABOVE.
     */
    private static final int WANTED = 3;
    /* Bucket where a node is searched first. */
    private static final int LINE = 4;
    /* Bucket of the node above; of an inner node, its own. */
    private static final int ABOVE = 5;
    private static final int NEXT = 6;
    private static final int PREVIOUS = 7;
    private static final long UPPER_HALF = -1L << Integer.SIZE;
    private static final long LEAF_READ = 0;
    private static final long ON_THE_WAY = -1;
    private static final int BY_COLOR = 1;
    private static final int TAKEN = 2;
    /* Item before the first and behind the last one of the list. */
    private static final int END = 0;

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

    private long[] item = new long[ITEMS << ITEM_SHIFT];
    private int used;
    /* Linked list of unused items. */
    private int unused;
    private int items;
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
        item[END + REST] = 1; // ends the search for an inner node
        item[END + NEXT] = END;
        item[END + PREVIOUS] = END;
        used = 1 << ITEM_SHIFT;
        unused = END;
        items = 0;
        leaves = 0;
        innerNodes = 0;
        firstInner = END;
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
        while ((leaves < LEAD + READ_IN_A_ROW || item[(int) item[END + NEXT] + REST] != LEAF_READ) && !interrupted) {
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
        final long[] of = item;
        final long[] to = ready.empty(MOST_ITEMS + MOST_ON_THE_WAY);
        int at = (int) of[END + NEXT];
        int size = 0;
        while (size < most && of[at + REST] == LEAF_READ) {
            to[size++] = of[at + HASH];
            final int behind = (int) of[at + NEXT];
            of[at + NEXT] = unused;
            unused = at;
            at = behind;
        }
        of[END + NEXT] = at;
        of[at + PREVIOUS] = END;
        items -= size;
        leaves -= size;
        ready.filled(size);
    }

    // ---- requests

    private void request(final InnerPath pending, final boolean forward) {
        while (askedTail - askedHead < limit && (items < MOST_ITEMS || firstInner == item[END + NEXT])) {
            if (innerNodes + takenOnTheWay < MOST_TAKEN && items < MOST_ITEMS && !pending.isEmpty()) {
                takePending(pending, forward);
            } else if (firstInner != END) {
                final int inner = firstInner;
                if (requestChildren(inner, items < MOST_ITEMS ? limit - (askedTail - askedHead) : 1, forward)) {
                    innerNodes--;
                    firstInner = innerFrom((int) item[inner + NEXT]);
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
        final int node = newItem(END);
        item[node + ABOVE] = pending.lineAbove();
        item[node + HINTS] = TAKEN | (pending.mask() == BY_PARENT_MASK ? 0 : BY_COLOR);
        request(node, pending.hash(), pending.identity(), (long) pending.versionAbove() << Integer.SIZE);
        takenOnTheWay++;
    }

    /** Requests some children of an inner node; returns whether these are all. The last one replaces it in the list. */
    private boolean requestChildren(final int inner, final int most, final boolean forward) {
        final long name = item[inner + HASH];
        final long hints = item[inner + HINTS];
        final long wanted = item[inner + WANTED];
        final long line = item[inner + ABOVE];
        long left = item[inner + REST];
        int room = most;
        while (room > 0) {
            final int code = forward ? lowestCode(left) : highestCode(left);
            left &= ~childBit(code);
            final int node = left == 0 ? inner : newItem(inner);
            final int secondary = (int) (hints >>> code - 1) & 1;
            item[node + ABOVE] = line;
            item[node + HINTS] = 0;
            request(node, names.append(name, code),
                (int) wanted | code << SYMBOL_SHIFT | secondary << SECONDARY_SHIFT, wanted);
            if (left == 0) {
                return true;
            }
            room--;
        }
        item[inner + REST] = left;
        return false;
    }

    /** Returns the first inner node from an item on. */
    private int innerFrom(final int first) {
        final long[] of = item;
        int at = first;
        while (of[at + REST] <= 0) {
            at = (int) of[at + NEXT];
        }
        return at;
    }

    private int newItem(final int behind) {
        int at = unused;
        if (at != END) {
            unused = (int) item[at + NEXT];
        } else {
            at = used;
            used += 1 << ITEM_SHIFT;
            if (at == item.length) {
                item = Arrays.copyOf(item, 2 * at);
            }
        }
        final long[] of = item;
        final int before = (int) of[behind + PREVIOUS];
        of[before + NEXT] = at;
        of[at + PREVIOUS] = before;
        of[at + NEXT] = behind;
        of[behind + PREVIOUS] = at;
        items++;
        return at;
    }

    private void request(final int node, final long name, final int identity, final long versionAbove) {
        final long[] of = item;
        final long place = names.placed(name, identity & SECONDARY);
        final long at = NodeTable.offsetOf(place, buckets);
        of[node + REST] = ON_THE_WAY;
        of[node + HASH] = name;
        of[node + WANTED] = versionAbove & UPPER_HALF | (identity | names.tag(place)) & ~UPPER_HALF;
        of[node + LINE] = at;
        lines.add(slab, at);
        if ((of[node + HINTS] & BY_COLOR) != 0) {
            // No parent tells in which of its two buckets the node is.
            lines.add(slab, NodeTable.offsetOf(names.alternate(name), buckets));
        }
        asked[askedTail++ & RING - 1] = node;
    }

    // ---- what has arrived

    private void read(final int node, final boolean forward) {
        final long[] of = item;
        final long wanted = of[node + WANTED];
        final long hints = of[node + HINTS];
        if (!probe.readNode(table, of[node + LINE], of[node + HASH], (int) wanted,
            (hints & BY_COLOR) == 0 ? BY_PARENT_MASK : BY_COLOR_MASK)
            || !probe.isWholeBelow(table, of[node + ABOVE], (int) (wanted >>> Integer.SIZE))) {
            interrupted = true;
            return;
        }
        final long head = probe.head();
        final long tail = probe.tail();
        if (isLeaf(head)) {
            final long leaf = CuckooTrieEntryLayout.payload(head, tail);
            of[node + REST] = LEAF_READ;
            of[node + HASH] = leaf;
            leaves++;
            takenOnTheWay -= (int) hints >>> 1;
            keys.addTo(lines, leaf, ready.keyBytes());
            return;
        }
        of[node + ABOVE] = probe.line();
        final long version = (long) probe.version() << Integer.SIZE;
        if (type(head) == BITMAP) {
            takenOnTheWay -= (int) hints >>> 1;
            of[node + REST] = children(tail);
            of[node + HINTS] = CuckooTrieEntryLayout.hints(head, tail);
            of[node + WANTED] = version | color(head) << PARENT_COLOR_SHIFT;
            innerNodes++;
            if (innerFrom((int) of[node + NEXT]) == firstInner) {
                firstInner = node;
            }
        } else {
            of[node + HINTS] = hints | BY_COLOR;
            request(node, JumpLabels.childHash(names, of[node + HASH], head, tail),
                JumpLabels.childIdentity(head, tail), version);
        }
    }
}
