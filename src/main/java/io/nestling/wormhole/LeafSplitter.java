/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.PointIndex;
import io.nestling.memory.BlockAllocator;
import io.nestling.memory.KeySource;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;
import io.nestling.memory.SpaceExhaustedException;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Divides full leaves and joins small ones (Wormhole, algorithm 4), and lets the meta trie know.
 * <p> No entry that stays in a leaf moves, so that readers find all keys at any moment: those that go to a new leaf are
 * there before they leave the old one.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class LeafSplitter {
    /* The anchor may be up to a quarter of the leaf away from the middle where that makes it shorter. */
    private static final int WINDOW_DIVISOR = 8;
    /* Where keys come in order, a leaf is left almost full. */
    private static final int ORDERED_DIVISOR = 10;
    /* Bits that keys must share beyond those that a leaf's discriminators leave out, before these are read anew from keys. */
    private static final int REBASE_BITS = 4;
    /* Records that are requested together. */
    private static final int REQUESTED_RECORDS = 8;

    private final Leaves leaves;
    private final BlockAllocator blocks;
    private final Slab slab;
    private final KeySource keys;
    private final MetaTrieWriter trie;
    private final LeafPlaces places;
    private final long[] payloads = new long[SLOTS];
    /* Slots and discriminators of the entries of a leaf in key order. */
    private final byte[] slots = new byte[SLOTS];
    private final int[] discriminators = new int[SLOTS];
    private final int[] filled = new int[LINES];
    private final PrefetchVector lines = new PrefetchVector();
    private final byte[] anchor = new byte[PointIndex.MAX_KEY_BYTES];
    private final byte[] other = new byte[PointIndex.MAX_KEY_BYTES];

    LeafSplitter(final Leaves leaves, final BlockAllocator blocks, final MetaTrieWriter trie) {
        this.leaves = leaves;
        this.blocks = blocks;
        this.slab = blocks.slab();
        this.keys = leaves.keys();
        this.trie = trie;
        this.places = new LeafPlaces(leaves);
    }

    /** Makes the first leaf. */
    long makeFirst() {
        final long leaf = blocks.allocate(BlockClasses.LEAF);
        slab.putInt(TableLayout.FIRST_LEAF_OFFSET, reference(leaf));
        slab.putIntRelease(TableLayout.LAST_LEAF_OFFSET, reference(leaf));
        return leaf;
    }

    /**
     * Divides a leaf for a key that it has no room for.
     *
     * @return the leaf that the key belongs to now
     * @throws SpaceExhaustedException if there is no memory for another leaf; nothing has changed then. Keys of the leaf must be
     *     readable: one that is not, once the new leaf is made, leaves the old one as being rewritten
     */
    long split(final long leaf, final byte[] key, final int offset, final int length) {
        request(leaf);
        final int count = readPlaces(leaf);
        final int at = splitPoint(leaf, count, key, offset, length);
        final int anchorLength = commonPrefix(leaf, at) + 1;
        keys.copyKey(payload(leaf, at), anchor, 0);
        trie.expect(anchorLength);
        final long right = allocateLeaf(anchorLength);
        final int next = leaves.next(leaf);
        slab.putIntRelease(right + NEXT_OFFSET, next);
        slab.putIntRelease(right + PREVIOUS_OFFSET, reference(leaf));
        final int base = sharedBitsOf(leaf);
        if (setShared(right, next, base)) {
            readDiscriminators(right, leaf, at, count);
        }
        fill(right, leaf, at, count);
        link(leaf, right, next);

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
            slab.putLongRelease(right, slab.getLong(right) | UNINDEXED);
        }
        leaves.takeOut(leaf, slots, at, count);
        if (setShared(leaf, reference(right), base)) {
            readDiscriminators(leaf, leaf, 0, at);
            for (int i = 0; i < at; i++) {
                places.set(leaf, i, slots[i], discriminators[i]);
            }
        }
        endRewriting(leaf, state, flags, at);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 2);
        return Anchor.admits(slab, right, key, offset, length) ? right : leaf;
    }

    /** Asks for the lines of a leaf's entries all at once. */
    private void request(final long leaf) {
        for (int at = ENTRIES_OFFSET; at < LEAF_BYTES; at += LINE_BYTES) {
            lines.add(slab, leaf + at);
        }
        lines.request();
    }

    /** What a leaf hands down to a new one behind it: that unindexed leaves follow. */
    private void link(final long leaf, final long right, final int next) {
        if (next != 0 && (leaves.state(leaf) & CHAINED) != 0) {
            slab.putLongRelease(right, slab.getLong(right) | CHAINED);
        }
    }

    private long allocateLeaf(final int anchorLength) {
        blocks.ensure(1, BlockClasses.LEAF);
        final long leaf = blocks.allocate(BlockClasses.LEAF);
        request(leaf);
        if (Anchor.needsBlock(anchorLength)) {
            final int sizeClass = Anchor.blockClass(anchorLength);
            final long block = blocks.tryAllocate(sizeClass, Math.max(sizeClass, BlockClasses.LEAF));
            if (block == 0) {
                blocks.free(leaf, BlockClasses.LEAF);
                throw new SpaceExhaustedException("an anchor of " + anchorLength + " bytes does not fit: "
                    + blocks.bytesReserved() + " of " + slab.size() + " bytes of the index are taken");
            }
            slab.putInt(leaf + ANCHOR_BLOCK_OFFSET, reference(block));
        }
        Anchor.put(slab, leaf, anchor, anchorLength);
        return leaf;
    }

    /** Reads slots and discriminators of a leaf in key order; returns their number. */
    private int readPlaces(final long leaf) {
        final int count = count(leaves.state(leaf));
        for (int i = 0; i < count; i++) {
            slots[i] = (byte) places.slot(leaf, i);
            discriminators[i] = places.discriminator(leaf, i);
        }
        return count;
    }

    /** Payload of the entry of a leaf that is at a place of the key order which was read last. */
    private long payload(final long leaf, final int i) {
        return leaves.payload(slab.getLong(leaf + slotOffset(slots[i])));
    }

    /** Number of the first entry that goes to the new leaf. */
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
        final int window = Math.min(count / WINDOW_DIVISOR, Math.min(middle, count - middle) - 1);
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
     * Number of leading bytes that an entry's key shares with that of the entry before it, where zeroes may stand for what
     * lies behind the end of the lower one.
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

    /** Fills an empty leaf, home lines from their first slot on. */
    private void fill(final long right, final long leaf, final int from, final int to) {
        Arrays.fill(filled, 0);
        for (int i = from; i < to; i++) {
            final long word = slab.getLong(leaf + slotOffset(slots[i])) & ~OVERFLOW;
            int line = homeLine(word);
            while (filled[line] == LINE_SLOTS) {
                final long at = right + lineOffset(line);
                slab.putLong(at, slab.getLong(at) | OVERFLOW); // nobody sees this leaf yet
                line = nextLine(line);
            }
            final int slot = (line << LINE_SLOTS_SHIFT) + filled[line]++;
            slab.putLongRelease(right + slotOffset(slot), word);
            places.set(right, i - from, slot, discriminators[i]);
        }
        for (int line = 0; line < LINES; line++) {
            slab.putByte(right + TAKEN_OFFSET + line, (byte) ((1 << filled[line]) - 1));
        }
        slab.putLongRelease(right, withCount(slab.getLong(right), to - from));
    }

    /** Reads the discriminators that some entries of a leaf have in a leaf from their keys. */
    private void readDiscriminators(final long target, final long leaf, final int from, final int to) {
        int read = from;
        for (int i = from; i < to; i++) {
            payloads[i] = payload(leaf, i);
            lines.add(keys.address(payloads[i]));
            if ((i - from) % REQUESTED_RECORDS == REQUESTED_RECORDS - 1) {
                // More of them at a time would be forgotten by the processor: some are read before the next are requested.
                lines.request();
                for (; read <= i - REQUESTED_RECORDS; read++) {
                    discriminators[read] = discriminator(target, payloads[read]);
                }
            }
        }
        lines.request();
        for (; read < to; read++) {
            discriminators[read] = discriminator(target, payloads[read]);
        }
    }

    private int discriminator(final long leaf, final long payload) {
        return LeafLayout.discriminator(slab.getLong(leaf + STATE_OFFSET), keys.keyWord(payload, shared(leaf)));
    }

    private int shared(final long leaf) {
        return slab.getShort(leaf + SHARED_LENGTH_OFFSET) & 0xFFFF;
    }

    /** Bits of all keys of a leaf that its discriminators leave out. */
    private int sharedBitsOf(final long leaf) {
        return (shared(leaf) << 3) + sharedBits(slab.getLong(leaf + STATE_OFFSET));
    }

    /**
     * Writes down how many bytes and bits all keys of a leaf share: those of the leaf that it was a part of, unless they
     * share many more.
     *
     * @return whether it is more than before
     */
    private boolean setShared(final long leaf, final int next, final int before) {
        final int shared = sharedWith(leaf, next);
        final boolean changed = shared >= before + REBASE_BITS;
        putShared(leaf, changed ? shared : before);
        return changed;
    }

    /** Bits that all keys of a leaf share that ends before another one. */
    private int sharedWith(final long leaf, final int next) {
        if (next == 0) {
            return 0;
        }
        final int length = Anchor.copy(slab, leaf, other);
        final int shared = Anchor.commonPrefix(slab, offset(next), other, 0, length);
        final int difference = Anchor.byteAt(slab, offset(next), shared) ^ (shared < length ? other[shared] : 0);
        // One bit less than all where the next anchor goes on with a zero.
        final int bits = Math.min(SHARED_BITS_MASK, Integer.numberOfLeadingZeros(difference & 0xFF) - 3 * Byte.SIZE);
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

    /** Adds a leaf that is in the list to the meta trie, if there is memory. */
    private boolean addToTrie(final long leaf, final int anchorLength) {
        return trie.add(anchor, anchorLength, reference(leaf), indexedBefore(leaf), indexedAfter(leaf));
    }

    /** Makes room on the heap for what joining leaves needs. */
    void expectMerge() {
        trie.expect(0);
    }

    /** Tries to index an unindexed leaf, for which there was no memory before. */
    void index(final long leaf) {
        trie.expect(Anchor.length(slab, leaf));
        final long version = slab.getLong(TableLayout.VERSION_OFFSET);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 1);
        VarHandle.releaseFence();
        if (addToTrie(leaf, Anchor.copy(slab, leaf, anchor))) {
            final long before = offset(leaves.previous(leaf));
            slab.putLongRelease(before, slab.getLong(before) & ~CHAINED);
            slab.putLongRelease(leaf, slab.getLong(leaf) & ~UNINDEXED);
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

    /** Joins a leaf that has become small with a neighbour, if both fit into one. */
    void mergeIfSmall(final long leaf) {
        final int count = count(leaves.state(leaf));
        final int before = leaves.previous(leaf);
        final int after = leaves.next(leaf);
        if (before != 0 && fitTogether(count, count(leaves.state(offset(before))))) {
            merge(offset(before), leaf);
        } else if (after != 0 && fitTogether(count, count(leaves.state(offset(after))))) {
            merge(leaf, offset(after));
        }
    }

    private static boolean fitTogether(final int count, final int other) {
        return count + other <= MERGE_ENTRIES || count == 0;
    }

    /** Moves all entries of a leaf to the one before it. */
    private void merge(final long left, final long victim) {
        final long version = slab.getLong(TableLayout.VERSION_OFFSET);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 1);
        VarHandle.releaseFence();
        final long state = beginRewriting(left);
        final long victimState = slab.getLong(victim + STATE_OFFSET);
        final int next = leaves.next(victim);
        final int leftCount = count(state);
        final int victimCount = readPlaces(victim);
        final int count = leftCount + victimCount;
        for (int i = 0; i < victimCount; i++) {
            places.set(
                left, leftCount + i, leaves.place(left, slab.getLong(victim + slotOffset(slots[i])) & ~OVERFLOW), 0);
        }
        slab.putIntRelease(left + NEXT_OFFSET, next);
        if (next != 0) {
            slab.putIntRelease(offset(next) + PREVIOUS_OFFSET, reference(left));
        } else {
            slab.putIntRelease(TableLayout.LAST_LEAF_OFFSET, reference(left));
        }
        slab.putLongRelease(victim + STATE_OFFSET, victimState | DEAD);
        if ((victimState & UNINDEXED) == 0) {
            trie.remove(anchor, Anchor.copy(slab, victim, anchor), reference(victim), headOf(left), indexedAfter(left));
        }
        putShared(left, sharedWith(left, next));
        for (int i = 0; i < count; i++) {
            final int slot = places.slot(left, i);
            final long payload = leaves.payload(slab.getLong(left + slotOffset(slot)));
            places.set(left, i, slot, discriminator(left, payload));
        }
        endRewriting(left, state, state & UNINDEXED | victimState & CHAINED, count);
        slab.putLongRelease(TableLayout.VERSION_OFFSET, version + 2);
        final int anchorBlock = slab.getInt(victim + ANCHOR_BLOCK_OFFSET);
        if (anchorBlock != 0) {
            blocks.retire(offset(anchorBlock), Anchor.blockClass(Anchor.length(slab, victim)));
        }
        blocks.retire(victim, BlockClasses.LEAF);
    }

    /** The indexed leaf through which a leaf is reached, itself if it is indexed. */
    private int headOf(final long leaf) {
        return (leaves.state(leaf) & UNINDEXED) == 0 ? reference(leaf) : indexedBefore(leaf);
    }

    long spareLink() {
        return trie.spareLink();
    }
}
