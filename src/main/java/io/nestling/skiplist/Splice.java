/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.offheap.ScratchPool;

/**
 * The position of a key: on each level the nodes before and behind it, and the least number of bytes that each shares with it. A
 * writer's search also unlinks dead nodes on its way.
 * <h2>Thread safety</h2>
 * One thread at a time, inside a guard.
 */
final class Splice extends ScratchPool.Scratch {
    /** Ways to search: a writer's unlinks dead nodes, a reader's passes over them. */
    private static final int WRITE = 0;
    private static final int READ = 1;
    /** As a reader, for the node before the key even if the key is in the list. */
    private static final int READ_BELOW = 2;
    /** The search begins at a listed node. */
    private static final int BEGUN = -1;
    /** The node index led to a node far before the key. */
    private static final int TOO_FAR = -2;
    /** Indexes of the listed nodes beside the key on levels 0 and 1, behind those of the levels. */
    private static final int LISTED = MAX_HEIGHT + 1;
    private static final int PLACES = LISTED + 2;
    /** Taller nodes are searched from the head. */
    private static final int LISTED_HEIGHT = 2;

    private final int lane;
    private final int[] before = new int[PLACES];
    private final int[] behind = new int[PLACES];
    private final int[] sharedBefore = new int[PLACES];
    private final int[] sharedBehind = new int[PLACES];
    private int top;
    /* Where the search begins: a level on which the splice is known, or LISTED and a level. */
    private int begin;
    private NodeIndex nodeIndex;
    private int indexBehind;

    /** Makes a splice for reads, or for a writer without concurrent ones. */
    Splice() {
        this(0);
    }

    /**
     * Makes a splice for a writer.
     *
     * @param lane lane in which the list counts its entries, shared with few other writers
     */
    Splice(final int lane) {
        this.lane = lane;
    }

    int lane() {
        return lane;
    }

    int before(final int level) {
        return before[level];
    }

    int behind(final int level) {
        return behind[level];
    }

    /** Returns whether the search began at listed nodes. */
    boolean beganAtListed() {
        return begin >= LISTED;
    }

    /** Returns the node index in which the search began, or null. */
    NodeIndex nodeIndex() {
        return nodeIndex;
    }

    /** Returns the list index, in the node index, of the first node behind the key. */
    int indexBehind() {
        return indexBehind;
    }

    /** Returns the least number of bytes that all keys between the bounds of a level share. */
    int shared(final int level) {
        return behind[level] == NULL ? 0 : Math.min(sharedBefore[level], sharedBehind[level]);
    }

    /**
     * Returns the position of a new node's chunk: behind the bytes that all keys between the bounds one level above its tower
     * share, as much as a search knows when it meets the node.
     */
    int chunkPosition(final int height, final int keyLength) {
        final int low = sharedBefore[height];
        final int high = sharedBehind[height];
        final int position;
        if (before[height] == HEAD || behind[height] == NULL) {
            // At an end of the list: a neighbour on the open side will be at most as close as the present one.
            position = Math.max(0, Math.max(low, high) - CHUNK_BYTES / 2);
        } else {
            position = Math.min(low, high);
        }
        return Math.min(position, keyLength);
    }

    /**
     * Finds the splice of a key for a writer.
     *
     * @param upTo highest level whose splice is needed
     * @return the live node that holds the key, or {@link NodeLayout#NULL}; with a node, the splice is right only on the levels
     *     above that on which the node was met
     */
    int locate(final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo) {
        return search(nodes, key, offset, length, upTo, WRITE);
    }

    /**
     * As {@link #locate}, for a key whose node is linked on some levels already. The search begins at the head: the node index
     * may list that node, which must not be found.
     */
    int locateLinked(final Nodes nodes, final byte[] key, final int offset, final int length) {
        return locate(nodes, key, offset, length, MAX_HEIGHT - 1);
    }

    /**
     * Finds the splice of a key; changes nothing, and passes over dead nodes.
     *
     * @param pastEqual whether a node with the key itself counts as one behind it
     * @return the live node that holds the key, or {@link NodeLayout#NULL}
     */
    int seek(final Nodes nodes, final byte[] key, final int offset, final int length, final boolean pastEqual) {
        return search(nodes, key, offset, length, 0, pastEqual ? READ_BELOW : READ);
    }

