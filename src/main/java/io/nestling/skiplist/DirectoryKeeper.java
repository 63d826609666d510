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
import java.util.concurrent.atomic.AtomicInteger;

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
    private static final int MIN_ENTRIES = 512;
    /** A new directory is begun when the list has a quarter more tall nodes than the directory. */
    private static final int GROWTH_SHIFT = 2;
    private static final int PIECE = 16;
    private static final int HEADROOM_SHIFT = 4;

    private final Nodes nodes;
    private final KeySource keys;
    private final MemoryBudget budget;
    private final AtomicInteger tallNodes = new AtomicInteger();
    private volatile Directory current;
    private volatile long charged;
    private volatile int beginAt = MIN_ENTRIES;
    /* Guarded by the monitor: the directory under construction, null if there is none. */
    private Draft draft;

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

    /** A tall node was linked. Inside a guard. */
    void onTallPut() {
        if (tallNodes.incrementAndGet() >= beginAt) {
            build();
        }
    }

    /** A tall node was linked, and by now it is dead and unlinked, but not retired yet. */
    synchronized void onTallPutInVain() {
        tallNodes.incrementAndGet();
        drop();
    }

    /** A tall node is dead and unlinked, but not retired yet. */
    synchronized void onTallRemoved() {
        tallNodes.decrementAndGet();
        drop();
    }

    /**
     * Gives the directory up, finished or not. Whoever unlinks a tall node does so before the node is retired: what is gathered
     * afterwards cannot have it.
     *
     * @return whether that gave memory back
     */
    synchronized boolean drop() {
        final long bytes = charged;
        current = null;
        draft = null;
        charged = 0;
        budget.release(bytes);
        final int size = tallNodes.get();
        beginAt = size + Math.max(MIN_ENTRIES, size >> GROWTH_SHIFT);
        return bytes > 0;
    }

    private synchronized void build() {
        if (tallNodes.get() < beginAt) {
            return;
        }
        if (draft == null) {
            final int capacity = tallNodes.get() + (tallNodes.get() >> HEADROOM_SHIFT);
            final long bytes = (long) capacity * Directory.ENTRY_BYTES;
            if (!budget.tryAcquire(bytes)) {
                beginAt += Math.max(MIN_ENTRIES, beginAt >> GROWTH_SHIFT);
                return;
            }
            charged += bytes;
            draft = new Draft(capacity);
        }
        if (draft.advance()) {
            final Directory made = draft.directory();
            current = made;
            draft = null;
            final long bytes = (long) made.size() * Directory.ENTRY_BYTES;
            budget.release(charged - bytes);
            charged = bytes;
            beginAt = made.size() + Math.max(MIN_ENTRIES, made.size() >> GROWTH_SHIFT);
        }
    }

    /** A directory under construction: first nodes and shared bytes, then places and chunks. */
    private final class Draft {
        private final int[] entries;
        private final char[] shared;
        private long[] chunks;
        private char[] places;
        private final PrefetchVector lines = new PrefetchVector();
        private int size;
        private int done;
        private int node = HEAD;
        private byte[] key = new byte[Long.BYTES];
        private byte[] keyBefore = new byte[Long.BYTES];
        private int keyLength;

        Draft(final int capacity) {
            entries = new int[capacity];
            shared = new char[capacity];
        }

        /** Does a piece of the work; true when all is done. */
        boolean advance() {
            if (chunks == null) {
                gather();
                return false;
            }
            final int end = Math.min(size, done + PIECE);
            request(done, end);
            while (done < end) {
                load(entries[done]);
                chunks[done] = KeyChunk.at(key, 0, keyLength, places[done]);
                done++;
            }
            return done == size;
        }

        private void gather() {
            final int from = size;
            while (size < entries.length && size < from + PIECE) {
                node = nodes.next(node, Directory.LEVEL);
                if (node == NULL) {
                    break;
                }
                entries[size++] = node;
            }
            request(from, size);
            for (int i = from; i < size; i++) {
                final int lengthBefore = keyLength;
                final byte[] buffer = key;
                key = keyBefore;
                keyBefore = buffer;
                load(entries[i]);
                if (i > 0) {
                    final int mismatch = Arrays.mismatch(keyBefore, 0, lengthBefore, key, 0, keyLength);
                    shared[i - 1] = (char) (mismatch < 0 ? keyLength : mismatch);
                }
            }
            if (node == NULL || size == entries.length) {
                chunks = new long[size];
                places = new char[size];
                place(-1, size);
            }
        }

        private void request(final int from, final int to) {
            for (int i = from; i < to; i++) {
                lines.add(keys.address(nodes.payload(entries[i]) & PAYLOAD_MASK));
            }
            lines.request();
        }

        private void load(final int entry) {
            final long payload = nodes.payload(entry) & PAYLOAD_MASK;
            keyLength = keys.keyLength(payload);
            if (key.length < keyLength) {
                key = new byte[keyLength];
            }
            keys.copyKey(payload, key, 0);
        }

        /** Sets the places of the entries between two, as the binary search meets them; returns what the two share. */
        private int place(final int low, final int high) {
            if (high - low <= 1) {
                return low < 0 || high == size ? 0 : shared[low];
            }
            final int middle = (low + high) >>> 1;
            final int place = Math.min(place(low, middle), place(middle, high));
            places[middle] = (char) place;
            return place;
        }

        Directory directory() {
            return new Directory(size, Arrays.copyOf(entries, size), chunks, places, Arrays.copyOf(shared, size));
        }
    }
}
