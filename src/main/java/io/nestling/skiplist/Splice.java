/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.KeyBatch;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.ScratchPool;

import java.util.Arrays;

/**
 * The position of a key: on each level the nodes before and behind it, and the least number of bytes that each shares with it. A
 * writer's search also unlinks dead nodes on its way.
 * <h2>Thread safety</h2>
 * One thread at a time, inside a guard.
 */
final class Splice extends ScratchPool.Scratch {
    /** The search begins at an entry of the node index. */
    private static final int BEGUN = -1;
    private static final int NOBODY = 0;
    private static final int MAX_MISSES = 3;
    private static final int TURNS_MASK = 15;
    private static final int NEAR_LEVELS = 3;
    /** Keys whose nodes are requested in a row: processors drop requests that they have no buffers for. */
    private static final int KEYS_AT_ONCE = 2;
    /** The node index led to a node far before the key. */
    private static final int TOO_FAR = -1;
    /** Indexes of the listed nodes beside the key on levels 0 and 1, behind those of the levels. */
    private static final int LISTED = MAX_HEIGHT + 1;
    private static final int PLACES = LISTED + 2;
    /** Taller nodes are searched from the head. */
    private static final int LISTED_HEIGHT = 2;

    private final int[] before = new int[PLACES];
    private final int[] behind = new int[PLACES];
    private final int[] sharedBefore = new int[PLACES];
    private final int[] sharedBehind = new int[PLACES];
    /* The list and epoch of the kept splice of the key put last, and that key. */
    private int owner = NOBODY;
    private long ownerEpoch;
    private byte[] lastKey = new byte[Long.BYTES];
    private int lastLength;
    /* Consecutive failed looks near the last key; after some, only one put in sixteen looks there. */
    private int misses;
    private int turns;
    private int top;
    /* Where the search begins: the top, or LISTED and a level. */
    private int begin;
    private NodeIndex nodeIndex;
    private int indexBehind;
    /* What approach found, and in which node index. */
    private long approached;
    private NodeIndex approachedBy;
    /* Remaining puts of a batch whose nodes were requested. */
    private int announced;
    /* Used by splices that announce batches. */
    private PrefetchVector lines;

    /* The lane of the arena for new nodes. */
    private final int lane;

    /** Makes a splice for reads, or for a writer without concurrent ones. */
    Splice() {
        this(0);
    }

    /**
     * Makes a splice for a writer.
     *
     * @param lane lane of the arena for its nodes, shared with few other writers
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
     * Finds the splice of a key.
     *
     * @param upTo highest level whose splice is needed
     * @return the live node that holds the key, or {@link NodeLayout#NULL}; with a node, the splice is right only on the levels
     *     above that on which the node was met
     */
    int locate(final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo) {
        forgetApproach();
        return search(nodes, key, offset, length, upTo);
    }

    private int search(final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo) {
        owner = NOBODY;
        int found = tryLocate(nodes, key, offset, length, upTo);
        while (found < 0) {
            found = tryLocate(nodes, key, offset, length, found == TOO_FAR ? MAX_HEIGHT - 1 : upTo);
        }
        return found;
    }

    /**
     * As {@link #locate}, for a key whose node is linked on some levels already. The search begins at the head: the node index
     * may list that node, which must not be found.
     */
    int locateLinked(final Nodes nodes, final byte[] key, final int offset, final int length) {
        return locate(nodes, key, offset, length, MAX_HEIGHT - 1);
    }

    /**
     * As {@link #locate}, but looks near the key put last first, if keys ascend. The kept splice holds within its epoch: what was
     * in the list then is reused two epochs later at the earliest.
     *
     * @param epoch read inside this guard
     */
    int locateNear(
        final Nodes nodes, final long epoch, final byte[] key, final int offset, final int length, final int upTo) {
        if (lastKey.length < length) {
            // Not in keep(): the key is in the list by then, and a lack of heap must not fail its put.
            lastKey = Arrays.copyOf(lastKey, length + Long.BYTES);
        }
        if (owner == nodes.id() && ownerEpoch == epoch && (misses < MAX_MISSES || (++turns & TURNS_MASK) == 0)) {
            final int from = levelNear(nodes, key, offset, length, Math.max(1, upTo));
            if (from > 0) {
                misses = 0;
                owner = NOBODY;
                final int near = descend(nodes, key, offset, length, from, Integer.MAX_VALUE);
                if (near >= 0) {
                    forgetApproach();
                    return near;
                }
            } else {
                misses++;
            }
        }
        final int found = search(nodes, key, offset, length, upTo);
        forgetApproach();
        return found;
    }

