/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** The kind of an entry. Records in memory store its code; files store forms of entries instead. */
public enum EntryKind {
    /** The key was deleted. */
    TOMBSTONE(0),
    /** The key has a value. */
    VALUE(1),
    /** Every key of a range was deleted. */
    RANGE_TOMBSTONE(2);

    private static final EntryKind[] BY_CODE = {TOMBSTONE, VALUE, RANGE_TOMBSTONE};

    private final int code;

    EntryKind(final int code) {
        this.code = code;
    }

    /**
     * Returns the code in records.
     *
     * @return 0 to 2
     */
    public int code() {
        return code;
    }

    /**
     * Returns whether an entry of a key of this kind has a value.
     *
     * @return true for {@link #VALUE}, false for {@link #TOMBSTONE}
     * @throws IllegalStateException if it is {@link #RANGE_TOMBSTONE}, which is not an entry of a key
     */
    public boolean isValue() {
        return switch (this) {
            case TOMBSTONE -> false;
            case VALUE -> true;
            case RANGE_TOMBSTONE -> throw new IllegalStateException("a range tombstone is not an entry");
        };
    }

    /**
     * Returns the kind with a code.
     *
     * @param code a code that {@link #code()} returns
     * @return the kind
     * @throws IllegalArgumentException if no kind has this code
     */
    public static EntryKind of(final int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("expected an entry kind of 0 to " + (BY_CODE.length - 1) + " but was " + code);
        }
        return BY_CODE[code];
    }
}
