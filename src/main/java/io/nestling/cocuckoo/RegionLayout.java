/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.Slab;

/**
 * Region: a small cuckoo hash table for the hashes that end in a certain bit pattern. Little endian, aligned to 64 bytes.
 * <pre>
 *  byte 0        8    24        28      32      40     48     56      60   62               190  192
 *       +--------+----+---------+-------+-------+------+------+-------+----+-----------------+----+----------+---
 *       | locked |    | pattern | depth | core  | full | core | state |    | nodes, 2 bytes  |    | bucket 0 | ...
 *       |        |    |         |       | lock  |      |      | stash |    | for each bucket |    |          |
 *       +--------+----+---------+-------+-------+------+------+-------+----+-----------------+----+----------+---
 *
 *  field     offset  bytes  access (writer / reader)                               constant
 *  locked      0       8    compareAndSetLong, putLongRelease / getLongAcquire     LOCKED_OFFSET
 *  pattern    24       4    plain, before the region is published                  PATTERN_OFFSET
 *  depth      28       4    putIntRelease, the region locked as a whole / plain    DEPTH_OFFSET
 *  core lock  32       8    compareAndSetLong, putLongRelease / getLongAcquire     CORE_LOCK_OFFSET
 *  full       40       8    plain, under the lock of the subgraph of bucket 0      FULL_OFFSET, see SubgraphForest
 *  core       48       8    plain, under the lock of the subgraph of bucket 0      CORE_OFFSET, see SubgraphForest
 *  state      56       4    compareAndSetInt, putIntRelease / getIntAcquire        STATE_OFFSET
 *  node[v]    62+2v    2    plain, under the lock of the subgraph of bucket v      FOREST_OFFSET, see SubgraphForest
 *
 *  bucket: one line, four slots of 16 bytes
 *  field     offset  bytes  access (writer / reader)                               constant
 *  payload    0        8    compareAndSetLong, putLongRelease / getLongAcquire     bits 0..61 payload, 62 PRESENT, 63 MOVING
 *  tag        8        8    putLongRelease, before the payload / plain             hash of the key; TAG_OFFSET
 * </pre>
 * {@code locked} has a bit for each root of a subgraph except bucket 0, or all bits while the region as a whole is locked. The
 * subgraph of bucket 0 has a lock of its own, which only its owner changes, so that a store unlocks it. Reads of core, full and
 * nodes without the lock are guesses.
 * <p>
 * A directory entry names a region by its offset in lines and, in the two low bits, its size class. Example: class 3 at offset
 * 128, line 2, is region 4 * 2 + 3 = 11 with 64 buckets, the third of which is at 128 + 192 + 2 * 64 = 448.
 * <p>
 * Bits 0 to 31 of a hash choose the region, bits 32 to 47 its first bucket there, and bits 48 to 63 the other one. The tag in a
 * slot is the whole hash, and so gives both without the key.
 */
final class RegionLayout {
    static final int LINE_BYTES = 64;
    static final int LOCKED_OFFSET = 0;
    static final int PATTERN_OFFSET = 24;
    static final int DEPTH_OFFSET = 28;
    static final int CORE_LOCK_OFFSET = 32;
    static final int FULL_OFFSET = 40;
    static final int CORE_OFFSET = 48;
    static final int STATE_OFFSET = 56;
    /** The node of bucket 0 is in the first line, the others are behind it. */
    static final int FOREST_OFFSET = 62;
    static final int HEADER_BYTES = 192;

    static final int SLOT_BYTES = 16;
    static final int SLOT_SHIFT = 4;
    static final int SLOTS_PER_BUCKET = 4;
    /** All slots of a bucket, as bits. */
    static final int ALL_FOUR = (1 << SLOTS_PER_BUCKET) - 1;
    static final int TAG_OFFSET = 8;
    static final int PRESENT_BIT = 62;
    static final long PRESENT = 1L << PRESENT_BIT;
    static final long MOVING = 1L << 63;
    static final long PAYLOAD_MASK = PRESENT - 1;

    /** Value of {@code locked} while the region as a whole is locked, and for ever once it was replaced. */
    static final long ALL_LOCKED = -1L;
    /** Bit of {@code state}: a writer is about to lock the region as a whole, has done so, or has replaced it. */
    static final int CLOSED = 1;
    /** {@code state} has above that bit the offset in lines of the first block of the stash. */
    static final int STASH_SHIFT = 1;
    static final long UNSIGNED_INT_MASK = 0xFFFF_FFFFL;

