/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

/**
 * The next leaves in a cursor's walk, for tries with nearly all leaves at two neighbouring depths. The nodes of the upper depth,
 * most of them leaves, go in batches through the stages below; each call of {@link #next} advances them by a stage. {@link
 * LeafStream} serves all other tries.
 * <pre>
 *  filled    the buckets of some nodes are requested; the nodes above were requested earlier
 *  read      these nodes are read; the records of leaves are requested, and the buckets below inner nodes
 *  finished  the nodes below ({@link NodesBelow}) are read, and their records are requested
 *  shown     the leaves are handed out in the order of the walk
 * </pre>
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile: the nodes of a batch count if all were read whole while those above were
 * unchanged. Otherwise the batches end before that one as interrupted, and the cursor searches its position again.
 */
final class LeafBatches {
    private static final int BATCH = 12;
    /* Nodes of each of the first batches: few, as a short scan does not need what lies behind its end. */
    private static final int SMALL_BATCH = 6;
    private static final int SMALL_BATCHES = 12;
    /* One a stage; a power of two. */
    private static final int BATCHES = 4;
    /* Nodes above under way; a power of two. */
    private static final int ROW_ABOVE = 4;
    /* With so few left, nodes further above are entered. */
    private static final int FEW_ABOVE = 2;

    private final KeySource keys;
    private final LeafBuffer leaves;
    private final PrefetchVector lines = new PrefetchVector();
    private final EntryProbe probe = new EntryProbe();
    private final Batch[] batches = new Batch[BATCHES];
    /* The node whose children go into batches. */
    private final UnvisitedChildren children = new UnvisitedChildren();
    private NodeTable table;
    private int upper;
    private boolean forward;

    /* Number of batches that passed each stage. */
    private int filled;
    private int read;
    private int finished;
    private int shown;
    /* Whether nothing more is to be filled: the walk ends or was interrupted. */
    private boolean ended;
    private boolean interrupted;
    private boolean irregular;

    /* Nodes of the depth above under way, in the order of the walk. */
    private final NodeRow above = new NodeRow(lines, ROW_ABOVE);
    private final long[] aboveHead = new long[ROW_ABOVE];
    private final int[] versionAboveHead = new int[ROW_ABOVE];
    private int aboveAsked;
    private int aboveRead;

    /* Payloads and numbers of the leaves and inner nodes of the batch under way. */
    private final long[] payloads = new long[BATCH];
    private final int[] innerNodes = new int[BATCH];

    LeafBatches(final KeySource keys, final LeafBuffer leaves) {
        this.keys = keys;
        this.leaves = leaves;
        for (int i = 0; i < BATCHES; i++) {
            batches[i] = new Batch(keys, lines);
        }
    }

    /** Some nodes, those above them, and those below. */
    private static final class Batch {
        final NodeRow nodes;
        final NodesBelow below;
        final NodePath above = new NodePath();
        /* Payload of a leaf, or the reference that an inner node keeps. */
        final long[] found = new long[BATCH];
        /* Index among the leaves of the batch, as long as only leaves are below. */
        final int[] place = new int[BATCH];
        int leaves;

        Batch(final KeySource keys, final PrefetchVector lines) {
            nodes = new NodeRow(lines, BATCH);
            below = new NodesBelow(keys, lines);
        }
    }

