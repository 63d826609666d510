/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.ScratchPool;
import io.nestling.memory.Slab;

import java.util.Arrays;

/**
 * Looks up the keys of a batch side by side: each of a few lanes compares its key with one node, requests the nodes that it may
 * read next, and makes room for the other lanes while they are on their way. A lane whose key is done takes the next key. On
 * the upper levels, whose nodes stay in the cache, a lane goes on at once.
 * <h2>Thread safety</h2>
 * Any number of threads, under guards; each call has lanes of its own.
 * <p>
 * The scheme is that of asynchronous memory access chaining (Kocberber, Falsafi, Grot: PVLDB 9(4), 2015).
 */
final class BatchLookup extends ScratchPool.Scratch {
    private static final int LANES = 32;
    /* As many as an int has bits, which tell which of them wait. */
    private static final int FLOORS = 32;
    /* Keys whose nodes are requested in a row: processors forget requests that they have no buffers for. */
    private static final int KEYS_AT_ONCE = 2;
    /* Keys ahead whose groups of nodes are requested. */
    private static final int GROUPS_AHEAD = 4;
    /* Levels of the directory above the lowest that caches may not hold: all keys take their step there before the next one. */
    private static final int APART = 2;
    private static final int FLOORS_MASK = FLOORS - 1;
    /** Levels from the top whose nodes, some thousands, are taken to be in the cache. */
    private static final int CACHED_LEVELS = 12;
    /* Stands for the payload of a lane that is not done. */
    private static final long UNFINISHED = PointIndex.NONE - 1;
    /* Stands for a next node that was not read yet. */
    private static final int UNREAD = -1;
    private static final int MOST_KEPT = 1 << 9;
    private static final ScratchPool<BatchLookup> POOL = new ScratchPool<>(BatchLookup::new);

    private final PrefetchVector lines = new PrefetchVector();
    private final int[] keyOf = new int[LANES];
    private final byte[][] array = new byte[LANES][];
    private final int[] offset = new int[LANES];
    private final int[] length = new int[LANES];
    private final int[] level = new int[LANES];
    private final int[] node = new int[LANES];
    private final int[] bound = new int[LANES];
    private final int[] low = new int[LANES];
    private final int[] high = new int[LANES];
    /* The node that is compared next, and whether its record was requested. */
    private final int[] next = new int[LANES];
    /* Nodes of the directory's level that may still be passed. */
    private final int[] walk = new int[LANES];
    private final boolean[] recordRequested = new boolean[LANES];
    /* What the directory answers for some keys of the batch, and the first key for which it was not asked yet. */
    private final long[] floors = new long[FLOORS];
    private final long[] nears = new long[FLOORS];
    private int floorsEnd;
    /* Nodes whose records some of these keys wait for. */
    private final int[] tiedNodes = new int[FLOORS];
    /* Where the places of keys are noted for their puts, or null. */
    private BatchPlaces places;
    /* Payloads that nobody asks for. */
    private long[] ignored = new long[LANES];
    /* Sum of early loads, which keeps them alive. */
    private long touched;
    /* The key that is begun next. */
    private int following;
    private Nodes nodes;
    private Slab slab;
    private KeySource keys;
    private Directory directory;
    private int top;
    private int pausesBelow;

    private BatchLookup() {
    }

    /** Looks keys up for the sake of what is in the cache then, and of their places in the directory. */
    static void visit(final Nodes nodes, final KeyBatch keys, final BatchPlaces places) {
        lookup(nodes, keys, null, places);
    }

    static void lookup(final Nodes nodes, final KeyBatch keys, final long[] payloads) {
        lookup(nodes, keys, payloads, null);
    }

    private static void lookup(
        final Nodes nodes, final KeyBatch keys, final long[] payloads, final BatchPlaces places) {
        final BatchLookup lanes = POOL.take();
        try {
            lanes.nodes = nodes;
            lanes.slab = nodes.slab();
            lanes.keys = nodes.keys();
            lanes.places = places;
            lanes.run(keys, payloads == null ? lanes.ignored(keys.size()) : payloads);
        } finally {
            Arrays.fill(lanes.array, null);
            lanes.nodes = null;
            lanes.slab = null;
            lanes.keys = null;
            lanes.directory = null;
            lanes.places = null;
            lanes.release();
        }
    }

    private long[] ignored(final int size) {
        if (size > MOST_KEPT) {
            return new long[size];
        }
        if (ignored.length < size) {
            ignored = new long[size];
        }
        return ignored;
    }

    private void run(final KeyBatch batch, final long[] payloads) {
        top = nodes.height();
        directory = nodes.directories().current();
        if (places != null) {
            places.begin(directory);
        }
        pausesBelow = Math.max(0, top - CACHED_LEVELS);
        floorsEnd = 0;
        following = 0;
        int lanes = 0;
        while (lanes < LANES && start(lanes, batch, payloads)) {
            lanes++;
        }
        while (lanes > 0) {
            for (int lane = 0; lane < lanes; lane++) {
                final long payload = step(lane);
                if (payload != UNFINISHED) {
                    payloads[keyOf[lane]] = payload;
                    if (!start(lane, batch, payloads)) {
                        move(--lanes, lane);
                        lane--;
                    }
                }
            }
            lines.request();
        }
    }

