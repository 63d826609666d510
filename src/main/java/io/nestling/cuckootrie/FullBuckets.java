/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import java.util.Arrays;

/**
 * A bit for each bucket: whether all of its cells are used. The bits of a table of 240 MB are 460 KB and stay in
 * the caches, so that the writer finds a bucket with room without reading the full ones.
 * <p>
 * They are kept in parts, which come with the buckets that they are for: growth copies nothing but a few
 * references.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class FullBuckets {
    /** A part is for 2 MiB of buckets. */
    private static final int PART_SHIFT = 15;
    private static final int PART_WORDS = 1 << PART_SHIFT - 6;
    private static final long[] NONE = {};

    private long[][] parts = {};

    /** Tells whether a bucket is full. */
    boolean isFull(final long bucket) {
        final int part = (int) (bucket >>> PART_SHIFT);
        return part < parts.length && parts[part] != NONE && (parts[part][word(bucket)] >>> bucket & 1) != 0;
    }

    /** Notes whether a bucket is full. */
    void set(final long bucket, final boolean full) {
        final int part = (int) (bucket >>> PART_SHIFT);
        if (part >= parts.length || parts[part] == NONE) {
            if (!full) {
                return;
            }
            addPart(part);
        }
        final int word = word(bucket);
        final long bit = 1L << bucket;
        parts[part][word] = full ? parts[part][word] | bit : parts[part][word] & ~bit;
    }

    private static int word(final long bucket) {
        return (int) (bucket >>> 6) & PART_WORDS - 1;
    }

    private void addPart(final int part) {
        if (part >= parts.length) {
            final int before = parts.length;
            parts = Arrays.copyOf(parts, Math.max(part + 1, 2 * before));
            Arrays.fill(parts, before, parts.length, NONE);
        }
        parts[part] = new long[PART_WORDS];
    }
}
