/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;
import static io.nestling.wormhole.TableLayout.target;

import io.nestling.bytes.KeyHash;
import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.ScratchPool;
import io.nestling.offheap.Slab;

/**
 * Looks up the keys of a batch side by side, one stage of all keys after the other: buckets of the prefix lengths that may
 * matter, nodes, lines of leaves, records. Each stage reads lines that the stage before requested.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class WormholeBatchLookup extends ScratchPool.Scratch {
    /** Keys looked up side by side. */
    static final int GROUP = 32;

    /* Keys whose lines are requested together: processors drop requests beyond about twenty, for lack of buffers; the lines of
       these few keys arrive while the next keys are processed. */
    private static final int PACE = 4;

    private final Leaves leaves;
    private final Slab slab;
    private final KeySource keys;
    private final MetaTrieHashTable table;
    private final MetaSearch search;
    private final PrefixHasher[] hashers = new PrefixHasher[GROUP];
    /* Where the keys' searches are: the node found, the greatest length that a longer prefix may have, the length that is being
       probed or 0, its hash and bucket. */
    private final long[] places = new long[GROUP];
    private final int[] highs = new int[GROUP];
    private final int[] probed = new int[GROUP];
    private final long[] buckets = new long[GROUP];
    private final PrefetchVector lines = new PrefetchVector();
    private final long[] hashes = new long[GROUP];
    private final long[] leafOffsets = new long[GROUP];
    private final long[] words = new long[GROUP];
    /* Searches that may hold a key. */
    private int begun;
    /* Keys whose home lines passed entries on. */
    private final int[] passed = new int[GROUP];

    WormholeBatchLookup(final Leaves leaves, final MetaTrieHashTable table, final MetaSearch search, final KeyHash keyHash) {
        this.table = table;
        this.search = search;
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.keys = leaves.keys();
        for (int i = 0; i < GROUP; i++) {
            hashers[i] = new PrefixHasher(keyHash);
        }
    }

    /**
     * Looks up keys {@code from} to {@code to - 1}, at most {@link #GROUP}; sets NONE for a key that a first look does not find.
     * Afterwards the keys' last places are kept, until the next call.
     */
    void lookUp(final KeyBatch batch, final int from, final int to, final long[] payloads) {
        final int count = to - from;
        begun = Math.max(begun, count);
        for (int i = 0; i < count; i++) {
            hashers[i].reset(batch.array(from + i), batch.offset(from + i), batch.length(from + i));
            highs[i] = search.deepest(batch.length(from + i));
            places[i] = search.root();
            probed[i] = 0;
        }
        findPrefixes(count);
        for (int i = 0; i < count; i++) {
            lines.add(slab, target(places[i]));
            pace(i);
        }
        lines.request();
        for (int i = 0; i < count; i++) {
            hashes[i] = hashers[i].hash();
            leafOffsets[i] = offset(search.route(places[i], hashers[i].array(), hashers[i].offset(), hashers[i].length()));
            lines.add(slab, leafOffsets[i] + lineOffset(homeLine(hashes[i])));
            pace(i);
        }
        lines.request();
        findWords(batch, from, count);
        lines.request();
        for (int i = 0; i < count; i++) {
            payloads[from + i] = resolve(batch, from + i, i);
        }
    }

    /** Returns the place where the search of the last batch's key {@code i} ended. */
    long place(final int i) {
        return places[i];
    }

    /** Returns the leaf to which it led; 0 if there is none. */
    int leaf(final int i) {
        return reference(leafOffsets[i]);
    }

    /** Forgets the keys. */
    void forget() {
        for (; begun > 0; begun--) {
            hashers[begun - 1].release();
        }
    }

    /** Requests the collected lines after every few keys. */
    private void pace(final int i) {
        if ((i & PACE - 1) == PACE - 1) {
            lines.request();
        }
    }

    /** Finds the entry words and requests their records, first those of words outside of their home lines. */
    private void findWords(final KeyBatch batch, final int from, final int count) {
        int behind = 0;
        for (int i = 0; i < count; i++) {
            final long line = leafOffsets[i] + lineOffset(homeLine(hashes[i]));
            words[i] = leafOffsets[i] == 0 ? 0 : leaves.candidate(line, hashes[i]);
            if (words[i] == 0 && leafOffsets[i] != 0 && leaves.isPassed(line)) {
                passed[behind++] = i;
                lines.add(slab, leafOffsets[i] + lineOffset(nextLine(homeLine(hashes[i]))));
            }
        }
        lines.request();
        for (int i = 0; i < count; i++) {
            if (words[i] != 0) {
                keys.addTo(lines, leaves.payload(words[i]), batch.length(from + i));
            }
            pace(i);
        }
        for (int j = 0; j < behind; j++) {
            final int i = passed[j];
            words[i] = leaves.candidate(leafOffsets[i] + lineOffset(nextLine(homeLine(hashes[i]))), hashes[i]);
            if (words[i] != 0) {
                keys.addTo(lines, leaves.payload(words[i]), batch.length(from + i));
            }
        }
    }

    private void findPrefixes(final int count) {
        for (boolean probing = true; probing;) {
            probing = false;
            for (int i = 0; i < count; i++) {
                probing |= step(i);
                pace(i);
            }
            lines.request();
        }
    }

    /** Reads the bucket that the last step of a search requested, and requests the next one; returns whether there is one. */
    private boolean step(final int i) {
        if (probed[i] > 0) {
            final long hit = table.find(buckets[i], hashes[i]);
            if (hit == 0) {
                highs[i] = probed[i] - 1;
            } else {
                places[i] = MetaSearch.place(hit, probed[i]);
            }
        }
        final int depth = MetaSearch.depth(places[i]);
        probed[i] = depth < highs[i] ? MetaSearch.middle(depth, highs[i]) : 0;
        if (probed[i] == 0) {
            return false;
        }
        hashes[i] = hashers[i].hash(probed[i]);
        buckets[i] = table.bucketOffset(hashes[i]);
        lines.add(slab, buckets[i]);
        return true;
    }

    private long resolve(final KeyBatch batch, final int key, final int i) {
        if (leafOffsets[i] == 0) {
            return PointIndex.NONE;
        }
        if (words[i] != 0) {
            final long payload = leaves.payload(words[i]);
            if (keys.compareKey(payload, batch.array(key), batch.offset(key), batch.length(key)) == 0) {
                return payload;
            }
        }
        return leaves.payloadOf(leafOffsets[i], hashes[i], batch.array(key), batch.offset(key), batch.length(key));
    }
}
