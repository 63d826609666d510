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
 * Holds the node index of a list and renews it as the list grows: each put does a small piece, so that no put takes long.
 * <p>
 * The node index is optional: without it searches begin at the head. It is charged to the budget and dropped when memory runs
 * out. A remover drops it before it retires the node: so a node index found inside a guard has only nodes that are not reused
 * within that guard.
 * <h2>Thread safety</h2>
 * Any thread may call any method. One thread at a time builds; the others do not wait for it.
 */
final class NodeIndexMaintainer {
    private static final int MIN_ENTRIES = LoweredLimit.of("skiplist.nodeIndexEntries", 1 << 10, 16);
    /** Greatest number of listed nodes. */
    private static final int MOST_LISTED = 1 << 29;
    /** Quarters by which the list grows before a new node index is begun. */
    private static final int GROWTH = 3;
    /** After a drop, growth by a quarter is enough. */
    private static final int AFTER_DROP_SHIFT = 2;
    private static final int PIECE = 16;
    /** Blocks whose positions one piece sets. */
    private static final int POSITIONED_BLOCKS = 32;
    private static final int HEADROOM_SHIFT = 5;
    /** Stretches of the list, between nodes of the last node index, that are walked side by side. */
    private static final int STRETCHES = 32;
    private static final int MAX_STRETCH = 16;
    /** Keys whose records are requested before they are compared, and how many at a time. */
    private static final int KEYS_AHEAD = 8;
    private static final int KEYS_AT_ONCE = 4;

    private final Nodes nodes;
    private final KeySource keys;
    private final MemoryBudget budget;
    private final EntryCount entryCount;
    /* Held while a thread builds or drops. All writers read the fields here, mostly while another thread holds it. */
    private final Claim lock = new Claim();
    private volatile NodeIndex current;
    private volatile long charged;
    private volatile int beginAt = MIN_ENTRIES;
    /* The node index under construction or null; changed under the lock. */
    private volatile Draft draft;

    NodeIndexMaintainer(final Nodes nodes, final MemoryBudget budget, final EntryCount entryCount) {
        this.nodes = nodes;
        this.keys = nodes.keys();
        this.budget = budget;
        this.entryCount = entryCount;
    }

    /** Returns the node index, or null. Call inside a guard. */
    NodeIndex current() {
        return current;
    }

    /** Returns the number of bytes charged to the budget. */
    long bytes() {
        return charged;
    }

    /**
     * Called inside the guard in which a node was linked.
     *
     * @param higher whether the node is on the level above too: one in eight is, often enough to notice that a renewal is due
     */
    void onPut(final boolean higher) {
        // One of several writers builds; the others go on with their puts.
        if ((draft != null || higher && entries() >= beginAt) && tryLock()) {
            try {
                build();
            } catch (final RuntimeException | OutOfMemoryError e) {
                end(); // the node index is optional, and the node is in the list
            } finally {
                lock.held = Claim.FREE;
            }
        }
    }

    private int entries() {
        return (int) Math.min(MOST_LISTED, entryCount.sum());
    }

