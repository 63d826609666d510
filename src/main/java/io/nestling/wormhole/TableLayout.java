/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

/**
 * Bucket of the meta trie's hash table: eight item words in a line of 64 bytes, and the fields at the start of the slab.
 * <pre>
 *  item word   [63..36] tag: upper bits of the prefix's hash  [35..32] kind  [31..0] node or block, in units of 16 bytes
 *              kind 0: the word is empty, 1: link to 64 bytes with more items (last word of a full bucket only),
 *              2 + size class: node
 *
 *  field at the start of the slab     offset  bytes  access (writer / reader)                      constant
 *  structure version, odd: changing   0       8      putLongRelease / getLongAcquire, then plain   VERSION_OFFSET
 *                                                    behind an acquire fence
 *  number of buckets                  8       8      putLongRelease / getLongAcquire               BUCKETS_OFFSET
 *  depth of the deepest node          16      4      putIntRelease / getIntAcquire                 MAX_DEPTH_OFFSET
 *  first leaf                         20      4      plain, at the start                           FIRST_LEAF_OFFSET
 *  item word of the root node         24      8      putLongRelease / getLongAcquire               ROOT_OFFSET
 *  last leaf                          32      4      putIntRelease / getIntAcquire                 LAST_LEAF_OFFSET
 * </pre>
 * Linear hashing (Litwin 1980): with n buckets and p the largest power of two up to n, a hash belongs to the bucket of
 * its low bits modulo 2 p if there is one, else modulo p. Example: n = 6; hash 13 is 5 modulo 8: bucket 5; hash 7 has
 * no bucket 7 and is 3 modulo 4: bucket 3.
 */
final class TableLayout {
    static final int VERSION_OFFSET = 0;
    static final int BUCKETS_OFFSET = 8;
    static final int MAX_DEPTH_OFFSET = 16;
    static final int FIRST_LEAF_OFFSET = 20;
    static final int ROOT_OFFSET = 24;
    static final int LAST_LEAF_OFFSET = 32;

    static final int BUCKET_BYTES = 64;
    static final int BUCKET_SHIFT = 6;
    static final int ITEMS = 8;
    static final int LAST_ITEM_OFFSET = BUCKET_BYTES - Long.BYTES;

    static final int TAG_SHIFT = 36;
    static final long TAG_MASK = -1L << TAG_SHIFT;
    static final int KIND_SHIFT = 32;
    static final int KIND_MASK = 15;
    static final int KIND_LINK = 1;
    static final int KIND_NODE = 2;

    private TableLayout() {
    }

    static long nodeItem(final long hash, final int sizeClass, final long node) {
        return hash & TAG_MASK | (long) (KIND_NODE + sizeClass) << KIND_SHIFT | node >>> LeafLayout.REFERENCE_SHIFT;
    }

    static long linkItem(final long block) {
        return (long) KIND_LINK << KIND_SHIFT | block >>> LeafLayout.REFERENCE_SHIFT;
    }

    static int kind(final long item) {
        return (int) (item >>> KIND_SHIFT) & KIND_MASK;
    }

    static int sizeClass(final long item) {
        return kind(item) - KIND_NODE;
    }

    /** Returns the offset of the node or block of an item. */
    static long target(final long item) {
        return (item & 0xFFFF_FFFFL) << LeafLayout.REFERENCE_SHIFT;
    }

    static boolean isTagged(final long item, final long hash) {
        return ((item ^ hash) & TAG_MASK) == 0 && kind(item) >= KIND_NODE;
    }

    /** Returns the bucket of a hash among a number of buckets. */
    static long bucketOf(final long hash, final long buckets) {
        final long power = Long.highestOneBit(buckets);
        final long bucket = hash & (power << 1) - 1;
        return bucket < buckets ? bucket : bucket & power - 1;
    }
}
