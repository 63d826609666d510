/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

/**
 * Bucket: four cells of 15 bytes and a version word in a 64-byte line. Little endian.
 * <pre>
 *  byte 0         15        30        45        60      64
 *       +---------+---------+---------+---------+-------+
 *       | cell 0  | cell 1  | cell 2  | cell 3  |version|
 *       +---------+---------+---------+---------+-------+
 *
 *  field     offset  bytes  access (writer / reader)                                   constant
 *  cell[i]   15 i      15   plain, between two changes of the version / plain, between
 *                           two reads of the version                                   CELL_BYTES
 *  version   60         4   putInt, fence, cells, putIntRelease / getIntAcquire twice, VERSION_OFFSET
 *                           or getInt of several, each time with an acquire fence
 * </pre>
 * The version is odd while the writer changes a cell, and only grows.
 * <pre>
 *  slab  0        64                  32832
 *        +--------+-------------------+----------+----------+----
 *        | root   | top colors        | bucket 0 | bucket 1 | ...
 *        +--------+-------------------+----------+----------+----
 * </pre>
 * The line at offset 0 is no bucket: its cell 0 holds the root. A top color is a byte for each string of {@link #TOP_DEPTH}
 * symbols: the color of the node of that name plus 1, or 0 if absent. Four share a word (putIntRelease / getIntAcquire).
 * <p>
 * Example: cell 2 of bucket 5 begins at 32832 + 64 * 5 + 30 = 33182, its version word at 33212.
 */
final class BucketLayout {
    static final int BUCKET_BYTES = 64;
    static final int BUCKET_SHIFT = 6;
    static final int CELLS = 4;
    static final int CELL_BYTES = 15;
    static final int VERSION_OFFSET = 60;
    /** Offset of the line that holds the root. */
    static final long ROOT_OFFSET = 0;

    /** Length of the names that have a top color. */
    static final int TOP_DEPTH = 3;
    static final int TOP_NAMES = 1 << TOP_DEPTH * CuckooTrieEntryLayout.SYMBOL_BITS;
    static final long TOP_OFFSET = BUCKET_BYTES;
    static final long BUCKETS_OFFSET = TOP_OFFSET + TOP_NAMES;

    private BucketLayout() {
    }

    /** Returns the offset of a bucket. */
    static long bucketOffset(final long bucket) {
        return BUCKETS_OFFSET + (bucket << BUCKET_SHIFT);
    }

    /** Returns the number of the bucket at an offset. */
    static long bucketAt(final long offset) {
        return offset - BUCKETS_OFFSET >> BUCKET_SHIFT;
    }

    /** Returns the offset of the word with the top color of a name. */
    static long topWord(final int name) {
        return TOP_OFFSET + (name & -Integer.BYTES);
    }

    /** Returns the shift of the top color of a name in its word. */
    static int topShift(final int name) {
        return (name & Integer.BYTES - 1) << 3;
    }

    /** Returns the offset of a cell in the line at an offset. */
    static long cellOffset(final long line, final int cell) {
        return line + (long) cell * CELL_BYTES;
    }
}
