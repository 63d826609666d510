/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.RangeTombstoneList;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.utils.AbstractIterator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * The range tombstones of a wide partition that has many, as a tree of records: disjoint ranges in the order of the clustering.
 * A write creates the nodes on the way to the ranges that it overlaps anew and leaves the others as they are, so that readers
 * of an earlier root see the earlier ranges.
 * <p> A write replaces O(log n) nodes and those of the ranges that it overlaps. It joins adjacent ranges of equal deletions,
 * between which Cassandra's reads show no boundary, so that overwritten ranges go.
 * <pre>
 *  node       length 4 bytes, with its bits flipped if this is no leaf | items
 *    leaf     ranges as in {@link PartitionBlob}
 *    others   for each child the start of its first range, and its pointer, 8 bytes
 * </pre>
 * <h2>Thread safety</h2> One write, under the lock of the shard. Any number of threads read under a guard.
 */
final class RangeTree {
    /** Size of large nodes, and greatest size of ranges that need no tree. */
    static final int NODE_BYTES = 512;

    private static final int CONTENT_OFFSET = 4;

    private final RecordArena arena;
    private final ClusteringComparator comparator;
    private final ByteBlob blob = new ByteBlob();
    /* The nodes of this write, and those before it that it replaces. */
    private final Set<Long> created = new HashSet<>();
    private final List<Long> replaced = new ArrayList<>();

    /** A range in a leaf, or a child of another node and the start of its first range. */
    private record Item(ClusteringBound<?> start, RangeTombstone range, long child) {
    }

    /** The items of adjacent nodes, those from one to before another of which are replaced. */
    private record Level(List<Item> items, int from, int to) {
    }

    RangeTree(final RecordArena arena, final ClusteringComparator comparator) {
        this.arena = arena;
        this.comparator = comparator;
    }

    // ---- writing ----

    /** Adds range tombstones and returns the new root; the old one, {@link RecordArena#NONE} for no ranges, stays readable. */
    long add(final long root, final Iterator<RangeTombstone> ranges) {
        long newRoot = root;
        while (ranges.hasNext()) {
            newRoot = add(newRoot, ranges.next());
        }
        return newRoot;
    }

    /** Retires what the write has replaced, after its root was published. */
    void retireReplaced() {
        for (final long node : replaced) {
            arena.retire(node, nodeBytes(node));
        }
    }

    /** Frees what the write has created; its root was not published. */
    void undo() {
        for (final long node : created) {
            arena.free(node, nodeBytes(node));
        }
    }

    private long add(final long root, final RangeTombstone added) {
        final Deque<Level> path = new ArrayDeque<>();
        List<Item> items = new ArrayList<>();
        boolean leaf = root == RecordArena.NONE || read(root, items);
        final List<Long> nodes = new ArrayList<>();
        if (root != RecordArena.NONE) {
            nodes.add(root);
        }
        while (!leaf) {
            final int from = Math.max(0, countUpTo(items, added.deletedSlice().start(), true) - 1);
            final int to = Math.max(from + 1, countUpTo(items, added.deletedSlice().end(), false));
            path.push(new Level(items, from, to));
            final List<Item> below = new ArrayList<>();
            for (final Item item : items.subList(from, to)) {
                leaf = read(item.child, below);
                nodes.add(item.child);
            }
            items = below;
        }
        List<Item> fresh = write(merged(items, added), true);
        while (!path.isEmpty()) {
            final Level level = path.pop();
            final List<Item> changed = level.items.subList(level.from, level.to);
            changed.clear();
            changed.addAll(fresh);
            // A root of one child is left out.
            fresh = path.isEmpty() && level.items.size() == 1 ? level.items : write(level.items, false);
        }
        while (fresh.size() > 1) {
            fresh = write(fresh, false);
        }
        nodes.forEach(this::replace);
        return fresh.get(0).child;
    }

    /** Returns the ranges with a further one, by the rules of Cassandra. */
    private List<Item> merged(final List<Item> items, final RangeTombstone added) {
        final RangeTombstoneList ranges = new RangeTombstoneList(comparator, items.size() + 2);
        items.forEach(item -> ranges.add(item.range));
        ranges.add(added);
        final List<Item> joined = new ArrayList<>();
        RangeTombstone last = null;
        for (final RangeTombstone range : ranges) {
            if (last != null && last.deletionTime().equals(range.deletionTime())
                && comparator.compare(last.deletedSlice().end(), range.deletedSlice().start()) == 0) {
                last = new RangeTombstone(
                    Slice.make(last.deletedSlice().start(), range.deletedSlice().end()), range.deletionTime());
                joined.remove(joined.size() - 1);
            } else {
                last = range;
            }
            joined.add(item(last));
        }
        return joined;
    }

    private static Item item(final RangeTombstone range) {
        return new Item(range.deletedSlice().start(), range, RecordArena.NONE);
    }

