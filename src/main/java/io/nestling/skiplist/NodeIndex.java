/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.KeyChunk;
import io.nestling.offheap.EarlyLoad;

/**
 * An immutable snapshot of the nodes of the list in key order: a search tree without links. The head is listed first, with the
 * key of no bytes, so that each key has a listed node before it. Every eighth node is an entry, with eight bytes of its key.
 * Eight entries make a block of one cache line; the first key of each block stands in the level above too.
 * <p>
 * A binary search of a block compares each entry between two bounds. The chunk of an entry begins behind the bytes that it shares
 * with the closer bound. A key that shares fewer bytes with that bound lies on the other side of the entry; any other key shares
 * these bytes with the entry, so that chunks order them. (The idea is of U. Manber, G. Myers: Suffix arrays, SIAM J. Comput.
 * 22(5), 1993, section 3.) Only equal chunks need the record. Shared bytes are counted as if keys went on with zeroes.
 * <p>
 * If the keys of a block differ within eight bytes behind their common prefix, as short random keys do, all its chunks begin
 * there, and its search has no branches.
 * <h2>Thread safety</h2>
 * Immutable. Its nodes are in the list or dead as long as the maintainer has it.
 */
final class NodeIndex {
    /** Nodes of an entry: its own, and those up to the next entry. */
    static final int GROUP_SHIFT = 3;
    static final int GROUP = 1 << GROUP_SHIFT;
    /** Nodes that a search passes before it gives up and begins at the head. */
    static final int MAX_WALK = 24;
    /** Bit of a chunk: the entry shares more bytes with its bound behind it than with the one before it. */
    static final long CLOSE_BEHIND = Long.MIN_VALUE;
    /** Padding before the first element, so that a block takes one line if the array begins a region of the heap. */
    static final int NODES_PAD = 12;
    static final int CHUNKS_PAD = 6;
    /** Position of a block whose chunks begin at different positions. */
    static final char MIXED = Character.MAX_VALUE;
    /** Bytes that two equal chunks at one position share at least. */
    static final int CHUNK_PAIR = 7;
    static final int BLOCK_SHIFT = 3;
    static final int BLOCK = 1 << BLOCK_SHIFT;
    /** Words of eight bytes behind each chunk of the levels above the entries. */
    static final int TAIL_WORDS = 3;
    /** Greatest number of shared bytes that is counted: one more than the longest key has. */
    static final int MAX_SHARED = (1 << 16) - 1;

    private static final int NODES_PER_LINE = 16;
    private static final int HALF_BLOCK = BLOCK >> 1;
    private static final int QUARTER_BLOCK = BLOCK >> 2;
    private static final int BLOCK_MASK = BLOCK - 1;
    /* An answer: entry in bits 0..29, bytes shared with it in 30..45, with the next entry in 46..61, bit 62 if the entry has the
       key. During a search, a block instead of the entry. */
    private static final int ENTRY_MASK = (1 << 30) - 1;
    private static final int BEFORE_SHIFT = 30;
    private static final int BEHIND_SHIFT = 46;
    private static final int SHARED_MASK = (1 << 16) - 1;
    private static final long EXACT = 1L << 62;
    private static final long EQUAL_SO_FAR = -1;

    /** Number of nodes, the head included. */
    final int listed;
    private final int[] list;
    private final long[][] chunks;
    private final long[][] tails;
    private final char[][] positions;
    private final char[][] blocks;

    /**
     * Makes a node index of arrays that never change again.
     *
     * @param listed number of nodes, the head included
     * @param list the nodes, behind {@link #NODES_PAD} others
     * @param chunks by level from the entries up, behind {@link #CHUNKS_PAD} others, a chunk ({@link #chunk}) of each key, with
     *     {@link #CLOSE_BEHIND}
     * @param tails by level but the lowest, the bytes that follow the chunks: file paths often share eight bytes with an
     *     unrelated entry
     * @param positions by level, where each chunk begins
     * @param blocks by level, where all chunks of a block begin, or {@link #MIXED}
     */
    NodeIndex(
        final int listed, final int[] list, final long[][] chunks, final long[][] tails, final char[][] positions,
        final char[][] blocks) {
        this.listed = listed;
        this.list = list;
        this.chunks = chunks;
        this.tails = tails;
        this.positions = positions;
        this.blocks = blocks;
    }

    /** Returns the first 63 bits of eight bytes of a key, so that the difference of two chunks has the sign of their order. */
    static long chunk(final byte[] key, final int offset, final int length, final int position) {
        return KeyChunk.at(key, offset, length, position) >>> 1;
    }