    /** Bit of the lock of the core: locked. */
    static final long CORE_LOCKED = 1;
    /** Bit of the lock of the core: the region is not of the last class, or has a stash. */
    static final long CORE_SPECIAL = 2;
    /** Bit of the core lock that all regions have, and no slot of a stash in a former region's block. */
    static final long CORE_REGION = 1L << 61;
    /** All bits of the core lock except its count; no slot's word looks like a region's. */
    static final long CORE_MASK = PRESENT | MOVING | CORE_REGION | CORE_SPECIAL | CORE_LOCKED;
    /** Difference of the core lock by unlocking: the count of unlocks is above its two lowest bits. */
    static final long CORE_UNLOCK = 4 - CORE_LOCKED;
    /** Limits the count that a core lock takes over from earlier content, so that it never overflows. */
    static final long CORE_COUNT_MASK = (1L << 60) - 4;

    /** Least depth of a region. */
    static final int MIN_DEPTH = 1;
    /** Binary logarithm of {@link #MAX_BUCKETS}. */
    static final int MAX_BUCKETS_SHIFT = LoweredLimit.of("cocuckoo.regionBucketsShift", 6, 4);
    /** Buckets of a region of the last class: 64. */
    static final int MAX_BUCKETS = 1 << MAX_BUCKETS_SHIFT;
    static final int SIZE_CLASSES = 4;
    static final int LAST_CLASS = SIZE_CLASSES - 1;
    /** No region, no slot. */
    static final long NULL = 0;

    /* 4, 16, 48 and 64; with a lowered limit also four ascending multiples of 4. */
    private static final int BUCKETS_BY_CLASS =
        4 | Math.max(8, MAX_BUCKETS / 4) << 8 | MAX_BUCKETS * 3 / 4 << 16 | MAX_BUCKETS << 24;
    private static final int CLASS_BITS = 2;
    private static final int CLASS_MASK = 3;
    private static final int CLASS_SHIFT = 3;
    static final int LINE_SHIFT = 6;
    private static final int BUCKETS_MASK = 0xFF;
    private static final int CHOICE_BITS = 16;
    private static final int CHOICE_MASK = (1 << CHOICE_BITS) - 1;

    private RegionLayout() {
    }

    static long region(final long base, final int sizeClass) {
        return base >>> LINE_SHIFT - CLASS_BITS | sizeClass;
    }

    /** Returns the offset of a region in the slab. */
    static long base(final long region) {
        return region >>> CLASS_BITS << LINE_SHIFT;
    }

    static int sizeClass(final long region) {
        return (int) region & CLASS_MASK;
    }

    static int buckets(final int sizeClass) {
        return BUCKETS_BY_CLASS >>> (sizeClass << CLASS_SHIFT) & BUCKETS_MASK;
    }

    /** Returns all buckets of a region, as bits. */
    static long allBuckets(final long region) {
        return -1L >>> Long.SIZE - bucketsOf(region);
    }

    /** Returns the number of buckets of a region. */
    static int bucketsOf(final long region) {
        return buckets((int) region & CLASS_MASK);
    }

    static int regionBytes(final int sizeClass) {
        return HEADER_BYTES + (buckets(sizeClass) << LINE_SHIFT);
    }

    static long bucketOffset(final long base, final int bucket) {
        return base + HEADER_BYTES + ((long) bucket << LINE_SHIFT);
    }

    static long slotOffset(final long base, final int bucket, final int slot) {
        return bucketOffset(base, bucket) + ((long) slot << SLOT_SHIFT);
    }

    /** Returns the free slots of a bucket, as bits; a guess unless its subgraph is locked. */
    static int freeSlots(final Slab slab, final long bucket) {
        return slab.slotBits(bucket, PRESENT_BIT) ^ ALL_FOUR;
    }

    /** Returns the first bucket of a hash in a region of a number of buckets. */
    static int primary(final long hash, final int buckets) {
        return ((int) (hash >>> Integer.SIZE) & CHOICE_MASK) * buckets >>> CHOICE_BITS;
    }

    /** Returns the first bucket of a hash in a region of {@link #MAX_BUCKETS}, by fewer instructions. */
    static int primaryOfMost(final long hash) {
        return (int) (hash >>> Integer.SIZE + CHOICE_BITS - MAX_BUCKETS_SHIFT) & MAX_BUCKETS - 1;
    }

    /** Returns the other bucket of a hash, which is never the first one. */
    static int secondary(final long hash, final int buckets, final int primary) {
        final int bucket = primary + 1 + ((int) (hash >>> Integer.SIZE + CHOICE_BITS) * (buckets - 1) >>> CHOICE_BITS);
        return buckets == MAX_BUCKETS ? bucket & MAX_BUCKETS - 1
            : bucket - (buckets & ~(bucket - buckets >> Integer.SIZE - 1)); // modulo, without an unpredictable branch
    }

    /** Returns the other one of the two buckets of a hash. */
    static int alternate(final long hash, final int buckets, final int bucket) {
        final int primary = primary(hash, buckets);
        return primary + secondary(hash, buckets, primary) - bucket;
    }

    /** Returns whether a slot's payload word is that of a key. */
    static boolean isPresent(final long word) {
        return (word & PRESENT) != 0;
    }

    static long payload(final long word) {
        return word & PAYLOAD_MASK;
    }
}
