/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/**
 * An estimate of what tables have in a range of keys: values and tombstones, each version counted, also where a range tombstone
 * covers them.
 *
 * @param entries number of entries
 * @param bytes bytes of the file that they take, packed as they are
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
