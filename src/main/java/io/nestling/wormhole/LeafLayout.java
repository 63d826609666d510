/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import io.nestling.bytes.LoweredLimit;

/**
 * Leaf: up to {@link #MAX_ENTRIES} entries in a block of 1024 bytes, little endian: a header, the entries' slots and
 * discriminators in key order, and 11 lines of eight entry words each.
 * <pre>
 *  byte  0       8    12   16     18       20      24           44     56            144            320         1024
 *        +-------+----+----+------+--------+-------+------------+------+-------------+--------------+-----------+
 *        | state |next|prev|anchor| shared | anchor| first bytes| slots| slots in key|discriminators| 11 lines  |
 *        |       |    |    |length| length | block | of anchor  | taken| order       | in that order| of 8 words|
 *        +-------+----+----+------+--------+-------+------------+------+-------------+--------------+-----------+
 *
 *  field          offset  bytes  access (writer / reader)                                         constant
 *  state word     0       8      putLongRelease / getLongAcquire; plain behind an acquire fence   STATE_OFFSET
 *  next leaf      8       4      putIntRelease / getIntAcquire; plain under the state's version   NEXT_OFFSET
 *  previous leaf  12      4      as next leaf                                                     PREVIOUS_OFFSET
 *  anchor length  16      2      plain, before the leaf is linked                                 ANCHOR_LENGTH_OFFSET
 *  shared length  18      2      plain, under the state's version                                 SHARED_LENGTH_OFFSET
 *  anchor block   20      4      plain, before the leaf is linked                                 ANCHOR_BLOCK_OFFSET
 *  anchor bytes   24      20     plain, before the leaf is linked                                 ANCHOR_BYTES_OFFSET
 *  slots taken    44      12     plain, the writer only; bit per slot, byte per line, one spare   TAKEN_OFFSET
 *  order          56      88     plain, under the state's version                                 ORDER_OFFSET
 *  discriminators 144     176    plain, under the state's version                                 DISCRIMINATORS_OFFSET
 *  entry words    320     704    putLongRelease / plain, an acquire fence behind                  ENTRIES_OFFSET
 * </pre>
 * References to leaves and blocks are offsets in units of 16 bytes; 0 is none. An anchor's bytes beyond the first {@link
 * #ANCHOR_BYTES} stand in its block. The shared length is a number of leading bytes that this anchor and the next one share, and
 * so all keys of the leaf; 0 in the last leaf. The shared bits in the state word are a number of bits of the following byte that
 * they share, too. A discriminator is the next 16 bits of an entry's key, with zeroes behind its end: keys order as their
 * discriminators do.
 * <p>
 * Each entry has a <em>position</em> in key order, which gives its slot in the order and its discriminator among the
 * discriminators. Only records tell keys with equal discriminators apart.
 * <pre>
 *  state word   [63..33] version  [32] being rewritten  [31] dead  [30] chained  [29] unindexed
 *               [18..16] shared bits  [7..0] entries
 *  entry word   [63..48] tag  [47] present  [46] payload is in a block  [45] overflow  [44..0] payload or block
 * </pre>
 * An entry stands in its home line, which the tag gives: {@code tag * 11 >>> 16}, or in a line behind it if that one was full;
 * then the overflow bit of the first word of each passed line is set.
 * <p>
 * Example: tag 0x8000 has home line 0x8000 * 11 >>> 16 = 5, whose first word lies at 320 + 5 * 64 = 640; with payload 5
 * its word is 0x8000_8000_0000_0005.
 */
final class LeafLayout {
    static final int LEAF_BYTES = 1024;
    static final int REFERENCE_SHIFT = 4;

    static final int STATE_OFFSET = 0;
    static final int NEXT_OFFSET = 8;
    static final int PREVIOUS_OFFSET = 12;
    static final int ANCHOR_LENGTH_OFFSET = 16;
    static final int SHARED_LENGTH_OFFSET = 18;
    static final int ANCHOR_BLOCK_OFFSET = 20;
    static final int ANCHOR_BYTES_OFFSET = 24;
    static final int ANCHOR_BYTES = 20;
    static final int TAKEN_OFFSET = 44;
    static final int TAKEN_BYTES = 12;
    static final int ORDER_OFFSET = 56;
    static final int DISCRIMINATORS_OFFSET = 144;
    static final int ENTRIES_OFFSET = 320;

