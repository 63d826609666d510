/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/**
 * The result of a lookup in one or several tables.
 *
 * @param result the kind of the result
 * @param sequence sequence number of the value or tombstone; -1 if absent
 * @param value the value; null unless the result is a value
 */
public record TableLookup(Result result, long sequence, byte[] value) {
    /** The tables do not contain the key. */
    public static final TableLookup ABSENT = new TableLookup(Result.ABSENT, -1L, null);

    /** Kinds of results. */
    public enum Result {
        /** The key has a value. */
        VALUE,
        /** The key was deleted, alone or with a range: older tables must not be read. */
        TOMBSTONE,
        /** No entry was found: older tables may have one. */
        ABSENT
    }
}
