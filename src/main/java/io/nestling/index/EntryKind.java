/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** What an entry says about its key. The codes stand in records, in memory alone; files have forms of entries. */
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
     * The code in records.
     *
     * @return 0 to 2
     */
    public int code() {
        return code;
    }

    /**
     * The kind with a code.
     *
     * @param code as {@link #code()} gives it
     * @return the kind
     * @throws IllegalArgumentException if no kind has this code
     */
    public static EntryKind of(final int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("entry kind " + code + " is not one of 0 to "
                + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
