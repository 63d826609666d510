/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;
import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Some nodes that come next in a cursor's walk, and all nodes below, breadth first: each inner node that is read appends its
 * children. The buckets of nodes are requested together, and read together when they have arrived, by loops without unpredictable
 * branches.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the table meanwhile: what was read counts only if {@link #readNext} returns true.
 */
final class NodeRow {
    /* Greatest number of nodes: more are below a few only where a trie with most leaves at two depths is dense elsewhere. */
    private static final int MOST = 512;
    private static final int CAPACITY = 32;
    /* Behind the last node. */
    private static final int END = -1;

    private final KeySource keys;
    private final PrefetchVector lines;
    /* An inner node that was read. */
    private final InnerPath opened = new InnerPath();
    private NodeTable table;
    private int size;
    private int read;
    private boolean overflown;
    private long[] hash = new long[CAPACITY];
    /* The bucket where a node is searched first, and where it was found. */
    private long[] line = new long[CAPACITY];
    /* What identifies a node there, and which bits of that count. */
    private int[] wanted = new int[CAPACITY];
    private int[] mask = new int[CAPACITY];
    private int[] version = new int[CAPACITY];
    /* Bucket and version of the node above. */
    private long[] above = new long[CAPACITY];
    private int[] versionAbove = new int[CAPACITY];
    /* Both words of each entry found. */
    private long[] entry = new long[2 * CAPACITY];
    /* The next node in the order of the walk: behind an inner node its first child. */
    private int[] next = new int[CAPACITY];
    /* Numbers of the nodes read last: leaves from the start on, inner nodes from the end. */
    private int[] sorted = new int[CAPACITY];

    NodeRow(final KeySource keys, final PrefetchVector lines) {
        this.keys = keys;
        this.lines = lines;
    }

    /** Drops all nodes; sets the table of those to come. */
    void clear(final NodeTable newTable) {
        table = newTable;
        size = 0;
        read = 0;
        overflown = false;
    }

    int size() {
        return size;
    }

    /** Returns the hash of a node's name. */
    long hash(final int i) {
        return hash[i];
    }

    /** Returns whether there were too many nodes, so that some are missing. */
    boolean isOverflown() {
        return overflown;
    }

    /** Returns whether all nodes were read. */
    boolean isComplete() {
        return read == size;
    }

    // ---- requests

    /** Adds what is pending next and requests it: children of a node, up to a number, or a single node. */
    void addNext(final InnerPath pending, final int most, final boolean forward) {
        if (pending.isSingle()) {
            pending.take(table.hash(), forward);
            addTaken(pending);
            return;
        }
        final InnerPath.Node parent = pending.last();
        final int first = size;
        size += Math.min(most, Long.bitCount(parent.rest));
        reserve(size);
        pending.keepChildren(computeBuckets(parent, first, forward));
        lines.add(table.slab(), line, first, size);
    }

    /** Computes the buckets of the last nodes, children of a node; returns the remaining children. */
    private long computeBuckets(final InnerPath.Node parent, final int first, final boolean forward) {
        final int end = size;
        final long[] hashes = hash;
        final long[] lineOf = line;
        final int[] wants = wanted;
        final NameHash names = table.hash();
        final long buckets = table.buckets();
        final long name = parent.hash;
        final long hints = hints(parent.head, parent.tail);
        final int identity = color(parent.head) << PARENT_COLOR_SHIFT;
        long left = parent.rest;
        for (int i = first; i < end; i++) {
            final int code = forward ? lowestCode(left) : highestCode(left);
            left &= ~childBit(code);
            final int secondary = ((int) (hints >>> code - 1) & 1) << SECONDARY_SHIFT;
            final long child = names.append(name, code);
            final long bucketHash = names.bucketHash(child, secondary);
            hashes[i] = child;
            lineOf[i] = NodeTable.offsetOf(bucketHash, buckets);
            wants[i] = identity | code << SYMBOL_SHIFT | secondary | names.tag(bucketHash);
        }
        Arrays.fill(mask, first, end, BY_PARENT_MASK);
        Arrays.fill(above, first, end, parent.line);
        Arrays.fill(versionAbove, first, end, parent.version);
        return left;
    }

    /** Adds the node that was taken from what was pending, or looked at. */
    void addTaken(final InnerPath pending) {
        reserve(size + 1);
        put(size++, pending);
    }

    /** Replaces a node by that one. */
    void put(final int i, final InnerPath pending) {
        put(i, pending.hash(), pending.identity(), pending.mask(), pending.lineAbove(), pending.versionAbove());
    }

    /** Adds a node of another row. */
    void addFrom(final NodeRow other, final int i) {
        reserve(size + 1);
        put(size++, other.hash[i], other.wanted[i] & ~TAG_MASK, other.mask[i], other.above[i], other.versionAbove[i]);
    }

    private void put(
        final int i, final long name, final int identity, final int bits, final long lineAbove, final int versionOfThat) {
        final NameHash names = table.hash();
        final long buckets = table.buckets();
        final long bucketHash = names.bucketHash(name, identity & SECONDARY);
        hash[i] = name;
        line[i] = NodeTable.offsetOf(bucketHash, buckets);
        wanted[i] = identity | names.tag(bucketHash);
        mask[i] = bits;
        above[i] = lineAbove;
        versionAbove[i] = versionOfThat;
        lines.add(table.slab(), line[i]);
        if (bits == BY_COLOR_MASK) {
            // No parent tells in which of its two buckets the node is.
            lines.add(table.slab(), NodeTable.offsetOf(names.alternate(name), buckets));
        }
    }

    private void reserve(final int nodes) {
        if (nodes > hash.length) {
            final int capacity = Math.max(nodes, 2 * hash.length);
            line = Arrays.copyOf(line, capacity);
            wanted = Arrays.copyOf(wanted, capacity);
            mask = Arrays.copyOf(mask, capacity);
            version = Arrays.copyOf(version, capacity);
            above = Arrays.copyOf(above, capacity);
            versionAbove = Arrays.copyOf(versionAbove, capacity);
            entry = Arrays.copyOf(entry, 2 * capacity);
            next = Arrays.copyOf(next, capacity);
            sorted = Arrays.copyOf(sorted, capacity);
            hash = Arrays.copyOf(hash, capacity); // last: its length tells the capacity
        }
    }

    // ---- what has arrived

    /** Reads a node alone; returns false if it is in neither bucket, or if it or the node above has changed. */
    boolean readAlone(final int i, final EntryProbe probe) {
        return probe.readNode(table, line[i], hash[i], wanted[i], mask[i])
            && probe.isWholeBelow(table, above[i], versionAbove[i]);
    }

    /**
     * Reads the nodes present at the call, requests the records of leaves, and adds what is below inner nodes. Returns false if
     * the trie has changed, or if there are too many nodes.
     */
    boolean readNext(final EntryProbe probe, final int keyBytes, final boolean forward) {
        // cuckoo-trie-concurrency.md, claim 19
        final int from = read;
        final int end = size;
        if (from == end) {
            return true;
        }
        if (!readEntries(from, end, probe)) {
            return false;
        }
        if (from == 0) {
            link(0, end, END);
        }
        read = end;
        final int leaves = sort(from, end);
        for (int i = 0; i < leaves; i++) {
            keys.addTo(lines, payload(sorted[i]), keyBytes);
        }
        for (int i = end - from - 1; i >= leaves && !overflown; i--) {
            addBelow(sorted[i], forward);
        }
        lines.request();
        return !overflown;
    }

    private boolean readEntries(final int from, final int end, final EntryProbe probe) {
        final Slab slab = table.slab();
        final long[] lineOf = line;
        final int[] versions = version;
        final int[] wants = wanted;
        final int[] masks = mask;
        final long[] entries = entry;
        int odd = 0;
        for (int i = from; i < end; i++) {
            versions[i] = slab.getInt(lineOf[i] + VERSION_OFFSET);
            odd |= versions[i];
        }
        VarHandle.acquireFence();
        boolean all = (odd & 1) == 0;
        for (int i = from; i < end; i++) {
            // A mask a node: some are identified by their color, others by the node above.
            final int match = slab.matchInts(lineOf[i], CELL_BYTES, wants[i], masks[i]);
            final long cell = cellOffset(lineOf[i], Integer.numberOfTrailingZeros(match) & CELLS - 1);
            all &= match != 0;
            entries[2 * i] = slab.getLong(cell);
            entries[2 * i + 1] = slab.getLong(cell + Long.BYTES - 1);
        }
        return (all || readElsewhere(from, end, probe)) && isUnchanged(from, end);
    }

    /** Reads nodes one by one, where some are not in the expected bucket or are being written. */
    private boolean readElsewhere(final int from, final int end, final EntryProbe probe) {
        for (int i = from; i < end; i++) {
            if (!readAlone(i, probe)) {
                return false;
            }
            entry[2 * i] = probe.head();
            entry[2 * i + 1] = probe.tail() << Byte.SIZE;
            line[i] = probe.line();
            version[i] = probe.version();
        }
        return true;
    }

    /** Returns whether nodes were read whole while those above were unchanged. */
    private boolean isUnchanged(final int from, final int end) {
        VarHandle.acquireFence();
        final Slab slab = table.slab();
        int changes = 0;
        for (int i = from; i < end; i++) {
            changes |= slab.getInt(line[i] + VERSION_OFFSET) ^ version[i];
            changes |= slab.getInt(above[i] + VERSION_OFFSET) ^ versionAbove[i];
        }
        return changes == 0;
    }

    /** Separates leaves and inner nodes without unpredictable branches; returns the number of leaves. */
    private int sort(final int from, final int end) {
        final int[] to = sorted;
        int leaf = 0;
        int inner = end - from - 1;
        for (int i = from; i < end; i++) {
            final int isInner = innerBit(entry[2 * i]);
            to[leaf] = i;
            to[inner] = i;
            leaf += 1 - isInner;
            inner -= isInner;
        }
        return leaf;
    }

    private void addBelow(final int i, final boolean forward) {
        final int first = size;
        opened.clear();
        opened.add(hash[i], 0, entry[2 * i], entry[2 * i + 1] >>> Byte.SIZE, line[i], version[i]);
        if (!opened.isEmpty()) {
            addNext(opened, Integer.MAX_VALUE, forward);
            link(first, size, next[i]);
            next[i] = first;
            overflown = size > MOST;
        }
    }

    // ---- the order of the walk

    /** Sets the order of nodes added together and what comes behind them. */
    private void link(final int first, final int end, final int behind) {
        for (int i = first; i < end; i++) {
            next[i] = i + 1;
        }
        next[end - 1] = behind;
    }

    private long payload(final int i) {
        return CuckooTrieEntryLayout.payload(entry[2 * i], entry[2 * i + 1] >>> Byte.SIZE);
    }

    /** Hands out all leaves in the order of the walk, without unpredictable branches. */
    void show(final LeafBuffer leaves) {
        final long[] to = leaves.empty(size);
        int at = 0;
        for (int i = 0; i != END; i = next[i]) {
            to[at] = payload(i);
            at += 1 - innerBit(entry[2 * i]);
        }
        leaves.filled(at);
    }
}
