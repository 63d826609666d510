/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import io.nestling.bytes.KeyChunk;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

import java.util.Arrays;

/**
 * The nodes of the list in key order, as they were at some time. Each eighth of them is an entry, of which eight bytes of the
 * key stand here: a search tree without links. Each block of eight entries takes one cache line; the first key
 * of each block stands in the level above too.
 * <p>
 * A binary search of a block compares each of its entries between two certain others, its bounds. The chunk of an entry begins
 * behind the bytes that it shares with the closer one of them. A key that shares fewer bytes with that bound lies on the other
 * side of the entry; any other key shares these bytes with the entry, and its order is that of the chunks. (U. Manber, G. Myers:
 * Suffix arrays, SIAM J. Comput. 22(5), 1993, section 3, have the idea.) Only keys with equal chunks are told apart by records.
 * Shared bytes are counted as if keys went on with zeroes.
 * <p>
 * Where the keys of a block differ within eight bytes behind what all of them share, as short random ones do, all of its chunks
 * begin there, and its search has no branches.
 * <h2>Thread safety</h2>
 * Immutable, used by any number of threads. Its nodes are in the list or dead as long as the list's keeper has it.
 */
final class Directory {
    /** The level of which all nodes are listed. */
    static final int LEVEL = 0;
    /** Listed nodes for each entry: its own, and those up to the next entry. */
    static final int GROUP_SHIFT = 3;
    static final int GROUP = 1 << GROUP_SHIFT;
    /** Bit of a listed node: it was linked on the level above too. */
    static final int HIGHER = Integer.MIN_VALUE;
    /** Nodes that are passed before a search gives the directory up and begins at the head. */
    static final int MAX_WALK = 24;
    /** What {@link #floor} answers if the key lies before all entries. */
    static final long NOWHERE = -1;
    /** Bit of a chunk: the entry shares more bytes with its bound behind it than with the one before it. */
    static final long CLOSE_BEHIND = Long.MIN_VALUE;
    /** Elements before the first one, so that a block takes one line if the array begins a region of the heap. */
    static final int NODES_PAD = 12;
    static final int CHUNKS_PAD = 6;
    /** Stands for the place of a block if its chunks begin at different places. */
    static final char VARIOUS = Character.MAX_VALUE;
    /** Bytes of which two chunks at one place tell at least. */
    static final int CHUNK_PAIR = 7;
    static final int BLOCK_SHIFT = 3;
    static final int BLOCK = 1 << BLOCK_SHIFT;

    /* Listed nodes that are looked through for one on the level above. */
    private static final int REACH = 64;
    private static final int NODES_PER_LINE = 16;
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
    /* Bit of an entry whose chunk is that of the key, so that the key may lie right before it too. */
    private static final int TIE = 1 << 29;
    /* A search under way: as an answer with bit 63, and a block in place of the entry. All of them are at most UNDER_WAY. */
    private static final long BEGUN = Long.MIN_VALUE;
    private static final long UNDER_WAY = NOWHERE - 1;

    private final int size;
    private final int listed;
    private final int[] list;
    private final long[][] chunks;
    private final char[][] places;
    private final char[][] blocks;
    private final DirectoryTails tails;
    private final byte[] first;
    private final byte[] last;
    private final long firstChunk;
    private final long lastChunk;

