/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.Backoff;
import io.nestling.offheap.Slab;

/**
 * Removes keys, splits their subgraph if nothing else connects it (the paper's section 3.3.3), and shrinks regions that have
 * become nearly empty.
 * <h2>Thread safety</h2>
 * Any number of writers inside guards.
 */
final class CoCuckooRemover {
    private static final int SEARCHED_BUCKETS = 12;

    private final Slab slab;
    private final RegionReader reader;
    private final SubgraphForest forest;
    private final SubgraphLocks locks;
    private final RegionResizer resizer;
    private final InsertionCounts counts;

    CoCuckooRemover(
        final RegionReader reader, final SubgraphForest forest, final SubgraphLocks locks, final RegionResizer resizer,
        final InsertionCounts counts) {
        this.reader = reader;
        this.slab = reader.slab();
        this.forest = forest;
        this.locks = locks;
        this.resizer = resizer;
        this.counts = counts;
    }

    /** Removes a key; returns its payload, or NONE if it was absent. */
    long remove(final long hash, final byte[] key, final int offset, final int length) {
        final WriteScratch scratch = resizer.takeScratch();
        try {
            return remove(scratch, hash, key, offset, length);
        } finally {
            scratch.release();
        }
    }

    private long remove(
        final WriteScratch scratch, final long hash, final byte[] key, final int offset, final int length) {
        for (int times = 0;; times++) {
            if (reader.get(hash, key, offset, length) == PointIndex.NONE) {
                return PointIndex.NONE;
            }
            final long region = reader.directory().region(hash);
            final long base = base(region);
            final int buckets = bucketsOf(region);
            final int primary = primary(hash, buckets);
            final int secondary = secondary(hash, buckets, primary);
            final long bits = locks.lock(base, primary, secondary);
            if (bits != SubgraphLocks.NOT_LOCKED) {
                final long slot = reader.covers(base, hash) ? slotLocked(region, hash, key, offset, length, bits) : NULL;
                if (slot != NULL) {
                    return removeLocked(region, slot, hash, bits, scratch);
                }
                locks.unlock(base, bits);
            }
            Backoff.pause(times, reader.failure());
        }
    }

    /** Returns the slot of a key whose subgraph is locked; unlocks it if the key of a record cannot be read. */
    private long slotLocked(
        final long region, final long hash, final byte[] key, final int offset, final int length, final long bits) {
        try {
            return reader.slotOf(region, hash, key, offset, length);
        } catch (final RuntimeException | Error e) {
            locks.unlock(base(region), bits);
            throw e;
        }
    }

    private long removeLocked(
        final long region, final long slot, final long hash, final long bits, final WriteScratch scratch) {
        final long base = base(region);
        final int buckets = bucketsOf(region);
        long word;
        do {
            word = slab.getLongAcquire(slot);
        } while (!slab.compareAndSetLong(slot, word, 0));
        final long end = bucketOffset(base, buckets);
        if (slot < base || slot >= end) {
            locks.unlock(base, bits); // it stood in the stash and belonged to no subgraph
            counts.countRemoved();
            return payload(word);
        }
        final int bucket = (int) (slot - base - HEADER_BYTES >>> LINE_SHIFT);
        forest.clearFull(base, bucket);
        locks.unlock(base, bits | removeEdge(region, bucket, alternate(hash, buckets, bucket), scratch.graph));
        counts.countRemoved();
        if (isVacant(base, bucket) && resizer.shrunkClass(region) < sizeClass(region)) {
            shrink(region, scratch);
        }
        return payload(word);
    }

    /** Removes a key's edge from the forest; returns what was locked for that. */
    private long removeEdge(final long region, final int bucket, final int alternate, final BucketGraph graph) {
        final long base = base(region);
        final int root = forest.root(base, bucket);
        if (staysConnected(region, bucket, alternate)) {
            forest.setRoot(base, root, forest.vacancies(base, root) + 1);
            return 0;
        }
        final int buckets = bucketsOf(region);
        final long members = forest.members(base, buckets, root);
        final long more = members & ~(1L << root);
        // While nodes change, any bucket of the subgraph may look like a root.
        locks.lockMembers(base, more);
        graph.begin();
        for (long rest = members; rest != 0; rest &= rest - 1) {
            final int from = Long.numberOfTrailingZeros(rest);
            for (int i = 0; i < SLOTS_PER_BUCKET; i++) {
                final long slot = slotOffset(base, from, i);
                if (isPresent(slab.getLongAcquire(slot))) {
                    graph.fill(from, 1);
                    graph.connect(from, alternate(slab.getLong(slot + TAG_OFFSET), buckets, from), 1);
                }
            }
        }
        forest.write(base, members, graph);
        return more;
    }

    /** Returns whether a quick look shows that two buckets are still in one subgraph; false if unclear. */
    private boolean staysConnected(final long region, final int bucket0, final int bucket1) {
        return (reached(region, bucket0) & reached(region, bucket1)) != 0;
    }

    /** Returns some buckets that can be reached from a bucket, as bits. */
    private long reached(final long region, final int from) {
        final int buckets = bucketsOf(region);
        long reached = 1L << from;
        long done = 0;
        for (int steps = 0; steps < SEARCHED_BUCKETS && reached != done; steps++) {
            final int bucket = Long.numberOfTrailingZeros(reached & ~done);
            done |= 1L << bucket;
            for (int i = 0; i < SLOTS_PER_BUCKET; i++) {
                final long slot = slotOffset(base(region), bucket, i);
                if (isPresent(slab.getLongAcquire(slot))) {
                    reached |= 1L << alternate(slab.getLong(slot + TAG_OFFSET), buckets, bucket);
                }
            }
        }
        return reached;
    }

    private boolean isVacant(final long base, final int bucket) {
        for (int i = 0; i < SLOTS_PER_BUCKET; i++) {
            if (isPresent(slab.getLongAcquire(slotOffset(base, bucket, i)))) {
                return false;
            }
        }
        return true;
    }

    private void shrink(final long region, final WriteScratch scratch) {
        try {
            resizer.prepare(scratch);
        } catch (final OutOfMemoryError e) {
            return; // the key is gone, and a region that is too large does no harm
        }
        if (locks.close(base(region)) && !resizer.shrink(region, scratch)) {
            locks.open(base(region));
        }
    }
}
