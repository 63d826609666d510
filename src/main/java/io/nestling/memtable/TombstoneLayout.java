/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.LoweredLimit;
import io.nestling.offheap.Slab;

/**
 * The layout of the range tombstones of a memtable, in one slab. Little endian. A reference is an offset divided by 8; 0 is
 * none.
 * <pre>
 *  node: up to 15 slots that divide a range of keys, ordered by their bounds, in seven lines
 *  byte  0                    120     128                   248     252     256      316      376      436  448
 *        +--------------------+-------+---------------------+-------+-------+--------+--------+--------+----+
 *        | prefix 0 .. 14     | ones  | sequence 0 .. 14    | count | stamp | bounds | links  | older  |    |
 *        +--------------------+-------+---------------------+-------+-------+--------+--------+--------+----+
 *
 *  field         offset  bytes  constant
 *  prefix i        8i      8    -                 the first eight bytes of bound i, most significant first; all ones if unused
 *  sequence i   128+8i     8    SEQUENCES_OFFSET  of the newest range tombstone that covers the whole slot; 0 for none
 *  count          248      4    COUNT_OFFSET      slots in use
 *  stamp          252      4    STAMP_OFFSET      number of the change that made the node
 *  bound i      256+4i     4    BOUNDS_OFFSET     where slot i begins: its bytes, or ~length if its prefix has all of them
 *  link i       316+4i     4    LINKS_OFFSET      the node below; in a leaf, the newest tombstone that begins at the bound
 *  older i      376+4i     4    OLDER_OFFSET      cell with the range tombstone that covered the whole slot before; or 0
 *
 *  cell:       0 sequence (8), 8 next older cell (4)                                      16 bytes
 *  tombstone:  0 sequence (8), 8 prefix of its end (8), 16 end (4, as a bound; 0 if it has none),
 *              20 the next older one that begins at the same bound (4)                    24 bytes
 *  bound:      0 length (4), 4 bytes
 * </pre>
 * All accesses are plain: what a reader reaches was written before the tree was published, and changes no more.
 * <p>
 * Example: a leaf with the slots {@code ""} and {@code "ab"}, the second covered by number 7, begins with {@code 0,
 * 0x6162000000000000, -1, ...}, has the sequences {@code 0, 7}, count 2, and the bounds {@code -1, -3}.
 */
final class TombstoneLayout {
    static final int NONE = 0;
    static final int REFERENCE_SHIFT = 3;
    static final int LINE_BYTES = 64;
    static final int NODE_SLOTS = 15;
    /** Slots after which a node is divided. */
    static final int MAX_SLOTS = LoweredLimit.of("memtable.tombstoneSlots", NODE_SLOTS, 3);
    static final int SEQUENCES_OFFSET = (NODE_SLOTS + 1) * Long.BYTES;
    static final int COUNT_OFFSET = SEQUENCES_OFFSET + NODE_SLOTS * Long.BYTES;
    static final int STAMP_OFFSET = COUNT_OFFSET + Integer.BYTES;
    static final int BOUNDS_OFFSET = STAMP_OFFSET + Integer.BYTES;
    static final int LINKS_OFFSET = BOUNDS_OFFSET + NODE_SLOTS * Integer.BYTES;
    static final int OLDER_OFFSET = LINKS_OFFSET + NODE_SLOTS * Integer.BYTES;
    static final int NODE_BYTES = 7 * LINE_BYTES;

    static final int CELL_OLDER_OFFSET = 8;
    static final int CELL_BYTES = 16;

    static final int END_PREFIX_OFFSET = 8;
    static final int END_OFFSET = 16;
    static final int SAME_START_OFFSET = 20;
    static final int TOMBSTONE_BYTES = 24;

    static final long UNUSED_PREFIX = -1;
    /** Greatest offset behind a block: references are positive, since negative bounds are lengths. */
    static final long MAX_BYTES = (1L << 31 + REFERENCE_SHIFT) - (2L << 20);

    private TombstoneLayout() {
    }

    static long offset(final int reference) {
        return (long) reference << REFERENCE_SHIFT;
    }

    static int count(final Slab slab, final int node) {
        return slab.getInt(offset(node) + COUNT_OFFSET);
    }

    static long prefix(final Slab slab, final int node, final int slot) {
        return slab.getLong(offset(node) + ((long) slot << 3));
    }

    static long sequenceOffset(final int node, final int slot) {
        return offset(node) + SEQUENCES_OFFSET + ((long) slot << 3);
    }

    static long boundOffset(final int node, final int slot) {
        return offset(node) + BOUNDS_OFFSET + ((long) slot << 2);
    }

    static long linkOffset(final int node, final int slot) {
        return offset(node) + LINKS_OFFSET + ((long) slot << 2);
    }

    static long olderOffset(final int node, final int slot) {
        return offset(node) + OLDER_OFFSET + ((long) slot << 2);
    }
}
