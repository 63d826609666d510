/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import java.util.Arrays;

/**
 * Every fourth node of level 1 in key order, that is an eighth of all, as they were at some time, with eight bytes of each key: a
 * search tree without links. Each block of eight keys takes one cache line; the first key of each block stands in the level above
 * too.
 * <p>
 * A binary search of a block compares each of its entries between two certain others, its bounds. The chunk of an entry begins
 * behind the bytes that it shares with the closer one of them. A key that shares fewer bytes with that bound lies on the other
 * side of the entry; any other key shares these bytes with the entry, and its order is that of the chunks. (U. Manber, G. Myers:
 * Suffix arrays, SIAM J. Comput. 22(5), 1993, section 3, have the idea.) Only keys with equal chunks are told apart by records.
 * Shared bytes are counted as if keys went on with zeroes.
 * <p>
 * Where all chunks of a block begin at one place, its search has no branches.
 * <h2>Thread safety</h2>
 * Immutable, used by any number of threads. Its nodes are in the list or dead as long as the list's keeper has it.
 */
final class Directory {
    /** The level of which nodes are listed, which are higher than that. */
    static final int LEVEL = 1;
    /** Bit of an entry: its node was linked on the level above too. */
    static final int HIGHER = Integer.MIN_VALUE;
    /** Nodes of the level that are passed before a search gives the directory up and begins at the head. */
    static final int MAX_WALK = 24;
    /** What {@link #floor} answers if the key lies before all entries. */
    static final long NOWHERE = -1;
    /** Bit of a chunk: the entry shares more bytes with its bound behind it than with the one before it. */
    static final long CLOSE_BEHIND = Long.MIN_VALUE;
    /** Stands in the first place of a block if its chunks begin at different places. */
    static final char VARIOUS = Character.MAX_VALUE;
    static final int BLOCK_SHIFT = 3;
    static final int BLOCK = 1 << BLOCK_SHIFT;

    /* Entries that are looked through for one on the level above. */
    private static final int REACH = 16;
    private static final int HALF_BLOCK = BLOCK >> 1;
    private static final int QUARTER_BLOCK = BLOCK >> 2;
    private static final int BLOCK_MASK = BLOCK - 1;
    /** Most bytes that are counted as shared: one more than keys have is as good as any number. */
    static final int MAX_SHARED = (1 << 16) - 1;
    /* An answer: entry in bits 0..29, bytes shared with it in 30..45, with the next one in 46..61, 62 whether it is the key's. */
    private static final int ENTRY_MASK = (1 << 30) - 1;
    private static final int BEFORE_SHIFT = 30;
    private static final int BEHIND_SHIFT = 46;
    private static final int SHARED_MASK = (1 << 16) - 1;
    private static final long OWN = 1L << 62;
    /* A search under way: as an answer with bit 63, and a block in place of the entry. All of them are at most UNDER_WAY. */
    private static final long BEGUN = Long.MIN_VALUE;
    private static final long UNDER_WAY = NOWHERE - 1;

    private final int size;
    private final int[] entries;
    private final long[][] chunks;
    private final char[][] places;
    private final byte[] first;
    private final byte[] last;
    private final long firstChunk;
    private final long lastChunk;

    /**
     * Makes a directory of arrays that are not changed any more.
     *
     * @param size number of entries, at least one
     * @param entries the nodes, with {@link #HIGHER}
     * @param chunks by level from the entries up, a chunk ({@link #chunk}) of each key, with {@link #CLOSE_BEHIND}
     * @param places by level, where each chunk begins; for the first of a block, where all do, or {@link #VARIOUS}
     * @param first key of the first entry
     * @param last key of the last entry
     */
    Directory(
        final int size, final int[] entries, final long[][] chunks, final char[][] places, final byte[] first,
        final byte[] last) {
        this.size = size;
        this.entries = entries;
        this.chunks = chunks;
        this.places = places;
        this.first = first;
        this.last = last;
        this.firstChunk = chunk(first, 0, first.length, 0);
        this.lastChunk = chunk(last, 0, last.length, 0);
    }

    /** Eight bytes of a key but for the last bit: so that the difference of two chunks has the sign of their order. */
    static long chunk(final byte[] key, final int offset, final int length, final int place) {
        return KeyChunk.at(key, offset, length, place) >>> 1;
    }

    /** Number of keys on a level of a directory of so many entries. */
    static int count(final int size, final int level) {
        return (size - 1 >> BLOCK_SHIFT * level) + 1;
    }

