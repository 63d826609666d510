/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.bytes.KeyChunk;
import io.nestling.bytes.KeyHash;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PaddedCounters;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads nodes and compares them with keys.
 * <p>
 * A search knows how many bytes its key shares with the nodes before and behind it, its bounds. Every node in between shares the
 * smaller of the two numbers with the key. So the chunk alone decides, without the record, if it begins within these shared bytes
 * and ends behind them. The numbers may be too small, which costs no more than reading a record. Shared bytes are counted as if
 * keys went on with zeroes; keys that share all have {@link NodeIndex#MAX_SHARED}.
 * <h2>Thread safety</h2>
 * Any number of threads, inside guards.
 */
final class Nodes {
    /** Orders of a node relative to a key, the low bits of {@link #compare}. */
    static final int LESS = 0;
    static final int EQUAL = 1;
    static final int GREATER = 2;
    private static final int ORDER_BITS = 2;
    private static final int ORDER_MASK = (1 << ORDER_BITS) - 1;

    private static final AtomicInteger LISTS = new AtomicInteger();

    private final int id = LISTS.incrementAndGet();
    private final Slab slab;
    private final KeySource keys;
    private final KeyHash keyHash;
    private final AtomicInteger height = new AtomicInteger(1);
    private final NodeIndexMaintainer maintainer;
    private volatile boolean incomplete;

    Nodes(
        final Slab slab, final KeySource keys, final KeyHash keyHash, final MemoryBudget budget,
        final PaddedCounters entryCount) {
        this.slab = slab;
        this.keys = keys;
        this.keyHash = keyHash;
        this.maintainer = new NodeIndexMaintainer(this, budget, entryCount);
    }

    NodeIndexMaintainer maintainer() {
        return maintainer;
    }

    /** Returns the number of the list in this process. */
    int id() {
        return id;
    }

    Slab slab() {
        return slab;
    }

    KeySource keys() {
        return keys;
    }

    /** Returns the hash of a key, from which its node's height is drawn too. */
    long hashOf(final byte[] key, final int offset, final int length) {
        return keyHash.hash(key, offset, length);
    }

    /** Marks the list: a node is not linked on all of its levels, since a key could not be read. */
    void markIncomplete() {
        incomplete = true;
    }

    /** Returns whether some node may not be linked on all of its levels. */
    boolean isIncomplete() {
        return incomplete;
    }

    /** Returns the number of levels in use. */
    int height() {
        return height.get();
    }

    /** Fills a node, its payload excepted, by plain stores; the CAS that links it publishes them. */
    void fill(
        final int node, final int height, final Splice splice, final byte[] key, final int offset, final int length) {
        final long at = offset(node);
        final int position = splice.chunkPosition(height, length);
        slab.putLong(at + CHUNK_OFFSET, KeyChunk.at(key, offset, length, position));
        slab.putInt(at + META_OFFSET, SkipListNodeLayout.meta(height, position, length));
        for (int level = 0; level < height; level++) {
            slab.putInt(linkOffset(node, level), splice.behind(level));
        }
    }

    /** Sets a flag in a node's meta word and returns the earlier word. */
    int addFlag(final int node, final int flag) {
        int meta;
        do {
            meta = meta(node);
        } while (!slab.compareAndSetInt(offset(node) + META_OFFSET, meta, meta | flag));
        return meta;
    }

    /** Raises the level at which searches begin, before a taller node is linked. */
    void raiseHeight(final int atLeast) {
        int before = height.get();
        while (before < atLeast && !height.compareAndSet(before, atLeast)) {
            before = height.get();
        }
    }

    /** Returns a link with its mark. */
    int link(final int node, final int level) {
        return slab.getIntAcquire(linkOffset(node, level));
    }

    /** Returns the node of a link, marked or not. */
    int next(final int node, final int level) {
        return slab.getIntAcquire(linkOffset(node, level)) & NODE_MASK;
    }

    boolean compareAndSetLink(final int node, final int level, final int expected, final int value) {
        return slab.compareAndSetInt(linkOffset(node, level), expected, value);
    }

    /** Prefetches a node. */
    void prefetch(final int node) {
        slab.prefetch(offset(node));
        if (isSplit(node)) {
            slab.prefetch(secondOffset(node));
        }
    }

    /** Adds the lines of a node that a search reads to the lines to prefetch. */
    void addTo(final PrefetchVector lines, final int node) {
        lines.add(slab, offset(node));
        if (isSplit(node)) {
            lines.add(slab, secondOffset(node));
        }
    }

    /** Returns the payload of a node with its {@link SkipListNodeLayout#DEAD} bit: negative if the entry is removed. */
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

    static int order(final long comparison) {
        return (int) comparison & ORDER_MASK;
    }

    /** Returns the number of bytes that node and key share. */
    static int shared(final long comparison) {
        return (int) (comparison >>> ORDER_BITS);
    }

    private static long comparison(final int shared, final int order) {
        return (long) shared << ORDER_BITS | order;
    }

    /**
     * Returns the number of bytes that any node between a search's bounds shares with its key, from what the bounds share with
     * it. Call this after the node was read from a link: a bound that is still alive then was in the list when the link was read,
     * so that the node does not lie behind it (skip-list-concurrency.md, claim 4).
     */
    int sharedBetween(final int bound, final int sharedBefore, final int sharedBehind) {
        return bound == NULL || payload(bound) < 0 ? 0 : Math.min(sharedBefore, sharedBehind);
    }

    /**
     * Compares a node with a key, both of which certainly share {@code known} bytes; returns {@link #order} and {@link #shared}
     * in one number.
     */
    long compare(final int node, final byte[] key, final int offset, final int length, final int known) {
        final int meta = meta(node);
        final int position = chunkPosition(meta);
        if ((known - position & -CHUNK_BYTES) != 0) {
            return compareRecord(node, key, offset, length, known); // the chunk begins behind these bytes, or is among them
        }
        final long own = chunk(node);
        final long other = KeyChunk.at(key, offset, length, position);
        if (own != other) {
            return ofChunks(own, other, position);
        }
        final int end = chunkEnd(meta);
        return end != GOES_ON && end == length - position // both keys end here
            ? comparison(NodeIndex.MAX_SHARED, EQUAL)
            : compareRecord(node, key, offset, length, position + CHUNK_BYTES);
    }

    private long compareRecord(
        final int node, final byte[] key, final int offset, final int length, final int known) {
        final long payload = payload(node) & PAYLOAD_MASK;
        final int ownLength = keys.keyLength(payload);
        for (int from = known; from < Math.max(ownLength, length); from += Long.BYTES) {
            final long own = keys.keyWord(payload, from);
            final long other = KeyChunk.at(key, offset, length, from);
            if (own != other) {
                return ofChunks(own, other, from);
            }
        }
        // They differ at most by zeroes at the end of one.
        return comparison(NodeIndex.MAX_SHARED, ownLength < length ? LESS : ownLength > length ? GREATER : EQUAL);
    }

    /** Returns the comparison of two keys that differ in their chunks at a position. */
    static long ofChunks(final long own, final long other, final int position) {
        return comparison(position + (Long.numberOfLeadingZeros(own ^ other) >>> 3),
            own + Long.MIN_VALUE < other + Long.MIN_VALUE ? LESS : GREATER);
    }

    /** Returns the payload of a node if it is alive and has the key; negative otherwise. */
    long payloadOf(final int node, final byte[] key, final int offset, final int length) {
        final long payload = payload(node);
        final int meta = meta(node);
        final int rest = length - chunkPosition(meta);
        final int end = chunkEnd(meta);
        if (payload < 0 || (end == GOES_ON ? rest <= CHUNK_BYTES : rest != end)) {
            return DEAD; // it is removed, longer or shorter
        }
        return chunk(node) == KeyChunk.at(key, offset, length, chunkPosition(meta))
            && keys.keyLength(payload) == length && keys.compareKey(payload, key, offset, length) == 0 ? payload : DEAD;
    }
}
