/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.bytes.KeyChunk;
import io.nestling.bytes.KeyHash;
import io.nestling.memory.KeySource;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads nodes and compares them with keys.
 * <p>
 * A search knows how many bytes its key shares with the node before it and with the node behind it, its bounds. Every node in
 * between shares the smaller of the two numbers with the key. So a node is told from the key by its chunk alone, without its
 * record, if the chunk begins within these shared bytes and ends behind them. The numbers may be smaller than the truth, which
 * costs reading a record and no more. Bytes shared are counted as if keys went on with zeroes.
 * <h2>Thread safety</h2>
 * Any number of threads, under guards.
 */
final class Nodes {
    /** Orders of a node relative to a key, the low bits of {@link #compare}. */
    static final int LESS = 0;
    static final int EQUAL = 1;
    static final int GREATER = 2;
    private static final int ORDER_BITS = 2;
    private static final int ORDER_MASK = (1 << ORDER_BITS) - 1;

    /* Nodes below a higher level are taken to be in the cache. */
    private static final int HIGHEST_REQUESTED = 3;

    private static final AtomicInteger LISTS = new AtomicInteger();

    /** Longest key that is copied to be compared, unless it has to be known how many bytes are shared. */
    private static final int MAX_COPIED_BYTES = 512;
    private static final int MAX_KEPT_BYTES = 1 << 12;
    /* A class of the JDK: a thread that has one does not keep the class loader of this class. */
    private static final ThreadLocal<byte[][]> COPIES = ThreadLocal.withInitial(() -> new byte[1][]);

    private final int id = LISTS.incrementAndGet();
    private final Slab slab;
    private final KeySource keys;
    private final KeyHash keyHash;
    private final AtomicInteger height = new AtomicInteger(1);
    private final DirectoryKeeper directories;
    private volatile boolean incomplete;

    Nodes(
        final Slab slab, final KeySource keys, final KeyHash keyHash, final MemoryBudget budget, final EntryCount entryCount) {
        this.slab = slab;
        this.keys = keys;
        this.keyHash = keyHash;
        this.directories = new DirectoryKeeper(this, budget, entryCount);
    }

    DirectoryKeeper directories() {
        return directories;
    }

    /** Number of the list in this process. */
    int id() {
        return id;
    }

    Slab slab() {
        return slab;
    }

    KeySource keys() {
        return keys;
    }

    /** Hash of a key, from which its node's height is drawn too. */
    long hashOf(final byte[] key, final int offset, final int length) {
        return keyHash.hash(key, offset, length);
    }

    /** Notes that a node is not linked on all of its levels, since a key could not be read. */
    void noteIncomplete() {
        incomplete = true;
    }

    /** Whether nodes may not be linked on all of their levels. */
    boolean isIncomplete() {
        return incomplete;
    }

    /** Levels in use: no node is higher. */
    int height() {
        return height.get();
    }

    /** Fills a node but for its payload by plain stores, which the CAS covers that links it. */
    void fill(
        final int node, final int height, final Splice splice, final byte[] key, final int offset, final int length) {
        final long at = offset(node);
        final int place = splice.chunkPlace(height, length);
        slab.putLong(at + CHUNK_OFFSET, KeyChunk.at(key, offset, length, place));
        slab.putInt(at + META_OFFSET, NodeLayout.meta(height, place, length));
        for (int level = 0; level < height; level++) {
            slab.putInt(linkOffset(node, level), splice.behind(level));
        }
    }

    /** Replaces a payload and returns the one before; negative if the node is dead. */
    long replacePayload(final int node, final long payload) {
        long before;
        do {
            before = payload(node);
        } while (before >= 0 && !compareAndSetPayload(node, before, payload));
        return before;
    }

    /** Sets a flag in a node's meta word and returns the word before. */
    int addFlag(final int node, final int flag) {
        int meta;
        do {
            meta = meta(node);
        } while (!slab.compareAndSetInt(offset(node) + META_OFFSET, meta, meta | flag));
        return meta;
    }

    /** Has searches begin at least as high as a node that is about to be linked. */
    void raiseHeight(final int atLeast) {
        int before = height.get();
        while (before < atLeast && !height.compareAndSet(before, atLeast)) {
            before = height.get();
        }
    }

    /** A link with its mark. */
    int link(final int node, final int level) {
        return slab.getIntAcquire(linkOffset(node, level));
    }

