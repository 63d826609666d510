/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.NodeLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

/**
 * Hands out the next children of the nodes above a walk, some of them read in advance.
 * <p>
 * The buckets of a child follow from its prefix alone, so that those of the next children of a node are
 * requested as a group by one
 * call, while the group before is walked over. When a group has arrived its nodes are read together, and what they lead to is
 * requested: their own children, or the record of a leaf. Groups grow with the walk, so that a single seek
 * requests little more than
 * it reads.
 * <h2>Thread safety</h2>
 * One thread, as its walk.
 */
final class LookAhead {
    private static final int RING = 32;
    private static final int RING_MASK = RING - 1;
    private static final int FIRST_GROUP = 3;
    /* Few, since what lies behind the end of a short scan is requested in vain. */
    private static final int LAST_GROUP = 6;
    private static final int FIRST_OF_WIDE = 4;

    private final BucketTable table;
    private final Slab slab;
    /* Machine address of the table, or 0. */
    private final long base;
    private final LeafReader leaves;
    private final boolean hasRecords;
    private final long[] bits;
    private final long[] prefix;
    private final int[] length;
    private final PrefetchVector lines = new PrefetchVector();
    private final Node peeked = new Node();
    private final long[] peekedBits = new long[ChildMap.WORDS];
    /*
     * A ring of children a frame: from head on those not handed out, of which those below looked were read. When the
     * walk comes to mark, the next ones are read.
     */
    private final int[] head;
    private final int[] mark;
    private final int[] looked;
    private final int[] tail;
    private final int[] lastChild;
    private final int[] child;
    private final int[] bucket0;
    private final int[] bucket1;
    private final long[] meta;
    private final long[] key;
    /* The buckets of the children of small nodes in a ring, in pairs. */
    private final int[] grandchildren;
    private int takenSlot;
    private boolean forward;
    private int group;

    /** The walk's frames, which it changes: bitmaps of the children, and the prefix that leads to them with its length. */
    LookAhead(final Lookup lookup, final long[] bits, final long[] prefix, final int[] length) {
        final int frames = length.length;
        this.prefix = prefix;
        this.length = length;
        this.table = lookup.table();
        this.slab = table.slab();
        this.base = slab.address(0);
        this.leaves = lookup.leaves();
        this.hasRecords = leaves.keys() != KeySource.NONE;
        this.bits = bits;
        this.head = new int[frames];
        this.mark = new int[frames];
        this.looked = new int[frames];
        this.tail = new int[frames];
        this.lastChild = new int[frames];
        this.child = new int[frames * RING];
        this.bucket0 = new int[frames * RING];
        this.bucket1 = new int[frames * RING];
        this.meta = new long[frames * RING];
        this.key = new long[frames * RING];
        this.grandchildren = new int[frames * RING * 2 * SMALL_CHILDREN];
    }

    /** A walk begins at a word: requests the buckets where most leaves stand. */
    void restart(final long word, final boolean towards) {
        forward = towards;
        group = FIRST_GROUP;
        for (int hot = table.hotLevels(); hot != 0; hot = BucketTable.withoutFirstHot(hot)) {
            table.addTo(lines, word, BucketTable.firstHot(hot));
        }
        lines.request();
    }

    /** A frame is new; the walk is before a child or at it. */
    void pushed(final int frame, final int place) {
        clear(frame);
        lastChild[frame] = place;
    }

    private void clear(final int frame) {
        head[frame] = 0;
        mark[frame] = 0;
        looked[frame] = 0;
        tail[frame] = 0;
    }

    /** A frame is new, of the small node that was taken, whose children were all requested. */
    void pushedTaken(final int frame) {
        clear(frame);
        final long children = smallChildren(meta[takenSlot]);
        final int count = count(meta[takenSlot]);
        final int first = frame * RING;
        int from = takenSlot * 2 * SMALL_CHILDREN;
        for (int i = 0; i < count; i++) {
            child[first + i] = ChildMap.at(children, forward ? i : count - 1 - i);
            bucket0[first + i] = grandchildren[from++];
            bucket1[first + i] = grandchildren[from++];
        }
        tail[frame] = count;
        lastChild[frame] = forward ? ChildMap.CHILDREN - 1 : 0;
    }

    /** The next child of a frame, or a negative number. */
    int take(final int frame) {
        final int at = head[frame];
        if (at >= mark[frame]) {
            refill(frame);
            if (at == tail[frame]) {
                return -1;
            }
        }
        takenSlot = frame * RING + (at & RING_MASK);
        head[frame] = at + 1;
        return child[takenSlot];
    }

    /** The meta of the node of the child that was taken, {@link NodeLayout#FREE} if it was not found. */
    long takenMeta() {
        return meta[takenSlot];
    }

