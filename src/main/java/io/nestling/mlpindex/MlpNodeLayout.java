/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

/**
 * Buckets of 64 bytes with four cells of 16, and the nodes in them. Little endian. Bit 0 is the least significant.
 * <pre>
 *  byte  0       8       16      24      32      40      48      56      64
 *        +-------+-------+-------+-------+-------+-------+-------+-------+
 *        | meta  |  key  | meta  |  key  | meta  |  key  | meta  |  key  |   four nodes of one cell
 *        +-------+-------+-------+-------+-------+-------+-------+-------+
 *        | meta  |  key  | children 0-15 | meta  |  key  |   0   |       |   16 children, one node, one free cell
 *        +-------+-------+-------+-------+-------+-------+-------+-------+
 *        | meta  |  key  | bitmap of 256 children        | meta  |  key  |   a bitmap, one node
 *        +-------+-------+-------+-------+-------+-------+-------+-------+
 *
 *  field     offset  bytes  access (writer / reader)                         constant
 *  meta        0       8    putLongRelease / getLongAcquire                  META_OFFSET
 *  key         8       8    before meta, in a rewrite, or putLongRelease     KEY_OFFSET
 *                           (a smaller or greater minKey) / plain, validated
 *  children   16    16, 32  before meta, or in a rewrite / plain, validated  CHILDREN_OFFSET
 *
 *  meta of a leaf
 *   63   62 61  60 58                                57 .. 0
 *  +----+------+------+----------------------------------------------+
 *  | 1  | kind |  lv  |                  payload                     |
 *  +----+------+------+----------------------------------------------+
 *  meta of an inner node
 *   63   62 61  60 58  57 55  54 51   50 48                47 .. 0
 *  +----+------+------+------+------+--------+------------------------+
 *  | 0  | cells|  lv  |  fl  |  0   |  count |  children 0-5, or count |
 *  +----+------+------+------+------+--------+------------------------+
 * </pre>
 * {@code lv} is the level less one: the node is found by the hash of the first {@code level} (indexLen) bytes of its key.
 * {@code fl} is fullKeyLen: all keys below an inner node share so many bytes, and its children are told apart by the next
 * byte. The key of a leaf is its word; that of an inner node is the smallest word below it (minKey). A node of one cell has up
 * to six children in ascending order; one of two cells up to 16 in any order, its count in the low bits of
 * {@code meta}; in both,
 * bytes that are not used repeat a child. One of three cells has a bitmap. Meta 0 is a free cell; free cells come last.
 * <p>
 * Example: at level 3, the node of the keys {@code 11 22 33 44 50 ..} and {@code 11 22 33 44 60 ..} has one
 * cell, fullKeyLen 4 and
 * the children 50 and 60: {@code 0 01 010 100 0000 010 606060606050}, the bits and then six bytes, or {@code
 * 0x2A02_6060_6060_6050}.
 */
final class MlpNodeLayout {
    static final int BUCKET_BYTES = 64;
    static final int BUCKET_SHIFT = 6;
    static final int CELLS = 4;
    static final int CELL_BYTES = 16;
    static final int CELL_SHIFT = 4;
    static final int META_OFFSET = 0;
    static final int KEY_OFFSET = 8;
    static final int CHILDREN_OFFSET = 16;

    /** The meta of a free cell. */
    static final long FREE = 0;
    /** Level of the nodes below the flat levels, the lowest of the hash table. */
    static final int FIRST_LEVEL = 3;
    /** Greatest level, that of leaves found by their whole word. */
    static final int LAST_LEVEL = 8;

    /** Kind of a leaf of one key that is its word; the payload stands in the leaf. */
    static final int EXACT = 0;
    /** Kind of a leaf of one key of any other length; the payload stands in the leaf. */
    static final int SINGLE = 1;
    /** Kind of a leaf of several keys; the leaf has the block of their run. */
    static final int RUN = 2;
    /** Kind of a leaf of one key that is its word; the leaf has the block of a payload that is too large for it. */
    static final int BOXED = 3;
    static final long MAX_LEAF_PAYLOAD = (1L << 58) - 1;

