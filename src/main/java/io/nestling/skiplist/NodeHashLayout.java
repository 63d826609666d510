/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

/**
 * A bucket of the hash of all nodes: sixteen numbers of four bytes in a line. Little endian, bit 0 = least significant.
 * <pre>
 *  byte  0        4        8                                           56       60       64
 *        +--------+--------+--------+- - - - - - - - - - - - - - - - -+--------+--------+
 *        | header | slot 1 | slot 2 |                                 | slot 14| slot 15|
 *        +--------+--------+--------+- - - - - - - - - - - - - - - - -+--------+--------+
 *
 *  field    offset  bytes  access (writer / reader)
 *  header      0      4    compareAndSetInt, putIntRelease / getIntAcquire before, getInt behind a fence after the slots
 *  slot i     4i      4    plain, by the holder of the lock / plain, of use if the header is the same before and after
 *
 *  header:   bit 0 LOCKED (a writer changes the bucket), 1 SPILLED (the last slot is the number of a cell),
 *            2 INCOMPLETE (a node of this bucket is in no slot), 3..6 number of taken slots, which are the first ones,
 *            7..31 number of changes
 *  slot:     tag in the low bits, node number above; 0 if the slot is free
 * </pre>
 * A cell takes as many bytes as a node of height 1 and lies among the nodes: the number of the next cell, or 0, and five slots.
 * <p>
 * The number of buckets decides which bits of a slot are the tag: a hash of {@value #HASH_BITS} bits is stretched over the
 * buckets, and the tag tells hashes of one bucket apart. With more buckets the tag is shorter and leaves more bits for node
 * numbers.
 * <p>
 * Example: with 300 buckets the tag has 17 bits. The hash 0x155556 leads to bucket 12 (0x155556 * 300 >> 25); node 9 is the slot
 * {@code 56 55 13 00}.
 */
final class NodeHashLayout {
    static final int HASH_BITS = 25;
    static final int BUCKET_SHIFT = 6;
    static final int SLOT_SHIFT = 2;
    /** Number of the last slot; the header stands where slot 0 would. */
    static final int LAST_SLOT = 15;
    static final int CELL_SLOTS = 5;
    static final int LOCKED = 1;
    static final int SPILLED = 1 << 1;
    static final int INCOMPLETE = 1 << 2;
    static final int TAKEN_SHIFT = 3;
    static final int TAKEN_MASK = 15;
    static final int CHANGE = 1 << 7;

    private NodeHashLayout() {
    }

    /** Returns the bits of a key's hash that this table uses; heights are drawn from others. */
    static int prefix(final long hash) {
        return (int) (hash >>> Long.SIZE - HASH_BITS);
    }

    /** Returns the number of slots of a bucket that are taken. */
    static int taken(final int header) {
        return header >>> TAKEN_SHIFT & TAKEN_MASK;
    }

    /** Returns the offset of a bucket. */
    static long bucketOffset(final int bucket) {
        return (long) bucket << BUCKET_SHIFT;
    }

    /** Returns the bucket that a hash leads to. */
    static int bucket(final int hash, final int buckets) {
        return (int) ((long) hash * buckets >>> HASH_BITS);
    }

    /** Returns the smallest hash that leads to a bucket. */
    static int firstHash(final int bucket, final int buckets) {
        return (int) ((((long) bucket << HASH_BITS) + buckets - 1) / buckets);
    }

    /** Returns the bits of a slot that are the tag. */
    static int tagBits(final int buckets) {
        return HASH_BITS - (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(buckets));
    }

    /** Returns a slot, or 0 if the node's number has too many bits. */
    static int slot(final int node, final int hash, final int tagBits) {
        return node >>> Integer.SIZE - tagBits != 0 ? 0 : node << tagBits | hash & (1 << tagBits) - 1;
    }

    /** Returns the hash of a slot of a bucket. */
    static int hash(final int slot, final int first, final int tagBits) {
        return first + (slot - first & (1 << tagBits) - 1);
    }
}
