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
    /* With so many items in the list, as below long shared prefixes, only the next node is entered. */
    private static final int MOST_ITEMS = 256;
    /* More than MOST_ON_THE_WAY. */
    private static final int RING = 32;

    /* Item before the first and behind the last one of the list. */
    private static final int END = 0;
    private static final int ITEMS = 128;
    /* In place of an inner node's children. */
    private static final long LEAF_READ = 0;
    private static final long ON_THE_WAY = -1;

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

    /* By item: the children left of an inner node, or what the item is instead. */
    private long[] rest = new long[ITEMS];
    /* Hash of a node's name; payload of a leaf. */
    private long[] hash = new long[ITEMS];
    /* The children of an inner node that stand in their secondary buckets. */
    private long[] hints = new long[ITEMS];
    /* The bucket where a node under way is searched first, what identifies it there, and which bits of that count. Of an inner
       node, its color for its children. */
    private long[] line = new long[ITEMS];
    private int[] wanted = new int[ITEMS];
    private int[] mask = new int[ITEMS];
    /* Bucket of the node above and its version; of an inner node, its own. */
    private long[] above = new long[ITEMS];
    private int[] versionAbove = new int[ITEMS];
    /* 1 for a node under way that was taken from what is pending, else 0. */
    private int[] taken = new int[ITEMS];
    private int[] before = new int[ITEMS];
    private int[] behind = new int[ITEMS];
    /* Linked list of unused items, and the first one that was never used. */
    private int unused;
    private int used;
    private int size;
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
        rest[END] = 1; // ends the search for an inner node
        behind[END] = END;
        before[END] = END;
        used = END + 1;
        unused = END;
        size = 0;
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
        while ((leaves < LEAD + READ_IN_A_ROW || rest[behind[END]] != LEAF_READ) && !interrupted) {
            request(pending, forward);
            if (askedHead == askedTail) {
                break;
            }
            final int until = askedHead + Math.min(READ_IN_A_ROW, askedTail - askedHead);
            while (askedHead != until && !interrupted) {
                read(asked[askedHead++ & RING - 1]);
            }
        }
        // Mostly the same number, which is predictable.
        handOut(Math.max(READ_IN_A_ROW, leaves - LEAD & -READ_IN_A_ROW));
        return !ready.isEmpty();
    }

    /** Moves up to so many leaves from the front of the list to those that are ready. */
    private void handOut(final int most) {
        final long[] payloads = ready.empty(MOST_ITEMS + MOST_ON_THE_WAY);
        int first = behind[END];
        int count = 0;
        while (count < most && rest[first] == LEAF_READ) {
            payloads[count++] = hash[first];
            final int next = behind[first];
            behind[first] = unused;
            unused = first;
            first = next;
        }
        behind[END] = first;
        before[first] = END;
        size -= count;
        leaves -= count;
        ready.filled(count);
    }

    // ---- requests

    private void request(final InnerPath pending, final boolean forward) {
        while (askedTail - askedHead < limit && (size < MOST_ITEMS || firstInner == behind[END])) {
            if (innerNodes + takenOnTheWay < MOST_TAKEN && size < MOST_ITEMS && !pending.isEmpty()) {
                takePending(pending, forward);
            } else if (firstInner != END) {
                requestChildren(firstInner, size < MOST_ITEMS ? limit - (askedTail - askedHead) : 1, forward);
            } else {
                break;
            }
        }
        limit = MOST_ON_THE_WAY;
        lines.request();
    }

    private void takePending(final InnerPath pending, final boolean forward) {
        pending.take(names, forward);
        final int node = add(END);
        above[node] = pending.lineAbove();
        versionAbove[node] = pending.versionAbove();
        taken[node] = 1;
        request(node, pending.hash(), pending.identity(), pending.mask());
        takenOnTheWay++;
    }

    /** Requests up to so many children of the first inner node. The last child replaces it in the list. */
    private void requestChildren(final int inner, final int most, final boolean forward) {
        final long name = hash[inner];
        final long secondaries = hints[inner];
        final int color = wanted[inner];
        long left = rest[inner];
        for (int room = most; room > 0 && left != 0; room--) {
            final int code = forward ? lowestCode(left) : highestCode(left);
            left &= ~childBit(code);
            final int node = left == 0 ? inner : add(inner);
            final int secondary = (int) (secondaries >>> code - 1) & 1;
            above[node] = above[inner];
            versionAbove[node] = versionAbove[inner];
            taken[node] = 0;
            request(node, names.append(name, code), color | code << SYMBOL_SHIFT | secondary << SECONDARY_SHIFT, BY_PARENT_MASK);
        }
        if (left == 0) {
            innerNodes--;
            firstInner = innerFrom(behind[inner]);
        } else {
            rest[inner] = left;
        }
    }

    private void request(final int node, final long name, final int identity, final int bits) {
        final long bucketHash = names.bucketHash(name, identity & SECONDARY);
        rest[node] = ON_THE_WAY;
        hash[node] = name;
        line[node] = NodeTable.offsetOf(bucketHash, buckets);
        wanted[node] = identity | names.tag(bucketHash);
        mask[node] = bits;
        lines.add(slab, line[node]);
        if (bits == BY_COLOR_MASK) {
            // No parent tells in which of its two buckets the node is.
            lines.add(slab, NodeTable.offsetOf(names.alternate(name), buckets));
        }
        asked[askedTail++ & RING - 1] = node;
    }

    /** Adds an item in front of another one. */
    private int add(final int next) {
        int item = unused;
        if (item != END) {
            unused = behind[item];
        } else {
            item = used++;
            if (item == rest.length) {
                extend();
            }
        }
        final int last = before[next];
        behind[last] = item;
        before[item] = last;
        behind[item] = next;
        before[next] = item;
        size++;
        return item;
    }

    private void extend() {
        final int capacity = 2 * rest.length;
        hash = Arrays.copyOf(hash, capacity);
        hints = Arrays.copyOf(hints, capacity);
        line = Arrays.copyOf(line, capacity);
        wanted = Arrays.copyOf(wanted, capacity);
        mask = Arrays.copyOf(mask, capacity);
        above = Arrays.copyOf(above, capacity);
        versionAbove = Arrays.copyOf(versionAbove, capacity);
        taken = Arrays.copyOf(taken, capacity);
        before = Arrays.copyOf(before, capacity);
        behind = Arrays.copyOf(behind, capacity);
        rest = Arrays.copyOf(rest, capacity); // last: its length tells the capacity
    }

    /** Returns the first inner node from an item on, or {@link #END}. */
    private int innerFrom(final int first) {
        int item = first;
        while (rest[item] <= 0) {
            item = behind[item];
        }
        return item;
    }

    // ---- what has arrived

    private void read(final int node) {
        // cuckoo-trie-concurrency.md, claim 18
        if (!probe.readNode(table, line[node], hash[node], wanted[node], mask[node])
            || !probe.isWholeBelow(table, above[node], versionAbove[node])) {
            interrupted = true;
            return;
        }
        final long head = probe.head();
        final long tail = probe.tail();
        if (isLeaf(head)) {
            rest[node] = LEAF_READ;
            hash[node] = payload(head, tail);
            leaves++;
            takenOnTheWay -= taken[node];
            keys.addTo(lines, hash[node], ready.keyBytes());
            return;
        }
        above[node] = probe.line();
        versionAbove[node] = probe.version();
        if (type(head) == BITMAP) {
            takenOnTheWay -= taken[node];
            rest[node] = children(tail);
            hints[node] = hints(head, tail);
            wanted[node] = color(head) << PARENT_COLOR_SHIFT;
            innerNodes++;
            if (innerFrom(behind[node]) == firstInner) {
                firstInner = node;
            }
        } else {
            request(node, JumpLabels.childHash(names, hash[node], head, tail), JumpLabels.childIdentity(head, tail),
                BY_COLOR_MASK);
        }
    }
}
