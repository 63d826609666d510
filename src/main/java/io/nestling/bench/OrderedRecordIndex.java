/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.EntryCursor;
import io.nestling.index.OrderedIndex;
import io.nestling.offheap.RecordStore;

/**
 * A {@link RecordIndex} over an ordered index.
 * <h2>Thread safety</h2>
 * That of the index.
 */
final class OrderedRecordIndex extends RecordIndex implements OrderedIndex {
    private final OrderedIndex index;
    private final RecordStore records;

    OrderedRecordIndex(final OrderedIndex index, final RecordStore records) {
        super(index, records);
        this.index = index;
        this.records = records;
    }

    @Override
    public EntryCursor cursor() {
        return new RecordCursor(index.cursor(), records);
    }
}
