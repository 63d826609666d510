/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

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
    /** The node index led to a node far before the key. */
    private static final int TOO_FAR = -2;
    private static final int PLACES = MAX_HEIGHT + 1;

    private final int[] before = new int[PLACES];
    private final int[] behind = new int[PLACES];
    private final int[] sharedBefore = new int[PLACES];
    private final int[] sharedBehind = new int[PLACES];
    private int top;
    /* The node index whose nodes beside the key level 0 is begun between, or null; the list index of the one behind the key. */
    private NodeIndex nodeIndex;
    private int indexBehind;
    /* The list and epoch in which a put kept this splice, or 0. */
    private int owner;
    private long ownerEpoch;
    private int lastPut;

    int before(final int level) {
        return before[level];
    }

    int behind(final int level) {
        return behind[level];
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
     * Finds the splice of a key for a writer, as far as it is needed, up to a level. Returns the live node that holds the key, or
     * {@link SkipListNodeLayout#NULL}; with a node, the splice is right only on the levels above that on which the node was met.
     */
    int locate(final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo) {
        return search(nodes, key, offset, length, upTo, WRITE);
    }

    /** Keeps this splice, after a put of a node, for a key right behind it; but not if the put before was not right before it. */
    void keep(final Nodes nodes, final long epoch, final int node) {
        owner = before[0] == lastPut ? nodes.id() : 0;
        ownerEpoch = epoch;
        before[0] = node;
        lastPut = node;
    }

    /**
     * Returns whether a key lies right behind the one put last: this is its splice on level 0. Forgets that put. The nodes hold
     * within their epoch: what was in the list then is reused two epochs later at the earliest.
     */
    boolean isNext(final Nodes nodes, final long epoch, final byte[] key, final int offset, final int length) {
        final boolean isKept = owner == nodes.id() && ownerEpoch == epoch;
        owner = 0;
        final long last = isKept ? nodes.compare(before[0], key, offset, length, 0) : Nodes.GREATER;
        if (Nodes.order(last) != Nodes.LESS
            || behind[0] != NULL && Nodes.order(nodes.compare(behind[0], key, offset, length, 0)) != Nodes.GREATER) {
            return false;
        }
        sharedBefore[1] = Math.min(sharedBefore[1], Nodes.shared(last));
        return true;
    }

    /**
     * As {@link #locate}, on all levels, for a key whose node is linked on some of them already. The search does without the node
     * index, which may list that node.
     */
    int locateLinked(final Nodes nodes, final byte[] key, final int offset, final int length) {
        // skip-list-concurrency.md, claim 10
        return search(nodes, key, offset, length, MAX_HEIGHT, WRITE);
    }

    /**
     * Finds the splice of a key; changes nothing, and passes over dead nodes. Returns the live node that holds the key, or {@link
     * SkipListNodeLayout#NULL}; if {@code pastEqual}, that node counts as one behind the key.
     */
    int seek(final Nodes nodes, final byte[] key, final int offset, final int length, final boolean pastEqual) {
        return search(nodes, key, offset, length, 0, pastEqual ? READ_BELOW : READ);
    }

    private int search(
        final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo, final int how) {
        owner = 0;
        boolean byNodeIndex = upTo < MAX_HEIGHT; // else the node itself may be listed
        int found;
        do {
            nodeIndex = null;
            found = byNodeIndex ? findListed(nodes, key, offset, length, how) : NULL;
            if (found == NULL) {
                if (nodeIndex == null || upTo > 1) {
                    beginAtHead(nodes, upTo);
                }
                found = descend(nodes, key, offset, length, how);
                byNodeIndex &= found != TOO_FAR;
            }
        } while (found < 0);
        return found;
    }

    private void beginAtHead(final Nodes nodes, final int upTo) {
        top = nodes.height();
        for (int level = top; level <= Math.max(top, upTo); level++) {
            set(level, HEAD, NULL, 0, 0);
        }
    }

    /**
     * Finds the listed nodes beside the key, between which level 0 is begun: if there is a node index, and the node before is
     * alive. Returns the key's live node if the node index has it and it is sought; else {@link SkipListNodeLayout#NULL}.
     */
    private int findListed(final Nodes nodes, final byte[] key, final int offset, final int length, final int how) {
        // skip-list-concurrency.md, claim 9
        final NodeIndex present = nodes.maintainer().current();
        if (present == null || length > NodeIndex.MAX_SHARED) {
            return NULL; // such a key could share more bytes than are counted
        }
        final long floor = present.floor(nodes, key, offset, length);
        present.loadNodes(floor, nodes);
        final long near = present.narrow(floor, nodes, key, offset, length);
        final boolean own = NodeIndex.isExact(near);
        final boolean pastOwn = own && how == READ_BELOW;
        final int at = pastOwn ? NodeIndex.entry(near) - 1 : NodeIndex.entry(near);
        final int node = present.node(at);
        if (nodes.payload(node) < 0) {
            return NULL;
        }
        indexBehind = at + 1;
        nodeIndex = present;
        final int low = pastOwn ? 0 : NodeIndex.sharedBefore(near);
        final int high = pastOwn ? length : NodeIndex.sharedBehind(near);
        set(0, node, present.node(at + 1), low, high);
        top = 1;
        if (own) {
            set(top, node, present.node(at + 1), low, high);
            return pastOwn ? NULL : node;
        }
        // A search from the node index knows no more shared bytes than these when it meets a node of its level.
        final int entry = NodeIndex.first(floor);
        set(top, present.node(entry), present.node(entry + NodeIndex.GROUP), NodeIndex.sharedBefore(floor),
            NodeIndex.sharedBehind(floor));
        return NULL;
    }

    /**
     * Finds the splice below the top level: level 0 from the listed node before the key, if the search has one, and each other
     * level from the node before the key on the level above. Returns the live node that holds the key, {@link
     * SkipListNodeLayout#NULL}, {@link #TOO_FAR}, or {@link SkipListNodeLayout#MARK} if a node on a writer's way died.
     */
    private int descend(final Nodes nodes, final byte[] key, final int offset, final int length, final int how) {
        // skip-list-concurrency.md, claim 3
        int node = before[top];
        int bound = behind[top];
        int low = sharedBefore[top];
        int high = sharedBehind[top];
        int walk = Integer.MAX_VALUE;
        for (int level = top - 1; level >= 0; level--) {
            if (level == 0 && nodeIndex != null) {
                node = before[0];
                bound = behind[0];
                low = sharedBefore[0];
                high = sharedBehind[0];
                walk = NodeIndex.MAX_WALK;
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
        // skip-list-concurrency.md, claim 2
        for (int level = height(nodes.meta(dead)) - 1; level >= 0; level--) {
            int link = nodes.link(dead, level);
            while (link >= 0 && !nodes.compareAndSetLink(dead, level, link, link | MARK)) {
                link = nodes.link(dead, level);
            }
        }
    }
}
