/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;

/**
 * A cursor of a memtable with values of eight bytes; it returns them as payloads.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class ValueCursor extends ForwardedCursor {
    private final byte[] value = new byte[Long.BYTES];

    ValueCursor(final EntryCursor cursor) {
        super(cursor);
    }

    @Override
    public long payload() {
        cursor().copyValue(value, 0);
        return MemtableIndex.number(value);
    }
}
