/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.KeyChunk;

/**
 * The key bytes behind the chunks, on levels with many mixed blocks and on all levels above these. File paths often share eight
 * bytes with an unrelated entry; tails then tell them apart without a record.
 * <h2>Thread safety</h2>
 * One thread fills it; immutable afterwards.
 */
final class NodeIndexTails {
    /** Answer of {@link #compare} if all bytes are equal, or if the level has no tails. */
    static final long EQUAL_SO_FAR = -1;
    /** Words of eight bytes that follow a chunk. */
    private static final int WORDS = 3;
    /** A level has tails if more than one in four of its blocks is mixed (as a shift). */
    private static final int FEW_BLOCKS_SHIFT = 2;

    private final long[][] words;

    /** Makes tails for a number of levels, all of them without. */
    NodeIndexTails(final int levels) {
        this.words = new long[levels][];
    }

    /**
     * Returns the number of bytes for the tails of a level; 0 if it gets none. Levels above one with tails get them too: their
     * keys are of the same kind, but their blocks are too few to count. The lowest level never does: its nodes are read soon
     * anyway, and the nodes' chunks continue its chunks.
     */
    long bytes(final int level, final int keys, final int blocks, final int mixedBlocks) {
        final boolean needed = level > 0 && (mixedBlocks > blocks >> FEW_BLOCKS_SHIFT || isAt(level - 1));
        return needed ? (long) keys * WORDS * Long.BYTES : 0;
    }

    /** Returns whether a level has tails. */
    boolean isAt(final int level) {
        return level < words.length && words[level] != null;
    }

    /** Allocates the tails of a level. */
    void add(final int level, final int keys) {
        words[level] = new long[keys * WORDS];
    }

    /** Sets the bytes of a key from a position on, if its level has tails. */
    void set(final int level, final int at, final byte[] key, final int length, final int position) {
        final long[] own = words[level];
        if (own != null) {
            for (int i = 0; i < WORDS; i++) {
                own[at * WORDS + i] = KeyChunk.at(key, 0, length, position + i * Long.BYTES);
            }
        }
    }

    /**
     * Compares an entry with a key.
     *
     * @param position where the tail begins in both, which share the bytes before
     * @return as {@link Nodes#compare}, or {@link #EQUAL_SO_FAR}
     */
    long compare(
        final int level, final int at, final byte[] key, final int offset, final int length, final int position) {
        final long[] own = words[level];
        if (own == null) {
            return EQUAL_SO_FAR;
        }
        for (int i = 0; i < WORDS; i++) {
            final long word = own[at * WORDS + i];
            final long other = KeyChunk.at(key, offset, length, position + i * Long.BYTES);
            if (word != other) {
                return Nodes.ofChunks(word, other, position + i * Long.BYTES);
            }
        }
        return EQUAL_SO_FAR;
    }
}
