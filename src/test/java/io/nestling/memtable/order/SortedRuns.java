/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

/**
 * The runs of a sorter at one moment, for tests.
 *
 * @param count number of all runs
 * @param large number of those off the heap
 * @param upTo sequence number up to which they hold all keys
 */
public record SortedRuns(int count, int large, long upTo) {
    /** Returns the newest runs of a sorter. */
    public static SortedRuns of(final LazyKeySorter sorter) {
        final LazyKeySorter.Runs runs = sorter.runs();
        return new SortedRuns(runs.large().size() + runs.small().size(), runs.large().size(), runs.upTo());
    }
}
