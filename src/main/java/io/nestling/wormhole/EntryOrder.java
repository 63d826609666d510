/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import io.nestling.memory.KeySource;

/**
 * Brings entries of one leaf into key order in two steps: all of them by their discriminators, which stand in the leaf, and
 * then runs of equal discriminators by their keys, which stand in the records. An entry is a number here: its discriminator
 * and the index of its payload; the first entries are in order already.
 * <h2>Thread safety</h2>
 * None; each thread has its own.
 */
final class EntryOrder {
    private static final int INDEX_BITS = 8;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    private static final int COMPARED_BYTES = 4 * Long.BYTES;

    /* From this length of a run on it pays to look for what its keys share. */
    private static final int LONG_RUN = 4;
    /* How far to look for it. */
    private static final int SEARCHED_BYTES = 256;

    private final KeySource keys;
    private final long[] payloads;
    private int[] entries = new int[LeafLayout.SLOTS + 1];
    private int[] merged = new int[LeafLayout.SLOTS + 1];
    private final long[] words = new long[LeafLayout.SLOTS + 1];
    private int sorted;
    private int count;
    private int shared;
    private byte[] key = new byte[2 * Long.BYTES];

    /**
     * Makes an order.
     *
     * @param payloads array in which the payloads of entries are to be found
     */
    EntryOrder(final KeySource keys, final long[] payloads) {
        this.keys = keys;
        this.payloads = payloads;
    }

    /** Sets the discriminator of the payload at an index. */
    void put(final int index, final int discriminator) {
        entries[index] = discriminator << INDEX_BITS | index;
    }

    /** Index of the payload of the entry at a place. */
    int index(final int place) {
        return entries[place] & INDEX_MASK;
    }

    int discriminator(final int place) {
        return entries[place] >>> INDEX_BITS;
    }

    /**
     * Orders the entries by their discriminators.
     *
     * @param newSorted number of leading payloads that are in key order
     * @param newCount number of all
     * @param newShared leading bytes that all keys share
     */
    void arrange(final int newSorted, final int newCount, final int newShared) {
        sorted = newSorted;
        count = newCount;
        shared = newShared;
        if (sorted == count) {
            return;
        }
        for (int i = sorted + 1; i < count; i++) {
            final int entry = entries[i];
            int at = i;
            for (; at > sorted && entries[at - 1] > entry; at--) {
                entries[at] = entries[at - 1];
            }
            entries[at] = entry;
        }
        merge();
    }

    /* Indexes break ties, so that sorted entries stay in their order and come before those of the tail. */
    private void merge() {
        int left = 0;
        int right = sorted;
        int at = 0;
        while (left < sorted && right < count) {
            final int a = entries[left];
            final int b = entries[right];
            final boolean takeLeft = a < b;
            merged[at++] = takeLeft ? a : b;
            left += takeLeft ? 1 : 0;
            right += takeLeft ? 0 : 1;
        }
        System.arraycopy(entries, left, merged, at, sorted - left);
        System.arraycopy(entries, right, merged, at + sorted - left, count - right);
        final int[] spare = entries;
        entries = merged;
        merged = spare;
    }

    /** First place of the run of equal discriminators that a place is in. */
    int runStart(final int place) {
        int at = place;
        while (at > 0 && discriminator(at - 1) == discriminator(place)) {
            at--;
        }
        return at;
    }

    /** Place behind the run of equal discriminators that a place is in. */
    int runEnd(final int place) {
        int at = place + 1;
        while (at < count && discriminator(at) == discriminator(place)) {
            at++;
        }
        return at;
    }

    /** Orders the runs from one place to another by keys; both are borders of runs. */
    void resolve(final int from, final int to) {
        if (sorted == count) {
            return;
        }
        int start = from;
        while (start < to) {
            final int end = runEnd(start);
            // Entries of the tail come last in a run, until it is resolved.
            if (end - start > 1 && index(end - 1) >= sorted) {
                resolveRun(start, end);
            }
            start = end;
        }
    }

    private void resolveRun(final int start, final int end) {
        int tail = end;
        while (tail > start && index(tail - 1) >= sorted) {
            tail--;
        }
        final int depth = end - start < LONG_RUN ? shared : commonDepth(start, Math.max(tail, start + 1), end);
        for (int i = start; i < end; i++) {
            words[i] = keys.keyWord(payloads[index(i)], depth) ^ Long.MIN_VALUE; // compared as signed numbers
        }
        for (int i = Math.max(tail, start + 1); i < end; i++) {
            insert(start, i, depth);
        }
    }

    private void insert(final int start, final int i, final int depth) {
        final int entry = entries[i];
        final long word = words[i];
        int low = start;
        int high = i;
        while (low < high) {
            final int middle = low + high >>> 1;
            if (words[middle] < word
                || words[middle] == word && compare(payloads[index(middle)], payloads[entry & INDEX_MASK], depth) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        System.arraycopy(entries, low, entries, low + 1, i - low);
        System.arraycopy(words, low, words, low + 1, i - low);
        entries[low] = entry;
        words[low] = word;
    }

    /**
     * A multiple of eight bytes that all keys of a run share, beside the shared ones: what the first and the last of those
     * in order share, and those of the tail with them.
     */
    private int commonDepth(final int start, final int tail, final int end) {
        int depth = shared;
        for (; depth < shared + SEARCHED_BYTES; depth += Long.BYTES) {
            final long word = keys.keyWord(payloads[index(start)], depth);
            for (int i = tail - 1; i < end; i++) {
                final long payload = payloads[index(i)];
                if (keys.keyWord(payload, depth) != word || keys.keyLength(payload) < depth + Long.BYTES) {
                    return depth;
                }
            }
        }
        return depth;
    }

    /** Compares two keys that share some leading bytes: by a few words, then as a whole. */
    private int compare(final long left, final long right, final int from) {
        final int leftLength = keys.keyLength(left);
        final int rightLength = keys.keyLength(right);
        final int end = Math.min(leftLength, rightLength);
        for (int at = from; at < from + COMPARED_BYTES; at += Long.BYTES) {
            if (at >= end) {
                return leftLength - rightLength;
            }
            final int difference = Long.compareUnsigned(keys.keyWord(left, at), keys.keyWord(right, at));
            if (difference != 0) {
                return difference;
            }
        }
        if (key.length < rightLength) {
            key = new byte[rightLength];
        }
        keys.copyKey(right, key, 0);
        return keys.compareKey(left, key, 0, rightLength);
    }
}
