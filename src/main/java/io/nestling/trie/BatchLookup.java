/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BlockLayout.*;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.offheap.ScratchPool;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabBytes;

import java.util.Arrays;

/**
 * Looks up the keys of a batch side by side. Each lane takes one step of its key, prefetches the line of its next step, and
 * leaves the time until it arrives to the other lanes. A lane that is done takes the next key.
 * <h2>Thread safety</h2>
 * Any number of threads; each call has its own lanes.
 * <p>
 * The scheme is that of asynchronous memory access chaining (Kocberber, Falsafi, Grot: PVLDB 9(4), 2015).
 */
final class BatchLookup extends ScratchPool.Scratch {
    private static final int LANES = 16;
    private static final int STAGE_NODE = 0;
    private static final int STAGE_MID = 1;
    private static final int STAGE_TAIL = 2;
    private static final ScratchPool<BatchLookup> POOL = new ScratchPool<>(BatchLookup::new);

    private final int[] keyOf = new int[LANES];
    private final byte[][] array = new byte[LANES][];
    private final int[] position = new int[LANES];
    private final int[] end = new int[LANES];
    /* The node to read next or, in some stages, the block pointer of a mid or tail block. */
    private final int[] node = new int[LANES];
    private final int[] stage = new int[LANES];
    /* Sum of early loads, which keeps the compiler from removing them. */
    private int touched;

    private BatchLookup() {
    }

    static void lookup(final TrieNodes nodes, final KeyBatch keys, final long[] payloads) {
        final BatchLookup lanes = POOL.take();
        try {
            lanes.run(nodes, keys, payloads);
        } finally {
            Arrays.fill(lanes.array, null);
            lanes.release();
        }
    }

    private void run(final TrieNodes nodes, final KeyBatch keys, final long[] payloads) {
        final int root = nodes.root();
        int lanes = 0;
        int next = 0;
        while (lanes < LANES && next < keys.size()) {
            start(lanes++, keys, next++, root);
        }
        while (lanes > 0) {
            for (int lane = 0; lane < lanes; lane++) {
                if (!step(nodes, lane, payloads)) {
                    if (next < keys.size()) {
                        start(lane, keys, next++, root);
                    } else {
                        move(--lanes, lane);
                        lane--;
                    }
                }
            }
        }
    }

    private void start(final int lane, final KeyBatch keys, final int key, final int root) {
        keyOf[lane] = key;
        array[lane] = keys.array(key);
        position[lane] = keys.offset(key);
        end[lane] = keys.offset(key) + keys.length(key);
        node[lane] = root;
        stage[lane] = STAGE_NODE;
    }

    private void move(final int from, final int to) {
        keyOf[to] = keyOf[from];
        array[to] = array[from];
        position[to] = position[from];
        end[to] = end[from];
        node[to] = node[from];
        stage[to] = stage[from];
    }

