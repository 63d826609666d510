/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

/**
 * The first eight bytes of the keys of one of a directory's upper levels, in a row: one search without branches in place of a
 * step on each of the levels above. Where keys begin with the same bytes it is of no use, and a directory has none.
 * <h2>Thread safety</h2>
 * One thread fills it; immutable after that, for any number of threads.
 */
final class DirectoryTop {
    /** Most keys: the array stays in the nearest cache but one. */
    static final int MAX_KEYS = 1 << 12;
    /** Fewer keys are found as fast by steps. */
    private static final int MIN_KEYS = 1 << 4;
    /** One in so many keys may have the chunk of the key before it. */
    private static final int SELDOM_SHIFT = 4;

    private final int level;
    private final long[] chunks;

    private DirectoryTop(final int level, final int count) {
        this.level = level;
        this.chunks = new long[count];
    }

    /** The level that is chosen for a directory of so many entries. */
    private static int level(final int size) {
        int level = 1;
        while (Directory.count(size, level) > MAX_KEYS) {
            level++;
        }
        return level;
    }

    /** Most bytes of what a directory of so many entries has. */
    static long bytes(final int size) {
        return Math.min(size, MAX_KEYS) * (long) Long.BYTES;
    }

    /** An empty one for a directory of so many entries. */
    static DirectoryTop of(final int size) {
        return new DirectoryTop(level(size), Directory.count(size, level(size)));
    }

    /** The level whose keys it has. */
    int level() {
        return level;
    }

    /** Sets the key of an entry, if its level has that. */
    void set(final int entry, final byte[] key, final int length) {
        final int at = entry >> Directory.BLOCK_SHIFT * level;
        if (at << Directory.BLOCK_SHIFT * level == entry) {
            chunks[at] = Directory.chunk(key, 0, length, 0);
        }
    }

    /** Whether it is of use: most keys are told apart by it. */
    boolean tellsApart() {
        int equal = 0;
        for (int i = 1; i < chunks.length; i++) {
            equal += chunks[i] == chunks[i - 1] ? 1 : 0;
        }
        return chunks.length >= MIN_KEYS && equal <= chunks.length >> SELDOM_SHIFT;
    }

    /** The last key at or below another one, which is at or above the first key. */
    int floor(final long chunk) {
        int at = 0;
        for (int width = chunks.length; width > 1;) {
            final int half = width >>> 1;
            at += half & -(int) (~(chunk - chunks[at + half]) >>> Long.SIZE - 1);
            width -= half;
        }
        return at;
    }

    /** The chunk of a key. */
    long chunk(final int at) {
        return chunks[at];
    }

    /** Number of keys. */
    int count() {
        return chunks.length;
    }
}
