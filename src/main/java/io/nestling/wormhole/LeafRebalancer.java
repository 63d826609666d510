/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.bytes.ByteComparison;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;

/**
 * Splits full leaves and merges small ones (Wormhole, algorithm 4), and updates the meta trie.
 * <p> No entry that stays in a leaf moves. Entries that go to a new leaf are there before they leave the old one, so that readers
 * find all keys at any moment.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class LeafRebalancer {
    /* The anchor may lie up to a quarter of the leaf from the middle if that makes it shorter. */
    private static final int WINDOW_DIVISOR = 8;
    /* With ascending keys, the old leaf stays almost full. */
    private static final int ORDERED_DIVISOR = 10;
    /** Entries that each part of a split leaf has at least: so many puts come before it is full again. */
    static final int LEAST_PART = MAX_ENTRIES / ORDERED_DIVISOR - MAX_ENTRIES / ORDERED_DIVISOR / 2;
    /* Shared bits beyond those that a leaf's discriminators leave out, before the discriminators are computed anew from keys. */
    private static final int REBASE_BITS = 4;
    private static final int NO_SLOT = -1;
    private static final int LEAST_KEY_BYTES = 32;

    private final Leaves leaves;
    private final BlockAllocator blocks;
    private final Slab slab;
    private final KeySource keys;
    private final MetaTrieWriter trie;
    private final LeafOrder order;
    private final long[] payloads = new long[SLOTS];
    /* Slots and discriminators of a leaf's entries in key order. */
    private final byte[] slots = new byte[SLOTS];
    private final int[] discriminators = new int[SLOTS];
    private final PrefetchVector lines = new PrefetchVector();
    /* As long as the longest key. */
    private byte[] anchor = {};
    private byte[] other = {};
    /* The leaf to merge into the one before it, or 0; number of entries of that one and of both, and bits that both share. */
    private long victim;
    private int leftCount;
    private int joinedCount;
    private int joinedShared;

    LeafRebalancer(final Leaves leaves, final BlockAllocator blocks, final MetaTrieWriter trie) {
        this.leaves = leaves;
        this.blocks = blocks;
        this.slab = blocks.slab();
        this.keys = leaves.keys();
        this.trie = trie;
        this.order = new LeafOrder(leaves);
    }

    /** Allocates heap for keys up to a length, before any of them is put. */
    void expectKeys(final int length) {
        if (length > anchor.length) {
            final int size = Math.max(LEAST_KEY_BYTES, Integer.highestOneBit(length) << 1);
            trie.expectKeys(size);
            other = new byte[size];
            anchor = new byte[size];
        }
    }

    /** Makes the first leaf. */
    long makeFirst() {
        final long leaf = blocks.allocate(WormholeBlockClasses.LEAF);
        slab.putInt(TableLayout.FIRST_LEAF_OFFSET, reference(leaf));
        slab.putIntRelease(TableLayout.LAST_LEAF_OFFSET, reference(leaf));
        return leaf;
    }

    /**
     * Splits a leaf without room for a key; returns the leaf to which the key belongs now. If there is no memory for another
     * leaf, it throws, and nothing has changed, nor if a key of the leaf cannot be read: all needed keys are read first.
     */
    long split(final long leaf, final byte[] key, final int offset, final int length) {
        // wormhole-concurrency.md, claim 7
        order.requestEntries(leaf);
        final int count = readOrder(leaf, 0, NO_SLOT);
        final int at = splitPoint(leaf, count, key, offset, length);
        final int anchorLength = commonPrefix(leaf, at) + 1;
        keys.copyKey(payload(leaf, at), anchor, 0);
        final int next = leaves.next(leaf);
        final int base = sharedBitsOf(leaf);
        final int rightShared = rebased(base, next == 0 ? 0 : sharedWith(offset(next), anchor, anchorLength));
        if (rightShared != base) {
            readDiscriminators(rightShared, leaf, at, count);
        }
        final int leftShared = rebased(base, sharedWith(leaf, anchor, anchorLength));
        if (leftShared != base) {
            readDiscriminators(leftShared, leaf, 0, at);
        }
        trie.expect(anchorLength);
        final long right = allocateLeaf(anchorLength);
        slab.putIntRelease(right + NEXT_OFFSET, next);
        slab.putIntRelease(right + PREVIOUS_OFFSET, reference(leaf));
        putShared(right, rightShared);
        fill(right, leaf, at, count);
        inheritChained(leaf, right, next);

        final long version = slab.getLong(TableLayout.VERSION_OFFSET);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 1);
        VarHandle.releaseFence();
        final long state = beginRewriting(leaf);
        if (next != 0) {
            slab.putIntRelease(offset(next) + PREVIOUS_OFFSET, reference(right));
        } else {
            slab.putIntRelease(TableLayout.LAST_LEAF_OFFSET, reference(right));
        }
        slab.putIntRelease(leaf + NEXT_OFFSET, reference(right));
        long flags = state & UNINDEXED;
        if (!addToTrie(right, anchorLength)) {
            flags |= CHAINED;
            slab.putLongRelease(right + STATE_OFFSET, slab.getLong(right + STATE_OFFSET) | UNINDEXED);
        }
        leaves.removeEntries(leaf, slots, at, count);
        if (leftShared != base) {
            putShared(leaf, leftShared);
            writeOrder(leaf, at);
        }
        endRewriting(leaf, state, flags, at);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 2);
        return Anchor.admits(slab, right, key, offset, length) ? right : leaf;
    }

    /** Sets CHAINED of a new leaf as of the leaf before it: unindexed leaves follow. */
    private void inheritChained(final long leaf, final long right, final int next) {
        if (next != 0 && (leaves.state(leaf) & CHAINED) != 0) {
            slab.putLongRelease(right + STATE_OFFSET, slab.getLong(right + STATE_OFFSET) | CHAINED);
        }
    }

    private long allocateLeaf(final int anchorLength) {
        blocks.requireSpace(1, WormholeBlockClasses.LEAF);
        final long leaf = blocks.allocate(WormholeBlockClasses.LEAF);
        order.requestEntries(leaf);
        if (Anchor.needsBlock(anchorLength)) {
            final int sizeClass = Anchor.blockClass(anchorLength);
            final long block = blocks.tryAllocate(sizeClass, Math.max(sizeClass, WormholeBlockClasses.LEAF));
            if (block == 0) {
                blocks.free(leaf, WormholeBlockClasses.LEAF);
                throw new SpaceExhaustedException("an anchor of " + anchorLength + " bytes does not fit: "
                    + blocks.bytesReserved() + " of " + slab.size() + " bytes of the index are taken");
            }
            slab.putInt(leaf + ANCHOR_BLOCK_OFFSET, reference(block));
        }
        Anchor.put(slab, leaf, anchor, anchorLength);
        return leaf;
    }

    /**
     * Reads slots and discriminators of a leaf in key order, one slot excepted, behind those read before; returns the number of
     * all read so far.
     */
    private int readOrder(final long leaf, final int from, final int without) {
        final int count = count(leaves.state(leaf));
        int to = from;
        for (int i = 0; i < count; i++) {
            final int slot = order.slot(leaf, i);
            if (slot != without) {
                slots[to] = (byte) slot;
                discriminators[to++] = order.discriminator(leaf, i);
            }
        }
        return to;
    }

    /** Writes the order of a leaf whose state has REWRITING. */
    private void writeOrder(final long leaf, final int count) {
        for (int i = 0; i < count; i++) {
            order.set(leaf, i, slots[i], discriminators[i]);
        }
    }

    /** Returns the payload of an entry, by its position in the order read last. */
    private long payload(final long leaf, final int i) {
        return leaves.payload(slab.getLong(leaf + slotOffset(slots[i])));
    }

    /** Returns the number of the first entry that goes to the new leaf. */
    private int splitPoint(final long leaf, final int count, final byte[] key, final int offset, final int length) {
        int middle = count >>> 1;
        final int discriminator = leaves.discriminatorOf(leaf, key, offset, length);
        if (compare(leaf, count - 1, discriminator, key, offset, length) < 0) {
            middle = count - count / ORDERED_DIVISOR;
        } else if (compare(leaf, 0, discriminator, key, offset, length) > 0) {
            middle = count / ORDERED_DIVISOR;
        }
        int best = middle;
        int shortest = commonPrefix(leaf, middle);
        final int window = Math.min(count / WINDOW_DIVISOR, Math.min(middle, count - middle) / 2);
        for (int distance = 1; distance <= window && shortest > 0; distance++) {
            for (int at = middle - distance; at <= middle + distance; at += 2 * distance) {
                final int common = commonPrefix(leaf, at);
                if (common < shortest) {
                    shortest = common;
                    best = at;
                }
            }
        }
        return best;
    }

    /** Compares the key of an entry with another key of the same leaf. */
    private int compare(
        final long leaf, final int i, final int discriminator, final byte[] key, final int offset, final int length) {
        return discriminators[i] != discriminator
            ? discriminators[i] - discriminator : keys.compareKey(payload(leaf, i), key, offset, length);
    }

    /**
     * Returns the number of leading bytes that an entry's key shares with that of the entry before; zeroes may stand for what is
     * behind the end of the lower key.
     */
    private int commonPrefix(final long leaf, final int i) {
        final int difference = discriminators[i - 1] ^ discriminators[i];
        if (difference != 0) {
            return sharedBitsOf(leaf) + Integer.numberOfLeadingZeros(difference) - Short.SIZE >>> 3;
        }
        final int leftLength = keys.copyKey(payload(leaf, i - 1), anchor, 0);
        final int rightLength = keys.copyKey(payload(leaf, i), other, 0);
        return ByteComparison.commonPrefix(anchor, 0, leftLength, other, 0, rightLength);
    }

    /** Fills an empty leaf with some entries of another one. */
    private void fill(final long right, final long leaf, final int from, final int to) {
        for (int i = from; i < to; i++) {
            final long word = slab.getLong(leaf + slotOffset(slots[i])) & ~OVERFLOW;
            order.set(right, i - from, leaves.place(right, word), discriminators[i]);
        }
        slab.putLongRelease(right + STATE_OFFSET, withCount(slab.getLong(right + STATE_OFFSET), to - from));
    }

    /** Computes the discriminators of some entries of a leaf from their keys, behind a number of shared bits. */
    private void readDiscriminators(final int shared, final long leaf, final int from, final int to) {
        for (int i = from; i < to; i++) {
            payloads[i] = payload(leaf, i);
            lines.add(keys.address(payloads[i]));
        }
        lines.request();
        for (int i = from; i < to; i++) {
            discriminators[i] = behind(shared, keys.keyWord(payloads[i], shared >>> 3));
        }
    }

    private int shared(final long leaf) {
        return slab.getShort(leaf + SHARED_LENGTH_OFFSET) & 0xFFFF;
    }

    /** Returns the number of shared bits that a leaf's discriminators leave out. */
    private int sharedBitsOf(final long leaf) {
        return (shared(leaf) << 3) + sharedBits(slab.getLong(leaf + STATE_OFFSET));
    }

    /** Returns the shared bits that a part of a leaf leaves out: as many as before, unless its keys share many more. */
    private static int rebased(final int before, final int shared) {
        return shared >= before + REBASE_BITS ? shared : before;
    }

    /** Returns the number of bits that all keys of a leaf share, given its anchor and the next one: a leaf's and another one. */
    private int sharedWith(final long leaf, final byte[] bytes, final int length) {
        final int shared = Anchor.commonPrefix(slab, leaf, bytes, 0, length);
        final int inLeaf = shared < Anchor.length(slab, leaf) ? Anchor.byteAt(slab, leaf, shared) : 0;
        final int difference = inLeaf ^ (shared < length ? bytes[shared] & 0xFF : 0);
        // One bit less than all if the next anchor continues with a zero.
        final int bits = Math.min(SHARED_BITS_MASK, Integer.numberOfLeadingZeros(difference) - 3 * Byte.SIZE);
        return (shared << 3) + bits;
    }

    private void putShared(final long leaf, final int bits) {
        slab.putShort(leaf + SHARED_LENGTH_OFFSET, (short) (bits >>> 3));
        slab.putLongRelease(leaf + STATE_OFFSET,
            slab.getLong(leaf + STATE_OFFSET) & ~((long) SHARED_BITS_MASK << SHARED_BITS_SHIFT)
                | (long) (bits & SHARED_BITS_MASK) << SHARED_BITS_SHIFT);
    }

    long beginRewriting(final long leaf) {
        final long state = slab.getLong(leaf + STATE_OFFSET);
        slab.putLongRelease(leaf + STATE_OFFSET, state | REWRITING);
        VarHandle.releaseFence();
        return state;
    }

    void endRewriting(final long leaf, final long before, final long flags, final int count) {
        final long version = nextVersion(before) >>> VERSION_SHIFT << VERSION_SHIFT;
        final long bits = slab.getLong(leaf + STATE_OFFSET) & (long) SHARED_BITS_MASK << SHARED_BITS_SHIFT;
        slab.putLongRelease(leaf + STATE_OFFSET, version | flags | bits | count);
    }

    /** Adds a listed leaf to the meta trie; returns false if there is no memory. */
    private boolean addToTrie(final long leaf, final int anchorLength) {
        return trie.add(anchor, anchorLength, reference(leaf), indexedBefore(leaf), indexedAfter(leaf));
    }

    /** Tries to index an unindexed leaf, for which memory was missing before. */
    void index(final long leaf) {
        trie.expect(Anchor.length(slab, leaf));
        final long version = slab.getLong(TableLayout.VERSION_OFFSET);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 1);
        VarHandle.releaseFence();
        if (addToTrie(leaf, Anchor.copy(slab, leaf, anchor))) {
            final long before = offset(leaves.previous(leaf));
            slab.putLongRelease(before + STATE_OFFSET, slab.getLong(before + STATE_OFFSET) & ~CHAINED);
            slab.putLongRelease(leaf + STATE_OFFSET, slab.getLong(leaf + STATE_OFFSET) & ~UNINDEXED);
        }
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 2);
    }

    private int indexedBefore(final long leaf) {
        int before = leaves.previous(leaf);
        while ((leaves.state(offset(before)) & UNINDEXED) != 0) {
            before = leaves.previous(offset(before));
        }
        return before;
    }

    private int indexedAfter(final long leaf) {
        int after = leaves.next(leaf);
        while (after != 0 && (leaves.state(offset(after)) & UNINDEXED) != 0) {
            after = leaves.next(offset(after));
        }
        return after;
    }

    /**
     * Prepares merging a leaf that is about to lose an entry with a neighbour, if both fit into one afterwards: allocates heap
     * and reads keys, as nothing may fail later.
     */
    void prepareMerge(final long leaf, final int slot) {
        trie.expect(0);
        victim = 0;
        final int count = count(leaves.state(leaf)) - 1;
        final int before = leaves.previous(leaf);
        final int after = leaves.next(leaf);
        if (before != 0 && fitTogether(count, count(leaves.state(offset(before))))) {
            leftCount = readOrder(offset(before), 0, NO_SLOT);
            prepareMerge(offset(before), leaf, readOrder(leaf, leftCount, slot));
        } else if (after != 0 && fitTogether(count, count(leaves.state(offset(after))))) {
            leftCount = readOrder(leaf, 0, slot);
            prepareMerge(leaf, offset(after), readOrder(offset(after), leftCount, NO_SLOT));
        }
    }

    private void prepareMerge(final long left, final long right, final int count) {
        final int next = leaves.next(right);
        joinedShared = next == 0 ? 0 : sharedWith(offset(next), other, Anchor.copy(slab, left, other));
        readDiscriminators(joinedShared, left, 0, leftCount);
        readDiscriminators(joinedShared, right, leftCount, count);
        joinedCount = count;
        victim = right;
    }

    private static boolean fitTogether(final int count, final int other) {
        return count + other <= MERGE_ENTRIES || count == 0;
    }

    /** Merges the prepared leaves, if any: moves all entries of one to the one before it. */
    void mergePrepared() {
        // wormhole-concurrency.md, claim 8
        if (victim == 0) {
            return;
        }
        final long left = offset(leaves.previous(victim));
        final long version = slab.getLong(TableLayout.VERSION_OFFSET);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 1);
        VarHandle.releaseFence();
        final long state = beginRewriting(left);
        final long victimState = slab.getLong(victim + STATE_OFFSET);
        final int next = leaves.next(victim);
        for (int i = leftCount; i < joinedCount; i++) {
            slots[i] = (byte) leaves.place(left, slab.getLong(victim + slotOffset(slots[i])) & ~OVERFLOW);
        }
        slab.putIntRelease(left + NEXT_OFFSET, next);
        if (next != 0) {
            slab.putIntRelease(offset(next) + PREVIOUS_OFFSET, reference(left));
        } else {
            slab.putIntRelease(TableLayout.LAST_LEAF_OFFSET, reference(left));
        }
        slab.putLongRelease(victim + STATE_OFFSET, victimState | DEAD);
        if ((victimState & UNINDEXED) == 0) {
            trie.remove(anchor, Anchor.copy(slab, victim, anchor), reference(victim), indexedLeafOf(left), indexedAfter(left));
        }
        putShared(left, joinedShared);
        writeOrder(left, joinedCount);
        endRewriting(left, state, state & UNINDEXED | victimState & CHAINED, joinedCount);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 2);
        final int anchorBlock = slab.getInt(victim + ANCHOR_BLOCK_OFFSET);
        if (anchorBlock != 0) {
            blocks.retire(offset(anchorBlock), Anchor.blockClass(Anchor.length(slab, victim)));
        }
        blocks.retire(victim, WormholeBlockClasses.LEAF);
    }

    /** Returns the indexed leaf that leads to a leaf, itself if it is indexed. */
    private int indexedLeafOf(final long leaf) {
        return (leaves.state(leaf) & UNINDEXED) == 0 ? reference(leaf) : indexedBefore(leaf);
    }

    long spareLink() {
        return trie.spareLink();
    }
}
