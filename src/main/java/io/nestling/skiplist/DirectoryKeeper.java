/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.bytes.LoweredLimit;
import io.nestling.memory.Backoff;
import io.nestling.memory.Claim;
import io.nestling.memory.KeySource;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.PrefetchVector;

import java.util.Arrays;

/**
 * Keeps the directory of a list, and makes a new one as the list grows: piece by piece, a few entries with each put, so that
 * no single put takes long.
 * <p>
 * The directory is a help and no part of the list: without it searches begin at the head. It is charged to the budget and is
 * given up when memory runs out. A node that is removed ends it, before the node is retired: so a directory that a thread
 * finds inside a guard has only nodes that are not reused within that guard.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. One of them at a time builds; others go on meanwhile.
 */
final class DirectoryKeeper {
    private static final int MIN_ENTRIES = LoweredLimit.of("skiplist.directoryEntries", 1 << 10, 16);
    /** Most nodes that are listed. */
    private static final int MOST_LISTED = 1 << 29;
    /** A new directory is begun when the list has so many quarters more entries than it had for the last. */
    private static final int GROWTH = 3;
    /** One that was dropped is missed more: a quarter is enough. */
    private static final int AFTER_DROP_SHIFT = 2;
    private static final int PIECE = 16;
    /** Blocks whose places are set in a piece. */
    private static final int PLACED_BLOCKS = 32;
    private static final int HEADROOM_SHIFT = 5;
    /** Stretches of the list between nodes of the last directory that are walked side by side. */
    private static final int LANES = 32;
    private static final int MAX_STRETCH = 16;
    /** Keys whose records are requested before they are compared, and how many at a time. */
    private static final int KEYS_AHEAD = 8;
    private static final int KEYS_AT_ONCE = 4;

    private final Nodes nodes;
    private final KeySource keys;
    private final MemoryBudget budget;
    private final EntryCount entryCount;
    /* 1 while a thread builds or drops. All writers read the fields here, and mostly while another one has it. */
    private final Claim lock = new Claim();
    private volatile Directory current;
    private volatile long charged;
    private volatile int beginAt = MIN_ENTRIES;
    /* The directory under construction, null if there is none; changed under the lock. */
    private volatile Draft draft;