    /** Returns the number of keys on a level above so many entries. */
    static int count(final int size, final int level) {
        return (size - 1 >> BLOCK_SHIFT * level) + 1;
    }

    /** Returns the number of levels above so many entries. */
    static int levels(final int size) {
        int levels = 1;
        while (count(size, levels) > 1) {
            levels++;
        }
        return levels;
    }

    /** Returns the number of entries among so many listed nodes. */
    static int entries(final int listed) {
        return listed + GROUP - 1 >> GROUP_SHIFT;
    }

    /** Returns the number of bytes of a node index of so many nodes. */
    static long bytes(final int listed) {
        final int size = entries(listed);
        long bytes = (long) listed * Integer.BYTES;
        for (int level = levels(size) - 1; level >= 0; level--) {
            final int words = level == 0 ? 1 : 1 + TAIL_WORDS;
            bytes += count(size, level) * (long) (words * Long.BYTES + Character.BYTES)
                + count(size, level + 1) * (long) Character.BYTES;
        }
        return bytes;
    }

    /** Returns the node at a list index; {@link SkipListNodeLayout#NULL} past the end. */
    int node(final int at) {
        return at < listed ? list[NODES_PAD + at] : SkipListNodeLayout.NULL;
    }

    /** Returns the entry or list index of an answer: the last one whose key is at or below the key. */
    static int entry(final long floor) {
        return (int) floor & ENTRY_MASK;
    }

    /** Returns the list index of the entry of an answer. */
    static int first(final long floor) {
        return entry(floor) << GROUP_SHIFT;
    }

    /** Returns whether the entry of an answer has the key. */
    static boolean isExact(final long floor) {
        return floor >= EXACT;
    }

    /** Returns the least number of bytes that the key shares with the entry of an answer. */
    static int sharedBefore(final long floor) {
        return (int) (floor >>> BEFORE_SHIFT) & SHARED_MASK;
    }

    /** Returns the least number of bytes that the key shares with the entry behind that of an answer; 0 if there is none. */
    static int sharedBehind(final long floor) {
        return (int) (floor >>> BEHIND_SHIFT) & SHARED_MASK;
    }

    private static long answer(final int entry, final int before, final int behind) {
        return entry | (long) before << BEFORE_SHIFT | (long) behind << BEHIND_SHIFT;
    }

    /**
     * Returns the last entry whose key is at or below a key of at most {@link #MAX_SHARED} bytes: an answer for {@link #narrow}.
     */
    long floor(final Nodes nodes, final byte[] key, final int offset, final int length) {
        long floor = 0;
        for (int level = chunks.length - 1; level > 0; level--) {
            floor = descend(nodes, level, floor, key, offset, length);
            if (isExact(floor)) {
                return floor;
            }
        }
        loadList(entry(floor));
        return descend(nodes, 0, floor, key, offset, length);
    }

    /** Loads a node of each list line of a block of entries early. */
    private void loadList(final int block) {
        final int from = block << BLOCK_SHIFT + GROUP_SHIFT;
        int nodes = list[NODES_PAD + from];
        for (int at = from + NODES_PER_LINE; at < from + (BLOCK << GROUP_SHIFT); at += NODES_PER_LINE) {
            nodes |= list[NODES_PAD + Math.min(at, listed - 1)];
        }
        EarlyLoad.use(nodes);
    }

    /** Loads early the nodes that {@link #narrow} will read, which is cheaper than prefetches. */
    void loadNodes(final long floor, final Nodes nodes) {
        final int first = first(floor);
        int heights = 0;
        for (int at = first; at <= first + GROUP; at++) {
            heights |= nodes.meta(node(at));
        }
        EarlyLoad.use(heights);
    }

    /**
     * Returns the last listed node whose key is at or below a key, as an answer of {@link #floor} with a list index instead of an
     * entry. Dead nodes serve too: the order of keys never changes.
     */
    long narrow(final long floor, final Nodes nodes, final byte[] key, final int offset, final int length) {
        int at = first(floor);
        int before = sharedBefore(floor);
        int behind = sharedBehind(floor);
        if (isExact(floor)) {
            return EXACT | answer(at, before, behind);
        }
        int end = Math.min(listed, at + GROUP);
        while (end - at > 1) {
            final int middle = at + end >>> 1;
            final long comparison = nodes.compare(node(middle), key, offset, length, Math.min(before, behind));
            final int order = Nodes.order(comparison);
            final int shared = Math.min(MAX_SHARED, Nodes.shared(comparison));
            if (order == Nodes.LESS) {
                at = middle;
                before = shared;
            } else if (order == Nodes.GREATER) {
                end = middle;
                behind = shared;
            } else {
                return EXACT | answer(middle, shared, behind);
            }
        }
        return answer(at, before, behind);
    }