    private int search(
        final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo, final int how) {
        boolean byNodeIndex = upTo <= LISTED_HEIGHT;
        int found;
        do {
            nodeIndex = null;
            found = byNodeIndex ? beginInNodeIndex(nodes, key, offset, length, upTo, how) : NULL;
            if (found == NULL) {
                beginAtHead(nodes, upTo);
            }
            if (found <= NULL) {
                found = descend(nodes, key, offset, length, begin, how);
                byNodeIndex &= found != TOO_FAR;
            }
        } while (found < 0);
        return found;
    }

    private void beginAtHead(final Nodes nodes, final int upTo) {
        top = nodes.height();
        begin = top;
        for (int level = top; level <= Math.max(top, upTo); level++) {
            set(level, HEAD, NULL, 0, 0);
        }
    }

    /**
     * Lets the search begin at the last listed node before the key.
     *
     * @param upTo highest level whose splice is needed, at most {@link #LISTED_HEIGHT}
     * @return {@link NodeLayout#NULL} if the search begins at the head; the key's live node if the node index has it and it is
     *     sought; else {@link #BEGUN}
     */
    private int beginInNodeIndex(
        final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo, final int how) {
        final NodeIndex present = nodes.maintainer().current();
        if (present == null || length > NodeIndex.MAX_SHARED) {
            return NULL; // such a key could share more bytes than are counted
        }
        final long floor = present.floor(nodes, key, offset, length);
        if (!present.loadNodes(floor, nodes)) {
            return NULL;
        }
        final long near = present.narrow(floor, nodes, key, offset, length);
        final boolean own = NodeIndex.isExact(near);
        final boolean pastOwn = own && how == READ_BELOW;
        if (upTo > 1 && !own) {
            top = upTo;
            return beginHigher(nodes, present, near, key, offset, length);
        }
        final int at = pastOwn ? NodeIndex.entry(near) - 1 : NodeIndex.entry(near);
        final int node = present.node(at);
        if (nodes.payload(node) < 0) {
            return NULL;
        }
        top = 1;
        begin = LISTED;
        indexBehind = at + 1;
        nodeIndex = present;
        final int low = pastOwn ? 0 : NodeIndex.sharedBefore(near);
        final int high = pastOwn ? length : NodeIndex.sharedBehind(near);
        set(LISTED, node, present.node(at + 1), low, high);
        if (own) {
            set(top, node, present.node(at + 1), low, high);
            return pastOwn ? BEGUN : node;
        }
        // A search from the node index knows no more shared bytes than these when it meets a node of its level.
        final int entry = NodeIndex.first(floor);
        set(top, present.node(entry), present.node(entry + NodeIndex.GROUP), NodeIndex.sharedBefore(floor),
            NodeIndex.sharedBehind(floor));
        return BEGUN;
    }

    /**
     * Lets the search begin on the level below the top, between the nearest listed nodes of that level.
     *
     * @param near answer of the node index, which lacks the key
     */
    private int beginHigher(
        final Nodes nodes, final NodeIndex present, final long near, final byte[] key, final int offset, final int length) {
        final int at = NodeIndex.entry(near);
        final int higherBefore = present.higher(at, -1);
        final int higherBehind = present.higher(at + 1, 1);
        if (higherBefore < 0 || higherBehind < 0) {
            return NULL;
        }
        final int from = present.node(higherBefore);
        final int to = present.node(higherBehind);
        nodes.prefetch(to);
        if (nodes.payload(from) < 0 || nodes.payload(to) < 0) {
            return NULL;
        }
        begin = LISTED + 1;
        set(begin, from, to, from == HEAD ? 0 : Nodes.shared(nodes.compare(from, key, offset, length, 0)),
            Nodes.shared(nodes.compare(to, key, offset, length, 0)));
        // Low nodes, the most frequent ones, use the bounds of one level.
        set(top, from, to, sharedBefore[begin], sharedBehind[begin]);
        set(LISTED, present.node(at), present.node(at + 1), NodeIndex.sharedBefore(near), NodeIndex.sharedBehind(near));
        indexBehind = at + 1;
        nodeIndex = present;
        return BEGUN;
    }