    static final int SMALL_CHILDREN = 6;
    static final int MEDIUM_CHILDREN = 16;
    static final int SMALL_CELLS = 1;
    static final int MEDIUM_CELLS = 2;
    static final int LARGE_CELLS = 3;

    private static final long LEAF_BIT = 1L << 63;
    private static final int KIND_SHIFT = 61;
    private static final int KIND_MASK = 3;
    /* By bits 63 to 61 of a meta: leaves of all kinds, and inner nodes of one cell. */
    private static final int SINGLE_BY_TOP_BITS = 0b1111_0010;
    /* The same with two bits each: leaves of all kinds, inner nodes of 3, 2 and 1 cells, none. */
    private static final int CELLS_BY_TOP_BITS = 0b01_01_01_01_11_10_01_00;
    private static final int LEVEL_SHIFT = 58;
    private static final long LEVEL_MASK = 7;
    private static final int FULL_SHIFT = 55;
    private static final int COUNT_SHIFT = 48;
    private static final long SMALL_COUNT_MASK = 7;
    private static final long WIDE_COUNT_MASK = 0x1FF;
    private static final long SMALL_CHILDREN_MASK = (1L << COUNT_SHIFT) - 1;

    private MlpNodeLayout() {
    }

    static long bucketOffset(final long bucket) {
        return bucket << BUCKET_SHIFT;
    }

    static long cellOffset(final long bucket, final int cell) {
        return (bucket << BUCKET_SHIFT) + ((long) cell << CELL_SHIFT);
    }

    static long bucketAt(final long offset) {
        return offset >>> BUCKET_SHIFT;
    }

    static int cellAt(final long offset) {
        return (int) (offset >>> CELL_SHIFT) & CELLS - 1;
    }

    static long leaf(final int kind, final int level, final long payload) {
        return LEAF_BIT | (long) kind << KIND_SHIFT | level - 1L << LEVEL_SHIFT | payload;
    }

    static boolean isLeaf(final long meta) {
        return meta < 0;
    }

    static int kind(final long meta) {
        return (int) (meta >>> KIND_SHIFT) & KIND_MASK;
    }

    static long payload(final long meta) {
        return meta & MAX_LEAF_PAYLOAD;
    }

    static int level(final long meta) {
        return (int) (meta >>> LEVEL_SHIFT & LEVEL_MASK) + 1;
    }

    static long withLevel(final long meta, final int level) {
        return meta & ~(LEVEL_MASK << LEVEL_SHIFT) | level - 1L << LEVEL_SHIFT;
    }

    /** Returns the number of cells of a node, without a branch; 0 if no node has such a meta. */
    static int cells(final long meta) {
        return CELLS_BY_TOP_BITS >>> 2 * (int) (meta >>> KIND_SHIFT) & 3;
    }

    /** 1 for a node of one cell, 0 for a wider one or none, without a branch. */
    static int isSingle(final long meta) {
        return SINGLE_BY_TOP_BITS >>> (int) (meta >>> KIND_SHIFT) & 1;
    }

    static int fullKeyLen(final long meta) {
        return (int) (meta >>> FULL_SHIFT & LEVEL_MASK);
    }

    static int count(final long meta) {
        return (int) (kind(meta) == SMALL_CELLS ? meta >>> COUNT_SHIFT & SMALL_COUNT_MASK : meta & WIDE_COUNT_MASK);
    }

    static long smallChildren(final long meta) {
        return meta & SMALL_CHILDREN_MASK;
    }

    static long small(final int level, final int fullKeyLen, final int count, final long children) {
        return inner(SMALL_CELLS, level, fullKeyLen) | (long) count << COUNT_SHIFT | children;
    }

    static long wide(final int cells, final int level, final int fullKeyLen, final int count) {
        return inner(cells, level, fullKeyLen) | count;
    }

    private static long inner(final int cells, final int level, final int fullKeyLen) {
        return (long) cells << KIND_SHIFT | level - 1L << LEVEL_SHIFT | (long) fullKeyLen << FULL_SHIFT;
    }
}