    /** Takes one step of a lane; returns false when its key is done. */
    private boolean step(final TrieNodes nodes, final int lane, final long[] payloads) {
        final Slab slab = nodes.slab();
        final int at = node[lane];
        if (stage[lane] != STAGE_NODE) {
            return stepSplit(nodes, lane, at, payloads);
        }
        if (at <= NONE || position[lane] == end[lane]) {
            return done(nodes, lane, at, payloads);
        }
        final int type = type(at);
        if (type == SPARSE) {
            final long base = offset(at);
            final long meta = slab.getLongAcquire(base + SparseNodeLayout.META_OFFSET);
            final int index = SparseNodeLayout.indexOf(meta, array[lane][position[lane]++] & 0xFF);
            if (index < 0) {
                return absent(lane, payloads);
            }
            return goTo(nodes, lane, slab.getIntAcquire(base + ((long) index << POINTER_SHIFT)), payloads);
        }
        if (type == FLAT) {
            final long slot = offset(at) + SplitNodeLayout.flatSlot(array[lane][position[lane]++] & 0xFF);
            return goTo(nodes, lane, slab.getIntAcquire(slot), payloads);
        }
        if (type == BROAD) {
            final int index = BroadNodeLayout.indexOf(slab, offset(at), array[lane][position[lane]++] & 0xFF);
            if (index < 0) {
                return absent(lane, payloads);
            }
            return goTo(nodes, lane, slab.getIntAcquire(BroadNodeLayout.childSlot(offset(at), index)), payloads);
        }
        if (nodes.isChainLike(at)) {
            final long start = nodes.chainStart(at);
            final long childSlot = nodes.chainChildSlot(at);
            final int length = (int) (childSlot - start);
            if (length > end[lane] - position[lane]
                || SlabBytes.commonPrefix(slab, start, array[lane], position[lane], length) != length) {
                return absent(lane, payloads);
            }
            position[lane] += length;
            return goTo(nodes, lane, slab.getIntAcquire(childSlot), payloads);
        }
        if (nodes.isStandalonePrefix(at)) {
            return goTo(nodes, lane, slab.getIntAcquire(nodes.chainChildSlot(at)), payloads);
        }
        final int transition = array[lane][position[lane]] & 0xFF;
        final int mid = slab.getIntAcquire(offset(at) + SplitNodeLayout.midSlot(transition));
        return goToBlock(nodes, lane, mid, STAGE_MID, payloads);
    }

    private boolean stepSplit(final TrieNodes nodes, final int lane, final int blockPointer,
        final long[] payloads) {
        final Slab slab = nodes.slab();
        final int transition = array[lane][position[lane]] & 0xFF;
        final long block = SplitNodeLayout.blockOffset(blockPointer);
        if (stage[lane] == STAGE_MID) {
            final int tail = slab.getIntAcquire(block + SplitNodeLayout.tailSlot(transition));
            return goToBlock(nodes, lane, tail, STAGE_TAIL, payloads);
        }
        position[lane]++;
        stage[lane] = STAGE_NODE;
        node[lane] = slab.getIntAcquire(block + SplitNodeLayout.childSlot(transition));
        return fetch(nodes, lane);
    }

    private boolean goToBlock(
        final TrieNodes nodes, final int lane, final int blockPointer, final int nextStage,
        final long[] payloads) {
        if (blockPointer == NONE) {
            return absent(lane, payloads);
        }
        node[lane] = blockPointer;
        stage[lane] = nextStage;
        touched ^= nodes.prefetch(SplitNodeLayout.blockOffset(blockPointer));
        return true;
    }

    private boolean goTo(final TrieNodes nodes, final int lane, final int next, final long[] payloads) {
        if (next <= NONE) {
            return done(nodes, lane, next, payloads);
        }
        node[lane] = next;
        return fetch(nodes, lane);
    }

    /** Prefetches the line that the lane's next step reads. */
    private boolean fetch(final TrieNodes nodes, final int lane) {
        final int next = node[lane];
        if (next > NONE) {
            final boolean flat = type(next) == FLAT && position[lane] < end[lane];
            if (type(next) == BROAD) {
                touched ^= nodes.prefetch(offset(next) + BroadNodeLayout.LINE_BYTES);
            }
            touched ^= nodes.prefetch(offset(next)
                + (flat ? SplitNodeLayout.flatSlot(array[lane][position[lane]] & 0xFF) : 0));
        }
        return true;
    }

    private boolean done(final TrieNodes nodes, final int lane, final int at, final long[] payloads) {
        if (position[lane] != end[lane] || at == NONE) {
            return absent(lane, payloads);
        }
        if (isLeaf(at)) {
            payloads[keyOf[lane]] = nodes.payload(at);
        } else {
            payloads[keyOf[lane]] =
                type(at) == PREFIX ? nodes.payload(nodes.prefixContent(at)) : PointIndex.NONE;
        }
        return false;
    }

    private boolean absent(final int lane, final long[] payloads) {
        payloads[keyOf[lane]] = PointIndex.NONE;
        return false;
    }
}
