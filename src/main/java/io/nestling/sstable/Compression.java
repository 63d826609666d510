/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.util.Locale;

/** The compression of blocks. Files contain the codes, which never change. */
public enum Compression {
    /** Blocks are stored as they are. */
    NONE(0),
    /** Blocks are compressed with LZ4; a block that does not shrink is stored as it is. */
    LZ4(1);

    private final int code;

    Compression(final int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /**
     * Returns the name for properties and messages.
     *
     * @return {@code none} or {@code lz4}
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