    /**
     * Finds the splice below a level on which it is known.
     *
     * @param from the level, or {@link #LISTED} and the level to go on at
     * @return the live node that holds the key, {@link NodeLayout#NULL}, {@link #TOO_FAR}, or {@link NodeLayout#MARK} if a node
     *     on a writer's way died
     */
    private int descend(
        final Nodes nodes, final byte[] key, final int offset, final int length, final int from, final int how) {
        int node = before[from];
        int bound = behind[from];
        int low = sharedBefore[from];
        int high = sharedBehind[from];
        int walk = from >= LISTED ? NodeIndex.MAX_WALK : Integer.MAX_VALUE;
        for (int level = from >= LISTED ? from - LISTED : from - 1; level >= 0; level--) {
            final int listed = LISTED + level;
            if (listed < from && nodes.payload(before[listed]) >= 0) {
                node = before[listed];
                bound = behind[listed];
                low = sharedBefore[listed];
                high = sharedBehind[listed];
            }
            int next = nodes.link(node, level);
            while (next != bound) {
                if (next < 0) {
                    if (how == WRITE) {
                        return MARK;
                    }
                    next &= NODE_MASK;
                    continue;
                }
                if (next == NULL) {
                    bound = NULL;
                    high = 0;
                    break;
                }
                final long comparison =
                    nodes.compare(next, key, offset, length, nodes.sharedBetween(bound, low, high));
                final int order = Nodes.order(comparison);
                final boolean isDead = order != Nodes.GREATER && nodes.payload(next) < 0;
                if (isDead && how == WRITE) {
                    next = unlink(nodes, node, level, next);
                    continue;
                }
                if (order == Nodes.EQUAL && !isDead && how != READ_BELOW) {
                    return next;
                }
                if (order != Nodes.LESS) {
                    bound = next;
                    high = Nodes.shared(comparison);
                    break;
                }
                if (--walk < 0) {
                    return TOO_FAR;
                }
                if (isDead) {
                    next = nodes.next(next, level);
                    continue;
                }
                node = next;
                low = Nodes.shared(comparison);
                next = nodes.link(node, level);
            }
            set(level, node, bound, low, high);
        }
        return NULL;
    }

    /** Sets the splice of a key before all others. */
    void seekFirst(final Nodes nodes) {
        top = nodes.height();
        set(top, HEAD, NULL, 0, 0);
        nodeIndex = nodes.maintainer().current();
        indexBehind = 1;
        for (int level = 0; level < top; level++) {
            set(level, HEAD, nodes.next(HEAD, level), 0, 0);
        }
    }

    /** Returns the number of levels of the splice. */
    int top() {
        return top;
    }

    /** Gives the splice back to its pool, where it outlives the list. */
    void giveBack() {
        nodeIndex = null;
        release();
    }

    private void set(final int level, final int node, final int bound, final int low, final int high) {
        before[level] = node;
        behind[level] = bound;
        sharedBefore[level] = low;
        sharedBehind[level] = high;
    }

    /** Unlinks a dead node from a level; returns the node behind it, or a negative number on failure. */
    private static int unlink(final Nodes nodes, final int node, final int level, final int dead) {
        if (nodes.link(dead, level) >= 0) {
            mark(nodes, dead);
        }
        final int after = nodes.next(dead, level);
        return nodes.compareAndSetLink(node, level, dead, after) ? after : MARK;
    }

    /** Marks the links of a dead node from the top down, so that nothing is linked behind it any more. */
    static void mark(final Nodes nodes, final int dead) {
        for (int level = height(nodes.meta(dead)) - 1; level >= 0; level--) {
            int link = nodes.link(dead, level);
            while (link >= 0 && !nodes.compareAndSetLink(dead, level, link, link | MARK)) {
                link = nodes.link(dead, level);
            }
        }
    }
}