    /** The node that a link leads to, whether the link is marked or not. */
    int next(final int node, final int level) {
        return slab.getIntAcquire(linkOffset(node, level)) & NODE_MASK;
    }

    boolean compareAndSetLink(final int node, final int level, final int expected, final int value) {
        return slab.compareAndSetInt(linkOffset(node, level), expected, value);
    }

    /** Requests the nodes that a search may come to next when it stands on a node and reads its link of a level. */
    void prefetchBelow(final int node, final int level) {
        if (level > 0 && level <= HIGHEST_REQUESTED) {
            prefetch(next(node, level - 1));
            if (level > 1) {
                prefetch(next(node, level - 2));
            }
        }
    }

    /** Requests a node. */
    void prefetch(final int node) {
        slab.prefetch(offset(node));
        if (isSplit(node)) {
            slab.prefetch(secondOffset(node));
        }
    }

    /** Has a node requested as a search reads it. */
    void addTo(final PrefetchVector lines, final int node) {
        lines.add(slab, offset(node));
        if (isSplit(node)) {
            lines.add(slab, secondOffset(node));
        }
    }

    /** Payload of a node with its {@link NodeLayout#DEAD} bit: negative if the entry is removed. */
    long payload(final int node) {
        return slab.getLongAcquire(offset(node) + PAYLOAD_OFFSET);
    }

    boolean compareAndSetPayload(final int node, final long expected, final long value) {
        return slab.compareAndSetLong(offset(node) + PAYLOAD_OFFSET, expected, value);
    }

    int meta(final int node) {
        return slab.getInt(offset(node) + META_OFFSET);
    }

    long chunk(final int node) {
        return slab.getLong(offset(node) + CHUNK_OFFSET);
    }

    /** As {@link #meta}, to be read before a link of an upper level. */
    int metaAcquire(final int node) {
        return slab.getIntAcquire(offset(node) + META_OFFSET);
    }

    /** Whether a chunk says nothing of a key that shares so many bytes with the node. */
    private static boolean isUseless(final int meta, final int known) {
        return (known - chunkPlace(meta) & -CHUNK_BYTES) != 0;
    }

    static int order(final long comparison) {
        return (int) comparison & ORDER_MASK;
    }

    /** Bytes that node and key share at least. */
    static int shared(final long comparison) {
        return (int) (comparison >>> ORDER_BITS);
    }

    private static long comparison(final int shared, final int order) {
        return (long) shared << ORDER_BITS | order;
    }

    /**
     * Bytes that any node between a search's bounds shares with its key. To be called after the node was read from a link: a
     * bound that is still alive then was in the list when the link was read, so that the node does not lie behind it
     * (skip-list-concurrency.md, claim 4).
     *
     * @param bound the node behind the key, or {@link NodeLayout#NULL}
     * @param sharedBefore bytes shared with the node before
     * @param sharedBehind bytes shared with the bound
     */
    int sharedBetween(final int bound, final int sharedBefore, final int sharedBehind) {
        return bound == NULL || payload(bound) < 0 ? 0 : Math.min(sharedBefore, sharedBehind);
    }

    /**
     * Compares a node with a key.
     *
     * @param known bytes that both are known to share
     * @return {@link #order} and {@link #shared} in one number
     */
    long compare(final int node, final byte[] key, final int offset, final int length, final int known) {
        final int meta = meta(node);
        final int place = chunkPlace(meta);
        if (isUseless(meta, known)) {
            return compareRecord(node, key, offset, length, known);
        }
        final long own = chunk(node);
        final long other = KeyChunk.at(key, offset, length, place);
        if (own != other) {
            return ofChunks(own, other, place);
        }
        final int end = chunkEnd(meta);
        final int rest = length - place;
        if (end == GOES_ON && rest > CHUNK_BYTES) {
            return compareRecord(node, key, offset, length, place + CHUNK_BYTES);
        }
        // One of the two ends in its chunk, so that it is the other's beginning.
        final int order = end == rest ? EQUAL : end < rest ? LESS : GREATER;
        return comparison(place + CHUNK_BYTES, order);
    }

    /** Two keys differ in their chunks at a place. */
    static long ofChunks(final long own, final long other, final int place) {
        return comparison(place + (Long.numberOfLeadingZeros(own ^ other) >>> 3),
            own + Long.MIN_VALUE < other + Long.MIN_VALUE ? LESS : GREATER);
    }

