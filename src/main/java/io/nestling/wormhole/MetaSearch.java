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
 * Finds the leaf of a key: finds the longest prefix of the key that has a node in the meta trie, by a search over prefix lengths
 * with several probes in flight (Wormhole, algorithms 1 and 3; MlpIndex, section 4.2), then the leaf to which this node leads.
 * Trusts tags until the end (Wormhole, section 3.1).
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class MetaSearch {
    /** Prefix lengths that a search on its own probes at a time, since it has nothing else to do meanwhile. */
    private static final int PROBES = 4;
    /* Limit of the trust in guesses, and the cost of a wrong one. */
    private static final int MAX_TRUST = 8;
    private static final int LOST_TRUST = 3;
    private static final int FIRST_HOP = 1;
    private static final int LAST_SINGLE_HOP = 3;

    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final MetaTrieHashTable table;
    private final MetaNodes nodes;
    private final Slab slab;
    private final PrefixHasher hasher;
    private final int maxProbes;
    private final long[] hashes = new long[PROBES];
    private final long[] buckets = new long[PROBES];
    private final int[] lengths = new int[PROBES];
    private long item;
    private int depth;
    private int low;
    private int high;
    private int probes;
    /* The depth of the last search: a guess for the next one as long as guesses are right. */
    private int guess;
    private int trust;
    private final UsualDepth usual;
    /* Number of the next probe of a stepwise search around the usual depth, and its direction; 0 if {@code node} decides. */
    private int hop;
    private boolean hopsUp;
    /* Node of the probe order at which a stepwise search continues, or 0 if it halves the remaining lengths. */
    private int node;
    /* Sum of early loads, which keeps the compiler from removing them. */
    private int touched;

    MetaSearch(final MetaTrieHashTable table, final MetaNodes nodes, final KeyHash keyHash) {
        this(table, nodes, keyHash, PROBES, new UsualDepth());
    }

    /** Makes a search that probes up to some prefix lengths at a time, and may share with others what it learns. */
    MetaSearch(
        final MetaTrieHashTable table, final MetaNodes nodes, final KeyHash keyHash, final int maxProbes,
        final UsualDepth usual) {
        this.maxProbes = maxProbes;
        this.usual = usual;
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
        hasher.reset(key, offset, length);
        final int limit = Math.min(slab.getIntAcquire(MAX_DEPTH_OFFSET), length);
        begin(limit);
        if (trust > 0 && guess <= limit) {
            final long route = tryGuess();
            if (route >= 0) {
                trust = Math.min(trust + 1, MAX_TRUST);
                return (int) route;
            }
        }
        if (usual.isTrusted() && high - low > maxProbes) {
            chooseUsual();
            probeAndNarrow();
        }
        finish();
        usual.learn(depth);
        trust = depth == guess ? Math.min(trust + 1, MAX_TRUST) : Math.max(trust - LOST_TRUST, 0);
        guess = depth;
        return route();
    }

    /**
     * Probes only the prefix of the last search's depth. If that node lacks the key's next byte among its tokens, there is no
     * deeper node for the key.
     *
     * @return the leaf, or -1 if the search must continue with what this showed
     */
    private long tryGuess() {
        if (guess > 0) {
            final long hash = hasher.hash(guess);
            final long hit = table.find(table.bucketOffset(hash), hash);
            if (hit == 0) {
                high = guess - 1;
                return -1;
            }
            item = hit;
            low = guess;
        }
        depth = guess;
        final long route = nodes.route(item, token());
        return depth == high || route >>> Integer.SIZE == 0 ? route & LOW_HALF : -1;
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
        return (int) nodes.route(item, token());
    }

    /** Returns the key's byte behind the prefix of the last search, or -1. */
    private int token() {
        return depth == hasher.length() ? -1 : hasher.array()[hasher.offset() + depth] & 0xFF;
    }

    /** Returns the offset of that node. */
    long nodeOffset() {
        return target(item);
    }

    private void finish() {
        while (low < high) {
            chooseProbes();
            probeAndNarrow();
        }
        depth = low;
    }

    private void probeAndNarrow() {
        for (int i = 0; i < probes; i++) {
            touched ^= slab.getInt(buckets[i]);
        }
        narrow();
    }

    /** Chooses consecutive lengths around the usual depth: with three of them the search may end. */
    private void chooseUsual() {
        probes = maxProbes;
        final int first = Math.min(Math.max(usual.depth() - 1, low + 1), high - probes + 1);
        for (int i = 0; i < probes; i++) {
            choose(i, first + i);
        }
    }

    /** Begins a search that the caller takes step by step: {@link #probe}, then {@link #narrowStep}, and again. */
    void begin(final byte[] key, final int offset, final int length) {
        hasher.reset(key, offset, length);
        begin(Math.min(slab.getIntAcquire(MAX_DEPTH_OFFSET), length));
        hop = usual.isTrusted() ? FIRST_HOP : 0;
        node = hop == 0 && maxProbes == 1 ? ProbeOrder.ROOT : 0;
    }

    private void begin(final int limit) {
        low = 0;
        high = limit;
        item = slab.getLongAcquire(ROOT_OFFSET);
    }

    /** Requests the buckets that are read next; returns whether there are any. */
    boolean probe(final PrefetchVector lines) {
        if (low >= high) {
            probes = 0;
            depth = low;
            usual.learn(depth);
            usual.order().learn(depth);
            return false;
        }
        final int at = hop == 0 ? inOrder() : hopTo();
        if (at == 0) {
            chooseProbes();
        } else {
            probes = 1;
            choose(0, at);
        }
        for (int i = 0; i < probes; i++) {
            lines.add(slab, buckets[i]);
        }
        return true;
    }

    /** Returns the next informative length in the order of probes, or 0. */
    private int inOrder() {
        while (node > 0) {
            final int at = usual.order().probe(node);
            if (at > low && at <= high) {
                return at;
            }
            node = at == 0 ? 0 : 2 * node + (at <= low ? 1 : 0);
        }
        return 0;
    }

    /**
     * Returns the usual depth, then one and two beyond it, then twice as far with each probe, while that is less than half of the
     * way.
     */
    private int hopTo() {
        if (hop == FIRST_HOP) {
            return Math.min(Math.max(usual.depth(), 1), high);
        }
        final int distance = hop <= LAST_SINGLE_HOP ? 1 : 1 << hop - LAST_SINGLE_HOP;
        if (2 * distance > high - low) {
            return low + (high - low + 1 >>> 1);
        }
        return hopsUp ? low + distance : high + 1 - distance;
    }

    boolean isProbing() {
        return probes > 0;
    }

    private void chooseProbes() {
        final int span = high - low;
        probes = Math.min(maxProbes, span);
        for (int i = 0; i < probes; i++) {
            final int at = probes == span ? low + i + 1 : low + (span * (i + 1) + probes) / (probes + 1);
            choose(i, at);
        }
    }

    private void choose(final int i, final int at) {
        final long hash = hasher.hash(at);
        lengths[i] = at;
        hashes[i] = hash;
        buckets[i] = table.bucketOffset(hash);
    }

    /** Reads the buckets that {@link #probe} requested. */
    void narrowStep() {
        narrow();
        if (hop > 0) {
            final boolean hit = low == lengths[0];
            if (hop == FIRST_HOP) {
                hopsUp = hit;
            }
            hop = hit == hopsUp ? hop + 1 : 0;
        } else if (node > 0) {
            node = 2 * node + (low == lengths[0] ? 1 : 0);
        }
    }

    /** Reads the chosen buckets. */
    private void narrow() {
        for (int i = probes - 1; i >= 0; i--) {
            final long hit = table.find(buckets[i], hashes[i]);
            if (hit != 0) {
                item = hit;
                low = lengths[i];
                return;
            }
            high = lengths[i] - 1;
        }
    }

    /** Tries every length from the longest one, for the case that a tag was another prefix's. */
    private void findPrefixExactly(final int limit) {
        for (int at = limit; at > 0; at--) {
            final long hit = table.findExact(hasher.hash(at), hasher.array(), hasher.offset(), at);
            if (hit != 0) {
                item = hit;
                depth = at;
                return;
            }
        }
        item = slab.getLongAcquire(ROOT_OFFSET);
        depth = 0;
    }
}
