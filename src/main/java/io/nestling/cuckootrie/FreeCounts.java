/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import java.util.Arrays;

/**
 * Two bits a bucket: the number of its free cells, up to three. The counts of a table of 240 MB take 950 KB, which fits a cache,
 * so that the writer knows which buckets have room before their lines arrive.
 * <p>
 * They are stored in parts, allocated with their buckets: growth copies a few references only.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class FreeCounts {
    /** Greatest count; stands for more, too. */
    static final int MANY = 3;
    /** A part serves 1 MiB of buckets. */
    private static final int PART_SHIFT = 14;
    /** 32 buckets a word. */
    private static final int WORD_SHIFT = 5;
    private static final int PART_WORDS = 1 << PART_SHIFT - WORD_SHIFT;
    private static final long[] UNUSED = new long[PART_WORDS];

    /* Stored as the difference to MANY, so that unused buckets have 0. */
    private long[][] parts = {UNUSED};

    /** Returns the number of free cells of a bucket, {@link #MANY} at most. */
    int of(final long bucket) {
        final int part = (int) (bucket >>> PART_SHIFT);
        return part < parts.length ? (int) (parts[part][word(bucket)] >>> (bucket << 1)) & MANY ^ MANY : MANY;
    }

    /** Returns whether a bucket has a free cell. */
    boolean hasRoom(final long bucket) {
        return of(bucket) != 0;
    }

    /** Allocates the memory for a number of buckets, so that {@link #set} allocates none. */
    void reach(final long buckets) {
        int part = (int) (buckets - 1 >>> PART_SHIFT);
        while (part >= 0 && (part >= parts.length || parts[part] == UNUSED)) {
            addPart(part--);
        }
    }

    /** Sets the free cells of a bucket, given as bits. */
    void set(final long bucket, final int freeCells) {
        final int part = (int) (bucket >>> PART_SHIFT);
        if (part >= parts.length || parts[part] == UNUSED) {
            addPart(part);
        }
        final long missing = MANY - Math.min(Integer.bitCount(freeCells), MANY);
        final int word = word(bucket);
        parts[part][word] = parts[part][word] & ~((long) MANY << (bucket << 1)) | missing << (bucket << 1);
    }

    private static int word(final long bucket) {
        return (int) (bucket >>> WORD_SHIFT) & PART_WORDS - 1;
    }

    private void addPart(final int part) {
        if (part >= parts.length) {
            final int before = parts.length;
            parts = Arrays.copyOf(parts, Math.max(part + 1, 2 * before));
            Arrays.fill(parts, before, parts.length, UNUSED);
        }
        parts[part] = new long[PART_WORDS];
    }
}
