/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.bytes.ByteComparison;
import io.nestling.bytes.KeyHash;
import io.nestling.index.PointIndex;
import io.nestling.offheap.BlockAllocator;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.Slab;

import java.util.HashMap;
import java.util.Map;

/**
 * Checks the invariants that {@link Wormhole} lists, while no writer works.
 * <h2>Thread safety</h2>
 * None.
 */
final class WormholeVerifier {
    private final Leaves leaves;
    private final Slab slab;
    private final KeySource keys;
    private final MetaTrieHashTable table;
    private final MetaNodes nodes;
    private final BlockAllocator blocks;
    private final byte[] anchor = new byte[PointIndex.MAX_KEY_BYTES];
    private final byte[] before = new byte[PointIndex.MAX_KEY_BYTES];
    /* By depth and two hashes of the prefix, as prefixes may be long and many. */
    private final Map<Prefix, Expected> trie = new HashMap<>();
    private final PrefixHasher hasher;
    private final PrefixHasher other;
    private long bytes;
    private long entries;
    private int deepest;

    /** Stands for a prefix. */
    private record Prefix(int depth, long hash, long otherHash) {
    }

    /** The expected content of a node of the meta trie. */
    private static final class Expected {
        private final int[] last = new int[WormholeNodeLayout.MAX_TOKENS];
        private final int floor;
        private final boolean terminal;
        private boolean seen;

        Expected(final int floor, final boolean terminal) {
            this.floor = floor;
            this.terminal = terminal;
        }
    }

