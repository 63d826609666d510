/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.index.ValueRules;

import java.util.Objects;

/**
 * Configuration of a merge of tables.
 *
 * @param snapshotFloor smallest sequence number at which the output is ever read; of each key the versions above it stay, and the
 *     newest one at or below it
 * @param maxTableBytes size of an output table at which the next one begins, in bytes of the file
 * @param bytesPerSecond greatest rate at which keys and values are read, in bytes a second
 * @param tables configuration of the output tables
 * @param rules by which entries become values; the clock is read once, when the merge is made
 */
public record MergeOptions(
    long snapshotFloor, long maxTableBytes, long bytesPerSecond, SstableOptions tables, ValueRules rules) {
    /** {@link #snapshotFloor()} of a merge without snapshots. */
    public static final long NO_SNAPSHOTS = Long.MAX_VALUE;
    /** {@link #bytesPerSecond()} of a merge without limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;
    /** Default {@link #maxTableBytes()}. */
    public static final long DEFAULT_MAX_TABLE_BYTES = 256L << 20;

    /**
     * Checks that every option is in its range.
     *
     * @param snapshotFloor smallest sequence number at which the output is ever read
     * @param maxTableBytes size of an output table at which the next one begins
     * @param bytesPerSecond greatest rate
     * @param tables configuration of the output tables
     * @param rules by which entries become values
     */
    public MergeOptions {
        atLeast(snapshotFloor, 0, "snapshotFloor");
        atLeast(maxTableBytes, 1, "maxTableBytes");
        atLeast(bytesPerSecond, 1, "bytesPerSecond");
        Objects.requireNonNull(tables, "tables");
        Objects.requireNonNull(rules, "rules");
    }

    private static void atLeast(final long value, final long least, final String option) {
        if (value < least) {
            throw new IllegalArgumentException("expected " + option + " of at least " + least + " but was " + value);
        }
    }

    /**
     * Returns the default options: no snapshots, tables of 256 MiB, no limit of the rate, default tables and rules.
     *
     * @return the default options
     */
    public static MergeOptions defaults() {
        return new MergeOptions(NO_SNAPSHOTS, DEFAULT_MAX_TABLE_BYTES, UNLIMITED, SstableOptions.defaults(), ValueRules.DEFAULT);
    }

    /**
     * Returns these options with another floor.
     *
     * @param newSnapshotFloor smallest sequence number at which the output is ever read
     * @return new options
     */
    public MergeOptions withSnapshotFloor(final long newSnapshotFloor) {
        return new MergeOptions(newSnapshotFloor, maxTableBytes, bytesPerSecond, tables, rules);
    }

    /**
     * Returns these options with another size of tables.
     *
     * @param newMaxTableBytes size of an output table at which the next one begins
     * @return new options
     */
    public MergeOptions withMaxTableBytes(final long newMaxTableBytes) {
        return new MergeOptions(snapshotFloor, newMaxTableBytes, bytesPerSecond, tables, rules);
    }

    /**
     * Returns these options with another rate.
     *
     * @param newBytesPerSecond greatest rate
     * @return new options
     */
    public MergeOptions withBytesPerSecond(final long newBytesPerSecond) {
        return new MergeOptions(snapshotFloor, maxTableBytes, newBytesPerSecond, tables, rules);
    }

    /**
     * Returns these options with another configuration of the output tables.
     *
     * @param newTables configuration
     * @return new options
     */
    public MergeOptions withTables(final SstableOptions newTables) {
        return new MergeOptions(snapshotFloor, maxTableBytes, bytesPerSecond, newTables, rules);
    }

    /**
     * Returns these options with other rules.
     *
     * @param newRules by which entries become values
     * @return new options
     */
    public MergeOptions withRules(final ValueRules newRules) {
        return new MergeOptions(snapshotFloor, maxTableBytes, bytesPerSecond, tables, newRules);
    }
}
