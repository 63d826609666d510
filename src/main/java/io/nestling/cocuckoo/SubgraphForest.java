/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.offheap.Slab;

/**
 * The subgraphs of a region as disjoint sets of its buckets (the paper's UF_Array, section 3.3.2). One of its buckets, the root,
 * names a subgraph.
 * <pre>
 *  node of a bucket, 2 bytes:
 *    0             EMPTY: no key of the region has the bucket as one of its two
 *    1 .. 64       1 + number of the parent
 *    256 .. 511    root; 256 + vacancies, the slots of the subgraph that no key takes; maximal if there are none
 * </pre>
 * Most buckets are soon in the subgraph of bucket 0, which is its root as the smallest number. A word in the header, the core,
 * has a bit for each other bucket that is known to be in it, so that most roots are found in the first line, together with their
 * vacancies. A bucket of that subgraph without its bit is found by its nodes. Another word marks buckets of the core, and bucket
 * 0, as full, so that moves need not search room there. A full bucket may lack its mark.
 * <p>
 * Example: buckets 3 and 5 share one key and are a subgraph; node 3 is 256 + 7, node 5 is 4.
 * <h2>Thread safety</h2>
 * Nodes change only under the lock of the bucket's subgraph, bits of the core and marks only under that of the subgraph of bucket
 * 0; an EMPTY bucket counts as a subgraph of its own. Without the lock, {@link #root} may be wrong: the caller asks again under
 * the lock.
 */
final class SubgraphForest {
    private static final int EMPTY = 0;
    private static final int ROOT = 256;

    private final Slab slab;

    SubgraphForest(final Slab slab) {
        this.slab = slab;
    }

    private static long at(final long base, final int bucket) {
        return base + FOREST_OFFSET + ((long) bucket << 1);
    }

    private int node(final long base, final int bucket) {
        return slab.getShort(at(base, bucket));
    }

    boolean isEmpty(final long base, final int bucket) {
        return !isInCore(base, bucket) && node(base, bucket) == EMPTY;
    }

    /** Returns a combination of the words that give the roots of two buckets, for an {@link EarlyLoad}. */
    int rootWords(final long base, final int bucket0, final int bucket1) {
        return areInCore(base, bucket0, bucket1) ? 0 : node(base, bucket0) ^ node(base, bucket1);
    }

    /** Returns whether two different buckets are known to be in the core. */
    boolean areInCore(final long base, final int bucket0, final int bucket1) {
        final long core = slab.getLong(base + CORE_OFFSET) | 1; // bucket 0 is in it if any other bucket is
        return (core >>> bucket0 & core >>> bucket1 & 1) != 0;
    }

    boolean isRoot(final long base, final int bucket) {
        return node(base, bucket) >= ROOT;
    }

    /** Returns the root of a bucket's subgraph; the bucket itself if it is EMPTY. */
    int root(final long base, final int bucket) {
        return isInCore(base, bucket) ? 0 : walkToRoot(base, bucket);
    }

    /** Returns the roots of two buckets, as bits; mostly that of bucket 0 for both. */
    long roots(final long base, final int bucket0, final int bucket1) {
        final long core = slab.getLong(base + CORE_OFFSET);
        return (core >>> bucket0 & core >>> bucket1 & 1) != 0
            ? 1 : 1L << root(base, bucket0) | 1L << root(base, bucket1);
    }

    boolean isInCore(final long base, final int bucket) {
        return (slab.getLong(base + CORE_OFFSET) >>> bucket & 1) != 0;
    }

    /** Returns the root of a bucket by its nodes. */
    int walkToRoot(final long base, final int bucket) {
        int at = bucket;
        // Concurrent changes may lead in a circle: the limit ends such a walk.
        for (int steps = 0; steps < MAX_BUCKETS; steps++) {
            final int node = node(base, at);
            if (node == EMPTY || node >= ROOT) {
                return at;
            }
            at = node - 1;
        }
        return at;
    }

    /** Returns the number of free slots of a subgraph, or an arbitrary number if the bucket is no root. */
    int vacancies(final long base, final int root) {
        return node(base, root) - ROOT;
    }

    /** Returns whether a subgraph has no free slot; false for an EMPTY bucket. */
    boolean isMaximal(final long base, final int root) {
        return node(base, root) == ROOT;
    }

    /** Returns whether the subgraphs of two buckets seem to have no free slot. */
    boolean areMaximal(final long base, final int bucket0, final int bucket1) {
        final long roots = roots(base, bucket0, bucket1);
        return isMaximal(base, Long.numberOfTrailingZeros(roots))
            && isMaximal(base, Long.SIZE - 1 - Long.numberOfLeadingZeros(roots));
    }

