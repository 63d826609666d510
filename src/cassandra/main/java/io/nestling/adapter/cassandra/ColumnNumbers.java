/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.schema.ColumnMetadata;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Numbers of columns in the records of one memtable. A column keeps the definition with which it was written, so that cells
 * written before it was dropped, or added again with another type, are read as Cassandra's own objects would be.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class ColumnNumbers {
    private static final int INITIAL = 16;

    private final ConcurrentHashMap<ColumnMetadata, Integer> numbers = new ConcurrentHashMap<>();
    private volatile ColumnMetadata[] columns = new ColumnMetadata[INITIAL];
    private int size;

    /** Returns the number of a column. */
    int of(final ColumnMetadata column) {
        final Integer number = numbers.get(column);
        return number == null ? add(column) : number;
    }

    private synchronized int add(final ColumnMetadata column) {
        final Integer present = numbers.get(column);
        if (present != null) {
            return present;
        }
        ColumnMetadata[] all = columns;
        if (size == all.length) {
            all = Arrays.copyOf(all, size * 2);
        }
        all[size] = column;
        columns = all; // published before the number, which records contain
        numbers.put(column, size);
        return size++;
    }

    /** Returns the columns by number, with all numbers of records that the caller has read. */
    ColumnMetadata[] byNumber() {
        return columns;
    }
}
