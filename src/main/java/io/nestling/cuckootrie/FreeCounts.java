/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import java.util.Arrays;

/**
 * Two bits for each bucket: how many of its cells are free, up to three. Those of a table of 240 MB are 950 KB, which a
 * cache can hold, so that the writer knows which buckets have room before their lines have come.
 * <p>
 * They are kept in parts, which come with the buckets that they are for: growth copies nothing but a few
 * references.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class FreeCounts {
    /** Greatest count, which stands for more, too. */
    static final int MANY = 3;
    /** A part is for 1 MiB of buckets. */
    private static final int PART_SHIFT = 14;
    /** 32 buckets a word. */
    private static final int WORD_SHIFT = 5;
    private static final int PART_WORDS = 1 << PART_SHIFT - WORD_SHIFT;
    private static final long[] UNUSED = new long[PART_WORDS];

    /* A bucket's bits are what is missing to MANY, so that those of unused buckets are 0. */
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

    /** Takes the memory for a number of buckets, so that notes about these take none. */
    void reach(final long buckets) {
        int part = (int) (buckets - 1 >>> PART_SHIFT);
        while (part >= 0 && (part >= parts.length || parts[part] == UNUSED)) {
            addPart(part--);
        }
    }

    /** Notes which cells of a bucket are free, as bits. */
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
