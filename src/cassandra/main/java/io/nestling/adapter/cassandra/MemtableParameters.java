/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.catalog.IndexType;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.utils.FBUtilities;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The {@code parameters} of a memtable configuration.
 *
 * @param index index of the partitions
 * @param rowIndex index of the rows of wide partitions
 * @param storage storage of the partitions' content
 * @param shards number of parts that are written independently
 * @param widePartitionBytes size of a partition above which its rows become separate entries
 */
record MemtableParameters(
    IndexType index, IndexType rowIndex, Storage storage, int shards, int widePartitionBytes) {
    static final String INDEX = "index";
    static final String ROW_INDEX = "row_index";
    static final String STORAGE = "storage";
    static final String SHARDS = "shards";
    static final String WIDE_PARTITION_BYTES = "wide_partition_bytes";

    private static final int MAX_SHARDS = 1024;
    private static final int DEFAULT_WIDE_PARTITION_BYTES = 2048;
    private static final int MAX_WIDE_PARTITION_BYTES = 1 << 20;

    /** Removes the known parameters from a map and returns them. */
    static MemtableParameters takeFrom(final Map<String, String> options) {
        final String storage = options.remove(STORAGE);
        return new MemtableParameters(
            indexOf(INDEX, options.remove(INDEX), IndexType.MLP_INDEX),
            indexOf(ROW_INDEX, options.remove(ROW_INDEX), IndexType.TRIE),
            storage == null ? Storage.OFF_HEAP : storageOf(storage),
            intOf(SHARDS, options.remove(SHARDS), FBUtilities.getAvailableProcessors(), 1, MAX_SHARDS),
            intOf(WIDE_PARTITION_BYTES, options.remove(WIDE_PARTITION_BYTES), DEFAULT_WIDE_PARTITION_BYTES, 0,
                MAX_WIDE_PARTITION_BYTES));
    }

    private static IndexType indexOf(final String parameter, final String name, final IndexType absent) {
        if (name == null) {
            return absent;
        }
        final IndexType[] ordered =
            Arrays.stream(IndexType.values()).filter(IndexType::ordered).toArray(IndexType[]::new);
        final String wanted = name.trim().replace('-', '_');
        return Arrays.stream(ordered).filter(index -> index.indexName().equalsIgnoreCase(wanted)).findAny()
            .orElseThrow(() -> new ConfigurationException(
                "memtable parameter " + parameter + ": expected one of "
                    + Arrays.stream(ordered).map(IndexType::indexName).collect(Collectors.joining(", "))
                    + " but was '" + name + "'", false));
    }

    private static Storage storageOf(final String name) {
        return Arrays.stream(Storage.values()).filter(value -> value.parameterValue().equals(name)).findAny()
            .orElseThrow(() -> new ConfigurationException(
                "memtable parameter " + STORAGE + ": expected one of "
                    + Arrays.stream(Storage.values()).map(Storage::parameterValue).collect(Collectors.joining(", "))
                    + " but was '" + name + "'", false));
    }

    private static int intOf(
        final String name, final String text, final int absent, final int least, final int most) {
        if (text == null) {
            return Math.max(least, Math.min(most, absent));
        }
        try {
            final int number = Integer.parseInt(text.trim());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // reported below
        }
        throw new ConfigurationException(
            "memtable parameter " + name + ": '" + text + "' is not a number from " + least + " to " + most, false);
    }
}
