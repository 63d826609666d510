/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.Arrays;

/**
 * Sorts keys by their unsigned bytes: by four bytes at a time, then by the next four among keys whose four bytes are equal. It
 * skips bytes that all keys of a range share.
 * <p>
 * Not thread-safe.
 */
final class KeySetSorter {
    private final KeySet keys;
    /** The number of each key in the lower half, what it is sorted by in the upper half. */
    private final long[] words;

    private KeySetSorter(final KeySet keys) {
        this.keys = keys;
        this.words = new long[keys.size()];
        Arrays.setAll(words, i -> i);
    }

    /** Returns the numbers of the keys in sorted order; equal keys stay in their order. */
    static int[] order(final KeySet keys) {
        final KeySetSorter sorter = new KeySetSorter(keys);
        sorter.sort(0, keys.size(), 0);
        final int[] order = new int[keys.size()];
        Arrays.setAll(order, sorter::key);
        return order;
    }

    private int key(final int i) {
        return (int) words[i];
    }

    /** Sorts a range of keys that are equal up to {@code depth}, where shorter ones count as padded with zeros. */
    private void sort(final int from, final int to, final int depth) {
        int ended = from;
        for (int i = from; i < to; i++) {
            final int key = key(i);
            if (keys.length(key) <= depth) {
                words[i] = words[ended];
                words[ended++] = (long) keys.length(key) << Integer.SIZE | key;
            }
        }
        Arrays.sort(words, from, ended);
        if (to - ended < 2) {
            return;
        }
        final int shared = commonPrefix(ended, to, depth);
        for (int i = ended; i < to; i++) {
            words[i] = (long) word(key(i), shared) << Integer.SIZE | key(i);
        }
        Arrays.sort(words, ended, to);
        for (int begin = ended, end; begin < to; begin = end) {
            end = begin + 1;
            while (end < to && words[end] >> Integer.SIZE == words[begin] >> Integer.SIZE) {
                end++;
            }
            if (end - begin > 1) {
                sort(begin, end, shared + Integer.BYTES);
            }
        }
    }

    /** Returns the length of the prefix that all keys of a range share, of which {@code shared} bytes are known. */
    private int commonPrefix(final int from, final int to, final int shared) {
        final int first = key(from);
        final byte[] array = keys.array(first);
        final int offset = keys.offset(first);
        int common = keys.length(first);
        for (int i = from + 1; i < to && common > shared; i++) {
            final int key = key(i);
            final int start = keys.offset(key);
            final int mismatch = Arrays.mismatch(array, offset + shared, offset + common,
                keys.array(key), start + shared, start + Math.min(common, keys.length(key)));
            common = mismatch < 0 ? common : shared + mismatch;
        }
        return common;
    }

    /** Returns four bytes of a key, padded with zeros, as a number whose signed order is their unsigned order. */
    private int word(final int key, final int depth) {
        final byte[] array = keys.array(key);
        final int start = keys.offset(key) + depth;
        final int end = keys.offset(key) + keys.length(key);
        int word = 0;
        for (int i = start; i < start + Integer.BYTES; i++) {
            word = word << Byte.SIZE | (i < end ? array[i] & 0xFF : 0);
        }
        return word ^ Integer.MIN_VALUE;
    }
}
