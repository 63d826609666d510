/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.index.PointIndex;

/**
 * A node of the skip list: one entry and its tower of links, in one or more units of 32 bytes. Little endian, bit 0 = least
 * significant. A node is named by the number of its first unit; number 0 is null.
 * <pre>
 *  byte  0               8               16      20      24      28      32
 *        +---------------+---------------+-------+-------+-------+-------+- - -
 *        | chunk         | payload       | meta  | link 0| link 1| link 2| link 3 ...
 *        +---------------+---------------+-------+-------+-------+-------+- - -
 *
 *  field     offset  bytes  access (writer / reader)                          constant
 *  chunk       0       8    plain, later putLongRelease / getLongAcquire      CHUNK_OFFSET
 *  payload     8       8    compareAndSetLong / getLongAcquire *              PAYLOAD_OFFSET
 *  meta       16       4    plain, later compareAndSetInt / getIntAcquire *   META_OFFSET
 *  link i    20+4i     4    plain, later compareAndSetInt / getIntAcquire *   LINKS_OFFSET
 *  * plain where a cursor looks ahead, behind a fence, and for the height, which never changes
 *
 *  chunk:    eight bytes of the key from the chunk's place on, the first of them most significant, zeroes behind the key's end
 *  payload:  bit 63 DEAD (the entry is removed), bits 0..61 the payload, which stays when the entry is removed
 *  meta:     bits 0..5 height, 6..9 key bytes in the chunk (9: the key goes on behind it), 10 LINKED (its writer is done with
 *            the upper levels), 11 UNLINKED (its remover is done), 12 MOVING (the chunk may be that of the place before or of the
 *            next one), 13..15 how often the chunk was moved to a lower place, 16..31 place of the chunk in the key
 *  link i:   bit 31 MARK (the node is dead, and this link never changes again), bits 0..30 number of the next node of level i
 * </pre>
 * A node of height 1 to 3 takes one unit, one of height 4 to 11 two, which begin at a multiple of 64 bytes. Thirty-one bits of
 * unit numbers reach 64 GiB.
 * <p>
 * Example: key {@code "skip list"} with its chunk at place 1, payload 7, height 1, followed by node 5 is
 * {@code 74 73 69 6c 20 70 69 6b | 07 00 00 00 00 00 00 00 | 01 06 01 00 | 05 00 00 00}: the chunk is the number that
 * {@code "kip list"} spells, with which the key ends.
 */
final class NodeLayout {
    static final int UNIT_BYTES = 32;
    static final int UNIT_SHIFT = 5;
    static final int NULL = 0;
    static final int CHUNK_OFFSET = 0;
    static final int CHUNK_BYTES = Long.BYTES;
    static final int PAYLOAD_OFFSET = 8;
    static final int META_OFFSET = 16;
    static final int LINKS_OFFSET = 20;
    static final int LINK_SHIFT = 2;
    static final int MAX_HEIGHT = 32;
    /** Greatest height of a node of one unit. */
    static final int SMALL_HEIGHT = (UNIT_BYTES - LINKS_OFFSET) >> LINK_SHIFT;
    static final int MAX_UNITS = units(MAX_HEIGHT);

    /** Number of the head, a node of the greatest height before all others. */
    static final int HEAD = 2;
    /** Number of the first unit that is handed out; even, so that nodes of two units share no line. */
    static final int FIRST_UNIT = (HEAD + MAX_UNITS + 1) & ~1;
    /** Most bytes of a list. */
    static final long MAX_BYTES = (1L << 31 + UNIT_SHIFT) - (2L << 20);

    static final long DEAD = Long.MIN_VALUE;
    static final long PAYLOAD_MASK = PointIndex.MAX_PAYLOAD;
    static final int MARK = Integer.MIN_VALUE;
    static final int NODE_MASK = Integer.MAX_VALUE;

    static final int HEIGHT_MASK = 63;
    static final int CHUNK_END_SHIFT = 6;
    static final int CHUNK_END_MASK = 15;
    /** Stands for a key that goes on behind its chunk. */
    static final int GOES_ON = CHUNK_BYTES + 1;
    static final int LINKED = 1 << 10;
    static final int UNLINKED = 1 << 11;
    /** The chunk is being moved to another place. */
    static final int MOVING = 1 << 12;
    static final int RETREATS_SHIFT = 13;
    /** Most times that a chunk is moved towards the beginning of its key. */
    static final int MAX_RETREATS = 7;
    static final int CHUNK_PLACE_SHIFT = 16;

    private NodeLayout() {
    }

    /** Offset of a node. */
    static long offset(final int node) {
        return (long) node << UNIT_SHIFT;
    }

    /** Offset of a node's link. */
    static long linkOffset(final int node, final int level) {
        return offset(node) + LINKS_OFFSET + ((long) level << LINK_SHIFT);
    }

    /** Units of a node. */
    static int units(final int height) {
        return (LINKS_OFFSET + (height << LINK_SHIFT) + UNIT_BYTES - 1) >> UNIT_SHIFT;
    }

    /** Meta word of a new node; {@code chunkPlace} is at most {@code keyLength}. */
    static int meta(final int height, final int chunkPlace, final int keyLength) {
        final int rest = keyLength - chunkPlace;
        final int end = rest <= CHUNK_BYTES ? rest : GOES_ON;
        return height | end << CHUNK_END_SHIFT | chunkPlace << CHUNK_PLACE_SHIFT | (height == 1 ? LINKED : 0);
    }

    /** Meta word of a node whose chunk has come to another place. */
    static int metaOfMoved(final int meta, final int chunkPlace, final int keyLength) {
        final int retreats = (meta >>> RETREATS_SHIFT & MAX_RETREATS) + (chunkPlace < chunkPlace(meta) ? 1 : 0);
        return meta(height(meta), chunkPlace, keyLength) & ~LINKED | meta & (LINKED | UNLINKED) | retreats << RETREATS_SHIFT;
    }

    /** Whether the chunk of a node may be moved to a place: no two states of it have the same meta word. */
    static boolean mayMove(final int meta, final int chunkPlace) {
        return chunkPlace > chunkPlace(meta)
            || chunkPlace < chunkPlace(meta) && (meta >>> RETREATS_SHIFT & MAX_RETREATS) < MAX_RETREATS;
    }

    static int height(final int meta) {
        return meta & HEIGHT_MASK;
    }

    /** Place of the chunk in the key. */
    static int chunkPlace(final int meta) {
        return meta >>> CHUNK_PLACE_SHIFT;
    }

    /** Key bytes in the chunk, or {@link #GOES_ON}. */
    static int chunkEnd(final int meta) {
        return meta >>> CHUNK_END_SHIFT & CHUNK_END_MASK;
    }

    /**
     * Draws a height from the bits of a hash: half of the nodes have more than one level, of which the directory lists some; an
     * eighth have more than two, one in 128 more than three (which take a second unit), and from there on half of those of each
     * level reach the next.
     */
    static int height(final long hash) {
        if ((hash & 1) == 0) {
            return 1;
        }
        if ((hash >>> 1 & 3) > 0) {
            return 2;
        }
        if ((hash >>> 3 & 15) > 0) {
            return SMALL_HEIGHT;
        }
        return Math.min(MAX_HEIGHT, SMALL_HEIGHT + 1 + Long.numberOfTrailingZeros(~(hash >>> 7)));
    }
}
