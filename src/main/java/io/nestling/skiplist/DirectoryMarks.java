/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

/**
 * How the listed nodes within a group differ from the two between which a search of the group meets them: how many bytes each
 * shares with the closer one, and which one that is. A search that knows how many bytes its key shares with both needs nothing
 * else of a node, unless that is the same number.
 * <h2>Thread safety</h2>
 * One thread fills it; immutable after that, for any number of threads.
 */
final class DirectoryMarks {
    /** Stands for a mark that is missing: of an entry, of the last group, or of a key that shares very many bytes. */
    static final int NONE = 0xFF;
    private static final int MOST_SHARED = NONE / 2;

    private final byte[] marks;

    /** Room for a number of listed nodes. */
    DirectoryMarks(final int capacity) {
        this.marks = new byte[capacity];
    }

    static long bytes(final int capacity) {
        return capacity;
    }

    /** Sets the mark of a listed node that shares so many bytes with the node before and the one behind. */
    void set(final int at, final int before, final int behind) {
        final int shared = Math.max(before, behind);
        marks[at] = (byte) (shared < MOST_SHARED ? shared << 1 | (behind > before ? 1 : 0) : NONE);
    }

    /** Sets no mark for a listed node. */
    void setNone(final int at) {
        marks[at] = (byte) NONE;
    }

    /** The mark of a listed node, or {@link #NONE}. */
    int mark(final int at) {
        return marks[at] & NONE;
    }

    /** Bytes that a node shares with the closer one of those around it. */
    static int shared(final int mark) {
        return mark >>> 1;
    }

    /** Whether that is the one behind it. */
    static boolean isCloseBehind(final int mark) {
        return (mark & 1) != 0;
    }
}
