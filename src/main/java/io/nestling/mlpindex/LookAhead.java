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
    private static final int FIRST_GROUP = 4;
    private static final int LAST_GROUP = 16;
    private static final int FIRST_OF_WIDE = 4;

    private final BucketTable table;
    private final Slab slab;
    /* Machine address of the table, or 0. */
    private final long base;
    private final LeafReader leaves;
    private final boolean hasRecords;
    private final long[] bits;
    private final PrefetchVector lines = new PrefetchVector();
    private final Node peeked = new Node();
    private final long[] peekedBits = new long[ChildMap.WORDS];
    /* A ring of children a frame: from head on those not handed out, of which those below looked were read. */
    private final int[] head;
    private final int[] looked;
    private final int[] tail;
    private final boolean[] arrived;
    private final int[] lastChild;
    private final int[] child;
    private final long[] bucket0;
    private final long[] bucket1;
    private final long[] meta;
    private final long[] key;
    private long takenMeta;
    private long takenKey;
    private boolean forward;
    private int group;

    LookAhead(final Lookup lookup, final long[] bits, final int frames) {
        this.table = lookup.table();
        this.slab = table.slab();
        this.base = slab.address(0);
        this.leaves = lookup.leaves();
        this.hasRecords = leaves.keys() != KeySource.NONE;
        this.bits = bits;
        this.head = new int[frames];
        this.looked = new int[frames];
        this.tail = new int[frames];
        this.arrived = new boolean[frames];
        this.lastChild = new int[frames];
        this.child = new int[frames * RING];
        this.bucket0 = new long[frames * RING];
        this.bucket1 = new long[frames * RING];
        this.meta = new long[frames * RING];
        this.key = new long[frames * RING];
    }

    /** A walk begins at a word: requests the buckets where most leaves stand. */
    void restart(final long word, final boolean towards) {
        forward = towards;
        group = FIRST_GROUP;
        for (int hot = table.hotLevels(); hot != 0; hot = BucketTable.withoutFirstHot(hot)) {
            request(word, BucketTable.firstHot(hot));
        }
        lines.request();
    }

    /** A frame is new; the walk is before a child or at it. The lines of its children may have been requested before. */
    void pushed(final int frame, final int place, final boolean requested) {
        head[frame] = 0;
        looked[frame] = 0;
        tail[frame] = 0;
        lastChild[frame] = place;
        arrived[frame] = requested;
    }

    /** The next child of a frame, or a negative number. */
    int take(final int frame, final long prefix, final int length) {
        final int at = head[frame];
        if (at >= looked[frame]) {
            refill(frame, prefix, length);
            if (at == tail[frame]) {
                return -1;
            }
        }
        final int slot = frame * RING + (at & RING_MASK);
        takenMeta = at < looked[frame] ? meta[slot] : FREE;
        takenKey = key[slot];
        head[frame] = at + 1;
        return child[slot];
    }

    /** The meta of the node of the child that was taken, {@link NodeLayout#FREE} if it was not read. */
    long takenMeta() {
        return takenMeta;
    }

    long takenKey() {
        return takenKey;
    }

    private void refill(final int frame, final long prefix, final int length) {
        looked[frame] = Math.max(looked[frame], head[frame]);
        if (looked[frame] == tail[frame]) {
            addGroup(frame, prefix, length);
            lines.request();
        }
        lookAtRequested(frame, prefix, length);
        addGroup(frame, prefix, length);
        lines.request();
    }

    /** Adds the next children of a frame to its ring and requests their buckets. */
    private void addGroup(final int frame, final long prefix, final int length) {
        final boolean request = !arrived[frame];
        arrived[frame] = false;
        final long n = table.buckets();
        for (int i = 0; i < group; i++) {
            final int next = next(bits, frame << 2, lastChild[frame]);
            if (next < 0) {
                return;
            }
            lastChild[frame] = next;
            final int slot = frame * RING + (tail[frame]++ & RING_MASK);
            final long hash = BucketTable.hash(KeyWord.extend(prefix, length, next), length + 1);
            final long primary = BucketTable.primary(hash, n);
            final long secondary = BucketTable.secondary(hash, n);
            child[slot] = next;
            bucket0[slot] = primary;
            bucket1[slot] = secondary;
            if (request) {
                requestPair(primary, secondary);
            }
        }
        group = Math.min(LAST_GROUP, group << 1);
    }

    private void requestPair(final long primary, final long secondary) {
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
    private void lookAtRequested(final int frame, final long prefix, final int length) {
        for (; looked[frame] < tail[frame]; looked[frame]++) {
            final int slot = frame * RING + (looked[frame] & RING_MASK);
            final long word = KeyWord.extend(prefix, length, child[slot]);
            if (!table.findIn(bucket0[slot], bucket1[slot], word, length + 1, peeked)) {
                meta[slot] = FREE;
                continue;
            }
            meta[slot] = peeked.meta;
            key[slot] = peeked.key;
            if (!peeked.isLeaf()) {
                requestChildren();
            } else if (hasRecords) {
                lines.add(leaves.address(peeked.meta));
            }
        }
    }

    private void requestChildren() {
        peeked.copyBits(peekedBits, 0);
        final int full = peeked.fullKeyLen();
        final int most = peeked.cells() == SMALL_CELLS ? SMALL_CHILDREN : FIRST_OF_WIDE;
        int next = forward ? -1 : ChildMap.CHILDREN;
        for (int i = 0; i < most; i++) {
            next = next(peekedBits, 0, next);
            if (next < 0) {
                break;
            }
            request(KeyWord.extend(peeked.key, full, next), full + 1);
        }
    }

    private void request(final long word, final int level) {
        final long n = table.buckets();
        final long hash = BucketTable.hash(word, level);
        requestPair(BucketTable.primary(hash, n), BucketTable.secondary(hash, n));
    }
}
