/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

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
final class TrieBatchLookup extends ScratchPool.Scratch {
    private static final int LANES = 16;
    private static final int STAGE_NODE = 0;
    private static final int STAGE_MID = 1;
    private static final int STAGE_TAIL = 2;
    private static final ScratchPool<TrieBatchLookup> POOL = new ScratchPool<>(TrieBatchLookup::new);

    private final Lane[] lanes = new Lane[LANES];

    private TrieBatchLookup() {
        Arrays.setAll(lanes, i -> new Lane());
    }

    /** A key on its way down. */
    private static final class Lane {
        int key;
        byte[] array;
        int position;
        int end;
        /* The node to read next or, in some stages, the block pointer of a mid or tail block. */
        int node;
        int stage;

        void start(final KeyBatch keys, final int number, final int root) {
            key = number;
            array = keys.array(number);
            position = keys.offset(number);
            end = position + keys.length(number);
            node = root;
            stage = STAGE_NODE;
        }

        int transition() {
            return array[position] & 0xFF;
        }
    }

    /** Looks up some keys; {@code payloads} is null if the walks are made for the lines that they load. */
    static void lookup(final TrieNodes nodes, final KeyBatch keys, final long[] payloads) {
        final TrieBatchLookup lookup = POOL.take();
        try {
            lookup.run(nodes, keys, payloads);
        } finally {
            for (final Lane lane : lookup.lanes) {
                lane.array = null;
            }
            lookup.release();
        }
    }

    private void run(final TrieNodes nodes, final KeyBatch keys, final long[] payloads) {
        final int root = nodes.root();
        int busy = 0;
        int next = 0;
        while (busy < LANES && next < keys.size()) {
            lanes[busy++].start(keys, next++, root);
        }
        while (busy > 0) {
            for (int i = 0; i < busy; i++) {
                final Lane lane = lanes[i];
                if (!step(nodes, lane, payloads)) {
                    if (next < keys.size()) {
                        lane.start(keys, next++, root);
                    } else {
                        busy--;
                        lanes[i] = lanes[busy];
                        lanes[busy] = lane;
                        i--;
                    }
                }
            }
        }
    }

    /** Takes one step of a lane; returns false when its key is done. */
    private boolean step(final TrieNodes nodes, final Lane lane, final long[] payloads) {
        final Slab slab = nodes.slab();
        final int at = lane.node;
        if (lane.stage != STAGE_NODE) {
            return stepSplit(nodes, lane, payloads);
        }
        if (at <= NONE || lane.position == lane.end) {
            return done(nodes, lane, at, payloads);
        }
        final int type = type(at);
        if (type == SPARSE) {
            final long base = offset(at);
            final long meta = slab.getLongAcquire(base + SparseNodeLayout.META_OFFSET);
            final int index = SparseNodeLayout.indexOf(meta, lane.array[lane.position++] & 0xFF);
            return index < 0 ? absent(lane, payloads)
                : goTo(nodes, lane, slab.getIntAcquire(base + ((long) index << POINTER_SHIFT)), payloads);
        }
        if (type == FLAT) {
            final long slot = offset(at) + SplitNodeLayout.flatSlot(lane.array[lane.position++] & 0xFF);
            return goTo(nodes, lane, slab.getIntAcquire(slot), payloads);
        }
        if (type == BROAD) {
            final int index = BroadNodeLayout.indexOf(slab, offset(at), lane.array[lane.position++] & 0xFF);
            return index < 0 ? absent(lane, payloads)
                : goTo(nodes, lane, slab.getIntAcquire(BroadNodeLayout.childSlot(offset(at), index)), payloads);
        }
        if (nodes.isChainLike(at)) {
            final long start = nodes.chainStart(at);
            final long childSlot = nodes.chainChildSlot(at);
            final int length = (int) (childSlot - start);
            if (length > lane.end - lane.position
                || SlabBytes.commonPrefix(slab, start, lane.array, lane.position, length) != length) {
                return absent(lane, payloads);
            }
            lane.position += length;
            return goTo(nodes, lane, slab.getIntAcquire(childSlot), payloads);
        }
        if (nodes.isStandalonePrefix(at)) {
            return goTo(nodes, lane, slab.getIntAcquire(nodes.chainChildSlot(at)), payloads);
        }
        final int mid = slab.getIntAcquire(offset(at) + SplitNodeLayout.midSlot(lane.transition()));
        return goToBlock(nodes, lane, mid, STAGE_MID, payloads);
    }

    private boolean stepSplit(final TrieNodes nodes, final Lane lane, final long[] payloads) {
        final Slab slab = nodes.slab();
        final int transition = lane.transition();
        final long block = SplitNodeLayout.blockOffset(lane.node);
        if (lane.stage == STAGE_MID) {
            final int tail = slab.getIntAcquire(block + SplitNodeLayout.tailSlot(transition));
            return goToBlock(nodes, lane, tail, STAGE_TAIL, payloads);
        }
        lane.position++;
        lane.stage = STAGE_NODE;
        return goTo(nodes, lane, slab.getIntAcquire(block + SplitNodeLayout.childSlot(transition)), payloads);
    }

    private boolean goToBlock(
        final TrieNodes nodes, final Lane lane, final int blockPointer, final int nextStage, final long[] payloads) {
        if (blockPointer == NONE) {
            return absent(lane, payloads);
        }
        lane.node = blockPointer;
        lane.stage = nextStage;
        nodes.prefetch(SplitNodeLayout.blockOffset(blockPointer));
        return true;
    }

    /** Goes to a node and prefetches the line that the lane's next step reads. */
    private boolean goTo(final TrieNodes nodes, final Lane lane, final int next, final long[] payloads) {
        if (next <= NONE) {
            return done(nodes, lane, next, payloads);
        }
        lane.node = next;
        final boolean flat = type(next) == FLAT && lane.position < lane.end;
        if (type(next) == BROAD) {
            nodes.prefetch(offset(next) + BroadNodeLayout.LINE_BYTES);
        }
        nodes.prefetch(offset(next) + (flat ? SplitNodeLayout.flatSlot(lane.transition()) : 0));
        return true;
    }

    private boolean done(final TrieNodes nodes, final Lane lane, final int at, final long[] payloads) {
        if (payloads != null) {
            payloads[lane.key] = lane.position == lane.end ? nodes.payloadAt(at) : PointIndex.NONE;
        }
        return false;
    }

    private boolean absent(final Lane lane, final long[] payloads) {
        if (payloads != null) {
            payloads[lane.key] = PointIndex.NONE;
        }
        return false;
    }
}
