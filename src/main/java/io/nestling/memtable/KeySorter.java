/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.memory.KeySource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RecursiveAction;

/**
 * Sorts keys in place by all processors: a radix sort of their first eight bytes, byte by byte from the first
 * bit in which they differ, then of the next eight bytes of those that are equal so far. Few keys are compared
 * instead.
 * <p>
 * Time O(n) for keys that differ in their first bytes; no memory but small counts.
 * <h2>Thread safety</h2>
 * Any thread sorts; the keys belong to it meanwhile.
 * <h2>Pedigree</h2>
 * American flag sort: P. McIlroy, K. Bostic, M. McIlroy, "Engineering radix sort", Computing Systems 6 (1993).
 */
final class KeySorter {
    private static final int RADIX = 256;
    private static final int RADIX_BITS = 8;
    /** Up to so many keys are sorted by comparisons. */
    private static final int FEW = 24;
    /** From so many keys on, a group gets a task of its own. */
    private static final long MANY = 1 << 13;
    /** Bytes that keys share from which on they are compared, so that a stack is never too small. */
    private static final int DEEP = 2048;

    private final KeySource keys;

    KeySorter(final KeySource keys) {
        this.keys = keys;
    }

    /** Fills in the prefixes of pairs and sorts them. */
    void sort(final KeyEntries entries) {
        // The calling thread takes part, and the threads of the common pool help it.
        new FillTask(entries, 0, entries.size()).invoke();
        new SortTask(entries, 0, entries.size(), 0).invoke();
    }

    /** Compares the keys of two pairs. */
    static int compare(
        final KeySource keys, final KeyEntries left, final long i, final KeyEntries right, final long j) {
        final int byPrefix = Long.compareUnsigned(left.prefix(i), right.prefix(j));
        return byPrefix != 0 ? byPrefix : compareRecords(keys, left.record(i), right.record(j));
    }

    private static int compareRecords(final KeySource keys, final long left, final long right) {
        final int length = keys.keyLength(right);
        final byte[] key = KeyScratch.ofLength(length);
        keys.copyKey(right, key, 0);
        return keys.compareKey(left, key, 0, length);
    }

    /** Reads prefixes from records. */
    private final class FillTask extends RecursiveAction {
        private static final long serialVersionUID = 1L;

        private final transient KeyEntries entries;
        private final long from;
        private final long to;

        FillTask(final KeyEntries entries, final long from, final long to) {
            this.entries = entries;
            this.from = from;
            this.to = to;
        }

        @Override
        protected void compute() {
            if (to - from > 2 * MANY) {
                final long middle = from + to >>> 1;
                invokeAll(new FillTask(entries, from, middle), new FillTask(entries, middle, to));
                return;
            }
            for (long i = from; i < to; i++) {
                final long record = entries.record(i);
                entries.set(i, keys.keyWord(record, 0), record);
            }
        }
    }

    /** Sorts pairs whose keys are equal up to a depth, and whose prefixes are the eight bytes from there. */
    private final class SortTask extends RecursiveAction {
        private static final long serialVersionUID = 1L;

        private final transient KeyEntries entries;
        private final long from;
        private final long to;
        private final int depth;
        private final transient long[][] bounds = new long[Long.BYTES][];

        SortTask(final KeyEntries entries, final long from, final long to, final int depth) {
            this.entries = entries;
            this.from = from;
            this.to = to;
            this.depth = depth;
        }

        @Override
        protected void compute() {
            sort(from, to, 0);
        }

        private void sort(final long begin, final long end, final int level) {
            if (end - begin <= FEW) {
                insertionSort(begin, end);
                return;
            }
            final long first = entries.prefix(begin);
            long difference = 0;
            for (long i = begin + 1; i < end; i++) {
                difference |= entries.prefix(i) ^ first;
            }
            if (difference == 0) {
                sortEqualPrefixes(begin, end);
                return;
            }
            if (bounds[level] == null) {
                bounds[level] = new long[2 * RADIX];
            }
            final int highest = Long.SIZE - Long.numberOfLeadingZeros(difference);
            partition(begin, end, Math.max(0, highest - RADIX_BITS), bounds[level]);
            sortParts(begin, level);
        }

