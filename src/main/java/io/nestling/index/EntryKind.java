/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * The kind of an entry. Records in memory store its code, of which bit 3 says that an expiry follows; files store forms of
 * entries instead.
 */
public enum EntryKind {
    /** The key was deleted. */
    TOMBSTONE(0),
    /** The key has a value. */
    VALUE(1),
    /** Every key of a range was deleted. */
    RANGE_TOMBSTONE(2),
    /** The key has a value until its expiry, and is deleted from then on. Cursors over visible values show it as one of both. */
    EXPIRING(9),
    /** An operand for the key's value, see {@link MergeOperator}. Cursors over visible values show what it is combined to. */
    OPERAND(3);

    private static final EntryKind[] BY_CODE = new EntryKind[10];

    static {
        for (final EntryKind kind : values()) {
            BY_CODE[kind.code] = kind;
        }
    }

    private final int code;

    EntryKind(final int code) {
        this.code = code;
    }

    /**
     * Returns the code in records.
     *
     * @return 0 to 9
     */
    public int code() {
        return code;
    }

    /**
     * Returns whether an entry of a key of this kind has a value, though it may have expired, or an operand in its place.
     *
     * @return false for {@link #TOMBSTONE}, true for others
     * @throws IllegalStateException if it is {@link #RANGE_TOMBSTONE}, which is not an entry of a key
     */
    public boolean isValue() {
        return switch (this) {
            case TOMBSTONE -> false;
            case VALUE, EXPIRING, OPERAND -> true;
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
        final EntryKind kind = code < 0 || code >= BY_CODE.length ? null : BY_CODE[code];
        if (kind == null) {
            throw new IllegalArgumentException("expected the code of an entry kind, 0 to 3 or 9, but was " + code);
        }
        return kind;
    }
}