    /** The payload of a node if it has a key and is alive; a negative number if not. */
    long payloadOf(final int node, final byte[] key, final int offset, final int length) {
        final long payload = payload(node);
        if (payload < 0 || !mayHave(node, key, offset, length)) {
            return DEAD;
        }
        return keys.keyLength(payload) == length && keys.compareKey(payload, key, offset, length) == 0 ? payload : DEAD;
    }

    /** Whether a node has a key, as far as can be told without its record. */
    boolean mayHave(final int node, final byte[] key, final int offset, final int length) {
        final int meta = meta(node);
        final int rest = length - chunkPlace(meta);
        final int end = chunkEnd(meta);
        if (end == GOES_ON ? rest <= CHUNK_BYTES : rest != end) {
            return false; // it is longer or shorter
        }
        return chunk(node) == KeyChunk.at(key, offset, length, chunkPlace(meta));
    }

    private long compareRecord(
        final int node, final byte[] key, final int offset, final int length, final int known) {
        final long payload = payload(node) & PAYLOAD_MASK;
        final int ownLength = keys.keyLength(payload);
        if (ownLength > MAX_COPIED_BYTES) {
            final int order = keys.compareKey(payload, key, offset, length);
            return comparison(known, order < 0 ? LESS : order == 0 ? EQUAL : GREATER);
        }
        // To know how many bytes are shared saves reading the records of other nodes nearby.
        final byte[][] copies = COPIES.get();
        final byte[] own = copy(copies, payload, ownLength);
        final int mismatch = Arrays.mismatch(own, 0, ownLength, key, offset, offset + length);
        final long result = mismatch < 0
            ? comparison(length, EQUAL)
            : comparison(Math.max(known, mismatch), order(own, ownLength, key, offset, length, mismatch));
        keep(copies, own);
        return result;
    }

    /**
     * As {@link #compare}, but the bytes shared are as many as {@link SharedBytes#of} says.
     *
     * @param known bytes that both share for certain, counted as if keys went on with zeroes
     */
    long compareExactly(final int node, final byte[] key, final int offset, final int length, final int known) {
        final int meta = meta(node);
        if (!isUseless(meta, known)) {
            final int place = chunkPlace(meta);
            final long own = chunk(node);
            final long other = KeyChunk.at(key, offset, length, place);
            if (own != other) {
                return ofChunks(own, other, place);
            }
            final int end = chunkEnd(meta);
            if (end != GOES_ON && end == length - place) {
                return comparison(length, EQUAL); // both end here
            }
        }
        return compareExactly(node, key, offset, length);
    }

    /** As {@link #compare} by the record alone; the bytes shared are as many as {@link SharedBytes#of} says. */
    long compareExactly(final int node, final byte[] key, final int offset, final int length) {
        final long payload = payload(node) & PAYLOAD_MASK;
        return compareExactly(payload, keys.keyLength(payload), key, offset, length);
    }

    /** The same for the record of a node, if the length of its key is known. */
    long compareExactly(
        final long payload, final int ownLength, final byte[] key, final int offset, final int length) {
        final byte[][] copies = COPIES.get();
        final byte[] own = copy(copies, payload, ownLength);
        final int mismatch = Arrays.mismatch(own, 0, ownLength, key, offset, offset + length);
        final long result = mismatch < 0
            ? comparison(length, EQUAL)
            : comparison(SharedBytes.of(key, offset, length, own, ownLength, mismatch),
                order(own, ownLength, key, offset, length, mismatch));
        keep(copies, own);
        return result;
    }

    /** A copy of a key, in this thread's array, or in a new one if a key source calls an index meanwhile. */
    private byte[] copy(final byte[][] copies, final long payload, final int length) {
        byte[] copy = copies[0];
        copies[0] = null;
        if (copy == null || copy.length < length) {
            copy = new byte[Math.max(length, MAX_COPIED_BYTES)];
        }
        keys.copyKey(payload, copy, 0);
        return copy;
    }

    /** Keeps an array for the thread's next copy, unless a long key has made it large. */
    private static void keep(final byte[][] copies, final byte[] copy) {
        if (copy.length <= MAX_KEPT_BYTES) {
            copies[0] = copy;
        }
    }

    /** The order of a node's key relative to another one that is different from a place on. */
    private static int order(
        final byte[] own, final int ownLength, final byte[] key, final int offset, final int length, final int mismatch) {
        final boolean less = mismatch == ownLength
            || mismatch < length && (own[mismatch] & 0xFF) < (key[offset + mismatch] & 0xFF);
        return less ? LESS : GREATER;
    }
}
