/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.memory.KeySource;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.PrefetchVector;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the directory of a list, and makes a new one as the list grows: piece by piece, a few entries with each tall node that is
 * put, so that no single put takes long.
 * <p>
 * The directory is a help and no part of the list: without it searches begin at the head. It is charged to the budget and is
 * given up when memory runs out. A tall node that is removed ends it, before the node is retired: so a directory that a thread
 * finds inside a guard has only nodes that are not reused within that guard.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. One of them at a time builds; others go on meanwhile.
 */
final class DirectoryKeeper {
    private static final int MIN_TALL = 512;
    /** A new directory is begun when the list has half as many tall nodes more than it had for the last. */
    private static final int GROWTH_SHIFT = 1;
    private static final int PIECE = 16;
    /** Blocks whose places are set in a piece. */
    private static final int PLACED_BLOCKS = 32;
    private static final int HEADROOM_SHIFT = 5;
    /** Stretches of the list between nodes of the last directory that are walked side by side. */
    private static final int LANES = 32;
    private static final int MAX_STRETCH = 16;

    private final Nodes nodes;
    private final KeySource keys;
    private final MemoryBudget budget;
    private final LongAdder tallNodes = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Directory current;
    private volatile long charged;
    private volatile int beginAt = MIN_TALL;
    /* The directory under construction, null if there is none; changed under the lock. */
    private volatile Draft draft;

    DirectoryKeeper(final Nodes nodes, final MemoryBudget budget) {
        this.nodes = nodes;
        this.keys = nodes.keys();
        this.budget = budget;
    }

    /** The directory, or null; to be called inside a guard. */
    Directory current() {
        return current;
    }

    /** Bytes charged to the budget. */
    long bytes() {
        return charged;
    }

    /**
     * A tall node was linked. Inside a guard.
     *
     * @param higher whether it is on a level above too: only every fourth is, which is often enough to see that a new one is due
     */
    void onTallPut(final boolean higher) {
        tallNodes.increment();
        // Of several writers one goes on with it, and the others with their puts.
        if ((draft != null || higher && tallNodes() >= beginAt) && lock.tryLock()) {
            try {
                build();
            } finally {
                lock.unlock();
            }
        }
    }

    private int tallNodes() {
        return (int) tallNodes.sum();
    }

    /** A tall node was linked, and by now it is dead and unlinked, but not retired yet. */
    void onTallPutInVain() {
        tallNodes.increment();
        drop();
    }

    /** A tall node is dead and unlinked, but not retired yet. */
    void onTallRemoved() {
        tallNodes.decrement();
        drop();
    }

