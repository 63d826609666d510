/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.ByteComparison;

import java.util.List;
import java.util.Locale;

/**
 * Statistics about the shape of keys: average length, and average length in bits of the shortest prefix that no other key
 * has, as in the Cuckoo Trie paper (SOSP 2021, table 1). A key that is a prefix of another one counts as a whole.
 *
 * @param keys number of keys
 * @param averageKeyBytes average length of a key in bytes
 * @param averageUniquePrefixBits average length in bits of the shortest prefix that no other key has
 */
public record KeyStatistics(int keys, double averageKeyBytes, double averageUniquePrefixBits) {
    private static final int BYTE_MASK = 0xFF;

    /**
     * Returns the statistics of keys.
     *
     * @param keys distinct keys in any order
     * @return the statistics; averages are 0 if there is no key
     */
    public static KeyStatistics of(final KeySet keys) {
        final KeySet sorted = keys.sorted();
        long prefixBits = 0;
        long before = 0;
        for (int i = 0; i < sorted.size(); i++) {
            final long after = i + 1 < sorted.size() ? commonBits(sorted, i) : 0;
            prefixBits += Math.min(Math.max(before, after) + 1, (long) sorted.length(i) * Byte.SIZE);
            before = after;
        }
        final double count = Math.max(keys.size(), 1);
        return new KeyStatistics(keys.size(), keys.keyBytes() / count, prefixBits / count);
    }

    private static long commonBits(final KeySet keys, final int i) {
        final int common = ByteComparison.commonPrefix(keys.array(i), keys.offset(i), keys.length(i),
            keys.array(i + 1), keys.offset(i + 1), keys.length(i + 1));
        final long bits = (long) common * Byte.SIZE;
        if (common == keys.length(i) || common == keys.length(i + 1)) {
            return bits;
        }
        final int difference = (keys.array(i)[keys.offset(i) + common] ^ keys.array(i + 1)[keys.offset(i + 1) + common])
            & BYTE_MASK;
        return bits + Integer.numberOfLeadingZeros(difference) - (Integer.SIZE - Byte.SIZE);
    }

    /**
     * Prints a line for each data set: name, keys, average bytes of a key and bits of its unique prefix.
     *
     * @param arguments number of keys, then names or files; all data sets with a name if there are none
     * @throws DatasetException if one cannot be read or has too few keys
     */
    public static void main(final String[] arguments) throws DatasetException {
        final int count = Integer.parseInt(arguments[0]);
        final List<String> names = List.of(arguments).subList(1, arguments.length);
        for (final String name : names.isEmpty() ? Dataset.names() : names) {
            final KeyStatistics statistics = of(Dataset.of(name).keys(count));
            System.out.printf(Locale.ROOT, "%-18s %,12d keys %8.1f bytes %8.1f bits%n", name, statistics.keys,
                statistics.averageKeyBytes, statistics.averageUniquePrefixBits);
        }
    }
}