    /** Number of levels of a directory of so many entries. */
    static int levels(final int size) {
        int levels = 1;
        while (count(size, levels) > 1) {
            levels++;
        }
        return levels;
    }

    /** Bytes of a directory of so many entries. */
    static long bytes(final int size) {
        long bytes = (long) size * Integer.BYTES;
        for (int level = levels(size) - 1; level >= 0; level--) {
            bytes += count(size, level) * (long) (Long.BYTES + Character.BYTES);
        }
        return bytes;
    }

    int size() {
        return size;
    }

    /** Node of an entry; {@link NodeLayout#NULL} behind the last one. */
    int node(final int entry) {
        return entry < size ? entries[entry] & NodeLayout.NODE_MASK : NodeLayout.NULL;
    }

    /** Nearest entry before another whose node is on the level above; -1 if there is none within {@link #REACH}. */
    int higherBefore(final int entry) {
        for (int at = entry; at >= Math.max(0, entry - REACH); at--) {
            if (entries[at] < 0) {
                return at;
            }
        }
        return -1;
    }

    /** Nearest entry behind another whose node is on the level above; -1 if there is none within {@link #REACH}. */
    int higherBehind(final int entry) {
        for (int at = entry + 1; at <= Math.min(size - 1, entry + REACH); at++) {
            if (entries[at] < 0) {
                return at;
            }
        }
        return -1;
    }

    /** The entry of an answer: the last one whose key is at or below the key. */
    static int entry(final long floor) {
        return (int) floor & ENTRY_MASK;
    }

    /** Whether the entry of an answer has the key itself. */
    static boolean isOwn(final long floor) {
        return floor >= OWN;
    }

    /** Bytes that the key shares with the entry of an answer at least. */
    static int sharedBefore(final long floor) {
        return (int) (floor >>> BEFORE_SHIFT) & SHARED_MASK;
    }

    /** Bytes that the key shares with the entry behind that of an answer at least; 0 if there is none. */
    static int sharedBehind(final long floor) {
        return (int) (floor >>> BEHIND_SHIFT) & SHARED_MASK;
    }

    private static long answer(final int entry, final int before, final int behind) {
        return entry | (long) before << BEFORE_SHIFT | (long) behind << BEHIND_SHIFT;
    }

    /**
     * The last entry whose key is at or below a key.
     *
     * @return {@link #NOWHERE} if there is none; else to be read by {@link #entry}, {@link #isOwn}, {@link #sharedBefore} and
     *     {@link #sharedBehind}
     */
    long floor(final Nodes nodes, final byte[] key, final int offset, final int length) {
        return finish(approach(nodes, key, offset, length), nodes, key, offset, length);
    }

    /**
     * As {@link #floor} but for the last step.
     *
     * @return to be passed to {@link #touch} and {@link #finish}
     */
    long approach(final Nodes nodes, final byte[] key, final int offset, final int length) {
        long floor = begin(key, offset, length);
        for (int level = chunks.length - 1; floor <= UNDER_WAY && level > 0; level--) {
            floor = descend(nodes, level, floor, key, offset, length);
        }
        return floor;
    }

    /** Reads from the lines that {@link #finish} will read, and does not wait for them unless the answer is used. */
    long touch(final long approached) {
        final int at = approached <= UNDER_WAY ? entry(approached) << BLOCK_SHIFT : 0;
        return chunks[0][at] ^ entries[at] ^ places[0][at];
    }

    /** What {@link #floor} answers, after {@link #approach}. */
    long finish(final long approached, final Nodes nodes, final byte[] key, final int offset, final int length) {
        if (approached > UNDER_WAY) {
            return approached;
        }
        final long floor = descend(nodes, 0, approached, key, offset, length);
        return floor <= UNDER_WAY ? floor & Long.MAX_VALUE : floor;
    }

    /** Where the search begins, or the answer if the key does not lie between the first and the last entry. */
    private long begin(final byte[] key, final int offset, final int length) {
        final long chunk = chunk(key, offset, length, 0);
        final long aboveLast = chunk - lastChunk;
        if (aboveLast >= 0) {
            final int order = aboveLast > 0 ? 1 : compare(key, offset, length, last);
            if (order >= 0) {
                return order == 0 ? OWN | answer(size - 1, length, 0) : answer(size - 1, 0, 0);
            }
        }
        final long aboveFirst = chunk - firstChunk;
        if (aboveFirst <= 0) {
            final int order = aboveFirst < 0 ? -1 : compare(key, offset, length, first);
            if (order <= 0) {
                return order == 0 ? OWN | answer(0, length, 0) : NOWHERE;
            }
        }
        final int before =
            aboveFirst != 0 ? sharedBytes(chunk ^ firstChunk) : shared(key, offset, length, first, first.length);
        final int behind = aboveLast != 0 ? sharedBytes(chunk ^ lastChunk) : shared(key, offset, length, last, last.length);
        return BEGUN | answer(0, before, behind);
    }

