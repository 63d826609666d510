/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.offheap.RecordStore;

/**
 * A cursor of an index whose payloads are records; it returns the values of the records as payloads.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class RecordCursor extends ForwardedCursor {
    private final RecordStore records;

    RecordCursor(final EntryCursor cursor, final RecordStore records) {
        super(cursor);
        this.records = records;
    }

    @Override
    public long payload() {
        return records.valueAsLong(cursor().payload());
    }
}
