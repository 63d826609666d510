/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.KeyChunk;

/**
 * More bytes of a directory's keys: what follows a chunk, on those levels where keys of a block differ in various places, and on
 * all above. Among file paths, a key often has eight bytes in common with an entry that it has nothing else to do with; with
 * these, the entry's record is hardly ever read.
 * <h2>Thread safety</h2>
 * One thread fills it; immutable after that, for any number of threads.
 */
final class DirectoryTails {
    /** Answer of {@link #compare} if all bytes are equal. */
    static final long EQUAL_SO_FAR = -1;
    /** Words of eight bytes that follow a chunk. */
    private static final int WORDS = 3;
    /** A level has tails if one of so many blocks has chunks at various places. */
    private static final int FEW_BLOCKS_SHIFT = 2;

    private final long[][] words;

    /** None yet, for a number of levels. */
    DirectoryTails(final int levels) {
        this.words = new long[levels][];
    }

    /**
     * Bytes for a level of so many keys and blocks of which so many have chunks at various places; 0 if it gets no tails. Levels
     * above one that has tails have them too: their keys are of the same kind, but their blocks are too few to count. The lowest
     * level, which has most keys, never does: its nodes are read soon in any case, and their own chunks go on where its chunks
     * end.
     */
    long bytes(final int level, final int keys, final int blocks, final int variousBlocks) {
        final boolean needed = level > 0 && (variousBlocks > blocks >> FEW_BLOCKS_SHIFT || isAt(level - 1));
        return needed ? (long) keys * WORDS * Long.BYTES : 0;
    }

    /** Whether a level has them. */
    boolean isAt(final int level) {
        return level < words.length && words[level] != null;
    }

    /** Makes room for those of a level. */
    void add(final int level, final int keys) {
        words[level] = new long[keys * WORDS];
    }

    /** Sets the bytes of a key from a place on, if its level has tails. */
    void set(final int level, final int at, final byte[] key, final int length, final int place) {
        final long[] own = words[level];
        if (own != null) {
            for (int i = 0; i < WORDS; i++) {
                own[at * WORDS + i] = KeyChunk.at(key, 0, length, place + i * Long.BYTES);
            }
        }
    }

    /**
     * Compares an entry with a key.
     *
     * @param place where the tail begins in both, which share the bytes before
     * @return as {@link Nodes#compare}, or {@link #EQUAL_SO_FAR} also if the level has no tails
     */
    long compare(
        final int level, final int at, final byte[] key, final int offset, final int length, final int place) {
        final long[] own = words[level];
        if (own == null) {
            return EQUAL_SO_FAR;
        }
        for (int i = 0; i < WORDS; i++) {
            final long word = own[at * WORDS + i];
            final long other = KeyChunk.at(key, offset, length, place + i * Long.BYTES);
            if (word != other) {
                return Nodes.ofChunks(word, other, place + i * Long.BYTES);
            }
        }
        return EQUAL_SO_FAR;
    }
}
