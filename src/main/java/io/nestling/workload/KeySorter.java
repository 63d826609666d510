/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.Arrays;

/**
 * Sorts keys by their unsigned bytes: quicksort by eight bytes at a time, then by the next eight among keys
 * whose eight bytes are equal (multikey quicksort: Bentley and Sedgewick, SODA 1997, with words for
 * characters). It skips bytes that all keys of a range share.
 * <p>
 * Not thread-safe.
 */
final class KeySorter {
    private final KeySet keys;
    private final long[] words;
    private final int[] order;

    private KeySorter(final KeySet keys) {
        this.keys = keys;
        this.words = new long[keys.size()];
        this.order = new int[keys.size()];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
    }

    /** Returns the numbers of the keys in sorted order. */
    static int[] order(final KeySet keys) {
        final KeySorter sorter = new KeySorter(keys);
        sorter.sort(0, keys.size(), 0);
        return sorter.order;
    }

    /** Sorts a range of keys that share their first {@code shared} bytes. */
    private void sort(final int from, final int to, final int shared) {
        if (to - from < 2) {
            return;
        }
        final int depth = commonPrefix(from, to, shared);
        for (int i = from; i < to; i++) {
            words[i] = word(order[i], depth);
        }
        WordSorter.sort(words, order, from, to);
        for (int begin = from; begin < to;) {
            int end = begin + 1;
            while (end < to && words[end] == words[begin]) {
                end++;
            }
            if (end - begin > 1) {
                sortEqual(begin, end, depth + Long.BYTES);
            }
            begin = end;
        }
    }

    /** Sorts keys that are equal up to {@code depth}, where shorter ones count as padded with zeros. */
    private void sortEqual(final int from, final int to, final int depth) {
        int ended = from;
        for (int i = from; i < to; i++) {
            final int key = order[i];
            final int length = keys.length(key);
            if (length <= depth) {
                order[i] = order[ended];
                order[ended] = key;
                words[ended++] = length;
            }
        }
        WordSorter.sort(words, order, from, ended);
        sort(ended, to, depth);
    }

    /** Returns the length of the prefix that all keys of a range share, of which {@code shared} bytes are known. */
    private int commonPrefix(final int from, final int to, final int shared) {
        final int first = order[from];
        final byte[] array = keys.array(first);
        final int offset = keys.offset(first);
        int common = keys.length(first);
        for (int i = from + 1; i < to && common > shared; i++) {
            final int key = order[i];
            final int start = keys.offset(key);
            final int mismatch = Arrays.mismatch(array, offset + shared, offset + common,
                keys.array(key), start + shared, start + Math.min(common, keys.length(key)));
            common = mismatch < 0 ? common : shared + mismatch;
        }
        return common;
    }

    /** Returns eight bytes of a key, padded with zeros, as a number whose signed order is their unsigned order. */
    private long word(final int key, final int depth) {
        final byte[] array = keys.array(key);
        final int start = keys.offset(key) + depth;
        final int bytes = Math.min(keys.length(key) - depth, Long.BYTES);
        if (bytes == Long.BYTES) {
            return KeyBytes.getLong(array, start) ^ Long.MIN_VALUE;
        }
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word = word << Byte.SIZE | (i < bytes ? array[start + i] & 0xFF : 0);
        }
        return word ^ Long.MIN_VALUE;
    }
}