    private static int compare(final byte[] key, final int offset, final int length, final byte[] other) {
        return Arrays.compareUnsigned(key, offset, offset + length, other, 0, other.length);
    }

    /** Goes from a block of a level to an entry of it, which names a block of the level below. */
    private long descend(
        final Nodes nodes, final int level, final long from, final byte[] key, final int offset, final int length) {
        final int first = entry(from) << BLOCK_SHIFT;
        final int place = places[level][first];
        if (place == VARIOUS) {
            return descendVarious(nodes, level, from, key, offset, length);
        }
        final long[] own = chunks[level];
        final long chunk = chunk(key, offset, length, place);
        int at = first;
        // The first entry of the block is known to lie before the key.
        at += (int) (~(chunk - own[at + HALF_BLOCK]) >>> Long.SIZE - 1) << 2;
        at += (int) (~(chunk - own[at + QUARTER_BLOCK]) >>> Long.SIZE - 1) << 1;
        at += (int) (~(chunk - own[at + 1]) >>> Long.SIZE - 1);
        if (chunk == own[at]) {
            return descendVarious(nodes, level, from, key, offset, length);
        }
        final int before = place + sharedBytes(chunk ^ own[at]);
        final int behind = (at & BLOCK_MASK) == BLOCK_MASK ? sharedBehind(from) : place + sharedBytes(chunk ^ own[at + 1]);
        return BEGUN | answer(at, before, behind);
    }

    /** As {@link #descend}, in a block of any places. */
    private long descendVarious(
        final Nodes nodes, final int level, final long from, final byte[] key, final int offset, final int length) {
        final long[] own = chunks[level];
        final char[] begin = places[level];
        int at = entry(from) << BLOCK_SHIFT;
        int before = sharedBefore(from);
        int behind = sharedBehind(from);
        for (int step = HALF_BLOCK; step > 0; step >>= 1) {
            final int middle = at + step;
            if (middle >= own.length) {
                continue;
            }
            final int place = begin[middle];
            final boolean closeBehind = own[middle] < 0;
            if ((closeBehind ? behind : before) < place) {
                at = closeBehind ? at : middle;
                continue;
            }
            final long chunk = chunk(key, offset, length, place);
            final long other = own[middle] & Long.MAX_VALUE;
            if (chunk == other) {
                final int entry = middle << BLOCK_SHIFT * level;
                final long comparison = nodes.compareExactly(node(entry), key, offset, length);
                if (Nodes.order(comparison) == Nodes.EQUAL) {
                    return OWN | answer(entry, length, behind);
                }
                if (Nodes.order(comparison) == Nodes.LESS) {
                    at = middle;
                    before = Nodes.shared(comparison);
                } else {
                    behind = Nodes.shared(comparison);
                }
            } else if (chunk > other) {
                at = middle;
                before = place + sharedBytes(chunk ^ other);
            } else {
                behind = place + sharedBytes(chunk ^ other);
            }
        }
        return BEGUN | answer(at, before, behind);
    }

    /** Bytes that two keys share if they go on with zeroes, at most {@link #MAX_SHARED}. */
    static int shared(final byte[] key, final int offset, final int length, final byte[] other, final int otherLength) {
        final int mismatch = Arrays.mismatch(key, offset, offset + length, other, 0, otherLength);
        return mismatch < 0 ? MAX_SHARED : shared(key, offset, length, other, otherLength, mismatch);
    }

    /** As {@link #shared(byte[], int, int, byte[], int)} of two keys that are different from a place on. */
    static int shared(
        final byte[] key, final int offset, final int length, final byte[] other, final int otherLength, final int mismatch) {
        int shared = mismatch;
        if (shared == length) {
            while (shared < otherLength && other[shared] == 0) {
                shared++;
            }
            return shared == otherLength ? MAX_SHARED : shared;
        }
        if (shared == otherLength) {
            while (shared < length && key[offset + shared] == 0) {
                shared++;
            }
            return shared == length ? MAX_SHARED : shared;
        }
        return shared;
    }

    /** Bytes that two chunks share whose difference is not zero. */
    private static int sharedBytes(final long difference) {
        return Long.numberOfLeadingZeros(difference) - 1 >>> 3;
    }
}
