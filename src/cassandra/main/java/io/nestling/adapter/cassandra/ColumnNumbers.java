/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.schema.ColumnMetadata;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Numbers that stand for columns in the records of one memtable. A column keeps the definition that it was written with, so
 * that what was written before it was dropped, or added again with another type, is read as Cassandra's own objects would be.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class ColumnNumbers {
    private static final int INITIAL = 16;

    private final ConcurrentHashMap<ColumnMetadata, Integer> numbers = new ConcurrentHashMap<>();
    private volatile ColumnMetadata[] columns = new ColumnMetadata[INITIAL];
    private int size;

    /** The number of a column. */
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
        columns = all; // published before the number, which a record then carries to readers
        numbers.put(column, size);
        return size++;
    }

    /** The columns by number. What was read in a record is there. */
    ColumnMetadata[] byNumber() {
        return columns;
    }
}