    /** Makes a bucket a root. */
    void setRoot(final long base, final int bucket, final int vacancies) {
        slab.putShort(at(base, bucket), (short) (ROOT + vacancies));
        if (bucket != 0) {
            setInCore(base, bucket, 0);
        }
    }

    /** Makes a bucket a child: an EMPTY one, a root, or one that gets a shorter way to its root. */
    void setParent(final long base, final int bucket, final int parent) {
        slab.putShort(at(base, bucket), (short) (parent + 1));
        setInCore(base, bucket, parent == 0 ? 1 : 0);
    }

    /* Writes only if the bit changes: then the bucket was or will be in the subgraph of bucket 0, whose lock the caller has. */
    private void setInCore(final long base, final int bucket, final long bit) {
        final long core = slab.getLong(base + CORE_OFFSET);
        if ((core >>> bucket & 1) != bit) {
            slab.putLong(base + CORE_OFFSET, core ^ 1L << bucket);
            clearFull(base, bucket);
        }
    }

    /** Returns the buckets that are known to be full, as bits. */
    long full(final long base) {
        return slab.getLong(base + FULL_OFFSET);
    }

    /** Marks a bucket as full, if it is in the core, whose lock the caller has then. */
    void markFull(final long base, final int bucket) {
        final long bit = 1L << bucket & (slab.getLong(base + CORE_OFFSET) | 1);
        final long full = full(base);
        if ((full | bit) != full) {
            slab.putLong(base + FULL_OFFSET, full | bit);
        }
    }

    /** Takes one vacancy of the subgraph of bucket 0. */
    static void takeVacancy(final Slab slab, final long base) {
        slab.putShort(base + FOREST_OFFSET, (short) (slab.getShort(base + FOREST_OFFSET) - 1));
    }

    /** Clears the mark of a bucket, if it has one. */
    void clearFull(final long base, final int bucket) {
        final long full = full(base);
        if ((full >>> bucket & 1) != 0) {
            slab.putLong(base + FULL_OFFSET, full ^ 1L << bucket);
        }
    }

    /** Merges two subgraphs under the smaller root, with a number of vacancies. */
    void union(final long base, final int root0, final int root1, final int vacancies) {
        setParent(base, Math.max(root0, root1), Math.min(root0, root1));
        setRoot(base, Math.min(root0, root1), vacancies);
    }

    /** Adds all buckets of a subgraph that has just grown to the core, if its root is bucket 0. */
    void gather(final long base, final int buckets, final int root) {
        if (root == 0) {
            for (int bucket = 1; bucket < buckets; bucket++) {
                if (!isInCore(base, bucket) && walkToRoot(base, bucket) == 0) {
                    setParent(base, bucket, 0);
                }
            }
        }
    }

    /**
     * Writes the nodes of some buckets, given as bits: all buckets of one subgraph or more, whose locks the caller has, or of a
     * region that no other thread sees.
     */
    void write(final long base, final long buckets, final BucketGraph graph) {
        long core = 0;
        long full = 0;
        for (long left = buckets; left != 0;) {
            final int root = Long.numberOfTrailingZeros(left);
            final long members = graph.members(root);
            for (long rest = members; rest != 0; rest &= rest - 1) {
                final int bucket = Long.numberOfTrailingZeros(rest);
                slab.putShort(at(base, bucket), (short) (root + 1));
                full |= (graph.fill(bucket) == SLOTS_PER_BUCKET ? 1L : 0) << bucket;
            }
            final int node = graph.isEmpty(root) ? EMPTY : ROOT + graph.vacancies(members);
            slab.putShort(at(base, root), (short) node);
            core |= root == 0 ? members : 0;
            left &= ~members;
        }
        // Other threads may write both words, unless one of the buckets was or is in the subgraph of bucket 0.
        if ((buckets & 1) != 0) {
            slab.putLong(base + CORE_OFFSET, slab.getLong(base + CORE_OFFSET) & ~buckets | core & ~1L);
            slab.putLong(base + FULL_OFFSET, full(base) & ~buckets | full & core);
        }
    }

    /** Returns the buckets of a subgraph, as bits. */
    long members(final long base, final int buckets, final int root) {
        long members = 0;
        for (int bucket = 0; bucket < buckets; bucket++) {
            if (root(base, bucket) == root) {
                members |= 1L << bucket;
            }
        }
        return members;
    }

    /** Returns the number of keys in the buckets of a region. Exact only while the region as a whole is locked. */
    int keys(final long base, final int buckets) {
        int slots = 0;
        int vacancies = 0;
        for (int bucket = 0; bucket < buckets; bucket++) {
            final int node = node(base, bucket);
            if (node != EMPTY) {
                slots += SLOTS_PER_BUCKET;
            }
            if (node >= ROOT) {
                vacancies += node - ROOT;
            }
        }
        return slots - vacancies;
    }
}
