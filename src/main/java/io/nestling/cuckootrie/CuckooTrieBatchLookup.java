/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.KeyBatch;
import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;

import java.util.Arrays;

/**
 * Looks up the keys of a batch side by side. Each lane names the bucket of the next node on its key's path and goes on from there
 * in the next round; at last it names the record and compares it. Other lanes work while the lines arrive, and a lane that is
 * done takes the next key. Keys that {@link DepthGuessLookup} finds are skipped.
 * <h2>Thread safety</h2>
 * One thread at a time.
 * <p>
 * The scheme is that of asynchronous memory access chaining (Kocberber, Falsafi, Grot: PVLDB 9(4), 2015).
 */
final class CuckooTrieBatchLookup {
    private static final int LANES = 12;
    /* Lanes whose lines are requested together. */
    private static final int GROUP = 4;
    private static final int MOST_LISTED = 1 << 10;
    private static final int[] NONE = {};

    private final LookupScratch owner;
    /* Created on demand: a batch of few keys needs few. */
    private final Descent[] lanes = new Descent[LANES];
    /* Numbers of the keys to look up. */
    private int[] listed = NONE;
    private final int[] keyOf = new int[LANES];
    private final boolean[] atRecord = new boolean[LANES];
    private final PrefetchVector lines = new PrefetchVector();

    CuckooTrieBatchLookup(final LookupScratch owner) {
        this.owner = owner;
    }

    static void lookup(
        final LookupScratch scratch, final NodeTable table, final KeySource keys, final KeyBatch batch,
        final long[] payloads) {
        final int size = batch.size();
        final DepthGuessLookup guess = scratch.guess;
        final int depth = guess.expectsToFind() ? table.guessedDepth() : 0;
        if (depth == 0) {
            Arrays.fill(payloads, 0, size, PointIndex.NONE);
        }
        if (depth == 0 || !guess.getAll(table, depth, keys, batch, payloads)) {
            scratch.batch().run(table, keys, batch, payloads);
        }
        int found = 0;
        for (int i = 0; i < size; i++) {
            found += payloads[i] == PointIndex.NONE ? 0 : 1;
        }
        guess.learn(found, size);
    }

    /** Lists the keys not found yet; returns their number. */
    private int listMissing(final long[] payloads, final int size) {
        if (listed.length < size) {
            listed = new int[size];
        }
        int count = 0;
        for (int i = 0; i < size; i++) {
            listed[count] = i;
            count += payloads[i] == PointIndex.NONE ? 1 : 0;
        }
        return count;
    }

    private void run(
        final NodeTable table, final KeySource keys, final KeyBatch batch, final long[] payloads) {
        final int size = listMissing(payloads, batch.size());
        int active = 0;
        int next = 0;
        while (active < LANES && next < size) {
            start(table, active++, batch, listed[next++]);
        }
        lines.request();
        while (active > 0) {
            int named = 0;
            for (int lane = 0; lane < active; lane++) {
                if (isDone(table, keys, batch, lane, payloads)) {
                    if (next < size) {
                        start(table, lane, batch, listed[next++]);
                    } else {
                        lanes[lane].forgetKey();
                        swap(--active, lane--);
                    }
                }
                if (++named == GROUP) {
                    lines.request();
                    named = 0;
                }
            }
            lines.request();
        }
        if (listed.length > MOST_LISTED) {
            listed = NONE;
        }
    }

    private void start(final NodeTable table, final int lane, final KeyBatch batch, final int key) {
        keyOf[lane] = key;
        atRecord[lane] = false;
        if (lanes[lane] == null) {
            lanes[lane] = new Descent(lines);
        }
        lanes[lane].begin(table, batch.array(key), batch.offset(key), batch.length(key), Descent.FROM_CHECKPOINT);
    }

    private void swap(final int from, final int to) {
        final Descent descent = lanes[to];
        lanes[to] = lanes[from];
        lanes[from] = descent;
        keyOf[to] = keyOf[from];
        atRecord[to] = atRecord[from];
    }

    /** Takes a step of a lane; returns whether its key is done. */
    private boolean isDone(
        final NodeTable table, final KeySource keys, final KeyBatch batch, final int lane, final long[] payloads) {
        final Descent walk = lanes[lane];
        if (!atRecord[lane]) {
            final int stop = walk.advance(table);
            if (stop == Descent.SUSPENDED) {
                return walk.isContended() && isDoneContended(table, keys, batch, lane, payloads);
            }
            if (stop == Descent.AT_LEAF && walk.needsRecord()) {
                keys.addTo(lines, walk.end().payload(), batch.length(keyOf[lane]));
                atRecord[lane] = true;
                return false;
            }
        }
        if (walk.isAtLeaf() && walk.compareLeaf(keys) == 0) {
            payloads[keyOf[lane]] = walk.end().payload();
        } else if (walk.provesAbsence(table, keys)) {
            payloads[keyOf[lane]] = PointIndex.NONE;
        } else {
            atRecord[lane] = false;
            walk.restart(table);
            return false;
        }
        return true;
    }

    /** Looks up the key of a lane whose walk restarted too often; returns false if the trie changed once more. */
    private boolean isDoneContended(
        final NodeTable table, final KeySource keys, final KeyBatch batch, final int lane, final long[] payloads) {
        final int key = keyOf[lane];
        final long found = owner.contended().get(table, keys, batch.array(key), batch.offset(key), batch.length(key));
        if (found == ContendedLookup.INTERRUPTED) {
            return false;
        }
        payloads[key] = found;
        return true;
    }
}
