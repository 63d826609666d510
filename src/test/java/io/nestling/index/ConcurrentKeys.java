/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.offheap.KeySource;
import io.nestling.testing.HeapKeySource;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The keys of a concurrency test by number: first those that are changed over and over, then those that are
 * written once. A payload spells the number of its key and a generation, 0 for stable keys.
 */
final class ConcurrentKeys {
    /** Stable keys for each changing one. */
    static final int STABLE_PER_CHANGING = 16;
    private static final int NUMBER_BITS = 24;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

    private final byte[][] keys;
    private final int[] byRank;
    private final int changing;

    ConcurrentKeys(final byte[][] keys) {
        this.keys = keys;
        this.changing = keys.length / (STABLE_PER_CHANGING + 1);
        this.byRank = IntStream.range(0, keys.length).boxed()
            .sorted(Comparator.comparing(i -> keys[i], Arrays::compareUnsigned))
            .mapToInt(Integer::intValue).toArray();
    }

    /** These keys with the stable ones in key order. */
    ConcurrentKeys sorted(final Direction direction) {
        final byte[][] sorted = keys.clone();
        Arrays.sort(sorted, changing, sorted.length, direction.isForward()
            ? Arrays::compareUnsigned
            : (left, right) -> Arrays.compareUnsigned(right, left));
        return new ConcurrentKeys(sorted);
    }

    KeySource source() {
        return new HeapKeySource(payload -> {
            final long number = payload & NUMBER_MASK;
            return number < keys.length ? keys[(int) number] : null;
        });
    }

    int size() {
        return keys.length;
    }

    int changing() {
        return changing;
    }

    int stable() {
        return keys.length - changing;
    }

    /** Number of the stable key that is written at a place of the sequence. */
    int stableNumber(final int place) {
        return changing + place;
    }

    boolean isStable(final int number) {
        return number >= changing;
    }

    byte[] key(final int number) {
        return keys[number];
    }

    static long payload(final int number, final long generation) {
        return generation << NUMBER_BITS | number;
    }

    static int numberOf(final long payload) {
        return (int) (payload & NUMBER_MASK);
    }

    static long generationOf(final long payload) {
        return payload >>> NUMBER_BITS;
    }

    /** Number of the key at a place of the sorted order. */
    int atRank(final int rank) {
        return byRank[rank];
    }

    /** Place of a key in the sorted order, or -1 less the place where it would be. */
    int rankOf(final byte[] buffer, final int length) {
        int low = 0;
        int high = byRank.length - 1;
        while (low <= high) {
            final int middle = (low + high) >>> 1;
            final byte[] key = keys[byRank[middle]];
            final int order = Arrays.compareUnsigned(key, 0, key.length, buffer, 0, length);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1 - low;
    }
}