    /** Returns the lowest level on which the last key's splice fits a greater key too; 0 if none of the next few does. */
    private int levelNear(
        final Nodes nodes, final byte[] key, final int offset, final int length, final int lowest) {
        final int shorter = Math.min(lastLength, length);
        final int shared = ByteComparison.commonPrefix(lastKey, 0, shorter, key, offset, shorter);
        if (shared == length || shared < lastLength && (lastKey[shared] & 0xFF) > (key[offset + shared] & 0xFF)) {
            return 0;
        }
        for (int level = lowest; level <= Math.min(top, lowest + NEAR_LEVELS); level++) {
            final int bound = behind[level];
            int high = 0;
            if (bound != NULL) {
                // A dead bound may be unlinked from lower levels, where later keys of this finger were put behind it.
                final int known = nodes.payload(bound) < 0 ? 0 : Math.min(shared, sharedBehind[level]);
                final long comparison = nodes.compare(bound, key, offset, length, known);
                if (Nodes.order(comparison) != Nodes.GREATER) {
                    continue;
                }
                high = Nodes.shared(comparison);
            }
            sharedBehind[level] = high;
            for (int above = level; above <= top; above++) {
                sharedBefore[above] = Math.min(sharedBefore[above], shared);
            }
            return level;
        }
        return 0;
    }

    /** Makes a new node the node before, on its levels. */
    void passTo(final int node, final int height, final int keyLength) {
        for (int level = 0; level < height; level++) {
            before[level] = node;
            sharedBefore[level] = keyLength;
        }
    }

    /**
     * Takes the first part of {@link #locateNear}, which must follow for the same key: the way through the node index. Prefetches
     * what comes next, so that the caller can do something else meanwhile. Does nothing if the key put last may lead to the
     * position. The put calls {@link #forgetApproach} in the end.
     */
    void approach(final Nodes nodes, final byte[] key, final int offset, final int length) {
        final NodeIndex present = nodes.maintainer().current();
        forgetApproach();
        if (present == null) {
            return;
        }
        if (announced > 0) {
            announced--; // prefetched with its batch
        } else if (owner != nodes.id() || misses >= MAX_MISSES) {
            approached = present.floor(nodes, key, offset, length);
            present.request(approached, nodes);
            approachedBy = present;
        }
    }

    /** Prefetches the listed nodes beside the keys of a batch, for the puts that follow. */
    void approachAll(final Nodes nodes, final KeyBatch keys) {
        final NodeIndex present = nodes.maintainer().current();
        announced = 0;
        if (lines == null) {
            lines = new PrefetchVector();
        }
        for (int i = 0; present != null && i < keys.size(); i++) {
            final long floor = present.floor(nodes, keys.array(i), keys.offset(i), keys.length(i));
            present.addTo(lines, floor, nodes.slab());
            if (i % KEYS_AT_ONCE == KEYS_AT_ONCE - 1) {
                lines.request();
            }
            announced++;
        }
        lines.request();
    }

    /** Forgets the result of {@link #approach}: a writer's splice outlives the list. */
    void forgetApproach() {
        approachedBy = null;
    }

    /** Keeps this splice, after {@link #locateNear} and a put, for the next key. */
    void keep(final Nodes nodes, final long epoch, final byte[] key, final int offset, final int length) {
        System.arraycopy(key, offset, lastKey, 0, length);
        lastLength = length;
        owner = nodes.id();
        ownerEpoch = epoch;
    }

