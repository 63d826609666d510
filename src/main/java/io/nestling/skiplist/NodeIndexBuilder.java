/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.bytes.KeyChunk;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

/**
 * Builds a {@link NodeIndex} by a walk along level 0, piece by piece. A block of a level is set as soon as the key behind it is
 * known; then its first key goes to the level above.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class NodeIndexBuilder {
    /** Nodes of a piece. */
    private static final int PIECE = 32;
    /** Distance ahead at which the walk requests nodes that the last index lists, and nodes linked right behind such nodes. */
    private static final int FAR = 16;
    private static final int NEAR = 8;

    private final Nodes nodes;
    private final KeySource keys;
    private final PrefetchVector lines = new PrefetchVector();
    private final NodeIndex last;
    private final int capacity;
    private final int[] list;
    private int listed;
    private final long[][] chunks;
    private final long[][] tails;
    private final char[][] positions;
    private final char[][] blocks;
    private final Level[] levels;
    /* The last node that was listed, and the list index of the first node of the last node index behind it. */
    private int node = HEAD;
    private int behind = 1;
    private byte[] key = new byte[Long.BYTES];
    private int keyLength;

    /**
     * Makes a builder of up to {@code capacity} nodes that has listed the head; {@code last} is the node index before, or null.
     */
    NodeIndexBuilder(final Nodes nodes, final NodeIndex last, final int capacity) {
        this.nodes = nodes;
        this.keys = nodes.keys();
        this.last = last;
        this.capacity = capacity;
        final int size = NodeIndex.entries(capacity);
        list = new int[NodeIndex.NODES_PAD + capacity];
        levels = new Level[NodeIndex.levels(size)];
        chunks = new long[levels.length][];
        tails = new long[levels.length][];
        positions = new char[levels.length][];
        blocks = new char[levels.length][];
        for (int level = 0; level < levels.length; level++) {
            final int count = NodeIndex.count(size, level);
            chunks[level] = new long[NodeIndex.CHUNKS_PAD + count];
            tails[level] = new long[level == 0 ? 0 : count * NodeIndex.TAIL_WORDS];
            positions[level] = new char[count];
            blocks[level] = new char[NodeIndex.count(size, level + 1)];
            levels[level] = new Level();
        }
        list[NodeIndex.NODES_PAD] = HEAD;
        listed = 1;
        levels[0].set(key, 0);
    }

    /** Returns the greatest number of nodes. */
    int capacity() {
        return capacity;
    }

    /** Returns whether only the head is listed. */
    boolean isEmpty() {
        return listed == 1;
    }

    /** Lists some nodes; returns whether all are. */
    boolean advance() {
        final int from = listed;
        for (int i = 0; i < PIECE && listed < capacity && node != NULL; i++) {
            node = nodes.next(node, 0);
            if (node != NULL) {
                list();
            }
        }
        lines.request();
        for (int at = from + NodeIndex.GROUP - 1 & -NodeIndex.GROUP; at < listed; at += NodeIndex.GROUP) {
            load(list[NodeIndex.NODES_PAD + at]);
            // Nothing is known of the key behind the head.
            addKey(0, key, keyLength, at == NodeIndex.GROUP ? 0 : levels[0].sharedWithLast(key, keyLength));
        }
        return node == NULL || listed == capacity;
    }

    private void list() {
        if (last != null && node == last.node(behind)) {
            behind++;
            nodes.prefetch(last.node(behind + FAR));
            nodes.prefetch(nodes.next(last.node(behind + NEAR), 0));
        }
        if ((listed & NodeIndex.GROUP - 1) == 0) {
            keys.addTo(lines, nodes.payload(node) & PAYLOAD_MASK, keyLength); // most keys are about as long as the last one
        }
        list[NodeIndex.NODES_PAD + listed++] = node;
    }

    private void load(final int from) {
        final long payload = nodes.payload(from) & PAYLOAD_MASK;
        keyLength = keys.keyLength(payload);
        if (key.length < keyLength) {
            key = new byte[keyLength];
        }
        keys.copyKey(payload, key, 0);
    }

    /** Adds a key to a level. {@code shared} is what it shares with the key before. */
    private void addKey(final int level, final byte[] key, final int length, final int shared) {
        final Level own = levels[level];
        if (own.count > 0) {
            own.pairs[own.count - 1] = (char) shared;
        }
        if (own.count == NodeIndex.BLOCK) {
            endBlock(level);
        }
        own.set(key, length);
    }

    /** Sets the block of a level, and adds its first key to the level above. */
    private void endBlock(final int level) {
        final Level own = levels[level];
        final char all = least(own.pairs, 0, own.count);
        setBlock(level, all);
        if (level + 1 < levels.length) {
            addKey(level + 1, own.keys[0], own.lengths[0], own.allBefore);
        }
        own.allBefore = all;
        own.first += own.count;
        own.count = 0;
    }

    /** Sets where the chunks of a block begin, behind the bytes that each entry shares with the closer bound, and the chunks. */
    private void setBlock(final int level, final char all) {
        final Level own = levels[level];
        final char[] pairs = own.pairs;
        // The chunks behind the common prefix differ, and not only by zeroes behind ends of keys.
        int greatest = pairs[0];
        for (int i = 1; i < NodeIndex.BLOCK; i++) {
            greatest = Math.max(greatest, pairs[i]);
        }
        final boolean isUniform =
            own.count == NodeIndex.BLOCK && greatest - all < NodeIndex.CHUNK_PAIR && greatest < NodeIndex.MAX_SHARED;
        blocks[level][own.first >> NodeIndex.BLOCK_SHIFT] = isUniform ? all : NodeIndex.MIXED;
        for (int i = 0; i < own.count; i++) {
            char position = all;
            long close = 0;
            if (!isUniform && i > 0) {
                final int reach = Integer.lowestOneBit(i); // distance from the entry to either bound
                final char before = least(pairs, i - reach, i);
                final char behind = least(pairs, i, Math.min(own.count, i + reach));
                position = (char) Math.max(before, behind);
                close = behind > before ? NodeIndex.CLOSE_BEHIND : 0;
            }
            positions[level][own.first + i] = position;
            chunks[level][NodeIndex.CHUNKS_PAD + own.first + i] =
                close | NodeIndex.chunk(own.keys[i], 0, own.lengths[i], position);
            for (int word = 0; level > 0 && word < NodeIndex.TAIL_WORDS; word++) {
                tails[level][(own.first + i) * NodeIndex.TAIL_WORDS + word] =
                    KeyChunk.at(own.keys[i], 0, own.lengths[i], position + NodeIndex.CHUNK_PAIR + word * Long.BYTES);
            }
        }
    }

    private static char least(final char[] pairs, final int from, final int to) {
        char least = pairs[from];
        for (int i = from + 1; i < to; i++) {
            least = (char) Math.min(least, pairs[i]);
        }
        return least;
    }

    /** Returns the node index of all nodes added. */
    NodeIndex finish() {
        for (int level = 0; level < levels.length; level++) {
            levels[level].pairs[levels[level].count - 1] = 0; // nothing is known of a key behind the last one
            endBlock(level);
        }
        return new NodeIndex(listed, list, chunks, tails, positions, blocks);
    }

    /** The keys of the block of a level that is not set yet. */
    private static final class Level {
        private final byte[][] keys = new byte[NodeIndex.BLOCK][Long.BYTES];
        private final int[] lengths = new int[NodeIndex.BLOCK];
        /* Bytes that each key shares with the next one. */
        private final char[] pairs = new char[NodeIndex.BLOCK];
        private int count;
        /* Keys of the level before the block, and what the first keys of the last two blocks share. */
        private int first;
        private char allBefore;

        void set(final byte[] key, final int length) {
            if (keys[count].length < length) {
                keys[count] = new byte[length];
            }
            System.arraycopy(key, 0, keys[count], 0, length);
            lengths[count++] = length;
        }

        /** Returns the number of bytes that a key shares with the last one if keys go on with zeroes. */
        int sharedWithLast(final byte[] key, final int length) {
            final int last = count - 1;
            for (int from = 0; from < Math.max(length, lengths[last]); from += Long.BYTES) {
                final long difference = KeyChunk.at(key, 0, length, from) ^ KeyChunk.at(keys[last], 0, lengths[last], from);
                if (difference != 0) {
                    return from + (Long.numberOfLeadingZeros(difference) >>> 3);
                }
            }
            return NodeIndex.MAX_SHARED;
        }
    }
}