    /**
     * Drops all leaves; what is pending comes next.
     *
     * @param newTable the table
     * @param upperDepth the upper one of the two depths of most leaves, at least 1; affects the speed only
     */
    void restart(final NodeTable newTable, final int upperDepth) {
        table = newTable;
        upper = upperDepth;
        filled = 0;
        read = 0;
        finished = 0;
        shown = 0;
        ended = false;
        interrupted = false;
        irregular = false;
        children.clear();
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
    boolean next(final PendingNodes pending, final boolean up) {
        forward = up;
        leaves.clear();
        while (leaves.isEmpty() && (!ended || shown != filled)) {
            if (!ended) {
                fill(pending);
            }
            if (read < (ended ? filled : filled - 1)) {
                read(batches[read & BATCHES - 1]);
            }
            if (finished < (read == filled ? read : read - 1)) {
                finish(batches[finished & BATCHES - 1]);
            }
            if (shown < (finished == filled ? finished : finished - 1)) {
                show(batches[shown & BATCHES - 1]);
            }
        }
        return !leaves.isEmpty();
    }

    /** Ends the walk before a batch. */
    private void interrupt(final int batch) {
        filled = batch;
        read = Math.min(read, batch);
        finished = Math.min(finished, batch);
        stop();
    }

    private void stop() {
        ended = true;
        interrupted = true;
    }

    // ---- filling

    private void fill(final PendingNodes pending) {
        final Batch batch = batches[filled & BATCHES - 1];
        final int most = filled < SMALL_BATCHES ? SMALL_BATCH : BATCH;
        batch.nodes.clear(table);
        batch.below.clear(table);
        batch.above.clear();
        while (batch.nodes.size() < most && !ended) {
            if (children.left() != 0) {
                batch.above.add(children.line(), children.version());
                batch.nodes.addChildren(children, most - batch.nodes.size(), forward);
            } else if (aboveRead != aboveAsked) {
                enterAbove(batch);
            } else if (pending.isEmpty()) {
                ended = true;
            } else if (pending.depth() < upper - 1) {
                descend(batch, pending);
            } else if (pending.depth() >= upper) {
                take(batch, pending);
            }
            requestAbove(pending);
        }
        if (batch.nodes.size() > 0) {
            filled++;
        }
        lines.request();
    }

    /** Takes the remaining children of the top of what is pending, or a single node, while nothing else is under way. */
    private void take(final Batch batch, final PendingNodes pending) {
        if (pending.isSingle()) {
            pending.take(table.hash(), forward);
            addTaken(batch, pending);
        } else {
            children.take(pending);
        }
    }

    private static void addTaken(final Batch batch, final PendingNodes pending) {
        batch.above.add(pending.lineAbove(), pending.versionAbove());
        batch.nodes.add(pending.hash(), pending.identity(), pending.mask());
    }

    /** Descends from the next pending node, far above most leaves, while nothing else is under way. */
    private void descend(final Batch batch, final PendingNodes pending) {
        if (!readPending(pending)) {
            stop();
        } else if (isLeaf(probe.head())) {
            pending.drop(forward);
            addTaken(batch, pending); // it is read again with the others
        } else {
            goBelow(pending);
        }
    }

    private boolean readPending(final PendingNodes pending) {
        pending.look(table.hash(), forward);
        return pending.read(table, probe) && probe.isWholeBelow(table, pending.lineAbove(), pending.versionAbove());
    }

    /** Replaces the pending node that was just read by what is below it. */
    private void goBelow(final PendingNodes pending) {
        final NameHash names = table.hash();
        final long name = pending.hash();
        final int depth = pending.depth();
        pending.drop(forward);
        if (!pending.isEmpty() && pending.depth() == depth) {
            // Its line will have arrived by then.
            pending.look(names, forward);
            pending.request(table, lines);
        }
        pending.addBelow(names, name, depth, probe);
    }

    // ---- nodes above

    private void requestAbove(final PendingNodes pending) {
        while (aboveAsked - aboveRead < ROW_ABOVE && !pending.isEmpty()) {
            if (pending.depth() == upper - 1) {
                pending.take(table.hash(), forward);
                final int head = aboveAsked++ & ROW_ABOVE - 1;
                above.put(head, pending.hash(), pending.identity(), pending.mask());
                aboveHead[head] = pending.lineAbove();
                versionAboveHead[head] = pending.versionAbove();
            } else if (pending.depth() >= upper || aboveAsked == aboveRead || aboveAsked - aboveRead > FEW_ABOVE
                || !readPending(pending) || type(probe.head()) != BITMAP) {
                break; // it comes again when no node above is under way
            } else {
                goBelow(pending);
            }
        }
    }

    /** Enters the node above that was requested first: its children, or the single node there or below. */
    private void enterAbove(final Batch batch) {
        final int i = aboveRead & ROW_ABOVE - 1;
        if (!above.find(i, probe) || !probe.isWholeBelow(table, aboveHead[i], versionAboveHead[i])) {
            stop();
            return;
        }
        aboveRead++;
        final long head = probe.head();
        final long tail = probe.tail();
        if (type(head) == BITMAP) {
            children.set(above.hash(i), head, tail, probe.line(), probe.version());
        } else if (isLeaf(head)) {
            batch.above.add(aboveHead[i], versionAboveHead[i]);
            batch.nodes.add(above.hash(i), above.wanted(i), above.mask(i));
        } else {
            batch.above.add(probe.line(), probe.version());
            batch.nodes.add(
                JumpLabels.childHash(table.hash(), above.hash(i), head, tail), JumpLabels.childIdentity(head, tail),
                BY_COLOR_MASK);
        }
    }

    // ---- what has arrived

    private void read(final Batch batch) {
        final NodeRow nodes = batch.nodes;
        if (!nodes.read(0, nodes.size(), probe) || !batch.above.isUnchanged(table)) {
            interrupt(read);
            return;
        }
        read++;
        final int leavesRead = sort(batch);
        for (int i = 0; i < leavesRead; i++) {
            keys.addTo(lines, payloads[i], leaves.keyBytes());
        }
        for (int i = 0; i < nodes.size() - leavesRead; i++) {
            final int node = innerNodes[i];
            batch.found[node] = batch.below.add(nodes, node, batch.place[node], forward);
        }
        lines.request();
    }

    /** Separates leaves and inner nodes without unpredictable branches; returns the number of leaves. */
    private int sort(final Batch batch) {
        final NodeRow nodes = batch.nodes;
        final int size = nodes.size();
        int leaf = 0;
        int inner = 0;
        int at = 0;
        for (int i = 0; i < size; i++) {
            final long head = nodes.head(i);
            final long tail = nodes.tail(i);
            final long payload = EntryLayout.payload(head, tail);
            final int isInner = innerBit(head);
            batch.found[i] = payload;
            batch.place[i] = at;
            payloads[leaf] = payload;
            innerNodes[inner] = i;
            leaf += 1 - isInner;
            inner += isInner;
            at += NodesBelow.childCount(head, tail);
        }
        batch.leaves = at;
        return leaf;
    }

    private void finish(final Batch batch) {
        if (batch.below.readNext(probe, leaves.keyBytes(), forward)) {
            finished++;
            checkBelow(batch, finished - 1);
        } else {
            interrupt(finished);
        }
    }

    private boolean checkBelow(final Batch batch, final int number) {
        if (batch.below.isOverflown()) {
            irregular = true;
            interrupt(number);
            return false;
        }
        return true;
    }

    private void show(final Batch batch) {
        while (!batch.below.isComplete()) {
            if (!batch.below.readNext(probe, leaves.keyBytes(), forward)) {
                interrupt(shown);
                return;
            }
            if (!checkBelow(batch, shown)) {
                return;
            }
        }
        if (batch.below.isDeep()) {
            showInOrder(batch);
        } else {
            final int size = batch.nodes.size();
            final long[] to = leaves.empty(batch.leaves);
            for (int i = 0; i < size; i++) {
                to[batch.place[i]] = batch.found[i];
            }
            batch.below.copyTo(to);
            leaves.filled(batch.leaves);
        }
        shown++;
    }

    private void showInOrder(final Batch batch) {
        final long[] to = leaves.empty(BATCH + batch.below.count());
        int at = 0;
        for (int i = 0; i < batch.nodes.size(); i++) {
            if (batch.found[i] >= 0) {
                to[at++] = batch.found[i];
            } else {
                at = batch.below.copyLeaves(batch.found[i], to, at);
            }
        }
        leaves.filled(at);
    }
}
