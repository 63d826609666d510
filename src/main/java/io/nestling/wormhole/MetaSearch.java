/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.TableLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

/**
 * Finds the leaf of a key: finds the longest prefix of the key that has a node in the meta trie, by a binary search over prefix
 * lengths (Wormhole, algorithms 1 and 3), then the leaf to which this node leads. Trusts tags until the end (section 3.1).
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class MetaSearch {
    private final MetaTrieHashTable table;
    private final MetaNodes nodes;
    private final Slab slab;
    private final PrefixHasher hasher;
    /* The node of the longest prefix found, its depth, and the greatest depth that a longer one may have. */
    private long item;
    private int depth;
    private int high;
    /* The prefix length to probe, or 0; its hash and bucket. */
    private int probed;
    private long hash;
    private long bucket;

    MetaSearch(final MetaTrieHashTable table, final MetaNodes nodes, final KeyHash keyHash) {
        this.table = table;
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.hasher = new PrefixHasher(keyHash);
    }

    PrefixHasher hasher() {
        return hasher;
    }

    /** Returns the item of the node where the last search ended. */
    long item() {
        return item;
    }

    /** Returns the depth of that node. */
    int depth() {
        return depth;
    }

    /**
     * Returns the leaf to which a key belongs, if all tags are right and no writer works meanwhile; 0 if there is none.
     */
    int search(final byte[] key, final int offset, final int length) {
        // wormhole-concurrency.md, claim 15
        begin(key, offset, length);
        while (choose()) {
            narrow();
        }
        return route();
    }

    /** As {@link #search}, with the prefix compared with an anchor: right unless a writer works meanwhile. */
    int searchVerified(final byte[] key, final int offset, final int length) {
        return verified(search(key, offset, length), key, offset);
    }

    /**
     * Returns the leaf of the last search's key, given that search's result: the same if the prefix of the node stands in an
     * anchor. Right unless a writer works meanwhile.
     */
    int verified(final int leaf, final byte[] key, final int offset) {
        // The leaf found is below the node, unless it is the node's floor; its header is needed anyway.
        final boolean isFloor = leaf == nodes.floor(target(item));
        if (nodes.isOf(item, isFloor ? nodes.witness(item) : leaf, key, offset, depth)) {
            return leaf;
        }
        findPrefixExactly(Math.min(slab.getIntAcquire(MAX_DEPTH_OFFSET), hasher.length()));
        return route();
    }

    /** Returns the leaf to which the last search's node leads. */
    int route() {
        return nodes.route(item, depth == hasher.length() ? -1 : hasher.array()[hasher.offset() + depth] & 0xFF);
    }

    /** Begins a search that the caller takes step by step. */
    void begin(final byte[] key, final int offset, final int length) {
        hasher.reset(key, offset, length);
        depth = 0;
        high = Math.min(slab.getIntAcquire(MAX_DEPTH_OFFSET), length);
        item = slab.getLongAcquire(ROOT_OFFSET);
        probed = 0;
    }

    /** Reads the bucket that the last step added, and adds the next one; returns whether there is one. */
    boolean step(final PrefetchVector lines) {
        if (probed > 0) {
            narrow();
        }
        if (!choose()) {
            return false;
        }
        lines.add(slab, bucket);
        return true;
    }

    /** Chooses the length to probe next; returns false if none is left. */
    private boolean choose() {
        if (depth == high) {
            probed = 0;
            return false;
        }
        probed = depth + (high - depth + 1 >>> 1);
        hash = hasher.hash(probed);
        bucket = table.bucketOffset(hash);
        return true;
    }

    /** Reads the chosen bucket. */
    private void narrow() {
        final long hit = table.find(bucket, hash);
        if (hit == 0) {
            high = probed - 1;
        } else {
            item = hit;
            depth = probed;
        }
    }

    /** Tries every length from the longest one, for the case that a tag was another prefix's. */
    private void findPrefixExactly(final int limit) {
        for (depth = limit; depth > 0; depth--) {
            item = table.findExact(hasher.hash(depth), hasher.array(), hasher.offset(), depth);
            if (item != 0) {
                return;
            }
        }
        item = slab.getLongAcquire(ROOT_OFFSET);
    }
}
