/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.offheap.KeyScratch;
import io.nestling.offheap.KeySource;

/**
 * Sorts keys in place on all processors: a radix sort of their first eight bytes, byte by byte from the first
 * bit in which they differ, then of the next eight bytes of those that are equal so far ({@link RangeSorter}).
 * <p>
 * Time O(n) for keys that differ in their first bytes; no memory but small counts. If it fails, the pairs still
 * hold all records, in some order, so that it can be repeated.
 * <h2>Thread safety</h2>
 * One thread at a time sorts; the keys belong to it meanwhile.
 */
final class KeySorter {
    /** A group of more keys than this gets a task of its own. */
    static final long MANY = 1 << 13;

    private final KeySource keys;
    /* The job whose tasks may still run because waiting for them failed; else null. */
    private SortJob last;

    KeySorter(final KeySource keys) {
        this.keys = keys;
    }

    /** Fills in the prefixes of pairs and sorts them. */
    void sort(final KeyEntries entries) {
        awaitRest();
        final long size = entries.size();
        if (size <= MANY) {
            fill(entries, 0, size);
            new RangeSorter(keys, entries, null).sort(0, size, 0, 0);
            return;
        }
        final SortJob filling = new SortJob();
        run(filling, () -> fillAll(entries, filling));
        final SortJob sorting = new SortJob();
        run(sorting, () -> new RangeSorter(keys, entries, sorting).sort(0, size, 0, 0));
    }

    /** Begins a job and waits until all of its tasks have ended: they write to the entries. */
    private void run(final SortJob job, final Runnable beginning) {
        last = job; // until all tasks have ended
        job.begin(beginning);
        job.await();
        last = null;
    }

    /** Waits for the tasks of a failed sort. */
    void awaitRest() {
        if (last != null) {
            last.abandon();
            last = null;
        }
    }

    private void fillAll(final KeyEntries entries, final SortJob job) {
        final long size = entries.size();
        for (long from = 0; from < size; from += MANY) {
            final long begin = from;
            final long end = Math.min(size, from + MANY);
            if (!job.fork(() -> fill(entries, begin, end))) {
                fill(entries, begin, end);
            }
        }
    }

    /** Loads prefixes from the records. */
    private void fill(final KeyEntries entries, final long from, final long to) {
        for (long i = from; i < to; i++) {
            final long record = entries.record(i);
            entries.set(i, keys.keyWord(record, 0), record);
        }
    }

    /** Compares the keys of two pairs. */
    static int compare(
        final KeySource keys, final KeyEntries left, final long i, final KeyEntries right, final long j) {
        final int byPrefix = Long.compareUnsigned(left.prefix(i), right.prefix(j));
        return byPrefix != 0 ? byPrefix : compareRecords(keys, left.record(i), right.record(j));
    }

    /** Compares two keys by their records. */
    static int compareRecords(final KeySource keys, final long left, final long right) {
        final int length = keys.keyLength(right);
        final KeyScratch scratch = KeyScratch.POOL.take();
        try {
            final byte[] key = scratch.ofLength(length);
            keys.copyKey(right, key, 0);
            return keys.compareKey(left, key, 0, length);
        } finally {
            scratch.release();
        }
    }
}
