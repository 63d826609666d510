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
 *  header:   bit 0 LOCKED (a writer changes the bucket), 1 SPILLED (the last slot is the number of a cell), 2 LOST (a node of
 *            this bucket is in no slot), 3..6 number of slots that are taken, which are the first ones, 7..31 number of changes
 *  slot:     the low bits are the tag, those of the hash; the others are the number of a node; 0 if the slot is free
 * </pre>
 * A cell takes as many bytes as a node of height 1 and lies among the nodes: the number of the next cell, or 0, and five slots.
 * <p>
 * Which bits of a slot are the tag depends on the number of buckets: a hash of {@value #HASH_BITS} bits is stretched over them,
 * and the tag tells which of those that lead to a bucket it is. The more buckets, the shorter is the tag, and the more bits are
 * left for the numbers of the more nodes.
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
    static final int LOST = 1 << 2;
    static final int TAKEN_SHIFT = 3;
    static final int TAKEN_MASK = 15;
    static final int CHANGE = 1 << 7;

    private NodeHashLayout() {
    }

    /** The bits of a key's hash that count here: others than those that heights are drawn from. */
    static int prefix(final long hash) {
        return (int) (hash >>> Long.SIZE - HASH_BITS);
    }

    /** Slots of a bucket that are taken. */
    static int taken(final int header) {
        return header >>> TAKEN_SHIFT & TAKEN_MASK;
    }

    /** Offset of a bucket. */
    static long bucketOffset(final int bucket) {
        return (long) bucket << BUCKET_SHIFT;
    }

    /** The bucket that a hash leads to. */
    static int bucket(final int hash, final int buckets) {
        return (int) ((long) hash * buckets >>> HASH_BITS);
    }

    /** The smallest hash that leads to a bucket. */
    static int firstHash(final int bucket, final int buckets) {
        return (int) ((((long) bucket << HASH_BITS) + buckets - 1) / buckets);
    }

    /** Bits of a slot that are the tag. */
    static int tagBits(final int buckets) {
        return HASH_BITS - (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(buckets));
    }

    /** A slot, or 0 if the number of the node has too many bits. */
    static int slot(final int node, final int hash, final int tagBits) {
        return node >>> Integer.SIZE - tagBits != 0 ? 0 : node << tagBits | hash & (1 << tagBits) - 1;
    }

    /** The hash that belongs to a slot of a bucket. */
    static int hash(final int slot, final int first, final int tagBits) {
        return first + (slot - first & (1 << tagBits) - 1);
    }
}