    static final int LINE_BYTES = 64;
    static final int LINE_SHIFT = 6;
    static final int LINE_SLOTS_SHIFT = 3;
    static final int LINE_SLOTS = 1 << LINE_SLOTS_SHIFT;
    static final int LINES = 11;
    /** The taken slots of a full line. */
    static final int FULL_LINE = 0xFF;
    static final int SLOTS = LINES * LINE_SLOTS;
    /** A leaf with so many entries is split. */
    static final int MAX_ENTRIES = LoweredLimit.of("wormhole.leafEntries", 88, 10);
    /** Two neighbours with at most this many entries together are merged. */
    static final int MERGE_ENTRIES = LoweredLimit.of("wormhole.mergeEntries", 50, 2);

    static final int VERSION_SHIFT = 33;
    static final long REWRITING = 1L << 32;
    static final long DEAD = 1L << 31;
    /** The next leaf is unindexed: only this leaf leads to it. */
    static final long CHAINED = 1L << 30;
    static final long UNINDEXED = 1L << 29;
    static final int SHARED_BITS_SHIFT = 16;
    static final int SHARED_BITS_MASK = 7;
    static final int COUNT_MASK = 0xFF;

    /** Bytes over which a discriminator may extend. */
    static final int DISCRIMINATING_BYTES = 3;

    static final int TAG_SHIFT = 48;
    static final int TAG_BITS = 16;
    static final long PRESENT = 1L << 47;
    static final long IN_BLOCK = 1L << 46;
    static final int OVERFLOW_SHIFT = 45;
    static final long OVERFLOW = 1L << OVERFLOW_SHIFT;
    static final long PAYLOAD_MASK = OVERFLOW - 1;
    /** Bits in which an entry word of a key equals the probe of its hash. */
    static final long PROBE_MASK = -1L << TAG_SHIFT | PRESENT;
    /** All bits above are in the mask. */
    static final int PROBE_SHIFT = TAG_SHIFT - 1;

    private LeafLayout() {
    }

    static long offset(final int reference) {
        return (reference & 0xFFFF_FFFFL) << REFERENCE_SHIFT;
    }

    static int reference(final long offset) {
        return (int) (offset >>> REFERENCE_SHIFT);
    }

    /** Returns the bits of {@link #PROBE_MASK} of an entry word whose key has a hash. */
    static long probe(final long hash) {
        return hash & -1L << TAG_SHIFT | PRESENT;
    }

    /** Returns the home line of an entry word, probe or hash. */
    static int homeLine(final long word) {
        return (int) ((word >>> TAG_SHIFT) * LINES >>> TAG_BITS);
    }

    static int nextLine(final int line) {
        return line == LINES - 1 ? 0 : line + 1;
    }

    /** Returns the offset of a line's first word from the start of the leaf. */
    static int lineOffset(final int line) {
        return ENTRIES_OFFSET + (line << LINE_SHIFT);
    }

    static int slotOffset(final int slot) {
        return ENTRIES_OFFSET + (slot << 3);
    }

    static int discriminatorOffset(final int position) {
        return DISCRIMINATORS_OFFSET + (position << 1);
    }

    /** Returns the number of the slot at an offset in a leaf. */
    static int slotAt(final long leaf, final long slotOffset) {
        return (int) (slotOffset - leaf - ENTRIES_OFFSET >>> 3);
    }

    static int sharedBits(final long state) {
        return (int) (state >>> SHARED_BITS_SHIFT) & SHARED_BITS_MASK;
    }

    /** Returns the 16 bits of a word behind some shared bits, whose whole bytes the word omits. */
    static int behind(final int shared, final long word) {
        return (int) (word << (shared & SHARED_BITS_MASK) >>> Long.SIZE - Short.SIZE);
    }

    static int count(final long state) {
        return (int) state & COUNT_MASK;
    }

    static long withCount(final long state, final int count) {
        return state & ~(long) COUNT_MASK | count;
    }

    /** Returns a state with the next version. */
    static long nextVersion(final long state) {
        return (state & ~REWRITING) + (1L << VERSION_SHIFT);
    }

    /** Returns whether two states have one version, and neither leaf is being rewritten. */
    static boolean sameVersion(final long state, final long other) {
        return (state ^ other) >>> VERSION_SHIFT == 0 && ((state | other) & REWRITING) == 0;
    }
}
