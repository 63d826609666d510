/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import io.nestling.offheap.KeySource;

import java.util.Arrays;

/**
 * Sorts ranges of pairs. A range's keys are equal up to a depth, and the prefixes of its pairs are the eight
 * bytes from there; they are those at the beginning of the key again when the range is sorted.
 * <p>
 * A range is split by the first byte in which its prefixes differ, and if they do not, by the bytes behind
 * them. Ranges yet to be sorted are kept in a list, not on the thread's stack, which long keys could overflow.
 * Large parts become tasks. Few keys are sorted by comparison.
 * <h2>Thread safety</h2>
 * One thread.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Whatever is thrown, the pairs hold the records that they held before, each once.</li>
 * </ol>
 * <h2>Pedigree</h2>
 * American flag sort: P. McIlroy, K. Bostic, M. McIlroy, "Engineering radix sort", Computing Systems 6 (1993).
 */
final class RangeSorter {
    private static final int RADIX = 256;
    private static final int RADIX_BITS = 8;
    /** Maximum number of keys that are sorted by comparison at once. */
    private static final int FEW = 24;
    /* Words of a range yet to be sorted: begin, end, depth, and the keys' first eight bytes if the depth is not 0. */
    private static final int WORDS = 4;
    private static final int INITIAL_RANGES = 64;

    private final KeySource keys;
    private final KeyEntries entries;
    private final SortJob job;
    private final long[] bounds = new long[2 * RADIX];
    private long[] left = new long[WORDS * INITIAL_RANGES];
    private int count;

    /** Creates a sorter of pairs. A job takes large parts; without one (null), this sorter does all. */
    RangeSorter(final KeySource keys, final KeyEntries entries, final SortJob job) {
        this.keys = keys;
        this.entries = entries;
        this.job = job;
    }

    /**
     * Sorts the pairs from one to before another one, whose keys share {@code depth} bytes and, if that is not 0, their first
     * eight bytes.
     */
    void sort(final long from, final long to, final int depth, final long firstPrefix) {
        push(from, to, depth, firstPrefix);
        while (count > 0) {
            final int at = --count * WORDS;
            split(left[at], left[at + 1], (int) left[at + 2], left[at + 3]);
        }
    }

    private void push(final long from, final long to, final int depth, final long firstPrefix) {
        if ((count + 1) * WORDS > left.length) {
            left = Arrays.copyOf(left, 2 * left.length);
        }
        final int at = count++ * WORDS;
        left[at] = from;
        left[at + 1] = to;
        left[at + 2] = depth;
        left[at + 3] = firstPrefix;
    }

    /** Sorts a small range, or splits a larger one and leaves its parts to be sorted. */
    private void split(final long begin, final long end, final int depth, final long firstPrefix) {
        if (end - begin <= FEW) {
            insertionSort(begin, end);
            finish(begin, end, depth, firstPrefix);
            return;
        }
        final long first = entries.prefix(begin);
        long difference = 0;
        for (long i = begin + 1; i < end; i++) {
            difference |= entries.prefix(i) ^ first;
        }
        if (difference == 0) {
            goDeeper(begin, end, depth, depth == 0 ? first : firstPrefix);
            return;
        }
        final int highest = Long.SIZE - Long.numberOfLeadingZeros(difference);
        partition(begin, end, Math.max(0, highest - RADIX_BITS));
        long start = begin;
        for (int part = 0; part < RADIX; part++) {
            final long partEnd = bounds[RADIX + part];
            leave(start, partEnd, depth, firstPrefix);
            start = partEnd;
        }
    }

    private void leave(final long begin, final long end, final int depth, final long firstPrefix) {
        if (end - begin <= 1) {
            finish(begin, end, depth, firstPrefix);
        } else if (job == null || end - begin <= KeySorter.MANY
            || !job.fork(() -> new RangeSorter(keys, entries, job).sort(begin, end, depth, firstPrefix))) {
            push(begin, end, depth, firstPrefix);
        }
    }