    /**
     * Lets the next search begin at the last listed node before the key.
     *
     * @param pastEqual whether to begin before the key even if the node index has it
     * @param upTo highest level whose splice is needed, at most {@link #LISTED_HEIGHT}
     * @return {@link NodeLayout#NULL} if the search begins at the head; the key's live node if the node index has it; else {@link
     *     #BEGUN}
     */
    private int beginInNodeIndex(
        final Nodes nodes, final byte[] key, final int offset, final int length, final boolean pastEqual, final int upTo) {
        final NodeIndex present = nodes.maintainer().current();
        nodeIndex = null;
        if (present == null) {
            return NULL;
        }
        final long floor = present == approachedBy ? approached : present.floor(nodes, key, offset, length);
        if (!present.loadNodes(floor, nodes)) {
            forgetApproach();
            return NULL;
        }
        final long near = present.narrow(floor, nodes, key, offset, length);
        forgetApproach();
        final boolean own = NodeIndex.isExact(near);
        final boolean pastOwn = own && pastEqual;
        final int at = pastOwn ? NodeIndex.entry(near) - 1 : NodeIndex.entry(near);
        if (upTo > 1 && !own) {
            top = upTo;
            return beginHigher(nodes, present, near, key, offset, length);
        }
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
        } else {
            // A search from the node index knows no more shared bytes than these when it meets a node of its level.
            final int entry = NodeIndex.first(floor);
            set(top, present.node(entry), present.node(entry + NodeIndex.GROUP), NodeIndex.sharedBefore(floor),
                NodeIndex.sharedBehind(floor));
        }
        return own && !pastEqual ? node : BEGUN;
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
        set(begin, from, to, from == HEAD ? 0 : Nodes.shared(nodes.compareExactly(from, key, offset, length)),
            Nodes.shared(nodes.compareExactly(to, key, offset, length)));
        // Low nodes, the most frequent ones, use the bounds of one level.
        set(top, from, to, sharedBefore[begin], sharedBehind[begin]);
        set(LISTED, present.node(at), present.node(at + 1), NodeIndex.sharedBefore(near), NodeIndex.sharedBehind(near));
        indexBehind = at + 1;
        nodeIndex = present;
        return BEGUN;
    }

    /** As {@link #locate}; returns a negative number if a node on the way died, so that the search must begin again. */
    private int tryLocate(
        final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo) {
        final int begun = upTo > LISTED_HEIGHT ? NULL : beginInNodeIndex(nodes, key, offset, length, false, upTo);
        nodeIndex = null; // a writer's splice outlives the list
        if (begun > NULL) {
            return begun;
        }
        if (begun == NULL) {
            top = nodes.height();
            for (int level = top; level <= upTo; level++) {
                set(level, HEAD, NULL, 0, 0);
            }
            set(top, HEAD, NULL, 0, 0);
            begin = top;
        }
        return descend(nodes, key, offset, length, begin, begun == BEGUN ? NodeIndex.MAX_WALK : Integer.MAX_VALUE);
    }

    /**
     * Finds the splice below a level on which it is known.
     *
     * @param from the level, or {@link #LISTED} and the level to go on at
     * @param maxWalk most nodes to pass
     */
    private int descend(
        final Nodes nodes, final byte[] key, final int offset, final int length, final int from, final int maxWalk) {
        int node = before[from];
        int bound = behind[from];
        int low = sharedBefore[from];
        int high = sharedBehind[from];
        int walk = maxWalk;
        for (int level = below(from); level >= 0; level--) {
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
                    return MARK;
                }
                if (next == NULL) {
                    bound = NULL;
                    high = 0;
                    break;
                }
                final long comparison =
                    nodes.compare(next, key, offset, length, nodes.sharedBetween(bound, low, high));
                if (Nodes.order(comparison) == Nodes.GREATER) {
                    bound = next;
                    high = Nodes.shared(comparison);
                    break;
                }
                if (nodes.payload(next) < 0) {
                    next = unlink(nodes, node, level, next);
                    continue;
                }
                if (Nodes.order(comparison) == Nodes.EQUAL) {
                    return next;
                }
                if (--walk < 0) {
                    return TOO_FAR;
                }
                node = next;
                low = Nodes.shared(comparison);
                nodes.prefetchBelow(node, level);
                next = nodes.link(node, level);
            }
            set(level, node, bound, low, high);
        }
        return NULL;
    }

    /** Returns the live node that holds a key, or {@link NodeLayout#NULL}; changes nothing, and forgets the finger. */
    int find(final Nodes nodes, final byte[] key, final int offset, final int length) {
        owner = NOBODY;
        try {
            return seek(nodes, key, offset, length, false);
        } finally {
            nodeIndex = null; // a pooled splice outlives the list
        }
    }

    /**
     * Finds the splice of a key; changes nothing, and passes over dead nodes.
     *
     * @param pastEqual whether a node with the key itself counts as one behind it
     * @return the live node that holds the key, or {@link NodeLayout#NULL}
     */
    int seek(final Nodes nodes, final byte[] key, final int offset, final int length, final boolean pastEqual) {
        final int found = trySeek(nodes, key, offset, length, pastEqual, true);
        return found == TOO_FAR ? trySeek(nodes, key, offset, length, pastEqual, false) : found;
    }

    private int trySeek(
        final Nodes nodes, final byte[] key, final int offset, final int length, final boolean pastEqual,
        final boolean byNodeIndex) {
        nodeIndex = null;
        final int begun = byNodeIndex ? beginInNodeIndex(nodes, key, offset, length, pastEqual, 0) : NULL;
        if (begun > NULL) {
            return begun;
        }
        if (begun == NULL) {
            top = nodes.height();
            begin = top;
            set(top, HEAD, NULL, 0, 0);
        }
        int node = before[begin];
        int bound = behind[begin];
        int low = sharedBefore[begin];
        int high = sharedBehind[begin];
        int walk = 0;
        for (int level = below(begin); level >= 0; level--) {
            int next = nodes.next(node, level);
            while (next != bound) {
                if (next == NULL) {
                    bound = NULL;
                    high = 0;
                    break;
                }
                final long comparison =
                    nodes.compare(next, key, offset, length, nodes.sharedBetween(bound, low, high));
                final int order = Nodes.order(comparison);
                if (order == Nodes.LESS) {
                    if (begun == BEGUN && level == 0 && ++walk > NodeIndex.MAX_WALK) {
                        return TOO_FAR;
                    }
                    if (nodes.payload(next) >= 0) {
                        node = next;
                        low = Nodes.shared(comparison);
                        nodes.prefetchBelow(node, level);
                    }
                    next = nodes.next(next, level);
                } else if (order == Nodes.EQUAL && !pastEqual && nodes.payload(next) >= 0) {
                    return next;
                } else {
                    bound = next;
                    high = Nodes.shared(comparison);
                }
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

    private static int below(final int from) {
        return from >= LISTED ? from - LISTED : from - 1;
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