    WormholeVerifier(
        final Leaves leaves, final MetaTrieHashTable table, final MetaNodes nodes, final BlockAllocator blocks,
        final KeyHash keyHash) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
        this.table = table;
        this.nodes = nodes;
        this.blocks = blocks;
        this.hasher = new PrefixHasher(keyHash);
        this.other = new PrefixHasher(KeyHash.secret());
    }

    /** Checks everything; {@code spareLink} is a spare block, or 0. */
    void verify(final long entryCount, final long spareLink) {
        bytes = BlockAllocator.RESERVED_BYTES + (spareLink == 0 ? 0 : WormholeBlockClasses.bytes(WormholeBlockClasses.LINK));
        check((slab.getLong(TableLayout.VERSION_OFFSET) & 1) == 0, 1, "a change is under way");
        verifyList();
        check(entries == entryCount, 1, "leaves hold " + entries + " entries, the index has " + entryCount);
        expectNodes();
        verifyTable();
        check(blocks.bytesUsed() == bytes, 10,
            "the structure takes " + bytes + " bytes, " + blocks.bytesUsed() + " are in use");
    }

    private void check(final boolean holds, final int invariant, final String broken) {
        if (!holds) {
            throw new IllegalStateException("invariant " + invariant + ": " + broken);
        }
    }

    private void verifyList() {
        int leaf = slab.getInt(TableLayout.FIRST_LEAF_OFFSET);
        int previous = 0;
        int beforeLength = -1;
        while (leaf != 0) {
            final long at = offset(leaf);
            final String where = "leaf at " + at;
            final int length = Anchor.copy(slab, at, anchor);
            check(leaves.previous(at) == previous, 1, where + " follows " + previous + " and says " + leaves.previous(at));
            if (beforeLength < 0) {
                check(length == 0, 2, where + ", the first one, has an anchor of " + length + " bytes");
            } else {
                check(ByteComparison.compare(before, 0, beforeLength, anchor, 0, length) < 0, 2,
                    where + ": its anchor is not above the one before");
            }
            check(leaves.next(at) != 0 || slab.getInt(TableLayout.LAST_LEAF_OFFSET) == leaf, 1, where + " is not the last one");
            verifyFlags(at, previous, where);
            verifyLeaf(at, where);
            bytes += LEAF_BYTES + (Anchor.needsBlock(length) ? WormholeBlockClasses.bytes(Anchor.blockClass(length)) : 0);
            System.arraycopy(anchor, 0, before, 0, length);
            beforeLength = length;
            previous = leaf;
            leaf = leaves.next(at);
        }
        for (int at = slab.getInt(TableLayout.FIRST_LEAF_OFFSET); at != 0; at = leaves.next(offset(at))) {
            verifyShared(offset(at));
        }
    }

    private void verifyFlags(final long leaf, final int previous, final String where) {
        final long state = leaves.state(leaf);
        check((state & (DEAD | REWRITING)) == 0, 1, where + " is dead or being rewritten");
        final boolean unindexed = (state & UNINDEXED) != 0;
        final boolean chained = previous != 0 && (leaves.state(offset(previous)) & CHAINED) != 0;
        check(unindexed == chained, 1, where + (unindexed ? " is not reached" : " is said to be unindexed"));
        check(leaves.next(leaf) != 0 || (state & CHAINED) == 0, 1, where + " is chained to nothing");
    }

    /** Checks that a leaf's anchor and the next one share what the leaf says that its keys share. */
    private void verifyShared(final long leaf) {
        final int length = Anchor.copy(slab, leaf, anchor);
        final int shared = slab.getShort(leaf + SHARED_LENGTH_OFFSET) & 0xFFFF;
        final int bits = (shared << 3) + sharedBits(leaves.state(leaf));
        final long next = offset(leaves.next(leaf));
        final int common = next == 0 ? 0 : Anchor.commonPrefix(slab, next, anchor, 0, length);
        int limit = 0;
        if (next != 0) {
            // Zeroes stand for what is behind the lower anchor's end, as in discriminators.
            final int lower = common < length ? anchor[common] & 0xFF : 0;
            final int upper = Anchor.byteAt(slab, next, common);
            limit = common << 3;
            for (int bit = Byte.SIZE - 1; bit >= 0 && (lower >>> bit & 1) == (upper >>> bit & 1); bit--) {
                limit++;
            }
        }
        check(bits <= limit, 7,
            "leaf at " + leaf + " says that its keys share " + bits + " bits, its anchors have " + limit);
    }

    private void verifyLeaf(final long leaf, final String where) {
        final long state = leaves.state(leaf);
        final int count = LeafLayout.count(state);
        check(count <= SLOTS, 4, where + " has " + count + " entries");
        final boolean[] listed = new boolean[SLOTS];
        long payloadBefore = PointIndex.NONE;
        for (int i = 0; i < count; i++) {
            final int slot = slab.getByte(leaf + ORDER_OFFSET + i);
            check(slot >= 0 && slot < SLOTS && !listed[slot], 5, where + " lists slot " + slot + " wrongly");
            listed[slot] = true;
            final long word = slab.getLong(leaf + slotOffset(slot));
            check((word & PRESENT) != 0, 5, where + " lists the empty slot " + slot);
            final long payload = leaves.payload(word);
            final byte[] key = key(payload);
            check(payloadBefore == PointIndex.NONE || keys.compareKey(payloadBefore, key, 0, key.length) < 0, 5,
                where + ": the entry in slot " + slot + " is out of order");
            payloadBefore = payload;
        }
        for (int i = 0; i < count; i++) {
            final long word = slab.getLong(leaf + slotOffset(slab.getByte(leaf + ORDER_OFFSET + i)));
            verifyDiscriminator(leaf, i, leaves.payload(word), where + " position " + i);
        }
        int present = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            final long word = slab.getLong(leaf + slotOffset(slot));
            final boolean taken = (leaves.taken(leaf, slot >> LINE_SLOTS_SHIFT) & 1 << (slot & LINE_SLOTS - 1)) != 0;
            check(taken == ((word & PRESENT) != 0), 4, where + " says of slot " + slot + (taken ? " taken" : " free"));
            if (taken) {
                present++;
                verifyEntry(leaf, slot, word, where + " slot " + slot);
            }
        }
        check(present == count, 4, where + " has " + present + " entries and says " + count);
        check(count > 0 || leaves.next(leaf) == 0 && leaves.previous(leaf) == 0, 4, where + " is empty");
        entries += count;
    }

    private byte[] key(final long payload) {
        final byte[] key = new byte[keys.keyLength(payload)];
        keys.copyKey(payload, key, 0);
        return key;
    }

    private void verifyEntry(final long leaf, final int slot, final long word, final String where) {
        bytes += (word & IN_BLOCK) != 0 ? WormholeBlockClasses.bytes(WormholeBlockClasses.PAYLOAD) : 0;
        final long payload = leaves.payload(word);
        final byte[] key = key(payload);
        hasher.reset(key, 0, key.length);
        check(((word ^ probe(hasher.hash())) & PROBE_MASK) == 0, 6, where + " has the tag of another key");
        for (int line = homeLine(word); line != slot >> LINE_SLOTS_SHIFT; line = nextLine(line)) {
            check((slab.getLong(leaf + lineOffset(line)) & OVERFLOW) != 0, 6, where + " is not found from its home line");
        }
        check(Anchor.admits(slab, leaf, key, 0, key.length), 2, where + " is below the anchor");
        final int next = leaves.next(leaf);
        check(next == 0 || !Anchor.admits(slab, offset(next), key, 0, key.length), 2, where + " is at or above the next anchor");
        final int shared = slab.getShort(leaf + SHARED_LENGTH_OFFSET) & 0xFFFF;
        check(shared == 0 || Anchor.commonPrefix(slab, leaf, key, 0, key.length) >= shared, 7,
            where + " does not share " + shared + " bytes with the anchor");
    }

    private void verifyDiscriminator(final long leaf, final int position, final long payload, final String where) {
        final byte[] key = key(payload);
        final int discriminator = discriminator(leaf, position);
        check(position == 0 || discriminator(leaf, position - 1) <= discriminator, 7,
            where + " has a lower discriminator than the one before");
        check(discriminator == leaves.discriminatorOf(leaf, key, 0, key.length), 7, where + " has a wrong discriminator");
    }

    private int discriminator(final long leaf, final int position) {
        return slab.getShort(leaf + discriminatorOffset(position)) & 0xFFFF;
    }

    /** Computes the meta trie of the indexed anchors. */
    private void expectNodes() {
        int left = slab.getInt(TableLayout.FIRST_LEAF_OFFSET);
        read(left);
        trie.put(prefix(0), new Expected(left, true));
        for (int leaf = leaves.next(offset(left)); leaf != 0; leaf = leaves.next(offset(leaf))) {
            if ((leaves.state(offset(leaf)) & UNINDEXED) == 0) {
                expect(leaf, left);
                left = leaf;
            }
        }
    }

    /* The first anchor below a prefix decides its floor: the leaf of this anchor if it equals the prefix, else the one before. */
    private void expect(final int leaf, final int left) {
        final int length = read(leaf);
        final long before = offset(left);
        for (int i = 0; i < length; i++) {
            final int depth = i;
            final Expected node = trie.computeIfAbsent(prefix(depth), prefix -> new Expected(left,
                Anchor.length(slab, before) == depth && Anchor.startsWith(slab, before, anchor, 0, depth)));
            node.last[anchor[i] & 0xFF] = leaf;
        }
        deepest = Math.max(deepest, length - 1);
    }

    /** Reads the anchor of a leaf; returns its length. */
    private int read(final int leaf) {
        final int length = Anchor.copy(slab, offset(leaf), anchor);
        hasher.reset(anchor, 0, length);
        other.reset(anchor, 0, length);
        return length;
    }

    /** Returns the prefix of a depth of the anchor read last. */
    private Prefix prefix(final int depth) {
        return new Prefix(depth, hasher.hash(depth), other.hash(depth));
    }

    private void verifyTable() {
        read(slab.getInt(TableLayout.FIRST_LEAF_OFFSET));
        verifyNode(slab.getLong(TableLayout.ROOT_OFFSET), 0);
        long items = 0;
        for (long bucket = 0; bucket < table.buckets(); bucket++) {
            final long at = table.offsetOf(bucket);
            for (final long item : table.chain(at)) {
                items++;
                final long node = TableLayout.target(item);
                final int sizeClass = TableLayout.sizeClass(item);
                final int length = read(nodes.witness(item));
                check(nodes.depth(node) <= length, 8, "node at " + node + " is deeper than an anchor below it");
                final long hash = hasher.hash(nodes.depth(node));
                check(TableLayout.isTagged(item, hash), 8, "node at " + node + " has the tag of another prefix");
                check(TableLayout.bucketOf(hash, table.buckets()) == bucket, 8, "node at " + node + " is in bucket " + bucket);
                check(nodes.hashBits(node, sizeClass) == (hash & (1 << WormholeNodeLayout.HASH_BITS) - 1), 8,
                    "node at " + node + " has the hash of another prefix");
                verifyNode(item, nodes.depth(node));
            }
            bytes += (long) table.links(at).length << TableLayout.BUCKET_SHIFT;
        }
        bytes += (long) table.segments().length * WormholeBlockClasses.bytes(WormholeBlockClasses.SEGMENT);
        check(items == table.items(), 8, "the table has " + items + " items and says " + table.items());
        trie.forEach((prefix, expected) ->
            check(expected.seen, 9, "a prefix of " + prefix.depth + " bytes has no node"));
        check(slab.getInt(TableLayout.MAX_DEPTH_OFFSET) >= deepest, 9, "there are nodes deeper than the greatest depth");
    }

    private void verifyNode(final long item, final int depth) {
        final long node = TableLayout.target(item);
        final int sizeClass = TableLayout.sizeClass(item);
        final String where = "node at " + node + " of depth " + depth;
        final Expected expected = trie.get(prefix(depth));
        check(expected != null && !expected.seen, 9, where + " is of no prefix or there twice");
        expected.seen = true;
        check(nodes.isTerminal(node) == expected.terminal, 9, where + (expected.terminal ? " should be" : " is") + " terminal");
        check(nodes.floor(node) == expected.floor, 9, where + " has floor " + nodes.floor(node) + ", not " + expected.floor);
        int at = 0;
        for (int token = 0; token < WormholeNodeLayout.MAX_TOKENS; token++) {
            if (expected.last[token] != 0) {
                check(at < nodes.count(node, sizeClass) && nodes.token(node, sizeClass, at) == token, 9,
                    where + " lacks token " + token);
                check(nodes.leaf(node, sizeClass, at) == expected.last[token], 9,
                    where + " has leaf " + nodes.leaf(node, sizeClass, at) + " for token " + token);
                at++;
            }
        }
        final int counted = nodes.rank(node, sizeClass, WormholeNodeLayout.MAX_TOKENS - 1);
        check(at == nodes.count(node, sizeClass) && at == counted, 9, where + " has more tokens than " + at);
        for (int i = at; i < WormholeNodeLayout.capacity(sizeClass); i++) {
            check(nodes.leaf(node, sizeClass, i) == 0, 9, where + " names a leaf behind its " + at + " tokens");
        }
        bytes += WormholeBlockClasses.bytes(sizeClass);
    }
}