    /** Resets the prefixes of a sorted range to the first eight bytes of its keys. */
    private void finish(final long begin, final long end, final int depth, final long firstPrefix) {
        for (long i = begin; depth > 0 && i < end; i++) {
            entries.set(i, firstPrefix, entries.record(i));
        }
    }

    /** Swaps each pair into its part; leaves the ends of the parts in the second half of {@code bounds}. */
    private void partition(final long begin, final long end, final int shift) {
        Arrays.fill(bounds, 0);
        for (long i = begin; i < end; i++) {
            bounds[digit(entries.prefix(i), shift)]++;
        }
        long start = begin;
        for (int part = 0; part < RADIX; part++) {
            final long size = bounds[part];
            bounds[part] = start;
            start += size;
            bounds[RADIX + part] = start;
        }
        for (int part = 0; part < RADIX; part++) {
            while (bounds[part] < bounds[RADIX + part]) {
                final long hole = bounds[part];
                long prefix = entries.prefix(hole);
                long record = entries.record(hole);
                int target = digit(prefix, shift);
                while (target != part) {
                    final long to = bounds[target]++;
                    final long displacedPrefix = entries.prefix(to);
                    final long displacedRecord = entries.record(to);
                    entries.set(to, prefix, record);
                    prefix = displacedPrefix;
                    record = displacedRecord;
                    target = digit(prefix, shift);
                }
                entries.set(hole, prefix, record);
                bounds[part]++;
            }
        }
    }

    private static int digit(final long prefix, final int shift) {
        return (int) (prefix >>> shift) & (RADIX - 1);
    }

    /** Leaves a range, whose keys share the prefix, to be sorted by the bytes behind it. */
    private void goDeeper(final long begin, final long end, final int depth, final long firstPrefix) {
        final int deeper = depth + Long.BYTES;
        long ended = begin; // keys that end within the prefix come first, the shorter ones before the longer ones
        for (long i = begin; i < end; i++) {
            if (keys.keyLength(entries.record(i)) <= deeper) {
                swap(i, ended++);
            }
        }
        sortByLength(begin, ended, depth);
        finish(begin, ended, depth, firstPrefix);
        for (long i = ended; i < end; i++) {
            final long record = entries.record(i);
            entries.set(i, keys.keyWord(record, deeper), record);
        }
        leave(ended, end, deeper, firstPrefix);
    }

    /** Sorts keys that end within the same prefix: at most nine of them differ. */
    private void sortByLength(final long begin, final long end, final int depth) {
        long sorted = begin;
        for (int length = depth; length <= depth + Long.BYTES; length++) {
            for (long i = sorted; i < end; i++) {
                if (keys.keyLength(entries.record(i)) == length) {
                    swap(i, sorted++);
                }
            }
        }
    }

    private void swap(final long i, final long j) {
        final long prefix = entries.prefix(i);
        final long record = entries.record(i);
        entries.set(i, entries.prefix(j), entries.record(j));
        entries.set(j, prefix, record);
    }

    private void insertionSort(final long begin, final long end) {
        for (long i = begin + 1; i < end; i++) {
            final long prefix = entries.prefix(i);
            final long record = entries.record(i);
            long hole = i;
            try {
                while (hole > begin && isBefore(prefix, record, hole - 1)) {
                    entries.set(hole, entries.prefix(hole - 1), entries.record(hole - 1));
                    hole--;
                }
            } finally {
                entries.set(hole, prefix, record);
            }
        }
    }

    /** Returns whether a pair comes before pair {@code i}. */
    private boolean isBefore(final long prefix, final long record, final long i) {
        final int byPrefix = Long.compareUnsigned(prefix, entries.prefix(i));
        return byPrefix < 0
            || byPrefix == 0 && KeySorter.compareRecords(keys, record, entries.record(i)) < 0;
    }
}
