/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/**
 * What tables know about a key.
 *
 * @param result whether there is a value, a tombstone or nothing
 * @param sequence sequence number of the value or tombstone; -1 if absent
 * @param value the value; null unless there is one
 */
public record TableLookup(Result result, long sequence, byte[] value) {
    /** There is nothing about the key. */
    public static final TableLookup ABSENT = new TableLookup(Result.ABSENT, -1L, null);

    /** Kinds of answers. */
    public enum Result {
        /** The key has a value. */
        VALUE,
        /** The key was deleted, alone or with a range: older tables must not be asked. */
        TOMBSTONE,
        /** Nothing is known: older tables may have the key. */
        ABSENT
    }
}