    /**
     * Makes a directory of arrays that are not changed any more.
     *
     * @param listed number of nodes, at least one
     * @param list the nodes with {@link #HIGHER}, behind {@link #NODES_PAD} others
     * @param chunks by level from the entries up, behind {@link #CHUNKS_PAD} others, a chunk ({@link #chunk}) of each key, with
     *     {@link #CLOSE_BEHIND}
     * @param begins two times by level: where each chunk begins; where all chunks of a block do, or {@link #VARIOUS}
     * @param tails what follows the chunks
     * @param ends keys of the first and of the last entry
     */
    Directory(
        final int listed, final int[] list, final long[][] chunks, final char[][][] begins,
        final DirectoryTails tails, final byte[][] ends) {
        this.size = entries(listed);
        this.listed = listed;
        this.list = list;
        this.chunks = chunks;
        this.places = begins[0];
        this.blocks = begins[1];
        this.tails = tails;
        this.first = ends[0];
        this.last = ends[1];
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

    /** Number of entries among so many listed nodes. */
    static int entries(final int listed) {
        return listed + GROUP - 1 >> GROUP_SHIFT;
    }

    /** Bytes of a directory of so many nodes. */
    static long bytes(final int listed) {
        final int size = entries(listed);
        long bytes = (long) listed * Integer.BYTES;
        for (int level = levels(size) - 1; level >= 0; level--) {
            bytes += count(size, level) * (long) (Long.BYTES + Character.BYTES) + count(size, level + 1) * (long) Character.BYTES;
        }
        return bytes;
    }

    /** Number of entries. */
    int size() {
        return size;
    }

    /** Number of nodes. */
    int listed() {
        return listed;
    }

    /** Node of a place in the list; {@link NodeLayout#NULL} behind the last one. */
    int node(final int at) {
        return at < listed ? list[NODES_PAD + at] & NodeLayout.NODE_MASK : NodeLayout.NULL;
    }

    /** First place from another one on, by steps of 1 or -1, whose node is on the level above; -1 if that is far away. */
    int higher(final int from, final int step) {
        for (int at = from, left = REACH; left > 0 && at >= 0 && at < listed; at += step, left--) {
            if (list[NODES_PAD + at] < 0) {
                return at;
            }
        }
        return -1;
    }

    /** The entry or place of an answer: the last one whose key is at or below the key. */
    static int entry(final long floor) {
        return (int) floor & ENTRY_MASK;
    }

    /** Place in the list of the entry of what {@link #floor} answers. */
    private static int first(final long floor) {
        return (entry(floor) & ~TIE) << GROUP_SHIFT;
    }

    /** Whether what {@link #floor} answers is not certain. */
    static boolean isTie(final long floor) {
        return (floor & TIE) != 0;
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
     * The last entry whose key is at or below a key or, if {@link #isTie} says so, is perhaps a bit above it.
     *
     * @return {@link #NOWHERE} if there is none or the key is longer than any may be; else to be passed to {@link #narrow}
     */
    long floor(final Nodes nodes, final byte[] key, final int offset, final int length) {
        // What a longer key shares with others would not fit.
        long floor = length > MAX_SHARED ? NOWHERE : begin(key, offset, length);
        for (int level = chunks.length - 1; floor <= UNDER_WAY && level > 0; level--) {
            floor = descend(nodes, level, floor, key, offset, length);
        }
        if (floor > UNDER_WAY) {
            return floor;
        }
        if (touchList(entry(floor) << BLOCK_SHIFT + GROUP_SHIFT) == 0) {
            return NOWHERE; // it never is, but these lines are wanted soon
        }
        return descend(nodes, 0, floor, key, offset, length) & Long.MAX_VALUE;
    }

    /** Reads a node of each line of the list that a block of entries has; not 0. */
    private int touchList(final int from) {
        int nodes = list[NODES_PAD + from];
        for (int at = from + NODES_PER_LINE; at < from + (BLOCK << GROUP_SHIFT); at += NODES_PER_LINE) {
            nodes |= list[NODES_PAD + Math.min(at, listed - 1)];
        }
        return nodes;
    }

    /** Requests the nodes that {@link #narrow} will read. */
    void request(final long floor, final Nodes nodes) {
        final int first = first(floor);
        for (int at = first; at <= first + GROUP; at++) {
            nodes.prefetch(node(at));
        }
    }

    /**
     * The same for a search that goes on at once: reads from these nodes, which costs less than requests.
     *
     * @return true, as each node has a height
     */
    boolean touchNodes(final long floor, final Nodes nodes) {
        final int first = first(floor);
        int heights = 0;
        for (int at = first; at <= first + GROUP; at++) {
            heights |= nodes.meta(node(at));
        }
        return (heights & NodeLayout.HEIGHT_MASK) != 0;
    }

    /** Has the nodes requested that {@link #narrow} will read. */
    void addTo(final PrefetchVector lines, final long floor, final Slab slab) {
        final int first = first(floor);
        for (int at = first; at <= Math.min(listed - 1, first + GROUP); at++) {
            lines.add(slab, NodeLayout.offset(node(at)));
        }
    }

    /**
     * The last listed node whose key is at or below a key. The order of keys never changes, so that it does not matter whether
     * nodes are dead by now.
     *
     * @param floor what {@link #floor} says, not {@link #NOWHERE}
     * @return to be read as that is, with a place in the list instead of an entry
     */
    long narrow(final long floor, final Nodes nodes, final byte[] key, final int offset, final int length) {
        int at = first(floor);
        int before = sharedBefore(floor);
        int behind = sharedBehind(floor);
        if (isOwn(floor)) {
            return OWN | answer(at, before, behind);
        }
        int end = Math.min(listed, at + GROUP);
        if (isTie(floor)) {
            final long comparison = nodes.compare(node(at), key, offset, length, before - CHUNK_PAIR);
            final int order = Nodes.order(comparison);
            if (order == Nodes.EQUAL) {
                return OWN | answer(at, before, behind);
            }
            if (order == Nodes.GREATER) {
                behind = before;
                before = 0;
                end = at;
                at -= GROUP;
            }
        }
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
                return OWN | answer(middle, shared, behind);
            }
        }
        return answer(at, before, behind);
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
            aboveFirst != 0 ? sharedBytes(chunk ^ firstChunk) : SharedBytes.of(key, offset, length, first, first.length);
        final int behind =
            aboveLast != 0 ? sharedBytes(chunk ^ lastChunk) : SharedBytes.of(key, offset, length, last, last.length);
        return BEGUN | answer(0, before, behind);
    }

    private static int compare(final byte[] key, final int offset, final int length, final byte[] other) {
        return Arrays.compareUnsigned(key, offset, offset + length, other, 0, other.length);
    }

    /** Goes from a block of a level to an entry of it, which names a block of the level below. */
    private long descend(
        final Nodes nodes, final int level, final long from, final byte[] key, final int offset, final int length) {
        final int first = entry(from) << BLOCK_SHIFT;
        final int place = blocks[level][entry(from)];
        if (place == VARIOUS) {
            return descendVarious(nodes, level, from, key, offset, length);
        }
        final long[] own = chunks[level];
        final long chunk = chunk(key, offset, length, place);
        int at = CHUNKS_PAD + first;
        // The first entry of the block is known to lie before the key.
        at += (int) (~(chunk - own[at + HALF_BLOCK]) >>> Long.SIZE - 1) << 2;
        at += (int) (~(chunk - own[at + QUARTER_BLOCK]) >>> Long.SIZE - 1) << 1;
        at += (int) (~(chunk - own[at + 1]) >>> Long.SIZE - 1);
        final int found = at - CHUNKS_PAD;
        if (chunk == own[at]) {
            if (level > 0) {
                return descendVarious(nodes, level, from, key, offset, length);
            }
            final int behind = found == first + BLOCK_MASK ? sharedBehind(from) : place + sharedBytes(chunk ^ own[at + 1]);
            return answer(found | TIE, Math.min(MAX_SHARED, place + CHUNK_PAIR), behind);
        }
        final int before = place + sharedBytes(chunk ^ own[at]);
        final int behind = (found & BLOCK_MASK) == BLOCK_MASK ? sharedBehind(from) : place + sharedBytes(chunk ^ own[at + 1]);
        return BEGUN | answer(found, before, behind);
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
            if (CHUNKS_PAD + middle >= own.length) {
                continue;
            }
            final int place = begin[middle];
            final boolean closeBehind = own[CHUNKS_PAD + middle] < 0;
            if ((closeBehind ? behind : before) < place) {
                at = closeBehind ? at : middle;
                continue;
            }
            final long chunk = chunk(key, offset, length, place);
            final long other = own[CHUNKS_PAD + middle] & Long.MAX_VALUE;
            if (chunk == other) {
                long comparison = tails.compare(level, middle, key, offset, length, place + CHUNK_PAIR);
                if (comparison == DirectoryTails.EQUAL_SO_FAR) {
                    final int entry = middle << BLOCK_SHIFT * level;
                    final int node = node(entry << GROUP_SHIFT);
                    comparison = nodes.compareExactly(node, key, offset, length, place + CHUNK_PAIR);
                    if (Nodes.order(comparison) == Nodes.EQUAL) {
                        return OWN | answer(entry, length, behind);
                    }
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

    /** Bytes that two chunks share whose difference is not zero. */
    private static int sharedBytes(final long difference) {
        return Long.numberOfLeadingZeros(difference) - 1 >>> 3;
    }
}