    /** Has a lane begin with the next key that the directory does not have; false if there is none left. */
    private boolean start(final int lane, final KeyBatch batch, final long[] payloads) {
        long near = Directory.NOWHERE;
        while (following < batch.size()) {
            final int key = following++;
            if (directory != null) {
                if (key == floorsEnd) {
                    findFloors(batch);
                }
                near = nears[key & FLOORS_MASK];
                if (Directory.isOwn(near)) {
                    final long payload = nodes.payload(directory.node(Directory.entry(near)));
                    if (payload >= 0) {
                        payloads[key] = payload;
                        continue;
                    }
                    near = Directory.NOWHERE;
                } else if (places != null && near != Directory.NOWHERE) {
                    places.add(batch, key, floors[key & FLOORS_MASK], near);
                }
            }
            start(lane, batch, key);
            if (near != Directory.NOWHERE) {
                startBy(lane, near);
            }
            return true;
        }
        return false;
    }

    private void start(final int lane, final KeyBatch batch, final int key) {
        keyOf[lane] = key;
        array[lane] = batch.array(key);
        offset[lane] = batch.offset(key);
        length[lane] = batch.length(key);
        level[lane] = top - 1;
        node[lane] = HEAD;
        bound[lane] = NULL;
        low[lane] = 0;
        high[lane] = 0;
        recordRequested[lane] = false;
        next[lane] = UNREAD;
        walk[lane] = Integer.MAX_VALUE;
    }

    /**
     * Looks the next keys of the batch up in the directory, step by step side by side: the levels above, which are cached for the
     * most part, the last one, and the nodes that are listed behind an entry.
     */
    private void findFloors(final KeyBatch batch) {
        final int from = floorsEnd;
        final int count = Math.min(batch.size() - from, FLOORS);
        for (int i = 0; i < count; i++) {
            floors[i] =
                directory.approach(APART + 1, nodes, batch.array(from + i), batch.offset(from + i), batch.length(from + i));
        }
        long sum = 0;
        for (int level = APART; level > 0; level--) {
            for (int i = 0; i < count; i++) {
                sum ^= directory.touch(level, floors[i]);
            }
            stepDown(level, batch, from, count);
        }
        for (int i = 0; i < count; i++) {
            sum ^= directory.touch(floors[i]);
        }
        touched ^= sum;
        stepDown(0, batch, from, count);
        for (int i = 0; i < Math.min(GROUPS_AHEAD, count); i++) {
            addGroup(i);
        }
        lines.request();
        narrowAll(batch, from, count);
        floorsEnd = from + count;
    }

    /** Takes the step on a level of the directory for a number of keys; the records that some of them need come side by side. */
    private void stepDown(final int level, final KeyBatch batch, final int from, final int count) {
        int waiting = 0;
        for (int i = 0; i < count; i++) {
            final long step = directory.tryStep(
                level, floors[i], batch.array(from + i), batch.offset(from + i), batch.length(from + i));
            if (Directory.isTied(step)) {
                tiedNodes[i] = Directory.tiedNode(step);
                lines.add(slab, NodeLayout.offset(tiedNodes[i]));
                waiting |= 1 << i;
            } else {
                floors[i] = step;
            }
        }
        if (waiting != 0) {
            lines.request();
            requestRecords(waiting, batch, from);
            for (int left = waiting; left != 0; left &= left - 1) {
                final int i = Integer.numberOfTrailingZeros(left);
                floors[i] = level > 0
                    ? directory.approachOn(
                        level, floors[i], nodes, batch.array(from + i), batch.offset(from + i), batch.length(from + i))
                    : directory.finish(
                        floors[i], nodes, batch.array(from + i), batch.offset(from + i), batch.length(from + i));
            }
        }
    }

    /** Finds the last listed nodes before a number of keys, round by round, so that the records of a round come side by side. */
    private void narrowAll(final KeyBatch batch, final int from, final int count) {
        int waiting = -1 >>> Integer.SIZE - count;
        for (int records = 0; waiting != 0; records++) {
            int tied = 0;
            for (int left = waiting; left != 0; left &= left - 1) {
                final int i = Integer.numberOfTrailingZeros(left);
                if (records == 0 && i + GROUPS_AHEAD < count) {
                    addGroup(i + GROUPS_AHEAD);
                    pace(i);
                }
                if (floors[i] == Directory.NOWHERE) {
                    nears[i] = Directory.NOWHERE;
                    continue;
                }
                final long near = directory.narrow(
                    floors[i], nodes, batch.array(from + i), batch.offset(from + i), batch.length(from + i), records);
                if (Directory.isTied(near)) {
                    tiedNodes[i] = Directory.tiedNode(near);
                    tied |= 1 << i;
                    continue;
                }
                nears[i] = near;
                if (!Directory.isOwn(near)) {
                    requestNear(Directory.entry(near));
                }
            }
            lines.request();
            requestRecords(tied, batch, from);
            waiting = tied;
        }
    }

