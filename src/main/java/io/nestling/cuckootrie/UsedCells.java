/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import java.util.Arrays;

/**
 * Four bits for each bucket: which of its cells are used. Those of a table of 240 MB are 1.9 MB and stay in the
 * caches, so that the writer knows where an entry goes before the bucket's line has come.
 * <p>
 * They are kept in parts, which come with the buckets that they are for: growth copies nothing but a few
 * references.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class UsedCells {
    /** A part is for 512 KiB of buckets. */
    private static final int PART_SHIFT = 13;
    /** 16 buckets a word. */
    private static final int WORD_SHIFT = 4;
    private static final int PART_WORDS = 1 << PART_SHIFT - WORD_SHIFT;
    private static final int ALL = (1 << BucketLayout.CELLS) - 1;
    private static final int CELLS_SHIFT = 2;
    private static final long[] NONE_USED = new long[PART_WORDS];

    private long[][] parts = {NONE_USED};

    /** The used cells of a bucket, as bits. */
    int of(final long bucket) {
        final int part = (int) (bucket >>> PART_SHIFT);
        return part < parts.length ? (int) (parts[part][word(bucket)] >>> (bucket << CELLS_SHIFT)) & ALL : 0;
    }

    /** The free cells of a bucket, as bits. */
    int freeCells(final long bucket) {
        return of(bucket) ^ ALL;
    }

    /** Number of the used cells of a bucket. */
    int count(final long bucket) {
        return Integer.bitCount(of(bucket));
    }

    /** Whether a bucket has a free cell. */
    boolean hasRoom(final long bucket) {
        return of(bucket) != ALL;
    }

    /** Notes that a cell is used. */
    void add(final long bucket, final int cell) {
        part(bucket)[word(bucket)] |= 1L << (bucket << CELLS_SHIFT) + cell;
    }

    /** Notes that a cell is free. */
    void remove(final long bucket, final int cell) {
        part(bucket)[word(bucket)] &= ~(1L << (bucket << CELLS_SHIFT) + cell);
    }

    /** Notes which cells are used. */
    void set(final long bucket, final int cells) {
        final long[] part = part(bucket);
        final int word = word(bucket);
        part[word] = part[word] & ~((long) ALL << (bucket << CELLS_SHIFT)) | (long) cells << (bucket << CELLS_SHIFT);
    }

    private static int word(final long bucket) {
        return (int) (bucket >>> WORD_SHIFT) & PART_WORDS - 1;
    }

    private long[] part(final long bucket) {
        final int part = (int) (bucket >>> PART_SHIFT);
        if (part >= parts.length || parts[part] == NONE_USED) {
            addPart(part);
        }
        return parts[part];
    }

    private void addPart(final int part) {
        if (part >= parts.length) {
            final int before = parts.length;
            parts = Arrays.copyOf(parts, Math.max(part + 1, 2 * before));
            Arrays.fill(parts, before, parts.length, NONE_USED);
        }
        parts[part] = new long[PART_WORDS];
    }
}
