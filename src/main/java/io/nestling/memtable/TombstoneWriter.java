/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static io.nestling.memtable.TombstoneLayout.CELL_OLDER_OFFSET;
import static io.nestling.memtable.TombstoneLayout.COUNT_OFFSET;
import static io.nestling.memtable.TombstoneLayout.END_OFFSET;
import static io.nestling.memtable.TombstoneLayout.END_PREFIX_OFFSET;
import static io.nestling.memtable.TombstoneLayout.MAX_SLOTS;
import static io.nestling.memtable.TombstoneLayout.NODE_BYTES;
import static io.nestling.memtable.TombstoneLayout.NODE_SLOTS;
import static io.nestling.memtable.TombstoneLayout.NONE;
import static io.nestling.memtable.TombstoneLayout.REFERENCE_SHIFT;
import static io.nestling.memtable.TombstoneLayout.SAME_START_OFFSET;
import static io.nestling.memtable.TombstoneLayout.STAMP_OFFSET;
import static io.nestling.memtable.TombstoneLayout.TOMBSTONE_BYTES;
import static io.nestling.memtable.TombstoneLayout.UNUSED_PREFIX;
import static io.nestling.memtable.TombstoneLayout.boundOffset;
import static io.nestling.memtable.TombstoneLayout.count;
import static io.nestling.memtable.TombstoneLayout.linkOffset;
import static io.nestling.memtable.TombstoneLayout.offset;
import static io.nestling.memtable.TombstoneLayout.olderOffset;
import static io.nestling.memtable.TombstoneLayout.prefix;
import static io.nestling.memtable.TombstoneLayout.sequenceOffset;

import io.nestling.bytes.KeyChunk;
import io.nestling.offheap.Slab;

import java.util.Arrays;