    DirectoryKeeper(final Nodes nodes, final MemoryBudget budget, final EntryCount entryCount) {
        this.nodes = nodes;
        this.keys = nodes.keys();
        this.budget = budget;
        this.entryCount = entryCount;
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
     * A node was linked. Inside a guard.
     *
     * @param higher whether it is on the level above too: every eighth is, which is often enough to see that a new one is due
     */
    void onPut(final boolean higher) {
        // Of several writers one goes on with it, and the others with their puts.
        if ((draft != null || higher && entries() >= beginAt) && tryLock()) {
            try {
                build();
            } catch (final RuntimeException | OutOfMemoryError e) {
                end(); // the directory is only a help, and the node is in the list
            } finally {
                lock.held = Claim.FREE;
            }
        }
    }

    private int entries() {
        return (int) Math.min(MOST_LISTED, entryCount.sum());
    }

    /**
     * Gives the directory up, finished or not. Whoever unlinks a node does so before the node is retired: what is gathered
     * afterwards cannot have it.
     *
     * @return whether that gave memory back
     */
    boolean drop() {
        // Most pieces of a directory take microseconds; arrays for many nodes are made in the first one.
        for (int pauses = 0; !tryLock(); pauses++) {
            Backoff.pause(pauses);
        }
        try {
            return end();
        } finally {
            lock.held = Claim.FREE;
        }
    }

    private boolean tryLock() {
        return lock.held == Claim.FREE && lock.tryHold(Claim.HELD);
    }

    /** As {@link #drop}, with the lock in hand. */
    private boolean end() {
        final long bytes = charged;
        current = null;
        draft = null;
        budget.release(bytes);
        charged = 0; // when it is released: what fails before is repeated
        final int entries = entries();
        beginAt = entries + Math.max(MIN_ENTRIES, entries >> AFTER_DROP_SHIFT);
        return bytes > 0;
    }

    /** Number of entries at which the directory after one of so many is begun. */
    private static int growth(final int entries) {
        return entries + Math.max(MIN_ENTRIES, (entries >> 2) * GROWTH);
    }

    private void build() {
        Draft present = draft;
        if (present == null) {
            final int entries = entries();
            if (entries < beginAt) {
                return;
            }
            final int capacity = Math.min(MOST_LISTED, entries + (entries >> HEADROOM_SHIFT));
            final long bytes = Directory.bytes(capacity);
            if (!budget.tryAcquire(bytes)) {
                beginAt = growth(beginAt);
                return;
            }
            charged += bytes;
            present = new Draft(current, capacity);
            draft = present;
        }
        if (present.isVain()) {
            end(); // nodes were counted that are gone by now
        } else if (present.advance()) {
            final long bytes = Directory.bytes(present.capacity()) + present.tailBytes;
            current = present.directory();
            draft = null;
            budget.release(charged - bytes);
            charged = bytes;
            beginAt = growth(entries());
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
        private DirectoryTails tails;
        /* What tails are charged with, and the blocks so far of the present level that have various places. */
        private long tailBytes;
        private int variousBlocks;
        /* The level whose places are set next, and the first entry of the block there. */
        private int level;
        private int block;
        private final PrefetchVector lines = new PrefetchVector();
        private int listed;
        /* Entries whose keys were compared with those before, and those whose chunks were set. */
        private int compared;
        private int done;
        /* The records of keys before this one were requested, in the last phase those of entries. */
        private int requested;
        /* The last node that was passed, and the first node of the last directory behind it. */
        private int node = HEAD;
        private final Directory last;
        private int place;
        private final int[][] stretches = new int[LANES][MAX_STRETCH];
        private final int[] stretchLengths = new int[LANES];
        private byte[] keyBefore = new byte[Long.BYTES];
        private int lengthBefore;
        private byte[] key = new byte[Long.BYTES];
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

        /** Whether it came to the end of the list without a node. */
        boolean isVain() {
            return node == NULL && listed == 0;
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
                load(nodeOf(done));
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
            compare(size());
            if (last != null && place < last.listed()) {
                passStretches();
            } else {
                for (int i = 0; i < PIECE && node != NULL; i++) {
                    pass(nodes.next(node, Directory.LEVEL));
                }
            }
            request(Math.min(size(), compared + KEYS_AHEAD));
            if ((node == NULL || listed == capacity) && listed > 0) {
                compare(size());
                load(nodeOf(size() - 1));
                lastKey = Arrays.copyOf(key, keyLength);
                requested = 0;
                beginPlaces();
            }
        }

        private void compare(final int end) {
            while (compared < end) {
                if (requested < end && (compared & KEYS_AT_ONCE - 1) == 0) {
                    // Processors forget requests that they have no buffers for, so that they are made bit by bit.
                    request(Math.min(end, compared + KEYS_AHEAD + KEYS_AT_ONCE));
                }
                final byte[] room = keyBefore;
                keyBefore = key;
                lengthBefore = keyLength;
                key = room;
                load(nodeOf(compared));
                if (compared == 0) {
                    firstKey = Arrays.copyOf(key, keyLength);
                } else {
                    shared[compared - 1] = (char) SharedBytes.of(keyBefore, 0, lengthBefore, key, keyLength);
                }
                compared++;
            }
        }

        /** Goes on to the next node, or to the end of the list. */
        private void pass(final int next) {
            node = next;
            if (next != NULL && listed < capacity) {
                final int meta = nodes.metaAcquire(next);
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
                if (nodes.payload(last.node(first + lane)) < 0) {
                    // Perhaps unlinked already, so that its stretch went past it: links alone lead on.
                    place = last.listed();
                    break;
                }
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
                final long payload = nodes.payload(nodeOf(i));
                keys.addTo(lines, payload & PAYLOAD_MASK, keyLength); // most are about as long as the last one
            }
            lines.request();
            requested = end;
        }

        private void load(final int from) {
            final long payload = nodes.payload(from) & PAYLOAD_MASK;
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
            tails = new DirectoryTails(levels);
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
                variousBlocks += end == block + Directory.BLOCK ? 1 : 0; // the last one always has various places
            }
            if (level + 1 < places.length) {
                places[level + 1][block >> Directory.BLOCK_SHIFT] = all;
            }
            block = end;
            if (block == count) {
                block = 0;
                addTails(level++, count);
            }
        }

        /** Makes room for the tails of a level whose places are set, if it needs them and they find room. */
        private void addTails(final int of, final int count) {
            final long bytes = tails.bytes(of, count, blocks[of].length, variousBlocks);
            variousBlocks = 0;
            if (bytes > 0 && budget.tryAcquire(bytes)) {
                charged += bytes;
                tailBytes += bytes;
                tails.add(of, count);
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
            int at = entry;
            for (int level = 0; level < chunks.length; level++) {
                final char own = blocks[level][at >> Directory.BLOCK_SHIFT];
                final int begin = own == Directory.VARIOUS ? places[level][at] : own;
                chunks[level][Directory.CHUNKS_PAD + at] |= Directory.chunk(key, 0, keyLength, begin);
                tails.set(level, at, key, keyLength, begin + Directory.CHUNK_PAIR);
                if ((at & Directory.BLOCK - 1) != 0) {
                    break;
                }
                at >>= Directory.BLOCK_SHIFT;
            }
        }

        Directory directory() {
            return new Directory(
                listed, list, chunks, new char[][][] {places, blocks}, tails, new byte[][] {firstKey, lastKey});
        }
    }
}
