/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.TableLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.offheap.Slab;

/**
 * Finds the leaf of a key: finds the longest prefix of the key that has a node in the meta trie, by a binary search over prefix
 * lengths (Wormhole, algorithms 1 and 3), then the leaf to which this node leads. Trusts tags until the end (section 3.1).
 * <p> What a search finds is a <em>place</em>: the item word of the node, with its depth in place of its tag.
 * <h2>Thread safety</h2>
 * Any thread, inside a guard.
 */
final class MetaSearch {
    private static final int BLOCK_MASK = -Long.BYTES;

    private final MetaTrieHashTable table;
    private final MetaNodes nodes;
    private final Slab slab;
    private final KeyHash keyHash;

    MetaSearch(final MetaTrieHashTable table, final MetaNodes nodes, final KeyHash keyHash) {
        this.table = table;
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.keyHash = keyHash;
    }

    /** Returns the place of a node, given its item word. */
    static long place(final long item, final int depth) {
        return item & ~TAG_MASK | (long) depth << TAG_SHIFT;
    }

    /** Returns the depth of the node of a place. */
    static int depth(final long place) {
        return (int) (place >>> TAG_SHIFT);
    }

    /** Returns the prefix length to probe next, above the depth of a node and at most the greatest that a longer one may have. */
    static int middle(final int depth, final int high) {
        return depth + (high - depth + 1 >>> 1);
    }

    /** Returns the place of the root. */
    long root() {
        return place(slab.getLongAcquire(ROOT_OFFSET), 0);
    }

    /** Returns the greatest depth of a node that a string of a length may have as its prefix. */
    int deepest(final int length) {
        return Math.min(slab.getIntAcquire(MAX_DEPTH_OFFSET), length);
    }

    /** Returns the place of the node of a key's longest prefix, if all tags are right and no writer works meanwhile. */
    long find(final byte[] key, final int offset, final int length) {
        // wormhole-concurrency.md, claim 15
        int high = deepest(length);
        long place = root();
        int depth = 0;
        long state = keyHash.start(); // behind the whole words of the prefix
        while (depth < high) {
            final int probed = middle(depth, high);
            final int from = depth & BLOCK_MASK;
            final int to = probed & BLOCK_MASK;
            final long extended = from == to ? state : keyHash.extend(state, key, offset + from, to - from);
            final long hash = PrefixHasher.hash(keyHash, extended, key, offset, probed);
            final long hit = table.find(table.bucketOffset(hash), hash);
            if (hit == 0) {
                high = probed - 1;
            } else {
                place = place(hit, probed);
                depth = probed;
                state = extended;
            }
        }
        return place;
    }

    /** Returns the leaf to which a key's place leads; 0 if there is none. */
    int route(final long place, final byte[] key, final int offset, final int length) {
        final int depth = depth(place);
        return nodes.route(place, depth == length ? -1 : key[offset + depth] & 0xFF);
    }

    /**
     * Returns the place of the node of a key's longest prefix, given the place that a search found and the leaf to which it
     * leads: the same if its prefix stands in an anchor. Right unless a writer works meanwhile.
     */
    long verified(final long place, final int leaf, final byte[] key, final int offset, final int length) {
        // The leaf found is below the node, unless it is the node's floor; its header is needed anyway.
        final boolean isFloor = leaf == nodes.floor(target(place));
        if (nodes.isOf(place, isFloor ? nodes.witness(place) : leaf, key, offset, depth(place))) {
            return place;
        }
        // A tag was another prefix's: every length from the longest one.
        for (int depth = deepest(length); depth > 0; depth--) {
            final long item = table.findExact(keyHash.hash(key, offset, depth), key, offset, depth);
            if (item != 0) {
                return place(item, depth);
            }
        }
        return root();
    }

    /** Returns the leaf of a key's verified place, given a place and the leaf to which it leads. */
    int verifiedLeaf(final long place, final int leaf, final byte[] key, final int offset, final int length) {
        final long verified = verified(place, leaf, key, offset, length);
        return verified == place ? leaf : route(verified, key, offset, length);
    }
}
