/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * An estimate of what memtables and tables have in a range of keys: values and tombstones, also where a range tombstone covers
 * them. Of a table each version counts, of a memtable the newest one of each key.
 *
 * @param entries number of entries
 * @param bytes bytes that they take: of a table those of the file, packed as they are, of a memtable those of keys and values
 */
public record RangeSize(long entries, long bytes) {
    /** The size of nothing. */
    public static final RangeSize ZERO = new RangeSize(0, 0);

    /**
     * Adds another size to this one.
     *
     * @param other the other one
     * @return the sum
     */
    public RangeSize plus(final RangeSize other) {
        return new RangeSize(entries + other.entries, bytes + other.bytes);
    }
}