        /** Swaps each pair into its part; leaves the ends of the parts in the second half of {@code places}. */
        private void partition(final long begin, final long end, final int shift, final long[] places) {
            Arrays.fill(places, 0);
            for (long i = begin; i < end; i++) {
                places[digit(entries.prefix(i), shift)]++;
            }
            long start = begin;
            for (int part = 0; part < RADIX; part++) {
                final long count = places[part];
                places[part] = start;
                start += count;
                places[RADIX + part] = start;
            }
            for (int part = 0; part < RADIX; part++) {
                while (places[part] < places[RADIX + part]) {
                    final long hole = places[part];
                    long prefix = entries.prefix(hole);
                    long record = entries.record(hole);
                    int target = digit(prefix, shift);
                    while (target != part) {
                        final long place = places[target]++;
                        final long displacedPrefix = entries.prefix(place);
                        final long displacedRecord = entries.record(place);
                        entries.set(place, prefix, record);
                        prefix = displacedPrefix;
                        record = displacedRecord;
                        target = digit(prefix, shift);
                    }
                    entries.set(hole, prefix, record);
                    places[part]++;
                }
            }
        }

        private int digit(final long prefix, final int shift) {
            return (int) (prefix >>> shift) & (RADIX - 1);
        }

        private void sortParts(final long begin, final int level) {
            final List<SortTask> forked = new ArrayList<>();
            long start = begin;
            for (int part = 0; part < RADIX; part++) {
                final long end = bounds[level][RADIX + part];
                if (end - start > MANY) {
                    forked.add(new SortTask(entries, start, end, depth));
                } else if (end - start > 1) {
                    sort(start, end, level + 1);
                }
                start = end;
            }
            invokeAll(forked);
        }

        /** Sorts by what comes after the prefix, which all have in common. */
        private void sortEqualPrefixes(final long begin, final long end) {
            final long prefix = entries.prefix(begin);
            final int deeper = depth + Long.BYTES;
            if (deeper > DEEP) {
                heapSort(begin, end);
                return;
            }
            long ended = begin; // keys that end within the prefix come first, the shorter ones before the longer ones
            for (long i = begin; i < end; i++) {
                final long record = entries.record(i);
                if (keys.keyLength(record) <= deeper) {
                    entries.set(i, prefix, entries.record(ended));
                    entries.set(ended++, prefix, record);
                }
            }
            sortByLength(begin, ended, prefix);
            for (long i = ended; i < end; i++) {
                final long record = entries.record(i);
                entries.set(i, keys.keyWord(record, deeper), record);
            }
            new SortTask(entries, ended, end, deeper).compute();
            for (long i = ended; i < end; i++) {
                entries.set(i, prefix, entries.record(i));
            }
        }

        /** Of one prefix there are at most nine different keys that end in it. */
        private void sortByLength(final long begin, final long end, final long prefix) {
            long sorted = begin;
            for (int length = depth; length <= depth + Long.BYTES; length++) {
                for (long i = sorted; i < end; i++) {
                    final long record = entries.record(i);
                    if (keys.keyLength(record) == length) {
                        entries.set(i, prefix, entries.record(sorted));
                        entries.set(sorted++, prefix, record);
                    }
                }
            }
        }

        private void insertionSort(final long begin, final long end) {
            for (long i = begin + 1; i < end; i++) {
                final long prefix = entries.prefix(i);
                final long record = entries.record(i);
                long place = i;
                while (place > begin && isBefore(prefix, record, place - 1)) {
                    entries.set(place, entries.prefix(place - 1), entries.record(place - 1));
                    place--;
                }
                entries.set(place, prefix, record);
            }
        }

        /** Whether a pair comes before the one at a place. */
        private boolean isBefore(final long prefix, final long record, final long place) {
            final int byPrefix = Long.compareUnsigned(prefix, entries.prefix(place));
            return byPrefix < 0 || byPrefix == 0 && compareRecords(keys, record, entries.record(place)) < 0;
        }

        private void heapSort(final long begin, final long end) {
            final long size = end - begin;
            for (long root = size / 2 - 1; root >= 0; root--) {
                siftDown(begin, root, size);
            }
            for (long last = size - 1; last > 0; last--) {
                final long prefix = entries.prefix(begin);
                final long record = entries.record(begin);
                entries.set(begin, entries.prefix(begin + last), entries.record(begin + last));
                entries.set(begin + last, prefix, record);
                siftDown(begin, 0, last);
            }
        }

        private void siftDown(final long begin, final long from, final long size) {
            final long prefix = entries.prefix(begin + from);
            final long record = entries.record(begin + from);
            long hole = from;
            while (2 * hole + 1 < size) {
                long child = 2 * hole + 1;
                if (child + 1 < size && isBefore(
                    entries.prefix(begin + child), entries.record(begin + child), begin + child + 1)) {
                    child++;
                }
                if (!isBefore(prefix, record, begin + child)) {
                    break;
                }
                entries.set(begin + hole, entries.prefix(begin + child), entries.record(begin + child));
                hole = child;
            }
            entries.set(begin + hole, prefix, record);
        }
    }
}