    /** Writes items to nodes of like sizes and at least two items, but for the last node, and returns the nodes. */
    private List<Item> write(final List<Item> items, final boolean leaf) {
        final int count = items.size();
        final int[] ends = new int[count];
        blob.position = 0;
        for (int i = 0; i < count; i++) {
            final Item item = items.get(i);
            if (leaf) {
                PartitionBlob.putRange(item.range, blob);
            } else {
                PartitionBlob.putBound(item.start, blob);
                blob.putLong(item.child);
            }
            ends[i] = blob.position;
        }
        final long bytes = blob.position;
        final long nodes = (bytes + NODE_BYTES - 1) / NODE_BYTES;
        final List<Item> written = new ArrayList<>();
        int first = 0;
        int start = 0;
        for (int i = 0; i < count; i++) {
            if (i == count - 1 || i > first && ends[i] * nodes >= bytes * (written.size() + 1)) {
                written.add(new Item(items.get(first).start, null, newNode(leaf, start, ends[i] - start)));
                first = i + 1;
                start = ends[i];
            }
        }
        return written;
    }

    private long newNode(final boolean leaf, final int start, final int bytes) {
        final long node = arena.allocate(CONTENT_OFFSET + bytes);
        arena.putInt(node, 0, leaf ? bytes : ~bytes);
        created.add(node);
        arena.putBytes(node, CONTENT_OFFSET, blob.bytes, start, bytes);
        return node;
    }

    private void replace(final long node) {
        if (created.remove(node)) {
            arena.free(node, nodeBytes(node)); // nobody could find it
        } else {
            replaced.add(node);
        }
    }

    private int nodeBytes(final long node) {
        final int length = arena.getInt(node, 0);
        return CONTENT_OFFSET + Math.max(length, ~length);
    }

    // ---- reading ----

    /** Adds the items of a node to a list and returns whether it is a leaf. */
    private boolean read(final long node, final List<Item> items) {
        final int word = arena.getInt(node, 0);
        final boolean leaf = word >= 0;
        final int length = leaf ? word : ~word;
        arena.getBytes(node, CONTENT_OFFSET, blob.ofLength(length), 0, length);
        blob.position = 0;
        while (blob.position < length) {
            items.add(
                leaf ? item(PartitionBlob.range(blob)) : new Item(PartitionBlob.bound(blob), null, blob.getLong()));
        }
        return leaf;
    }

    /** Returns the number of items whose start is less than a bound, or equal if that is included. */
    private int countUpTo(final List<Item> items, final ClusteringBound<?> bound, final boolean included) {
        int low = 0;
        int high = items.size();
        while (low < high) {
            final int middle = low + high >>> 1;
            final int order = comparator.compare(items.get(middle).start, bound);
            if (order < 0 || included && order == 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the ranges that overlap a slice, cut to it, which are read as the iterator gets there. */
    Iterator<RangeTombstone> iterator(final long root, final Slice slice, final boolean reversed) {
        return new Ranges(root, slice, reversed);
    }

    /** Iterates over the ranges of a slice in either order and goes down from the root for each leaf. */
    private final class Ranges extends AbstractIterator<RangeTombstone> {
        private final long root;
        private final Slice slice;
        private final boolean reversed;
        private final List<Item> items = new ArrayList<>();
        private int position = -1;
        /* Where the next leaf begins or, in reverse order, ends; null if there is none. */
        private ClusteringBound<?> next;

        Ranges(final long root, final Slice slice, final boolean reversed) {
            this.root = root;
            this.slice = slice;
            this.reversed = reversed;
            this.next = reversed ? slice.end() : slice.start();
        }

        @Override
        protected RangeTombstone computeNext() {
            while (true) {
                if (position < 0 || position >= items.size()) {
                    if (next == null) {
                        return endOfData();
                    }
                    readLeaf();
                }
                final RangeTombstone range = items.get(reversed ? position-- : position++).range;
                final Slice own = range.deletedSlice();
                final boolean before = comparator.compare(own.end(), slice.start()) <= 0;
                final boolean behind = comparator.compare(own.start(), slice.end()) >= 0;
                if (reversed ? before : behind) {
                    return endOfData();
                }
                if (!before && !behind) {
                    return cut(own, range.deletionTime());
                }
            }
        }

        private void readLeaf() {
            final ClusteringBound<?> bound = next;
            next = null;
            long node = root;
            while (true) {
                items.clear();
                if (read(node, items)) {
                    break;
                }
                final int child = Math.max(0, countUpTo(items, bound, !reversed) - 1);
                if (reversed ? child > 0 : child < items.size() - 1) {
                    next = items.get(reversed ? child : child + 1).start;
                }
                node = items.get(child).child;
            }
            position = reversed ? items.size() - 1 : 0;
        }

        private RangeTombstone cut(final Slice own, final DeletionTime deletion) {
            final boolean fromSlice = comparator.compare(own.start(), slice.start()) < 0;
            final boolean toSlice = comparator.compare(slice.end(), own.end()) < 0;
            return new RangeTombstone(
                Slice.make(fromSlice ? slice.start() : own.start(), toSlice ? slice.end() : own.end()), deletion);
        }
    }
}
