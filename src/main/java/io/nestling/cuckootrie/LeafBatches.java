/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

/**
 * The next leaves in a cursor's walk, for tries with nearly all leaves at two neighbouring depths. The nodes of the upper depth,
 * most of them leaves, go in batches, each a {@link NodeRow} with what is below. Each call of {@link #next} requests the buckets
 * of one more batch and advances those before it, which have arrived, by a level: their nodes are read, the records of leaves are
 * requested, and the buckets below inner nodes. The oldest of four is handed out. {@link LeafStream} serves all other tries.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile: the nodes of a batch count if all were read whole while those above were
 * unchanged. Otherwise the batches end before that one as interrupted, and the cursor searches its position again.
 */
final class LeafBatches {
    private static final int BATCH = 12;
    /* Nodes of each of the first batches: few, as a short scan does not need what lies behind its end. */
    private static final int SMALL_BATCH = 6;
    private static final int SMALL_BATCHES = 12;
    /* A power of two. */
    private static final int BATCHES = 4;
    /* Nodes above under way; a power of two. */
    private static final int ROW_ABOVE = 4;
    /* With so few left, nodes further above are entered. */
    private static final int FEW_ABOVE = 2;

    private final LeafBuffer leaves;
    private final PrefetchVector lines = new PrefetchVector();
    private final EntryProbe probe = new EntryProbe();
    private final NodeRow[] batches = new NodeRow[BATCHES];
    private NodeTable table;
    private int upper;
    private boolean forward;

    /* Number of batches that were requested, and that were handed out. */
    private int filled;
    private int shown;
    /* Whether nothing more is to be requested: the walk ends or was interrupted. */
    private boolean ended;
    private boolean interrupted;
    private boolean irregular;

    /* Nodes of the depth above under way, in the order of the walk. */
    private final NodeRow above;
    private int aboveAsked;
    private int aboveRead;

    LeafBatches(final KeySource keys, final LeafBuffer leaves) {
        this.leaves = leaves;
        for (int i = 0; i < BATCHES; i++) {
            batches[i] = new NodeRow(keys, lines);
        }
        above = new NodeRow(keys, lines);
    }

    /** Drops all leaves; what is pending comes next. The upper one of the two depths of most leaves affects the speed only. */
    void restart(final NodeTable newTable, final int upperDepth) {
        table = newTable;
        upper = upperDepth;
        filled = 0;
        shown = 0;
        ended = false;
        interrupted = false;
        irregular = false;
        above.clear(newTable);
        aboveAsked = 0;
        aboveRead = 0;
        leaves.clear();
    }

    /** Returns whether the walk was interrupted, as the trie changed or is irregular: what is pending is useless. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** Returns whether the walk was interrupted because some nodes have too many below. */
    boolean isIrregular() {
        return irregular;
    }

    /** Hands out the next leaves; returns false if there are none, or if the trie has changed. */
    boolean next(final InnerPath pending, final boolean up) {
        forward = up;
        leaves.clear();
        while (leaves.isEmpty() && (!ended || shown != filled)) {
            final int arrived = filled;
            if (!ended) {
                fill(pending);
            }
            for (int i = arrived - 1; i >= shown; i--) {
                read(i);
            }
            if (shown != filled && (ended || filled - shown == BATCHES)) {
                show();
            }
        }
        return !leaves.isEmpty();
    }

    /** Reads a level of a batch; returns false if the walk ends before it. */
    private boolean read(final int number) {
        final NodeRow batch = batches[number & BATCHES - 1];
        if (batch.readNext(probe, leaves.keyBytes(), forward)) {
            return true;
        }
        irregular = batch.isOverflown();
        filled = number;
        stop();
        return false;
    }

    private void stop() {
        ended = true;
        interrupted = true;
    }

    private void show() {
        final NodeRow batch = batches[shown & BATCHES - 1];
        while (!batch.isComplete()) {
            if (!read(shown)) {
                return;
            }
        }
        batch.show(leaves);
        shown++;
    }

    // ---- requests

    private void fill(final InnerPath pending) {
        final NodeRow batch = batches[filled & BATCHES - 1];
        final int most = filled < SMALL_BATCHES ? SMALL_BATCH : BATCH;
        batch.clear(table);
        while (batch.size() < most && !ended) {
            if (!pending.isEmpty() && pending.nextDepth() >= upper) {
                batch.addNext(pending, most - batch.size(), forward);
            } else if (aboveRead != aboveAsked) {
                enterAbove(batch, pending);
            } else if (pending.isEmpty()) {
                ended = true;
            } else if (pending.nextDepth() < upper - 1) {
                descend(batch, pending);
            }
            requestAbove(pending);
        }
        if (batch.size() > 0) {
            filled++;
        }
        lines.request();
    }

    /** Enters the node above that was requested first: its children come next. */
    private void enterAbove(final NodeRow batch, final InnerPath pending) {
        final int i = aboveRead++ & ROW_ABOVE - 1;
        if (!above.readAlone(i, probe)) {
            stop();
        } else if (isLeaf(probe.head())) {
            batch.addFrom(above, i); // it is read again with the others
        } else {
            pending.add(above.hash(i), upper - 1, probe);
        }
    }

    /** Descends from the next pending node, far above most leaves, while nothing else is under way. */
    private void descend(final NodeRow batch, final InnerPath pending) {
        if (!readPending(pending)) {
            stop();
        } else if (isLeaf(probe.head())) {
            pending.drop(forward);
            batch.addTaken(pending); // it is read again with the others
        } else {
            goBelow(pending);
        }
    }

    private boolean readPending(final InnerPath pending) {
        pending.look(table.hash(), forward);
        return pending.read(table, probe) && probe.isWholeBelow(table, pending.lineAbove(), pending.versionAbove());
    }

    /** Replaces the pending node that was just read by what is below it. */
    private void goBelow(final InnerPath pending) {
        final NameHash names = table.hash();
        final long name = pending.hash();
        final int depth = pending.nextDepth();
        pending.drop(forward);
        if (!pending.isEmpty() && pending.nextDepth() == depth) {
            // Its line will have arrived by then.
            pending.look(names, forward);
            pending.request(table, lines);
        }
        pending.add(name, depth, probe);
    }

    /** Requests more nodes of the depth above, unless children of one that was entered come next. */
    private void requestAbove(final InnerPath pending) {
        while (aboveAsked - aboveRead < ROW_ABOVE && !pending.isEmpty()) {
            if (pending.nextDepth() == upper - 1) {
                pending.take(table.hash(), forward);
                above.put(aboveAsked++ & ROW_ABOVE - 1, pending);
            } else if (pending.nextDepth() >= upper || aboveAsked == aboveRead || aboveAsked - aboveRead > FEW_ABOVE
                || !readPending(pending) || type(probe.head()) != BITMAP) {
                break; // it comes again when no node above is under way
            } else {
                goBelow(pending);
            }
        }
    }
}
