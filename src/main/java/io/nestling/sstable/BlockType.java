/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.util.Locale;

/** The types of blocks. Files contain the codes, which never change. */
enum BlockType {
    /** Entries. */
    DATA(1),
    /** A chunk of a value that is too large for a data block. */
    VALUE(2),
    /** Lower bounds and handles of data blocks. */
    INDEX(3),
    /** Range tombstones. */
    RANGE_TOMBSTONES(4),
    /** A chunk of the key filter. */
    FILTER(5),
    /** A chunk of the list of index blocks and range tombstone blocks. */
    DIRECTORY(6),
    /** Named properties. */
    PROPERTIES(7);

    private final int code;

    BlockType(final int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** Returns the type with a code, or null if there is none. */
    static BlockType of(final int code) {
        return code < 1 || code > values().length ? null : values()[code - 1];
    }

    /** Returns the name for messages. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