    /**
     * Gives the directory up, finished or not. Whoever unlinks a tall node does so before the node is retired: what is gathered
     * afterwards cannot have it.
     *
     * @return whether that gave memory back
     */
    boolean drop() {
        lock.lock();
        try {
            final long bytes = charged;
            current = null;
            draft = null;
            charged = 0;
            budget.release(bytes);
            beginAt = growth(tallNodes());
            return bytes > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Number of tall nodes at which the directory after one of so many is begun. */
    private static int growth(final int tall) {
        return tall + Math.max(MIN_TALL, tall >> GROWTH_SHIFT);
    }

    private void build() {
        Draft present = draft;
        if (present == null) {
            final int tall = tallNodes();
            if (tall < beginAt) {
                return;
            }
            final int capacity = tall + (tall >> HEADROOM_SHIFT);
            final long bytes = Directory.bytes(capacity);
            if (!budget.tryAcquire(bytes)) {
                beginAt = growth(beginAt);
                return;
            }
            charged += bytes;
            present = new Draft(current, capacity);
            draft = present;
        }
        if (present.advance()) {
            final long bytes = Directory.bytes(present.capacity());
            current = present.directory();
            draft = null;
            budget.release(charged - bytes);
            charged = bytes;
            beginAt = growth(tallNodes());
        }
    }

    /** A directory under construction: first nodes and shared bytes, then places, level by level, and at last chunks. */
    private final class Draft {
        private final int capacity;
        private final int[] list;
        private final char[] shared;
        private final char[] pairsOfBlock = new char[Directory.BLOCK];
        private long[][] chunks;
        private char[][] places;
        private char[][] blocks;
        private DirectoryTop top;
        /* The level whose places are set next, and the first entry of the block there. */
        private int level;
        private int block;
        private final PrefetchVector lines = new PrefetchVector();
        private int listed;
        /* Entries whose keys were compared with those before, and those whose chunks were set. */
        private int compared;
        private int done;
        /* The records of entries before this one are on their way, as work on the piece before asked for them. */
        private int requested;
        /* The last node that was passed, and the first node of the last directory behind it. */
        private int node = HEAD;
        private final Directory last;
        private int place;
        private final int[][] stretches = new int[LANES][MAX_STRETCH];
        private final int[] stretchLengths = new int[LANES];
        private byte[] key = new byte[Long.BYTES];
        private byte[] keyBefore = new byte[Long.BYTES];
        private int keyLength;
        private byte[] firstKey;
        private byte[] lastKey;

        Draft(final Directory last, final int capacity) {
            this.last = last;
            this.capacity = capacity;
            list = new int[Directory.NODES_PAD + capacity];
            shared = new char[Directory.entries(capacity)];
        }

        int capacity() {
            return capacity;
        }

        private int size() {
            return Directory.entries(listed);
        }

        private int nodeOf(final int entry) {
            return list[Directory.NODES_PAD + (entry << Directory.GROUP_SHIFT)] & NODE_MASK;
        }

        /** Does a piece of the work; true when all is done. */
        boolean advance() {
            if (chunks == null) {
                gather();
                return false;
            }
            if (level < places.length) {
                for (int i = 0; i < PLACED_BLOCKS && level < places.length; i++) {
                    setPlacesOfBlock();
                }
                return false;
            }
            final int end = Math.min(size(), done + PIECE);
            while (done < end) {
                load(done);
                setChunks(done);
                done++;
            }
            request(Math.min(size(), end + PIECE));
            for (int i = requested; i < Math.min(size(), requested + PIECE); i++) {
                lines.add(nodes.slab(), offset(nodeOf(i)));
            }
            lines.request();
            return done == size();
        }

        private void gather() {
            compare(requested);
            if (last != null && place < last.listed()) {
                passStretches();
            } else {
                for (int i = 0; i < PIECE && node != NULL; i++) {
                    pass(nodes.next(node, Directory.LEVEL));
                }
            }
            request(size());
            if (node == NULL || listed == capacity) {
                compare(size());
                lastKey = Arrays.copyOf(key, keyLength);
                requested = 0;
                beginPlaces();
            }
        }

        private void compare(final int end) {
            while (compared < end) {
                final int lengthBefore = keyLength;
                final byte[] buffer = key;
                key = keyBefore;
                keyBefore = buffer;
                load(compared);
                if (compared > 0) {
                    shared[compared - 1] = (char) Directory.shared(keyBefore, 0, lengthBefore, key, keyLength);
                } else {
                    firstKey = Arrays.copyOf(key, keyLength);
                }
                compared++;
            }
        }

        /** Goes on to the next tall node, or to the end of the list. */
        private void pass(final int next) {
            node = next;
            if (next != NULL && listed < capacity) {
                final int meta = nodes.meta(next);
                // Its writer may not have come to the level above yet; then nothing may be linked behind it there.
                final boolean higher = height(meta) > Directory.LEVEL + 1 && (meta & LINKED) != 0;
                list[Directory.NODES_PAD + listed++] = higher ? next | Directory.HIGHER : next;
            }
        }

        /** Passes the nodes between the next ones of the last directory; those of all stretches are fetched side by side. */
        private void passStretches() {
            final int lanes = Math.min(LANES, last.listed() - place);
            int unfinished = 0;
            for (int lane = 0; lane < lanes; lane++) {
                lines.add(nodes.slab(), offset(lane == 0 ? node : last.node(place + lane - 1)));
                stretchLengths[lane] = 0;
                unfinished |= 1 << lane;
            }
            for (int length = 0; unfinished != 0 && length < MAX_STRETCH; length++) {
                lines.request();
                for (int left = unfinished; left != 0; left &= left - 1) {
                    final int lane = Integer.numberOfTrailingZeros(left);
                    final int from = length > 0 ? stretches[lane][length - 1] : lane == 0 ? node : last.node(place + lane - 1);
                    final int next = nodes.next(from, Directory.LEVEL);
                    if (next == last.node(place + lane) || next == NULL) {
                        unfinished &= ~(1 << lane);
                    } else {
                        stretches[lane][length] = next;
                        stretchLengths[lane] = length + 1;
                        lines.add(nodes.slab(), offset(next));
                    }
                }
            }
            final int first = place;
            for (int lane = 0; lane < lanes; lane++) {
                for (int i = 0; i < stretchLengths[lane]; i++) {
                    pass(stretches[lane][i]);
                }
                if ((unfinished & 1 << lane) != 0) {
                    break; // goes on from there next time
                }
                pass(last.node(first + lane));
                place++;
            }
        }

        /** Requests the records of more entries. */
        private void request(final int end) {
            for (int i = requested; i < end; i++) {
                lines.add(keys.address(nodes.payload(nodeOf(i)) & PAYLOAD_MASK));
            }
            lines.request();
            requested = end;
        }

        private void load(final int entry) {
            final long payload = nodes.payload(nodeOf(entry)) & PAYLOAD_MASK;
            keyLength = keys.keyLength(payload);
            if (key.length < keyLength) {
                key = new byte[keyLength];
            }
            keys.copyKey(payload, key, 0);
        }

        /** What each key of a level shares with the next one stands where its places will be. */
        private void beginPlaces() {
            final int size = size();
            final int levels = Directory.levels(size);
            chunks = new long[levels][];
            places = new char[levels][];
            blocks = new char[levels][];
            places[0] = shared;
            top = DirectoryTop.of(size);
            shared[size - 1] = Directory.MAX_SHARED; // behind the last entry no key is looked up
            for (int i = 0; i < levels; i++) {
                final int count = Directory.count(size, i);
                chunks[i] = new long[Directory.CHUNKS_PAD + count];
                blocks[i] = new char[Directory.count(size, i + 1)];
                if (i > 0) {
                    places[i] = new char[count];
                }
            }
        }

        /** Sets where the chunks of a block begin: behind the bytes that an entry shares with the closer one of its bounds. */
        private void setPlacesOfBlock() {
            final char[] own = places[level];
            final int count = chunks[level].length - Directory.CHUNKS_PAD;
            final int end = Math.min(count, block + Directory.BLOCK);
            final char all = least(own, block, end);
            System.arraycopy(own, block, pairsOfBlock, 0, end - block);
            final int closest = greatest(own, block, end);
            if (end == block + Directory.BLOCK && closest - all < Directory.CHUNK_PAIR && closest < Directory.MAX_SHARED) {
                // The keys differ within the chunks at the place that all of them share, and not by zeroes at their ends alone.
                Arrays.fill(own, block, end, all);
                blocks[level][block >> Directory.BLOCK_SHIFT] = all;
            } else {
                for (int i = 1; i < end - block; i++) {
                    final int reach = Integer.lowestOneBit(i); // from one bound to the entry, and to the other bound
                    final char before = least(pairsOfBlock, i - reach, i);
                    final char behind = least(pairsOfBlock, i, Math.min(end - block, i + reach));
                    own[block + i] = (char) Math.max(before, behind);
                    chunks[level][Directory.CHUNKS_PAD + block + i] = behind > before ? Directory.CLOSE_BEHIND : 0;
                }
                blocks[level][block >> Directory.BLOCK_SHIFT] = Directory.VARIOUS;
            }
            if (level + 1 < places.length) {
                places[level + 1][block >> Directory.BLOCK_SHIFT] = all;
            }
            block = end;
            if (block == count) {
                block = 0;
                level++;
            }
        }

        private static int greatest(final char[] pairs, final int from, final int to) {
            int greatest = pairs[from];
            for (int i = from + 1; i < to; i++) {
                greatest = Math.max(greatest, pairs[i]);
            }
            return greatest;
        }

        private static char least(final char[] pairs, final int from, final int to) {
            char least = pairs[from];
            for (int i = from + 1; i < to; i++) {
                least = (char) Math.min(least, pairs[i]);
            }
            return least;
        }

        /** Sets the chunks of an entry: one among the entries, and one in each level of which it begins a block. */
        private void setChunks(final int entry) {
            top.set(entry, key, keyLength);
            int at = entry;
            for (int level = 0; level < chunks.length; level++) {
                final char own = blocks[level][at >> Directory.BLOCK_SHIFT];
                final int begin = own == Directory.VARIOUS ? places[level][at] : own;
                chunks[level][Directory.CHUNKS_PAD + at] |= Directory.chunk(key, 0, keyLength, begin);
                if ((at & Directory.BLOCK - 1) != 0) {
                    break;
                }
                at >>= Directory.BLOCK_SHIFT;
            }
        }

        Directory directory() {
            return new Directory(
                listed, list, chunks, new char[][][] {places, blocks}, top.tellsApart() ? top : null,
                new byte[][] {firstKey, lastKey});
        }
    }
}
