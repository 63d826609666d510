/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Arrays;

/**
 * What a memtable, a table or a set of tables knows of a key.
 *
 * @param kind the kind of the result
 * @param sequence sequence number of the value or tombstone; -1 if absent
 * @param value a copy of the value; null unless the kind is a value
 */
public record LookupResult(Kind kind, long sequence, byte[] value) {
    /** Nothing is known of the key. */
    public static final LookupResult ABSENT = new LookupResult(Kind.ABSENT, -1L, null);

    /** Kinds of results. */
    public enum Kind {
        /** The key has a value. */
        VALUE,
        /** The key was deleted, alone or with a range: older data must not be read. */
        TOMBSTONE,
        /** No entry was found: older data may have one. */
        ABSENT
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof LookupResult that && kind == that.kind && sequence == that.sequence
            && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * kind.hashCode() + Long.hashCode(sequence)) + Arrays.hashCode(value);
    }

    /**
     * Returns the result for a value.
     *
     * @param sequence its sequence number
     * @param value the value
     * @return a result of kind {@link Kind#VALUE}
     */
    public static LookupResult value(final long sequence, final byte[] value) {
        return new LookupResult(Kind.VALUE, sequence, value);
    }

    /**
     * Returns the result for a deleted key.
     *
     * @param sequence sequence number of the tombstone or range tombstone
     * @return a result of kind {@link Kind#TOMBSTONE}
     */
    public static LookupResult tombstone(final long sequence) {
        return new LookupResult(Kind.TOMBSTONE, sequence, null);
    }
}
