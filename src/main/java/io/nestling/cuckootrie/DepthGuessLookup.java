/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.bytes.KeyChunk;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

/**
 * Looks for leaves by the hashes of their names alone, at the depth where most of them stand and at the next one, without the
 * nodes above. A key that it does not find may be present all the same.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile: a leaf counts if it is a checkpoint in an unchanged bucket and its record
 * has the key (cuckoo-trie-concurrency.md, claim 12).
 */
final class DepthGuessLookup {
    private static final int GROUP = 4;
    private static final int LANES = 4 * GROUP;
    private static final int LANE_MASK = LANES - 1;
    private static final long NOT_FOUND = -1;
    /* Limit of the count of found keys less absent ones. */
    private static final int REMEMBERED = 32;

    private final EntryProbe probe = new EntryProbe();
    private final PrefetchVector lines = new PrefetchVector();
    /* By lane: the first eight bytes of the key, and the hash of its prefix, or NOT_FOUND if it is not searched here. */
    private final long[] chunkOf = new long[LANES];
    private final long[] hashOf = new long[LANES];
    /* Payload of the leaf found, or NOT_FOUND. */
    private final long[] payloadOf = new long[LANES];
    /* Bucket of a child that may be a leaf, and what identifies it there, 0 if there is none. */
    private final long[] childOf = new long[LANES];
    private final int[] childIdentityOf = new int[LANES];
    private int balance;

    /** Returns whether most keys looked up lately were found; absent ones cost a search here for nothing. */
    boolean expectsToFind() {
        return balance >= 0;
    }

    /** Counts found and absent keys. */
    void learn(final int found, final int of) {
        balance = Math.max(-REMEMBERED, Math.min(balance + 2 * found - of, REMEMBERED));
    }

    /** Returns whether the leaf of a key of such a length is found here, with key bytes behind it that only the record has. */
    private static boolean reaches(final int length, final int depth) {
        return length * Byte.SIZE > (depth + 1 + MAX_SUFFIX) * SYMBOL_BITS;
    }

    private static int codeOf(final long chunk, final int i) {
        return ((int) (chunk >>> Long.SIZE - SYMBOL_BITS - SYMBOL_BITS * i) & SYMBOL_MASK) + FIRST_CODE;
    }

    private static long hashOf(final NameHash names, final long chunk, final int depth) {
        long hash = names.root();
        for (int i = 0; i < depth; i++) {
            hash = names.append(hash, codeOf(chunk, i));
        }
        return hash;
    }

    /** Looks a key up at a depth; returns {@link PointIndex#NONE} if it was not found. */
    long get(
        final NodeTable table, final int depth, final KeySource keys, final byte[] key, final int offset, final int length) {
        if (!reaches(length, depth)) {
            return PointIndex.NONE;
        }
        final NameHash names = table.hash();
        final long chunk = KeyChunk.at(key, offset, length, 0);
        final long hash = hashOf(names, chunk, depth);
        table.addBoth(lines, hash);
        final int code = codeOf(chunk, depth);
        final long below = names.append(hash, code);
        table.addBoth(lines, below);
        lines.request();
        if (!find(table, hash, codeOf(chunk, depth - 1))) {
            return PointIndex.NONE;
        }
        if (!isLeaf(probe.head()) && !find(table, below, code)) {
            return PointIndex.NONE;
        }
        final long payload = leaf(table);
        return payload != NOT_FOUND && keys.compareKey(payload, key, offset, length) == 0 ? payload : PointIndex.NONE;
    }

    /**
     * Looks the keys of a batch up at a depth and at the next one; returns whether all were found. Payloads of others are {@link
     * PointIndex#NONE}.
     */
    boolean getAll(
        final NodeTable table, final int depth, final KeySource keys, final KeyBatch batch, final long[] payloads) {
        final int size = batch.size();
        boolean all = true;
        for (int from = 0; from < size + 3 * GROUP; from += GROUP) {
            for (int i = from; i < Math.min(size, from + GROUP); i++) {
                request(table, depth, batch, i);
            }
            lines.request();
            for (int i = Math.max(0, from - GROUP); i < Math.min(size, from); i++) {
                findNode(table, keys, depth, i & LANE_MASK, batch.length(i));
            }
            lines.request();
            for (int i = Math.max(0, from - 2 * GROUP); i < Math.min(size, from - GROUP); i++) {
                findChild(table, keys, i & LANE_MASK, batch.length(i));
            }
            for (int i = Math.max(0, from - 3 * GROUP); i < Math.min(size, from - 2 * GROUP); i++) {
                final long payload = payloadOf[i & LANE_MASK];
                final boolean found = payload != NOT_FOUND
                    && keys.compareKey(payload, batch.array(i), batch.offset(i), batch.length(i)) == 0;
                payloads[i] = found ? payload : PointIndex.NONE;
                all &= found;
            }
        }
        return all;
    }

    private void request(final NodeTable table, final int depth, final KeyBatch batch, final int i) {
        final int lane = i & LANE_MASK;
        if (!reaches(batch.length(i), depth)) {
            hashOf[lane] = NOT_FOUND;
            return;
        }
        final long chunk = KeyChunk.at(batch.array(i), batch.offset(i), batch.length(i), 0);
        final long hash = hashOf(table.hash(), chunk, depth);
        chunkOf[lane] = chunk;
        hashOf[lane] = hash;
        table.addBoth(lines, hash);
    }

    private void findNode(final NodeTable table, final KeySource keys, final int depth, final int lane, final int length) {
        final long hash = hashOf[lane];
        payloadOf[lane] = NOT_FOUND;
        childIdentityOf[lane] = 0;
        if (hash == NOT_FOUND || !find(table, hash, codeOf(chunkOf[lane], depth - 1))) {
            return;
        }
        final long head = probe.head();
        if (isLeaf(head)) {
            keepLeaf(table, keys, lane, length);
        } else if (type(head) == BITMAP) {
            final int code = codeOf(chunkOf[lane], depth);
            final NameHash names = table.hash();
            final int secondary = (int) (hints(head, probe.tail()) >>> code - 1) & 1;
            final long bucketHash = names.bucketHash(names.append(hash, code), secondary << SECONDARY_SHIFT);
            childOf[lane] = NodeTable.offsetOf(bucketHash, table.buckets());
            childIdentityOf[lane] = code << SYMBOL_SHIFT | names.tag(bucketHash) | secondary << SECONDARY_SHIFT;
            lines.add(table.slab(), childOf[lane]);
        }
    }

    private void findChild(final NodeTable table, final KeySource keys, final int lane, final int length) {
        if (childIdentityOf[lane] != 0
            && probe.read(table, childOf[lane], childIdentityOf[lane], BY_NAME_MASK)) {
            keepLeaf(table, keys, lane, length);
        }
    }

    private void keepLeaf(final NodeTable table, final KeySource keys, final int lane, final int length) {
        final long payload = leaf(table);
        payloadOf[lane] = payload;
        if (payload != NOT_FOUND) {
            keys.addTo(lines, payload, length);
        }
    }

    private boolean find(final NodeTable table, final long hash, final int code) {
        return probe.find(table, hash, code << SYMBOL_SHIFT, BY_NAME_MASK);
    }

    /** Returns the payload of the leaf found, if it was read whole and the root leads to it. */
    private long leaf(final NodeTable table) {
        final long head = probe.head();
        final long tail = probe.tail();
        return isLeaf(head) && isCheckpoint(head, tail) && probe.isWhole(table) ? payload(head, tail) : NOT_FOUND;
    }
}
