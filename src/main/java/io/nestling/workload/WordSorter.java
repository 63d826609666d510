/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/**
 * Sorts numbers together with a companion of each: quicksort, with insertion sort of short ranges and heap sort beyond a depth
 * limit. Not stable.
 */
final class WordSorter {
    private static final int SHORT_RANGE = 24;

    private WordSorter() {
    }

    /**
     * Sorts a range by signed numbers.
     *
     * @param words the numbers
     * @param companions move with the numbers
     * @param from index of the first number
     * @param to index after the last number
     */
    static void sort(final long[] words, final int[] companions, final int from, final int to) {
        final int depthLimit = 2 * (Integer.SIZE - Integer.numberOfLeadingZeros(to - from));
        quicksort(words, companions, from, to, depthLimit);
    }

    /** Partitions a range at most {@code limit} times, then uses heap sort. */
    static void quicksort(
        final long[] words, final int[] companions, final int start, final int end, final int limit) {
        int from = start;
        int to = end;
        int depth = limit;
        while (to - from > SHORT_RANGE) {
            if (depth-- == 0) {
                heapSort(words, companions, from, to);
                return;
            }
            final long pivot = pivot(words, from, to);
            int low = from;
            int high = to - 1;
            while (low <= high) {
                while (words[low] < pivot) {
                    low++;
                }
                while (words[high] > pivot) {
                    high--;
                }
                if (low <= high) {
                    swap(words, companions, low++, high--);
                }
            }
            // Recursion for the shorter part keeps the stack shallow.
            if (high + 1 - from < to - low) {
                quicksort(words, companions, from, high + 1, depth);
                from = low;
            } else {
                quicksort(words, companions, low, to, depth);
                to = high + 1;
            }
        }
        insertionSort(words, companions, from, to);
    }

    private static long pivot(final long[] words, final int from, final int to) {
        final int quarter = to - from >>> 2;
        final long left = words[from + quarter];
        final long middle = words[from + 2 * quarter];
        final long right = words[from + 3 * quarter];
        return Math.max(Math.min(left, middle), Math.min(Math.max(left, middle), right));
    }

    private static void insertionSort(final long[] words, final int[] companions, final int from, final int to) {
        for (int i = from + 1; i < to; i++) {
            final long word = words[i];
            final int companion = companions[i];
            int j = i;
            for (; j > from && words[j - 1] > word; j--) {
                words[j] = words[j - 1];
                companions[j] = companions[j - 1];
            }
            words[j] = word;
            companions[j] = companion;
        }
    }

    private static void heapSort(final long[] words, final int[] companions, final int from, final int to) {
        final int count = to - from;
        for (int root = count / 2 - 1; root >= 0; root--) {
            sift(words, companions, from, root, count);
        }
        for (int last = count - 1; last > 0; last--) {
            swap(words, companions, from, from + last);
            sift(words, companions, from, 0, last);
        }
    }

    private static void sift(
        final long[] words, final int[] companions, final int from, final int start, final int count) {
        int root = start;
        for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
            if (child + 1 < count && words[from + child] < words[from + child + 1]) {
                child++;
            }
            if (words[from + root] >= words[from + child]) {
                return;
            }
            swap(words, companions, from + root, from + child);
            root = child;
        }
    }

    private static void swap(final long[] words, final int[] companions, final int i, final int j) {
        final long word = words[i];
        words[i] = words[j];
        words[j] = word;
        final int companion = companions[i];
        companions[i] = companions[j];
        companions[j] = companion;
    }
}