    /** Goes from a block of a level to an entry of it, which names a block of the level below. */
    private long descend(
        final Nodes nodes, final int level, final long from, final byte[] key, final int offset, final int length) {
        final int first = entry(from) << BLOCK_SHIFT;
        final int position = blocks[level][entry(from)];
        if (position == MIXED) {
            return descendMixed(nodes, level, from, key, offset, length);
        }
        final long[] own = chunks[level];
        final long chunk = chunk(key, offset, length, position);
        int at = CHUNKS_PAD + first;
        // The first entry of the block lies before the key.
        at += (int) (~(chunk - own[at + HALF_BLOCK]) >>> Long.SIZE - 1) << 2;
        at += (int) (~(chunk - own[at + QUARTER_BLOCK]) >>> Long.SIZE - 1) << 1;
        at += (int) (~(chunk - own[at + 1]) >>> Long.SIZE - 1);
        if (chunk == own[at]) {
            return descendMixed(nodes, level, from, key, offset, length);
        }
        final int found = at - CHUNKS_PAD;
        final int before = position + sharedBytes(chunk ^ own[at]);
        final int behind = (found & BLOCK_MASK) == BLOCK_MASK ? sharedBehind(from) : position + sharedBytes(chunk ^ own[at + 1]);
        return answer(found, before, behind);
    }

    /** As {@link #descend}, in a block of {@link #MIXED} positions. */
    private long descendMixed(
        final Nodes nodes, final int level, final long from, final byte[] key, final int offset, final int length) {
        final long[] own = chunks[level];
        final char[] begin = positions[level];
        int at = entry(from) << BLOCK_SHIFT;
        final int end = Math.min(at + BLOCK, count(entries(listed), level));
        int before = sharedBefore(from);
        int behind = sharedBehind(from);
        for (int step = HALF_BLOCK; step > 0; step >>= 1) {
            final int middle = at + step;
            if (middle >= end) {
                continue;
            }
            final int position = begin[middle];
            final boolean closeBehind = own[CHUNKS_PAD + middle] < 0;
            if ((closeBehind ? behind : before) < position) {
                at = closeBehind ? at : middle;
                continue;
            }
            final long chunk = chunk(key, offset, length, position);
            final long other = own[CHUNKS_PAD + middle] & Long.MAX_VALUE;
            if (chunk == other) {
                final int entry = middle << BLOCK_SHIFT * level;
                long comparison = compareTail(level, middle, key, offset, length, position + CHUNK_PAIR);
                if (comparison == EQUAL_SO_FAR) {
                    comparison = nodes.compare(node(entry << GROUP_SHIFT), key, offset, length, position + CHUNK_PAIR);
                }
                final int order = Nodes.order(comparison);
                if (order == Nodes.EQUAL) {
                    return EXACT | answer(entry, length, behind);
                }
                if (order == Nodes.LESS) {
                    at = middle;
                    before = Nodes.shared(comparison);
                } else {
                    behind = Nodes.shared(comparison);
                }
            } else if (chunk > other) {
                at = middle;
                before = position + sharedBytes(chunk ^ other);
            } else {
                behind = position + sharedBytes(chunk ^ other);
            }
        }
        return answer(at, before, behind);
    }

    /** Compares the tail of an entry with a key as {@link Nodes#compare} does, or returns {@link #EQUAL_SO_FAR}. */
    private long compareTail(
        final int level, final int at, final byte[] key, final int offset, final int length, final int position) {
        for (int word = 0; level > 0 && word < TAIL_WORDS; word++) {
            final int from = position + word * Long.BYTES;
            final long own = tails[level][at * TAIL_WORDS + word];
            final long other = KeyChunk.at(key, offset, length, from);
            if (own != other) {
                return Nodes.ofChunks(own, other, from);
            }
        }
        return EQUAL_SO_FAR;
    }

    /** Returns the number of bytes that two different chunks share. */
    private static int sharedBytes(final long difference) {
        return Long.numberOfLeadingZeros(difference) - 1 >>> 3;
    }
}