    /** Requests the records of nodes that have arrived, each for one of a number of keys. */
    private void requestRecords(final int waiting, final KeyBatch batch, final int from) {
        for (int left = waiting; left != 0; left &= left - 1) {
            final int i = Integer.numberOfTrailingZeros(left);
            keys.addTo(lines, nodes.payload(tiedNodes[i]) & PAYLOAD_MASK, batch.length(from + i));
            pace(i);
        }
        lines.request();
    }

    /** Has the nodes requested that a key is compared with in the directory. */
    private void addGroup(final int key) {
        if (floors[key] != Directory.NOWHERE) {
            directory.addTo(lines, floors[key], slab);
        }
    }

    private void pace(final int key) {
        if ((key & KEYS_AT_ONCE - 1) == KEYS_AT_ONCE - 1) {
            lines.request();
        }
    }

    private void requestNear(final int at) {
        final int behind = directory.node(at + 1);
        final int below = nodes.next(directory.node(at), 0);
        if (below != behind) {
            if (below != NULL) {
                nodes.addTo(lines, below);
            }
            if ((at + 1 & Directory.GROUP - 1) == 0 && behind != NULL) {
                lines.add(slab, NodeLayout.offset(behind));
            }
        }
    }

    private void startBy(final int lane, final long near) {
        final int at = Directory.entry(near);
        level[lane] = Directory.LEVEL;
        walk[lane] = Directory.MAX_WALK;
        node[lane] = directory.node(at);
        bound[lane] = directory.node(at + 1);
        low[lane] = Directory.sharedBefore(near);
        high[lane] = Directory.sharedBehind(near);
    }

    private void move(final int from, final int to) {
        keyOf[to] = keyOf[from];
        array[to] = array[from];
        offset[to] = offset[from];
        length[to] = length[from];
        level[to] = level[from];
        node[to] = node[from];
        bound[to] = bound[from];
        low[to] = low[from];
        high[to] = high[from];
        next[to] = next[from];
        recordRequested[to] = recordRequested[from];
        walk[to] = walk[from];
    }

    /** Takes a lane as far as it gets; its payload or {@link PointIndex#NONE} if its key is done, else {@link #UNFINISHED}. */
    private long step(final int lane) {
        int at = node[lane];
        int behind = bound[lane];
        int following = next[lane];
        int on = level[lane];
        boolean requested = recordRequested[lane];
        if (following == UNREAD) {
            if (at != HEAD && nodes.payload(at) < 0) {
                at = HEAD;
                behind = NULL;
                on = top - 1;
                low[lane] = 0;
                high[lane] = 0;
                walk[lane] = Integer.MAX_VALUE;
            }
            following = nodes.next(at, on);
        }
        while (true) {
            if (following == behind || following == NULL) {
                if (following == NULL) {
                    behind = NULL;
                    high[lane] = 0;
                }
                if (--on < 0) {
                    return PointIndex.NONE;
                }
                following = nodes.next(at, on);
                if (following == behind || following == NULL) {
                    continue;
                }
                if (on < pausesBelow) {
                    break;
                }
            }
            final int known = nodes.sharedBetween(behind, low[lane], high[lane]);
            if (!requested && nodes.needsRecord(following, array[lane], offset[lane], length[lane], known)) {
                keys.addTo(lines, nodes.payload(following) & PAYLOAD_MASK, length[lane]);
                save(lane, at, behind, following, on, true);
                return UNFINISHED;
            }
            requested = false;
            final long comparison = nodes.compare(following, array[lane], offset[lane], length[lane], known);
            final int order = Nodes.order(comparison);
            if (order == Nodes.LESS) {
                if (on == Directory.LEVEL && --walk[lane] < 0) {
                    // The directory led to a place far before the key.
                    walk[lane] = Integer.MAX_VALUE;
                    at = HEAD;
                    behind = NULL;
                    on = top - 1;
                    low[lane] = 0;
                    high[lane] = 0;
                    following = nodes.next(at, on);
                    continue;
                }
                if (nodes.payload(following) >= 0) {
                    at = following;
                    low[lane] = Nodes.shared(comparison);
                }
                following = nodes.next(following, on);
            } else {
                final long payload = order == Nodes.EQUAL ? nodes.payload(following) : DEAD;
                if (payload >= 0) {
                    return payload;
                }
                behind = following;
                high[lane] = Nodes.shared(comparison);
                continue;
            }
            if (on < pausesBelow && following != behind && following != NULL) {
                break;
            }
        }
        request(at, following, on);
        save(lane, at, behind, following, on, false);
        return UNFINISHED;
    }

    /** Requests the two nodes that a lane may read next. */
    private void request(final int at, final int following, final int on) {
        nodes.addTo(lines, following);
        if (on > 0) {
            final int below = nodes.next(at, on - 1);
            if (below != following && below != NULL) {
                nodes.addTo(lines, below);
            }
        }
    }

    private void save(
        final int lane, final int at, final int behind, final int following, final int on, final boolean requested) {
        node[lane] = at;
        bound[lane] = behind;
        next[lane] = following;
        level[lane] = on;
        recordRequested[lane] = requested;
    }
}
