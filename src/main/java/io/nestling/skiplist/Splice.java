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
 * Where a key belongs on each level: the node before and the node behind it, and how many bytes each of them shares with the key
 * at least. A writer finds its splice, and clears dead nodes out of its way as it goes.
 * <h2>Thread safety</h2>
 * One thread at a time, under a guard.
 */
final class Splice extends ScratchPool.Scratch {
    /** The search begins at an entry of the directory. */
    private static final int BEGUN = -1;
    private static final int NOBODY = 0;
    private static final int MAX_MISSES = 3;
    private static final int TURNS_MASK = 15;
    private static final int NEAR_LEVELS = 3;
    /** Keys whose nodes are requested in a row: processors forget requests that they have no buffers for. */
    private static final int KEYS_AT_ONCE = 2;
    /** The directory led to a place far before the key. */
    private static final int ASTRAY = -1;
    /** Places, behind those of levels, of the listed nodes next to the key: on level 0, and on level 1. */
    private static final int LISTED = MAX_HEIGHT + 1;
    private static final int PLACES = LISTED + 2;
    /** Nodes of more levels than this find their place from the head. */
    private static final int LISTED_HEIGHT = Directory.LEVEL + 2;

    private final int[] before = new int[PLACES];
    private final int[] behind = new int[PLACES];
    private final int[] sharedBefore = new int[PLACES];
    private final int[] sharedBehind = new int[PLACES];
    /* The list and the epoch for which the splice of the key put last is kept, and that key. */
    private int owner = NOBODY;
    private long ownerEpoch;
    private byte[] lastKey = new byte[Long.BYTES];
    private int lastLength;
    /* Vain looks near the last key in sequence; after some, only one put in sixteen looks there. */
    private int misses;
    private int turns;
    private int top;
    /* What the search begins between: the top, or listed nodes of a level, where they are LISTED. */
    private int begin;
    private Directory directory;
    private int placeBehind;
    /* What approach found, and in which directory. */
    private long approached;
    private Directory approachedBy;
    /* Puts that are to come of a batch whose nodes were requested. */
    private int announced;
    /* Of those that announce batches. */
    private PrefetchVector lines;

    /* Whose run of units nodes come from. */
    private final int lane;

    /** Makes a splice for one that puts nothing, or alone. */
    Splice() {
        this(0);
    }

    /**
     * Makes a splice for a writer.
     *
     * @param lane lane of the arena that its nodes come from, where it meets few other writers
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

    /** Whether the search began at listed nodes. */
    boolean beganAtListed() {
        return begin >= LISTED;
    }

    /** The directory that the search began in, or null. */
    Directory directory() {
        return directory;
    }

    /** The place in the directory of the first node behind the key. */
    int placeBehind() {
        return placeBehind;
    }

    /** Bytes that all keys between the bounds of a level share at least. */
    int shared(final int level) {
        return behind[level] == NULL ? 0 : Math.min(sharedBefore[level], sharedBehind[level]);
    }

    /**
     * Place of the chunk of a new node: the bytes before it are shared by all keys between the bounds one level above the node's
     * tower, which is how much a search knows when it meets the node.
     */
    int chunkPlace(final int height, final int keyLength) {
        final int low = sharedBefore[height];
        final int high = sharedBehind[height];
        final int place;
        if (before[height] == HEAD || behind[height] == NULL) {
            // At an end of the list: the bound that is missing will be a neighbour at most as close as the one that is there.
            place = Math.max(0, Math.max(low, high) - CHUNK_BYTES / 2);
        } else {
            place = Math.min(low, high);
        }
        return Math.min(place, keyLength);
    }

    /**
     * Finds the splice of a key.
     *
     * @param upTo highest level of which the splice is wanted
     * @return the live node that holds the key, or {@link NodeLayout#NULL}; in the first case the splice is good only for the
     *     levels above that on which the node was met
     */
    int locate(final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo) {
        forgetApproach();
        return search(nodes, key, offset, length, upTo);
    }

    private int search(final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo) {
        owner = NOBODY;
        int found = tryLocate(nodes, key, offset, length, upTo);
        while (found < 0) {
            found = tryLocate(nodes, key, offset, length, found == ASTRAY ? MAX_HEIGHT - 1 : upTo);
        }
        return found;
    }

