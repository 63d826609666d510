/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

/**
 * The children that a walk meets at one depth of the trie, in its order, those of one node after those of the other. A child is
 * added when its parent is known, which requests its buckets; it is read when they have arrived, opens the queue of the next
 * depth if it is an inner node, and is taken when the walk reaches it.
 * <pre>
 *  taken &lt;= opened &lt;= read &lt;= requested &lt;= added       numbers of children; their low bits are indexes in the ring
 * </pre>
 * A node may be taken just before it is opened, since the walk then waits for its children.
 * <h2>Thread safety</h2>
 * One thread, as its walk.
 */
final class ChildQueue {
    /* Greatest number of children that are not taken. */
    private static final int RING = 64;
    private static final int RING_MASK = RING - 1;
    private static final long LOW_HALF = 0xFFFF_FFFFL;
    private static final int AVERAGE_SHIFT = 4;
    private static final int AVERAGE_HALF = 1 << AVERAGE_SHIFT - 1;

    private final BucketTable table;
    private final Slab slab;
    private final LeafReader leaves;
    private final boolean hasRecords;
    private final PrefetchVector lines;
    private final Node node = new Node();
    /* First bytes and level of a child before it is read; then key and meta of its node, meta 0 if it was not found. */
    private final long[] key = new long[RING];
    private final long[] meta = new long[RING];
    /* Both buckets of a child. */
    private final long[] buckets = new long[RING];
    /* Children of inner nodes, as bitmaps. */
    private final long[] bitmaps = new long[RING * ChildMap.WORDS];
    private int added;
    /* Children added before this one are read next time: their lines had the time between two batches. */
    private int requested;
    private int read;
    private int opened;
    private int taken;
    /* Inner nodes that were read and not opened. */
    private int unopened;
    /* Their children and the leaves not taken. */
    private int supply;
    /* Children an item of this queue leads to, a leaf counting as one: a moving average, times 16. */
    private int average;
    /* The node whose children are added: the bytes that they share, and its remaining children. */
    private long prefix;
    private int length;
    private int behind;
    private final long[] bits = new long[ChildMap.WORDS];
    private int remaining;

    ChildQueue(final Lookup lookup, final PrefetchVector lines) {
        this.table = lookup.table();
        this.slab = table.slab();
        this.leaves = lookup.leaves();
        this.hasRecords = leaves.keys() != KeySource.NONE;
        this.lines = lines;
    }

    /** Returns the bitmap of the children with which a walk begins; filled before {@link #begin}. */
    long[] bits() {
        return bits;
    }

    /** Prepares a walk that begins below a node, behind one of its children. */
    void hold(final long newPrefix, final int newLength, final int child) {
        prefix = newPrefix;
        length = newLength;
        behind = child;
    }

    void clear() {
        added = 0;
        requested = 0;
        read = 0;
        opened = 0;
        unopened = 0;
        taken = 0;
        supply = 0;
        average = 1 << AVERAGE_SHIFT;
        remaining = 0;
    }

    /** Begins with the held children; returns the number of the node's children and sets {@link #remaining}. */
    int begin(final boolean forward) {
        final int all = ChildMap.size(bits);
        ChildMap.keepBehind(bits, behind, forward);
        remaining = ChildMap.size(bits);
        return all;
    }

    /** Sets the expected number of children of an item. */
    void expect(final int children) {
        average = children << AVERAGE_SHIFT;
    }

    /** Returns the number of children of the open node that were not added. */
    int remaining() {
        return remaining;
    }

    /** Returns whether the walk has taken all children that were added. */
    boolean isEmpty() {
        return taken == added;
    }

    /** Returns whether the next child was read. */
    boolean canTake() {
        return taken != read;
    }

    /** Returns the meta of the next child, {@link MlpNodeLayout#FREE} if it was not found. */
    long nextMeta() {
        return meta[taken & RING_MASK];
    }

    long nextKey() {
        return key[taken & RING_MASK];
    }

    /** Takes the next child, a leaf. */
    void takeLeaf() {
        supply--;
        if (opened == taken) {
            opened++;
        }
        taken++;
    }

    /** Takes the next child, an inner node. */
    void takeInner() {
        taken++;
    }

    /**
     * Returns the number of leaves not taken and of children of nodes not opened; those of nodes under way by estimate.
     */
    int supply() {
        return supply + ((added - read) * average >> AVERAGE_SHIFT);
    }

    /** Returns the number of children that were not taken. */
    int ahead() {
        return added - taken;
    }

    /** Returns the number of items to add for a number of their children. */
    int itemsFor(final int children) {
        return average <= 3 * AVERAGE_HALF ? children : ((children - 1 << AVERAGE_SHIFT) / average) + 1;
    }

    /** Reads the added children and requests the records of leaves; returns whether any child is an inner node. */
    boolean readAdded() {
        final int end = requested;
        for (int i = read; i != end; i++) {
            final int slot = i & RING_MASK;
            final long pair = buckets[slot];
            int children = 1;
            if (!table.findIn(pair >>> Integer.SIZE, pair & LOW_HALF, key[slot], (int) meta[slot], node)) {
                meta[slot] = FREE;
            } else {
                final long found = node.meta;
                key[slot] = node.key;
                if (!MlpNodeLayout.isLeaf(found)) {
                    unopened++;
                    children = count(node.meta);
                    node.copyBits(bitmaps, slot * ChildMap.WORDS);
                } else if (hasRecords) {
                    leaves.addTo(lines, found, 0);
                }
                meta[slot] = found;
            }
            supply += children;
            average += children - (average + AVERAGE_HALF >> AVERAGE_SHIFT);
        }
        read = end;
        requested = added;
        return unopened > 0;
    }

    /** Opens the next inner node of the queue above; returns false if none was read. */
    private boolean openNext(final ChildQueue above) {
        while (above.unopened > 0) {
            final int slot = above.opened++ & RING_MASK;
            final long found = above.meta[slot];
            if (found >= 0 && found != FREE) {
                final int count = MlpNodeLayout.count(found);
                above.supply -= count;
                above.unopened--;
                length = MlpNodeLayout.fullKeyLen(found);
                prefix = KeyWord.prefix(above.key[slot], length);
                remaining = count;
                System.arraycopy(above.bitmaps, slot * ChildMap.WORDS, bits, 0, ChildMap.WORDS);
                return true;
            }
        }
        return false;
    }

    /**
     * Adds children and requests their buckets, as far as there is room and their parents are known. Further parents are in the
     * queue above; the first depth has none.
     */
    void add(final int wanted, final ChildQueue above, final boolean forward) {
        int left = Math.min(wanted, RING - (added - Math.min(taken, opened)));
        final long n = table.buckets();
        for (; left > 0 && (remaining > 0 || above != null && openNext(above)); left--) {
            remaining--;
            addChild(KeyWord.extend(prefix, length, ChildMap.poll(bits, forward)), length + 1, n);
        }
    }

    private void addChild(final long word, final int level, final long n) {
        final int slot = added++ & RING_MASK;
        final long hash = table.hash(word, level);
        final long primary = BucketTable.primary(hash, n);
        final long secondary = BucketTable.secondary(hash, n);
        key[slot] = word;
        meta[slot] = level;
        buckets[slot] = primary << Integer.SIZE | secondary;
        lines.add(slab, bucketOffset(primary));
        lines.add(slab, bucketOffset(secondary));
    }
}
