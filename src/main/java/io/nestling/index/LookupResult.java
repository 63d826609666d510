/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The answer of a memtable, a table or a set of tables to a lookup of a key.
 *
 * @param kind the kind of the result
 * @param sequence sequence number of the value, tombstone or newest operand; -1 if absent
 * @param value a copy of the value; null unless the kind is a value
 * @param operands from old to new; empty unless the kind is operands
 */
public record LookupResult(Kind kind, long sequence, byte[] value, List<byte[]> operands) {
    /** Nothing is known of the key. */
    public static final LookupResult ABSENT = new LookupResult(Kind.ABSENT, -1L, null, List.of());

    /** Kinds of results. */
    public enum Kind {
        /** The key has a value. */
        VALUE,
        /** The key was deleted, alone or with a range: older data must not be read. */
        TOMBSTONE,
        /** No entry was found: older data may have one. */
        ABSENT,
        /** Operands were found, and nothing before them: older data counts, too. See {@link LookupResult#over}. */
        OPERANDS
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof LookupResult that && kind == that.kind && sequence == that.sequence
            && Arrays.equals(value, that.value) && Arrays.deepEquals(operands.toArray(), that.operands.toArray());
    }

    @Override
    public int hashCode() {
        return 31 * (31 * kind.hashCode() + Long.hashCode(sequence)) + Arrays.hashCode(value)
            + Arrays.deepHashCode(operands.toArray());
    }

    /**
     * Returns the result for a value.
     *
     * @param sequence its sequence number
     * @param value the value
     * @return a result of kind {@link Kind#VALUE}
     */
    public static LookupResult value(final long sequence, final byte[] value) {
        return new LookupResult(Kind.VALUE, sequence, value, List.of());
    }

    /**
     * Returns the result for a deleted key.
     *
     * @param sequence sequence number of the tombstone or range tombstone
     * @return a result of kind {@link Kind#TOMBSTONE}
     */
    public static LookupResult tombstone(final long sequence) {
        return new LookupResult(Kind.TOMBSTONE, sequence, null, List.of());
    }

    /**
     * Returns the result for operands.
     *
     * @param sequence sequence number of the newest one
     * @param operands from old to new
     * @return a result of kind {@link Kind#OPERANDS}
     */
    public static LookupResult operands(final long sequence, final List<byte[]> operands) {
        return new LookupResult(Kind.OPERANDS, sequence, null, operands);
    }

    /**
     * Returns what this result and that of older data say together. A lookup goes from new to old, and ends when this has a value
     * or a tombstone. The older data must not hold the same versions again, such as a memtable's table beside it: their operands
     * would count twice.
     *
     * @param key the key
     * @param older what older data says of it
     * @param rules have the operator
     * @return this if it has a value or a tombstone, the older result if this is absent; else the value of the operands, or more
     *     operands
     * @throws MergeFailedException if the operator is missing or fails
     */
    public LookupResult over(final byte[] key, final LookupResult older, final ValueRules rules) {
        if (kind != Kind.OPERANDS) {
            return kind == Kind.ABSENT ? older : this;
        }
        return switch (older.kind) {
            case VALUE, TOMBSTONE -> value(sequence, rules.combine(key, older.value, operands));
            case ABSENT -> this;
            case OPERANDS -> operands(sequence, Stream.concat(older.operands.stream(), operands.stream()).toList());
        };
    }

    /**
     * Returns what this result says if there is no older data.
     *
     * @param key the key
     * @param rules have the operator
     * @return the value of the operands, or this if it has none
     * @throws MergeFailedException if the operator is missing or fails
     */
    public LookupResult overNothing(final byte[] key, final ValueRules rules) {
        return kind == Kind.OPERANDS ? value(sequence, rules.combine(key, null, operands)) : this;
    }
}
