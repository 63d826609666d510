/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.LoweredLimit;
import io.nestling.index.PointIndex;

/**
 * A node of the skip list: one entry and its tower of links, in three or more units of 8 bytes. Little endian, bit 0 = least
 * significant. A node is named by the number of its first unit; number 0 is null.
 * <pre>
 *  byte  0               8       12      16              24      28      32
 *        +---------------+-------+-------+---------------+-------+-------+-------+- - -
 *        | payload       | meta  | link 0| chunk         | link 1| link 2| link 3| ...
 *        +---------------+-------+-------+---------------+-------+-------+-------+- - -
 *
 *  field      offset  bytes  access (writer / reader)                          constant
 *  payload       0      8    compareAndSetLong / getLongAcquire *              PAYLOAD_OFFSET
 *  meta          8      4    plain, later compareAndSetInt / plain             META_OFFSET
 *  link 0       12      4    plain, later compareAndSetInt / getIntAcquire *   LINK_OFFSET
 *  chunk        16      8    plain                                             CHUNK_OFFSET
 *  link i > 0 20+4i     4    as link 0                                         LINKS_OFFSET
 *  * plain where a cursor looks ahead, behind a fence
 *
 *  payload:  bit 63 DEAD (the entry is removed), bits 0..61 the payload, which stays when the entry is removed
 *  meta:     bits 0..5 height, 6..9 key bytes in the chunk (9: the key goes on behind it), 10 LINKED (its writer is done with
 *            the upper levels), 11 UNLINKED (its remover is done), 16..31 position of the chunk in the key
 *  link i:   bit 31 MARK (the node is dead, and this link never changes again), bits 0..30 number of the next node of level i
 *  chunk:    eight bytes of the key from the chunk's position on, the first of them most significant, zeroes behind the key's end
 * </pre>
 * A node of height 1 takes 24 bytes and straddles two lines in two cases of eight. One of height 2 or 3 takes 32, one of height 4
 * to 11 takes 64. Thirty-one bits of unit numbers reach 16 GiB.
 * <p>
 * Example: key {@code "skip list"} with its chunk at position 1, payload 7, height 1, followed by node 5 is
 * {@code 07 00 00 00 00 00 00 00 | 01 06 01 00 | 05 00 00 00 | 74 73 69 6c 20 70 69 6b}: the chunk is the number that
 * {@code "kip list"} spells, with which the key ends.
 */
final class SkipListNodeLayout {
    static final int UNIT_BYTES = 8;
    static final int UNIT_SHIFT = 3;
    static final int NULL = 0;
    static final int PAYLOAD_OFFSET = 0;
    static final int META_OFFSET = 8;
    /** The link of level 0. */
    static final int LINK_OFFSET = 12;
    static final int CHUNK_OFFSET = 16;
    static final int CHUNK_BYTES = Long.BYTES;
    /** The links of the levels from 1 on. */
    static final int LINKS_OFFSET = 24;
    static final int LINK_SHIFT = 2;
    static final int MAX_HEIGHT = 32;
    /* Of sixteen nodes, those with one level. */
    private static final int LOW_SIXTEENTHS = LoweredLimit.of("skiplist.lowSixteenths", 15, 1);
    /** Units of a node of height 1. */
    static final int LOW_UNITS = LINKS_OFFSET / UNIT_BYTES;
    /** Units of a node of height 2 or 3. Taller nodes take multiples. */
    static final int SMALL_UNITS = 4;
    /** Greatest height of a node of {@link #SMALL_UNITS}. */
    static final int SMALL_HEIGHT = 3;
    static final int LINE_UNITS = 8;
    static final int MAX_UNITS = units(MAX_HEIGHT);

    /** Number of the head, a node of the greatest height before all others. */
    static final int HEAD = LINE_UNITS;
    /** Number of the first unit for nodes, at the begin of a line. */
    static final int FIRST_UNIT = HEAD + MAX_UNITS + LINE_UNITS - 1 & -LINE_UNITS;
    /** Greatest size of a list. */
    static final long MAX_BYTES = (1L << 31 + UNIT_SHIFT) - (2L << 20);

    static final long DEAD = Long.MIN_VALUE;
    static final long PAYLOAD_MASK = PointIndex.MAX_PAYLOAD;
    static final int MARK = Integer.MIN_VALUE;
    static final int NODE_MASK = Integer.MAX_VALUE;

    static final int HEIGHT_MASK = 63;
    static final int CHUNK_END_SHIFT = 6;
    static final int CHUNK_END_MASK = 15;
    /** Stands for a key that continues behind its chunk. */
    static final int GOES_ON = CHUNK_BYTES + 1;
    static final int LINKED = 1 << 10;
    static final int UNLINKED = 1 << 11;
    static final int CHUNK_POSITION_SHIFT = 16;

    private SkipListNodeLayout() {
    }

    /** Returns the offset of a node. */
    static long offset(final int node) {
        return (long) node << UNIT_SHIFT;
    }

    /** Returns the offset of a node's link. */
    static long linkOffset(final int node, final int level) {
        return offset(node) + LINK_OFFSET + ((long) level << LINK_SHIFT) + (-level >> Integer.SIZE - 1 & CHUNK_BYTES);
    }

    /** Returns whether a node of height 1 straddles two lines. */
    static boolean isSplit(final int node) {
        return (node & LINE_UNITS - 1) > LINE_UNITS - LOW_UNITS;
    }

    /** Returns whether the link of level 0 is in another line than the payload. */
    static boolean isLinkApart(final int node) {
        return (node & LINE_UNITS - 1) == LINE_UNITS - 1;
    }

    /** Returns the offset of four bytes of a node of height 1 in its last line. */
    static long secondOffset(final int node) {
        return offset(node) + CHUNK_OFFSET;
    }

    /** Returns the number of units of a node. */
    static int units(final int height) {
        if (height == 1) {
            return LOW_UNITS;
        }
        final int bytes = LINKS_OFFSET + (height - 1 << LINK_SHIFT);
        return (bytes + SMALL_UNITS * UNIT_BYTES - 1) / (SMALL_UNITS * UNIT_BYTES) * SMALL_UNITS;
    }

    /** Returns the meta word of a new node; {@code chunkPosition} is at most {@code keyLength}. */
    static int meta(final int height, final int chunkPosition, final int keyLength) {
        final int rest = keyLength - chunkPosition;
        final int end = rest <= CHUNK_BYTES ? rest : GOES_ON;
        return height | end << CHUNK_END_SHIFT | chunkPosition << CHUNK_POSITION_SHIFT | (height == 1 ? LINKED : 0);
    }

    static int height(final int meta) {
        return meta & HEIGHT_MASK;
    }

    /** Returns the position of the chunk in the key. */
    static int chunkPosition(final int meta) {
        return meta >>> CHUNK_POSITION_SHIFT;
    }

    /** Returns the number of key bytes in the chunk, or {@link #GOES_ON}. */
    static int chunkEnd(final int meta) {
        return meta >>> CHUNK_END_SHIFT & CHUNK_END_MASK;
    }

    /**
     * Returns a height drawn from the bits of a hash: one node in 16 has more than one level, one in 128 more than two,
     * and of these half reach each next level. Searches go by the node index, which lists nodes of all heights; upper levels
     * serve for nodes that it does not list yet, and for lists without one.
     */
    static int height(final long hash) {
        if ((hash & 15) < LOW_SIXTEENTHS) {
            return 1;
        }
        if ((hash >>> 4 & 7) > 0) {
            return 2;
        }
        return Math.min(MAX_HEIGHT, 3 + Long.numberOfTrailingZeros(~(hash >>> 7)));
    }
}