    long takenKey() {
        return key[takenSlot];
    }

    /**
     * Reads the children that were requested, and requests those behind them. Where none were, as below where a walk begins,
     * it waits for the first; then those of the frame above, where the walk will be soon, are requested with them.
     */
    private void refill(final int frame) {
        boolean above = false;
        if (looked[frame] == tail[frame]) {
            addGroup(frame);
            above = frame > 0 && tail[frame - 1] == 0;
            if (above) {
                addGroup(frame - 1);
            }
            lines.request();
        }
        readOn(frame);
        if (above) {
            readOn(frame - 1);
        }
    }

    private void readOn(final int frame) {
        lookAtRequested(frame);
        addGroup(frame);
        lines.request();
        mark[frame] = tail[frame] == looked[frame] ? looked[frame] : head[frame] + looked[frame] + 1 >>> 1;
    }

    private boolean isAtEnd(final int frame) {
        return lastChild[frame] == (forward ? ChildMap.CHILDREN - 1 : 0);
    }

    /** Adds the next children of a frame to its ring and requests their buckets. */
    private void addGroup(final int frame) {
        if (isAtEnd(frame)) {
            return;
        }
        final long n = table.buckets();
        for (int i = 0; i < group; i++) {
            final int next = next(bits, frame << 2, lastChild[frame]);
            if (next < 0) {
                lastChild[frame] = forward ? ChildMap.CHILDREN - 1 : 0;
                return;
            }
            lastChild[frame] = next;
            final int slot = frame * RING + (tail[frame]++ & RING_MASK);
            final long hash = BucketTable.hash(KeyWord.extend(prefix[frame], length[frame], next), length[frame] + 1);
            final int primary = (int) BucketTable.primary(hash, n);
            final int secondary = (int) BucketTable.secondary(hash, n);
            child[slot] = next;
            bucket0[slot] = primary;
            bucket1[slot] = secondary;
            requestPair(primary, secondary);
        }
        group = Math.min(LAST_GROUP, group << 1);
    }

    private void requestPair(final int primary, final int secondary) {
        if (base == 0) {
            lines.add(slab, bucketOffset(primary));
            lines.add(slab, bucketOffset(secondary));
        } else {
            lines.add(base + bucketOffset(primary));
            lines.add(base + bucketOffset(secondary));
        }
    }

    private int next(final long[] map, final int from, final int place) {
        return forward ? ChildMap.ceiling(map, from, place + 1) : ChildMap.floor(map, from, place - 1);
    }

    /** Reads the nodes of children that were requested before. */
    private void lookAtRequested(final int frame) {
        final int end = tail[frame];
        final long start = prefix[frame];
        final int level = length[frame] + 1;
        for (int at = looked[frame]; at < end; at++) {
            final int slot = frame * RING + (at & RING_MASK);
            final long word = KeyWord.extend(start, level - 1, child[slot]);
            if (!table.findIn(bucket0[slot], bucket1[slot], word, level, peeked)) {
                meta[slot] = FREE;
                continue;
            }
            meta[slot] = peeked.meta;
            key[slot] = peeked.key;
            if (!peeked.isLeaf()) {
                requestChildren(slot);
            } else if (hasRecords) {
                lines.add(leaves.address(peeked.meta));
            }
        }
        looked[frame] = end;
    }

    private void requestChildren(final int slot) {
        final long n = table.buckets();
        final int full = peeked.fullKeyLen();
        if (peeked.cells() == SMALL_CELLS) {
            final long children = smallChildren(peeked.meta);
            final int count = peeked.count();
            int to = slot * 2 * SMALL_CHILDREN;
            for (int i = 0; i < count; i++) {
                final int next = ChildMap.at(children, forward ? i : count - 1 - i);
                final long hash = BucketTable.hash(KeyWord.extend(peeked.key, full, next), full + 1);
                final int primary = (int) BucketTable.primary(hash, n);
                final int secondary = (int) BucketTable.secondary(hash, n);
                grandchildren[to++] = primary;
                grandchildren[to++] = secondary;
                requestPair(primary, secondary);
            }
            return;
        }
        peeked.copyBits(peekedBits, 0);
        int next = forward ? -1 : ChildMap.CHILDREN;
        for (int i = 0; i < FIRST_OF_WIDE; i++) {
            next = next(peekedBits, 0, next);
            if (next < 0) {
                break;
            }
            final long hash = BucketTable.hash(KeyWord.extend(peeked.key, full, next), full + 1);
            requestPair((int) BucketTable.primary(hash, n), (int) BucketTable.secondary(hash, n));
        }
    }
}