    /**
     * Drops the node index, finished or not. A remover calls this between unlinking and retiring a node, so that a later renewal
     * cannot list the node.
     *
     * @return whether this freed memory
     */
    boolean drop() {
        // Most pieces take microseconds; the first one allocates arrays for all nodes.
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

    /** As {@link #drop}, under the lock. */
    private boolean end() {
        final long bytes = charged;
        current = null;
        draft = null;
        budget.release(bytes);
        charged = 0; // after the release: an error before it leads to a second try
        final int entries = entries();
        beginAt = entries + Math.max(MIN_ENTRIES, entries >> AFTER_DROP_SHIFT);
        return bytes > 0;
    }

    /** Returns the number of entries at which the next node index is begun. */
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
            final long bytes = NodeIndex.bytes(capacity);
            if (!budget.tryAcquire(bytes)) {
                beginAt = growth(beginAt);
                return;
            }
            charged += bytes;
            present = new Draft(current, capacity);
            draft = present;
        }
        if (present.isEmpty()) {
            end(); // all counted nodes are gone
        } else if (present.advance()) {
            final long bytes = NodeIndex.bytes(present.capacity()) + present.tailBytes;
            current = present.nodeIndex();
            draft = null;
            budget.release(charged - bytes);
            charged = bytes;
            beginAt = growth(entries());
        }
    }

    /** A node index under construction: first nodes and shared bytes, then positions, level by level, then chunks. */
    private final class Draft {
        private final int capacity;
        private final int[] list;
        private final char[] shared;
        private final char[] pairsOfBlock = new char[NodeIndex.BLOCK];
        private long[][] chunks;
        private char[][] positions;
        private char[][] blocks;
        private NodeIndexTails tails;
        /* Bytes charged for tails, and blocks of the present level so far with mixed positions. */
        private long tailBytes;
        private int mixedBlocks;
        /* The level whose positions are set next, and the first entry of the next block there. */
        private int level;
        private int block;
        private final PrefetchVector lines = new PrefetchVector();
        private int listed;
        /* Entries that were compared with the entry before, and entries whose chunks were set. */
        private int compared;
        private int done;
        /* Records of keys before this one were requested; in the last phase, records of entries. */
        private int requested;
        /* The last node that was passed, and the first node of the last node index behind it. */
        private int node = HEAD;
        private final NodeIndex last;
        private int position;
        private final int[][] stretches = new int[STRETCHES][MAX_STRETCH];
        private final int[] stretchLengths = new int[STRETCHES];
        private byte[] keyBefore = new byte[Long.BYTES];
        private int lengthBefore;
        private byte[] key = new byte[Long.BYTES];
        private int keyLength;
        private byte[] firstKey;
        private byte[] lastKey;

        Draft(final NodeIndex last, final int capacity) {
            this.last = last;
            this.capacity = capacity;
            list = new int[NodeIndex.NODES_PAD + capacity];
            shared = new char[NodeIndex.entries(capacity)];
        }

        int capacity() {
            return capacity;
        }

        /** Returns whether the walk reached the end of the list without finding a node. */
        boolean isEmpty() {
            return node == NULL && listed == 0;
        }

        private int size() {
            return NodeIndex.entries(listed);
        }

        private int nodeOf(final int entry) {
            return list[NodeIndex.NODES_PAD + (entry << NodeIndex.GROUP_SHIFT)] & NODE_MASK;
        }

        /** Does a piece of the work; returns true when all is done. */
        boolean advance() {
            if (chunks == null) {
                gather();
                return false;
            }
            if (level < positions.length) {
                for (int i = 0; i < POSITIONED_BLOCKS && level < positions.length; i++) {
                    setPositionsOfBlock();
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
            if (last != null && position < last.listed()) {
                passStretches();
            } else {
                for (int i = 0; i < PIECE && node != NULL; i++) {
                    pass(nodes.next(node, NodeIndex.LEVEL));
                }
            }
            request(Math.min(size(), compared + KEYS_AHEAD));
            if ((node == NULL || listed == capacity) && listed > 0) {
                compare(size());
                load(nodeOf(size() - 1));
                lastKey = Arrays.copyOf(key, keyLength);
                requested = 0;
                beginPositions();
            }
        }

        private void compare(final int end) {
            while (compared < end) {
                if (requested < end && (compared & KEYS_AT_ONCE - 1) == 0) {
                    // In small numbers: processors drop requests that they have no buffers for.
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

        /** Passes the next node, or ends at the end of the list. */
        private void pass(final int next) {
            node = next;
            if (next != NULL && listed < capacity) {
                final int meta = nodes.metaAcquire(next);
                // Until its writer has linked it on the level above, nothing may be linked behind it there.
                final boolean higher = height(meta) > NodeIndex.LEVEL + 1 && (meta & LINKED) != 0;
                list[NodeIndex.NODES_PAD + listed++] = higher ? next | NodeIndex.HIGHER : next;
            }
        }

        /** Passes the nodes between the next nodes of the last node index; fetches those of all stretches side by side. */
        private void passStretches() {
            final int ahead = Math.min(STRETCHES, last.listed() - position);
            int unfinished = 0;
            for (int at = 0; at < ahead; at++) {
                lines.add(nodes.slab(), offset(at == 0 ? node : last.node(position + at - 1)));
                stretchLengths[at] = 0;
                unfinished |= 1 << at;
            }
            for (int length = 0; unfinished != 0 && length < MAX_STRETCH; length++) {
                lines.request();
                for (int left = unfinished; left != 0; left &= left - 1) {
                    final int at = Integer.numberOfTrailingZeros(left);
                    final int from = length > 0 ? stretches[at][length - 1] : at == 0 ? node : last.node(position + at - 1);
                    final int next = nodes.next(from, NodeIndex.LEVEL);
                    if (next == last.node(position + at) || next == NULL) {
                        unfinished &= ~(1 << at);
                    } else {
                        stretches[at][length] = next;
                        stretchLengths[at] = length + 1;
                        lines.add(nodes.slab(), offset(next));
                    }
                }
            }
            final int first = position;
            for (int at = 0; at < ahead; at++) {
                if (nodes.payload(last.node(first + at)) < 0) {
                    // The node may be unlinked already, and its stretch may have gone past it: only links lead on.
                    position = last.listed();
                    break;
                }
                for (int i = 0; i < stretchLengths[at]; i++) {
                    pass(stretches[at][i]);
                }
                if ((unfinished & 1 << at) != 0) {
                    break; // continues there next time
                }
                pass(last.node(first + at));
                position++;
            }
        }

        /** Requests the records of more entries. */
        private void request(final int end) {
            for (int i = requested; i < end; i++) {
                final long payload = nodes.payload(nodeOf(i));
                keys.addTo(lines, payload & PAYLOAD_MASK, keyLength); // most keys are about as long as the last one
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

        /** Begins the positions: each holds what its key shares with the next one until it is set. */
        private void beginPositions() {
            final int size = size();
            final int levels = NodeIndex.levels(size);
            chunks = new long[levels][];
            positions = new char[levels][];
            blocks = new char[levels][];
            positions[0] = shared;
            tails = new NodeIndexTails(levels);
            shared[size - 1] = NodeIndex.MAX_SHARED; // no key behind the last entry is looked up
            for (int i = 0; i < levels; i++) {
                final int count = NodeIndex.count(size, i);
                chunks[i] = new long[NodeIndex.CHUNKS_PAD + count];
                blocks[i] = new char[NodeIndex.count(size, i + 1)];
                if (i > 0) {
                    positions[i] = new char[count];
                }
            }
        }

        /** Sets where the chunks of a block begin: behind the bytes that each entry shares with the closer bound. */
        private void setPositionsOfBlock() {
            final char[] own = positions[level];
            final int count = chunks[level].length - NodeIndex.CHUNKS_PAD;
            final int end = Math.min(count, block + NodeIndex.BLOCK);
            final char all = least(own, block, end);
            System.arraycopy(own, block, pairsOfBlock, 0, end - block);
            final int closest = greatest(own, block, end);
            if (end == block + NodeIndex.BLOCK && closest - all < NodeIndex.CHUNK_PAIR && closest < NodeIndex.MAX_SHARED) {
                // The chunks behind the common prefix differ, and not only by zeroes behind ends of keys.
                Arrays.fill(own, block, end, all);
                blocks[level][block >> NodeIndex.BLOCK_SHIFT] = all;
            } else {
                for (int i = 1; i < end - block; i++) {
                    final int reach = Integer.lowestOneBit(i); // distance from the entry to either bound
                    final char before = least(pairsOfBlock, i - reach, i);
                    final char behind = least(pairsOfBlock, i, Math.min(end - block, i + reach));
                    own[block + i] = (char) Math.max(before, behind);
                    chunks[level][NodeIndex.CHUNKS_PAD + block + i] = behind > before ? NodeIndex.CLOSE_BEHIND : 0;
                }
                blocks[level][block >> NodeIndex.BLOCK_SHIFT] = NodeIndex.MIXED;
                mixedBlocks += end == block + NodeIndex.BLOCK ? 1 : 0; // an incomplete last block is always mixed
            }
            if (level + 1 < positions.length) {
                positions[level + 1][block >> NodeIndex.BLOCK_SHIFT] = all;
            }
            block = end;
            if (block == count) {
                block = 0;
                addTails(level++, count);
            }
        }

        /** Allocates the tails of a level whose positions are set, if it needs them and memory allows. */
        private void addTails(final int of, final int count) {
            final long bytes = tails.bytes(of, count, blocks[of].length, mixedBlocks);
            mixedBlocks = 0;
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

        /** Sets the chunks of an entry: one among the entries, and one in each level where it begins a block. */
        private void setChunks(final int entry) {
            int at = entry;
            for (int level = 0; level < chunks.length; level++) {
                final char own = blocks[level][at >> NodeIndex.BLOCK_SHIFT];
                final int begin = own == NodeIndex.MIXED ? positions[level][at] : own;
                chunks[level][NodeIndex.CHUNKS_PAD + at] |= NodeIndex.chunk(key, 0, keyLength, begin);
                tails.set(level, at, key, keyLength, begin + NodeIndex.CHUNK_PAIR);
                if ((at & NodeIndex.BLOCK - 1) != 0) {
                    break;
                }
                at >>= NodeIndex.BLOCK_SHIFT;
            }
        }

        NodeIndex nodeIndex() {
            return new NodeIndex(
                listed, list, chunks, new char[][][] {positions, blocks}, tails, new byte[][] {firstKey, lastKey});
        }
    }
}