/**
 * Derives one {@link TombstoneTree} from another: nodes on the paths to the bounds of new range tombstones are copied once a
 * change, all others are shared. Range tombstones have a pending number until they are published.
 * <p>
 * A range tombstone changes at most two nodes of each level. The number of a slot that it covers goes to the slot's chain, which
 * numbers leave that no reader can tell apart any more.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class TombstoneWriter {
    /** Classes of {@link TombstoneSpace}. */
    static final int NODE = 0;
    static final int CELL = 1;
    /** A pending number is this one and the write's offset in its batch. */
    private static final long PENDING = 1L << 62;
    private static final int INITIAL_CREATED = 16;
    /* A chain begins with the few numbers that a reader may have begun to read at in the last moment. */
    private static final int MOST_KEPT = 4;

    private final TombstoneSpace space;
    private final long[] copied = new long[NODE_BYTES / Long.BYTES];
    private int stamp;
    private Slab slab;
    private int root;
    private int height;
    private ReadNumbers readers;
    /* Nodes and tombstones that the change has made, the latter as ~reference. */
    private int[] created = new int[INITIAL_CREATED];
    private int createdCount;
    /* Right half of the node that was divided, or none. */
    private int split;

    TombstoneWriter(final TombstoneSpace space) {
        this.space = space;
    }

    /** Begins a change of a tree, given the readers that may be left. */
    void begin(final TombstoneTree tree, final ReadNumbers present) {
        space.mark();
        stamp++;
        slab = space.slab();
        root = tree.root();
        height = tree.height();
        readers = present;
        createdCount = 0;
    }

    /**
     * Adds a range tombstone that is newer than all others, the write at an offset in its batch. Without end ({@code to} is
     * null), it covers the last slot of all; a later bound divides that slot, and both parts stay covered.
     */
    void add(final byte[] from, final byte[] to, final int at) {
        if (root == NONE) {
            root = createNode();
            putSlot(root, 0, 0, ~0, NONE);
            slab.putInt(offset(root) + COUNT_OFFSET, 1);
        }
        final long fromChunk = KeyChunk.at(from, 0, from.length, 0);
        insertBound(fromChunk, from);
        if (to != null) {
            insertBound(KeyChunk.at(to, 0, to.length, 0), to);
        }
        final int tombstone = reference(space.append(TOMBSTONE_BYTES, Long.BYTES));
        slab = space.slab();
        slab.putLong(offset(tombstone), PENDING + at);
        putEnd(tombstone, to);
        final int begin = leafOf(fromChunk, from);
        final long link = linkOffset(begin, TombstoneTree.search(slab, begin, fromChunk, from, from.length));
        slab.putInt(offset(tombstone) + SAME_START_OFFSET, slab.getInt(link));
        slab.putInt(link, tombstone);
        addCreated(~tombstone);
        cover(root, from, to, PENDING + at);
    }

    private void putEnd(final int tombstone, final byte[] to) {
        long chunk = UNUSED_PREFIX;
        int bound = NONE;
        if (to != null) {
            chunk = KeyChunk.at(to, 0, to.length, 0);
            final int end = leafOf(chunk, to);
            bound = slab.getInt(boundOffset(end, TombstoneTree.search(slab, end, chunk, to, to.length)));
        }
        slab.putLong(offset(tombstone) + END_PREFIX_OFFSET, chunk);
        slab.putInt(offset(tombstone) + END_OFFSET, bound);
    }

    /** Returns the new tree, in which all numbers are pending. */
    TombstoneTree tree(final long tombstones) {
        return new TombstoneTree(slab, root, height, tombstones);
    }

    /** Replaces the pending numbers, given the first number of the batch. */
    void number(final long firstSequence) {
        for (int i = 0; i < createdCount; i++) {
            final int reference = created[i];
            if (reference < 0) {
                number(offset(~reference), firstSequence);
            } else {
                for (int slot = count(slab, reference) - 1; slot >= 0; slot--) {
                    number(sequenceOffset(reference, slot), firstSequence);
                }
            }
        }
    }

    private void number(final long at, final long firstSequence) {
        final long sequence = slab.getLong(at);
        if (sequence >= PENDING) {
            slab.putLong(at, sequence - PENDING + firstSequence);
        }
    }

    private static int reference(final long offset) {
        return (int) (offset >>> REFERENCE_SHIFT);
    }

    private void addCreated(final int reference) {
        if (createdCount == created.length) {
            created = Arrays.copyOf(created, 2 * createdCount);
        }
        created[createdCount++] = reference;
    }

    private int leafOf(final long chunk, final byte[] key) {
        int node = root;
        for (int level = height; level > 0; level--) {
            node = slab.getInt(linkOffset(node, TombstoneTree.search(slab, node, chunk, key, key.length)));
        }
        return node;
    }

    // ---- nodes ----

    private int createNode() {
        final int node = reference(space.allocate(NODE));
        slab = space.slab();
        for (int slot = 0; slot <= NODE_SLOTS; slot++) {
            slab.putLong(offset(node) + ((long) slot << 3), UNUSED_PREFIX);
        }
        slab.putInt(offset(node) + COUNT_OFFSET, 0);
        slab.putInt(offset(node) + STAMP_OFFSET, stamp);
        addCreated(node);
        return node;
    }

    /** Returns a node that the change may write: the same one if the change has made it, or else a copy. */
    private int own(final int node) {
        if (slab.getInt(offset(node) + STAMP_OFFSET) == stamp) {
            return node;
        }
        final int copy = reference(space.allocate(NODE));
        slab = space.slab();
        slab.getLongs(offset(node), copied, copied.length);
        slab.putLongs(offset(copy), copied, copied.length);
        slab.putInt(offset(copy) + STAMP_OFFSET, stamp);
        addCreated(copy);
        space.retire(offset(node), NODE);
        return copy;
    }

    private void putSlot(final int node, final int slot, final long chunk, final int bound, final int link) {
        slab.putLong(offset(node) + ((long) slot << 3), chunk);
        slab.putInt(boundOffset(node, slot), bound);
        slab.putInt(linkOffset(node, slot), link);
        slab.putLong(sequenceOffset(node, slot), 0);
        slab.putInt(olderOffset(node, slot), NONE);
    }

    private void copySlot(final int from, final int slot, final int to, final int toSlot) {
        putSlot(to, toSlot, prefix(slab, from, slot), slab.getInt(boundOffset(from, slot)), slab.getInt(linkOffset(from, slot)));
        slab.putLong(sequenceOffset(to, toSlot), slab.getLong(sequenceOffset(from, slot)));
        slab.putInt(olderOffset(to, toSlot), slab.getInt(olderOffset(from, slot)));
    }

    // ---- bounds ----

    private void insertBound(final long chunk, final byte[] key) {
        root = insert(root, height, chunk, key);
        if (split != NONE) {
            final int right = split;
            final int above = createNode();
            putSlot(above, 0, 0, ~0, root);
            putSlot(above, 1, prefix(slab, right, 0), slab.getInt(boundOffset(right, 0)), right);
            slab.putInt(offset(above) + COUNT_OFFSET, 2);
            root = above;
            height++;
        }
    }

    /** Adds a bound below a node, unless it is there; returns the node or its copy. */
    private int insert(final int node, final int level, final long chunk, final byte[] key) {
        final int own = own(node);
        final int slot = TombstoneTree.search(slab, own, chunk, key, key.length);
        if (level == 0) {
            split = NONE;
            if (!isBound(own, slot, chunk, key)) {
                insertSlot(own, slot + 1, chunk, bound(key), NONE);
            }
            return own;
        }
        final int child = insert(slab.getInt(linkOffset(own, slot)), level - 1, chunk, key);
        slab.putInt(linkOffset(own, slot), child);
        if (split != NONE) {
            final int right = split;
            insertSlot(own, slot + 1, prefix(slab, right, 0), slab.getInt(boundOffset(right, 0)), right);
        }
        return own;
    }

    private boolean isBound(final int node, final int slot, final long chunk, final byte[] key) {
        return TombstoneTree.compare(
            slab, prefix(slab, node, slot), slab.getInt(boundOffset(node, slot)), chunk, key, key.length) == 0;
    }

    private int bound(final byte[] key) {
        if (key.length <= Long.BYTES) {
            return ~key.length;
        }
        final long bytes = space.append(Integer.BYTES + key.length, Long.BYTES);
        slab = space.slab();
        slab.putInt(bytes, key.length);
        slab.putBytes(bytes + Integer.BYTES, key, 0, key.length);
        return reference(bytes);
    }

    /** Adds a slot, which is covered as the one before it was; divides the node if it is full. */
    private void insertSlot(final int node, final int slot, final long chunk, final int bound, final int link) {
        final long sequence = slab.getLong(sequenceOffset(node, slot - 1));
        final int older = prune(slab.getInt(olderOffset(node, slot - 1)), sequence, 0);
        slab.putInt(olderOffset(node, slot - 1), older);
        final int chain = copyChain(older, sequence);
        final int count = count(slab, node);
        int target = node;
        int at = slot;
        int targetCount = count;
        split = NONE;
        if (count == MAX_SLOTS) {
            // Bounds that come in order leave full nodes behind.
            final int half = slot == count ? count : count / 2;
            split = createNode();
            for (int i = half; i < count; i++) {
                copySlot(node, i, split, i - half);
                slab.putLong(offset(node) + ((long) i << 3), UNUSED_PREFIX);
            }
            slab.putInt(offset(split) + COUNT_OFFSET, count - half);
            slab.putInt(offset(node) + COUNT_OFFSET, half);
            target = slot > half || half == count ? split : node;
            at = target == split ? slot - half : slot;
            targetCount = count(slab, target);
        }
        for (int i = targetCount; i > at; i--) {
            copySlot(target, i - 1, target, i);
        }
        putSlot(target, at, chunk, bound, link);
        slab.putLong(sequenceOffset(target, at), sequence);
        slab.putInt(olderOffset(target, at), chain);
        slab.putInt(offset(target) + COUNT_OFFSET, targetCount + 1);
    }

    // ---- numbers ----

    /** Covers the slots between two bounds, of which either may be null for the end of the node. */
    private void cover(final int node, final byte[] from, final byte[] to, final long sequence) {
        final long fromChunk = from == null ? 0 : KeyChunk.at(from, 0, from.length, 0);
        final long toChunk = to == null ? 0 : KeyChunk.at(to, 0, to.length, 0);
        final int end = to == null ? count(slab, node) : TombstoneTree.search(slab, node, toChunk, to, to.length);
        int first = from == null ? 0 : TombstoneTree.search(slab, node, fromChunk, from, from.length);
        if (from != null && !isBound(node, first, fromChunk, from)) {
            final int below = slab.getInt(linkOffset(node, first));
            if (first == end) {
                cover(below, from, to, sequence);
                return;
            }
            cover(below, from, null, sequence);
            first++;
        }
        for (int slot = first; slot < end; slot++) {
            push(node, slot, sequence);
        }
        if (to != null && !isBound(node, end, toChunk, to)) {
            cover(slab.getInt(linkOffset(node, end)), null, to, sequence);
        }
    }

    private void push(final int node, final int slot, final long sequence) {
        final long covering = slab.getLong(sequenceOffset(node, slot));
        if (covering != 0 && covering < PENDING) { // a batch shows as a whole
            final int older = prune(slab.getInt(olderOffset(node, slot)), covering, 0);
            final int cell = cell(covering, older); // first: the slab may be another one then
            slab.putInt(olderOffset(node, slot), cell);
        }
        slab.putLong(sequenceOffset(node, slot), sequence);
    }

    /** Takes cells that no reader needs out of a chain, up to the fifth one that is needed; returns its beginning. */
    private int prune(final int chain, final long end, final int kept) {
        int cell = chain;
        long before = end;
        while (cell != NONE && !readers.mayRead(slab.getLong(offset(cell)), before)) {
            space.retire(offset(cell), CELL);
            before = slab.getLong(offset(cell));
            cell = slab.getInt(offset(cell) + CELL_OLDER_OFFSET);
        }
        if (cell == NONE || kept == MOST_KEPT) {
            return cell;
        }
        final long sequence = slab.getLong(offset(cell));
        final int older = slab.getInt(offset(cell) + CELL_OLDER_OFFSET);
        final int rest = prune(older, sequence, kept + 1);
        if (rest == older) {
            return cell;
        }
        space.retire(offset(cell), CELL);
        return cell(sequence, rest);
    }

    private int cell(final long sequence, final int older) {
        final long cell = space.allocate(CELL);
        slab = space.slab();
        slab.putLong(cell, sequence);
        slab.putInt(cell + CELL_OLDER_OFFSET, older);
        return reference(cell);
    }

    /** Returns a copy of the cells of a chain that a reader may need: the cells of a chain belong to one slot. */
    private int copyChain(final int chain, final long end) {
        int first = NONE;
        int last = NONE;
        long before = end;
        for (int cell = chain; cell != NONE; cell = slab.getInt(offset(cell) + CELL_OLDER_OFFSET)) {
            final long sequence = slab.getLong(offset(cell));
            final boolean isNeeded = readers.mayRead(sequence, before);
            before = sequence;
            if (!isNeeded) {
                continue;
            }
            final int copy = cell(sequence, NONE);
            if (last == NONE) {
                first = copy;
            } else {
                slab.putInt(offset(last) + CELL_OLDER_OFFSET, copy);
            }
            last = copy;
        }
        return first;
    }
}
