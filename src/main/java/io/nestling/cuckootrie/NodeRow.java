/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;
import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Nodes with known names. Their buckets are computed and requested together, and read together when they have arrived, by loops
 * without unpredictable branches.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the table meanwhile: what was read counts only if {@link #read} returns true.
 */
final class NodeRow {
    private final PrefetchVector lines;
    private NodeTable table;
    private int size;
    private long[] hash;
    /* The bucket where a node is searched first, and where it was found. */
    private long[] line;
    /* What identifies a node there, and which bits of that count. */
    private int[] wanted;
    private int[] mask;
    private int[] version;
    /* Both words of each entry found. */
    private long[] entry;

    NodeRow(final PrefetchVector lines, final int capacity) {
        this.lines = lines;
        this.hash = new long[capacity];
        this.line = new long[capacity];
        this.wanted = new int[capacity];
        this.mask = new int[capacity];
        this.version = new int[capacity];
        this.entry = new long[2 * capacity];
    }

    /** Drops all nodes; sets the table of those to come. */
    void clear(final NodeTable newTable) {
        table = newTable;
        size = 0;
    }

    int size() {
        return size;
    }

    /** Makes room for more nodes. */
    void reserve(final int nodes) {
        if (size + nodes > hash.length) {
            final int capacity = Math.max(size + nodes, 2 * hash.length);
            line = Arrays.copyOf(line, capacity);
            wanted = Arrays.copyOf(wanted, capacity);
            mask = Arrays.copyOf(mask, capacity);
            version = Arrays.copyOf(version, capacity);
            entry = Arrays.copyOf(entry, 2 * capacity);
            hash = Arrays.copyOf(hash, capacity); // last: its length tells the capacity
        }
    }

    /** Returns the hash of a node's name. */
    long hash(final int i) {
        return hash[i];
    }

    /** Returns the bucket where a node was found. */
    long line(final int i) {
        return line[i];
    }

    /** Returns the version of that bucket before it was read. */
    int version(final int i) {
        return version[i];
    }

    /** Returns the first word of the entry found. */
    long head(final int i) {
        return entry[2 * i];
    }

    /** Returns the second word of the entry found. */
    long tail(final int i) {
        return entry[2 * i + 1] >>> Byte.SIZE;
    }

    /** Returns what identifies a node where it is searched first. */
    int wanted(final int i) {
        return wanted[i];
    }

    /** Returns the bits of that which count. */
    int mask(final int i) {
        return mask[i];
    }

    /** Adds the next children of a node, up to a number. */
    void addChildren(final UnvisitedChildren children, final int most, final boolean forward) {
        final int first = size;
        size = first + Math.min(most, Long.bitCount(children.left()));
        children.keep(place(children, first, size, forward));
        lines.add(table.slab(), line, first, size);
    }

    /** Computes the buckets of children and what identifies them there; returns the remaining children. */
    private long place(final UnvisitedChildren children, final int first, final int end, final boolean forward) {
        final long[] hashes = hash;
        final long[] lineOf = line;
        final int[] wants = wanted;
        final int[] masks = mask;
        final NameHash names = table.hash();
        final long buckets = table.buckets();
        final long name = children.hash();
        final long hints = children.hints();
        final int identity = children.identity();
        long left = children.left();
        for (int i = first; i < end; i++) {
            final int code = forward ? lowestCode(left) : highestCode(left);
            left &= ~childBit(code);
            final int secondary = ((int) (hints >>> code - 1) & 1) << SECONDARY_SHIFT;
            final long child = names.append(name, code);
            final long place = names.placed(child, secondary);
            hashes[i] = child;
            lineOf[i] = NodeTable.offsetOf(place, buckets);
            wants[i] = identity | code << SYMBOL_SHIFT | secondary | names.tag(place);
            masks[i] = BY_PARENT_MASK;
        }
        return left;
    }

    /** Adds a node. Its identity may be what {@link #wanted} returns for the same node in another row. */
    void add(final long name, final int identity, final int bits) {
        put(size++, name, identity, bits);
    }

    /** Replaces a node by another one. */
    void put(final int i, final long name, final int identity, final int bits) {
        final NameHash names = table.hash();
        final long buckets = table.buckets();
        final long place = names.placed(name, identity & SECONDARY);
        hash[i] = name;
        line[i] = NodeTable.offsetOf(place, buckets);
        wanted[i] = identity & ~TAG_MASK | names.tag(place);
        mask[i] = bits;
        lines.add(table.slab(), line[i]);
        if (bits == BY_COLOR_MASK) {
            // No parent tells in which of its two buckets the node is.
            lines.add(table.slab(), NodeTable.offsetOf(names.alternate(name), buckets));
        }
    }

    /** Reads one node; returns false if it is in neither bucket. */
    boolean find(final int i, final EntryProbe probe) {
        return probe.readNode(table, line[i], hash[i], wanted[i], mask[i]);
    }

    /**
     * Reads a range of nodes.
     *
     * @param from the first one
     * @param end behind the last one
     * @param probe for those that are not where they should be
     * @return false if one of them is in neither bucket, or has changed meanwhile
     */
    boolean read(final int from, final int end, final EntryProbe probe) {
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
        if (!all && !readElsewhere(from, end, probe)) {
            return false;
        }
        VarHandle.acquireFence();
        int changes = 0;
        for (int i = from; i < end; i++) {
            changes |= slab.getInt(lineOf[i] + VERSION_OFFSET) ^ versions[i];
        }
        return changes == 0;
    }

    /** Reads nodes one by one, where some are not in the expected bucket or are being written. */
    private boolean readElsewhere(final int from, final int end, final EntryProbe probe) {
        for (int i = from; i < end; i++) {
            if (!find(i, probe)) {
                return false;
            }
            entry[2 * i] = probe.head();
            entry[2 * i + 1] = probe.tail() << Byte.SIZE;
            line[i] = probe.line();
            version[i] = probe.version();
        }
        return true;
    }
}