    /**
     * As {@link #locate}, for a key whose node is linked on some levels. The directory may list that node already, which is not
     * to be found: the search begins at the head.
     */
    int locateLinked(final Nodes nodes, final byte[] key, final int offset, final int length) {
        return locate(nodes, key, offset, length, MAX_HEIGHT - 1);
    }

    /**
     * As {@link #locate}, but looks near the key put last first, if keys have come in ascending order. Nodes of an earlier guard
     * may be used again in the same epoch: what was in the list then is reused two epochs later at the earliest.
     *
     * @param epoch read inside this guard
     */
    int locateNear(
        final Nodes nodes, final long epoch, final byte[] key, final int offset, final int length, final int upTo) {
        if (lastKey.length < length) {
            // Not when the key is kept: it is in the list by then, and a lack of heap must not be reported any more.
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

    /** The lowest level on which the last key's splice is that of a greater key too; 0 if it is none of the next few. */
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
                // A bound that died may be off lower levels by now, where later keys of this finger were put behind it.
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

    /** Makes a new node the one before on its levels. */
    void passTo(final int node, final int height, final int keyLength) {
        for (int level = 0; level < height; level++) {
            before[level] = node;
            sharedBefore[level] = keyLength;
        }
    }

    /**
     * Takes the first part of {@link #locateNear}, which has to be called next and for the same key: the way through the
     * directory. Requests what comes then, so that the caller may do something else meanwhile.
     * Not where the key put last may lead to the place. The put calls {@link #forgetApproach} in the end.
     */
    void approach(final Nodes nodes, final byte[] key, final int offset, final int length) {
        final Directory present = nodes.directories().current();
        forgetApproach();
        if (present == null) {
            return;
        }
        if (announced > 0) {
            announced--; // requested with its batch
        } else if (owner != nodes.id() || misses >= MAX_MISSES) {
            approached = present.floor(nodes, key, offset, length);
            if (approached != Directory.NOWHERE) {
                present.request(approached, nodes);
                approachedBy = present;
            }
        }
    }

    /** Requests the nodes next to which the keys of a batch belong, as far as the directory knows, for the puts that follow. */
    void approachAll(final Nodes nodes, final KeyBatch keys) {
        final Directory present = nodes.directories().current();
        announced = 0;
        if (lines == null) {
            lines = new PrefetchVector();
        }
        for (int i = 0; present != null && i < keys.size(); i++) {
            final long floor = present.floor(nodes, keys.array(i), keys.offset(i), keys.length(i));
            if (floor != Directory.NOWHERE) {
                present.addTo(lines, floor, nodes.slab());
            }
            if (i % KEYS_AT_ONCE == KEYS_AT_ONCE - 1) {
                lines.request();
            }
            announced++;
        }
        lines.request();
    }

    /** Lets go of what {@link #approach} has found: a writer's splice outlives the list. */
    void forgetApproach() {
        approachedBy = null;
    }

    /** Keeps this splice, by which a key was put after {@link #locateNear}, for the next key. */
    void keep(final Nodes nodes, final long epoch, final byte[] key, final int offset, final int length) {
        System.arraycopy(key, offset, lastKey, 0, length);
        lastLength = length;
        owner = nodes.id();
        ownerEpoch = epoch;
    }

    /**
     * Has the next search begin at the last entry of the directory before the key.
     *
     * @param pastEqual whether that is so even if the key is in the directory
     * @param upTo highest level of which the splice is wanted, at most {@link #LISTED_HEIGHT}
     * @return 0 if the search begins at the head; the key's live node if the directory has it; else {@link #BEGUN}
     */
    private int beginInDirectory(
        final Nodes nodes, final byte[] key, final int offset, final int length, final boolean pastEqual, final int upTo) {
        final Directory present = nodes.directories().current();
        directory = null;
        if (present == null) {
            return NULL;
        }
        final long floor = present == approachedBy ? approached : present.floor(nodes, key, offset, length);
        if (floor == Directory.NOWHERE || !present.touchNodes(floor, nodes)) {
            forgetApproach();
            return NULL;
        }
        final long near = present.narrow(floor, nodes, key, offset, length);
        forgetApproach();
        final boolean own = Directory.isOwn(near);
        final boolean pastOwn = own && pastEqual;
        final int at = pastOwn ? Directory.entry(near) - 1 : Directory.entry(near);
        if (at < 0) {
            return NULL;
        }
        if (upTo > Directory.LEVEL + 1 && !own) {
            top = upTo;
            return beginHigher(nodes, present, near, key, offset, length);
        }
        final int node = present.node(at);
        if (nodes.payload(node) < 0) {
            return NULL;
        }
        top = Directory.LEVEL + 1;
        begin = LISTED;
        placeBehind = at + 1;
        directory = present;
        final int low = pastOwn ? 0 : Directory.sharedBefore(near);
        final int high = pastOwn ? length : Directory.sharedBehind(near);
        set(LISTED, node, present.node(at + 1), low, high);
        if (own || Directory.isTie(floor)) {
            set(top, node, present.node(at + 1), low, high);
        } else {
            // Whoever meets a node of the directory's level by way of the directory knows no more than these share.
            final int entry = Directory.entry(floor) << Directory.GROUP_SHIFT;
            set(top, present.node(entry), present.node(entry + Directory.GROUP), Directory.sharedBefore(floor),
                Directory.sharedBehind(floor));
        }
        return own && !pastEqual ? node : BEGUN;
    }

    /**
     * Has the search begin on the level below the top, between the nearest listed nodes that are on it.
     *
     * @param near answer of the directory, which does not have the key
     */
    private int beginHigher(
        final Nodes nodes, final Directory present, final long near, final byte[] key, final int offset, final int length) {
        final int at = Directory.entry(near);
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
        begin = LISTED + Directory.LEVEL + 1;
        set(begin, from, to, Nodes.shared(nodes.compareExactly(from, key, offset, length)),
            Nodes.shared(nodes.compareExactly(to, key, offset, length)));
        // Low nodes, of which there are many, make do with the bounds of one level.
        set(top, from, to, sharedBefore[begin], sharedBehind[begin]);
        set(LISTED, present.node(at), present.node(at + 1), Directory.sharedBefore(near), Directory.sharedBehind(near));
        placeBehind = at + 1;
        directory = present;
        return BEGUN;
    }

    /** As {@link #locate}; negative if a node on the way died, so that the search has to begin again. */
    private int tryLocate(
        final Nodes nodes, final byte[] key, final int offset, final int length, final int upTo) {
        final int begun = upTo > LISTED_HEIGHT ? NULL : beginInDirectory(nodes, key, offset, length, false, upTo);
        directory = null; // a writer's splice outlives the list
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
        return descend(nodes, key, offset, length, begin, begun == BEGUN ? Directory.MAX_WALK : Integer.MAX_VALUE);
    }

    /**
     * Finds the splice below a level on which it is known.
     *
     * @param from the level, or {@link #LISTED} and the level to go on at
     * @param maxWalk nodes that may be passed
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
                    return ASTRAY;
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

    /** Returns the live node that holds a key, or {@link NodeLayout#NULL}; changes nothing, and ends the finger. */
    int find(final Nodes nodes, final byte[] key, final int offset, final int length) {
        owner = NOBODY;
        try {
            return seek(nodes, key, offset, length, false);
        } finally {
            directory = null; // a pooled splice outlives the list
        }
    }

    /**
     * Finds the splice of a key without changing anything, passing over dead nodes.
     *
     * @param pastEqual whether a node with the key itself counts as one behind it
     * @return the live node that holds the key, or {@link NodeLayout#NULL}
     */
    int seek(final Nodes nodes, final byte[] key, final int offset, final int length, final boolean pastEqual) {
        final int found = trySeek(nodes, key, offset, length, pastEqual, true);
        return found == ASTRAY ? trySeek(nodes, key, offset, length, pastEqual, false) : found;
    }

    private int trySeek(
        final Nodes nodes, final byte[] key, final int offset, final int length, final boolean pastEqual,
        final boolean byDirectory) {
        directory = null;
        final int begun = byDirectory ? beginInDirectory(nodes, key, offset, length, pastEqual, 0) : NULL;
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
                    if (begun == BEGUN && level == Directory.LEVEL && ++walk > Directory.MAX_WALK) {
                        return ASTRAY;
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

    /** Makes this the splice of a key before all others. */
    void seekFirst(final Nodes nodes) {
        top = nodes.height();
        set(top, HEAD, NULL, 0, 0);
        directory = nodes.directories().current();
        placeBehind = 0;
        for (int level = 0; level < top; level++) {
            set(level, HEAD, nodes.next(HEAD, level), 0, 0);
        }
    }


    /** Number of levels of the splice that was sought. */
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

    /** Takes a dead node off a level; returns what comes after it, or a negative number if it could not. */
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
