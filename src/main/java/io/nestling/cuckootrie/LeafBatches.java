/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;

/**
 * The leaves that come next in the walk of a cursor, where nearly all leaves stand at two neighbouring depths: the nodes of
 * the upper depth, most of which are leaves, go in batches through the stages below, one stage for each batch that is shown.
 * {@link LeafStream} is for all other tries.
 * <pre>
 *  filled    the buckets of some nodes are requested; the nodes above were requested a while before
 *  read      these nodes are read; the records of leaves are requested, and the buckets of what is below inner nodes
 *  finished  what is below ({@link NodesBelow}) is read, and its records are requested
 *  shown     the leaves are handed out in the order of the walk
 * </pre>
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile: the nodes of a batch count if all were read whole while those above
 * were as they had been read. Else the batches end before that one as interrupted, and the cursor looks for its place again.
 */
final class LeafBatches {
    private static final int BATCH = 12;
    /* Nodes of each of the first batches, as what lies behind the end of a short scan is read in vain. */
    private static final int SMALL_BATCH = 6;
    private static final int SMALL_BATCHES = 12;
    /* One in each stage. A power of two. */
    private static final int BATCHES = 4;
    /* Nodes above on their way. A power of two. */
    private static final int HEADS = 4;
    /* With so few left, nodes further above are gone into. */
    private static final int FEW_HEADS = 2;

    private final KeySource keys;
    private final LeafBuffer leaves;
    private final PrefetchVector lines = new PrefetchVector();
    private final EntryProbe probe = new EntryProbe();
    private final Batch[] batches = new Batch[BATCHES];
    /* The node whose children go into batches. */
    private final Family family = new Family();
    private NodeTable table;
    private int upper;
    private boolean forward;

    /* Number of batches that have come through each stage. */
    private int filled;
    private int read;
    private int finished;
    private int shown;
    /* Nothing more is to be filled: the walk ends, or it was interrupted. */
    private boolean ended;
    private boolean interrupted;
    private boolean irregular;

    /* Nodes of the depth above on their way, in the order of the walk. */
    private final NodeRow heads = new NodeRow(lines, HEADS);
    private final long[] aboveHead = new long[HEADS];
    private final int[] versionAboveHead = new int[HEADS];
    private int headsAsked;
    private int headsRead;

    /* Payloads and numbers of the leaves and inner nodes of the batch that is being read. */
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
        /* Payload of a leaf, or what an inner node keeps. */
        final long[] found = new long[BATCH];
        /* Where it goes among the leaves of the batch, as long as only leaves are below. */
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
     * @param upperDepth the upper one of the two depths of most leaves, at least 1; which one it is decides on the speed only
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
        family.clear();
        heads.clear(newTable);
        headsAsked = 0;
        headsRead = 0;
        leaves.clear();
    }

    /** Returns whether the walk was interrupted, as the trie has changed or is irregular: what is pending is of no use. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** Returns whether the walk was interrupted where too much is below some nodes. */
    boolean isIrregular() {
        return irregular;
    }

    /** Hands out the next leaves; false if there are none, or if the trie has changed. */
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
            if (family.left() != 0) {
                batch.above.add(family.line(), family.version());
                batch.nodes.addChildren(family, most - batch.nodes.size(), forward);
            } else if (headsRead != headsAsked) {
                goIntoHead(batch);
            } else if (pending.isEmpty()) {
                ended = true;
            } else if (pending.depth() < upper - 1) {
                descend(batch, pending);
            } else if (pending.depth() >= upper) {
                take(batch, pending);
            }
            requestHeads(pending);
        }
        if (batch.nodes.size() > 0) {
            filled++;
        }
        lines.request();
    }

    /** Takes what is left of the children of the top of what is pending, or a single node. Nothing else is on its way. */
    private void take(final Batch batch, final PendingNodes pending) {
        if (pending.isSingle()) {
            pending.take(table.hash(), forward);
            addTaken(batch, pending);
        } else {
            family.take(pending);
        }
    }

    private static void addTaken(final Batch batch, final PendingNodes pending) {
        batch.above.add(pending.lineAbove(), pending.versionAbove());
        batch.nodes.add(pending.hash(), pending.identity(), pending.mask());
    }

    /** Goes from the next pending node to those below. Nothing else is on its way, and it stands far above most leaves. */
    private void descend(final Batch batch, final PendingNodes pending) {
        if (!readPending(pending)) {
            stop();
        } else if (isLeaf(probe.head())) {
            pending.drop(forward);
            addTaken(batch, pending); // it is read once more with the others
        } else {
            goBelow(pending);
        }
    }

    private boolean readPending(final PendingNodes pending) {
        pending.look(table.hash(), forward);
        return pending.read(table, probe) && probe.isWholeBelow(table, pending.lineAbove(), pending.versionAbove());
    }

    /** Puts what is below the pending node that was just read in its place. */
    private void goBelow(final PendingNodes pending) {
        final NameHash names = table.hash();
        final long name = pending.hash();
        final int depth = pending.depth();
        pending.drop(forward);
        if (!pending.isEmpty() && pending.depth() == depth) {
            // It will have come by then.
            pending.look(names, forward);
            pending.request(table, lines);
        }
        pending.addBelow(names, name, depth, probe);
    }

    // ---- nodes above

    private void requestHeads(final PendingNodes pending) {
        while (headsAsked - headsRead < HEADS && !pending.isEmpty()) {
            if (pending.depth() == upper - 1) {
                pending.take(table.hash(), forward);
                final int head = headsAsked++ & HEADS - 1;
                heads.put(head, pending.hash(), pending.identity(), pending.mask());
                aboveHead[head] = pending.lineAbove();
                versionAboveHead[head] = pending.versionAbove();
            } else if (pending.depth() >= upper || headsAsked == headsRead || headsAsked - headsRead > FEW_HEADS
                || !readPending(pending) || type(probe.head()) != BITMAP) {
                break; // it comes again when no head is on its way
            } else {
                goBelow(pending);
            }
        }
    }

    /** Goes from the head that was requested first to its children, or to the single node that is there or below. */
    private void goIntoHead(final Batch batch) {
        final int i = headsRead & HEADS - 1;
        if (!heads.find(i, probe) || !probe.isWholeBelow(table, aboveHead[i], versionAboveHead[i])) {
            stop();
            return;
        }
        headsRead++;
        final long head = probe.head();
        final long tail = probe.tail();
        if (type(head) == BITMAP) {
            family.set(heads.hash(i), head, tail, probe.line(), probe.version());
        } else if (isLeaf(head)) {
            batch.above.add(aboveHead[i], versionAboveHead[i]);
            batch.nodes.add(heads.hash(i), heads.wanted(i), heads.mask(i));
        } else {
            batch.above.add(probe.line(), probe.version());
            batch.nodes.add(
                JumpLabels.childHash(table.hash(), heads.hash(i), head, tail), JumpLabels.childIdentity(head, tail),
                BY_COLOR_MASK);
        }
    }

    // ---- what has come

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

    /** Tells leaves and inner nodes apart, without branches, which nobody could foretell; returns how many are leaves. */
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
