/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import org.apache.cassandra.db.RegularAndStaticColumns;

/**
 * The union of the columns of a memtable's updates.
 * <h2>Thread safety</h2> Any number of threads at once.
 */
final class CollectedColumns {
    private volatile RegularAndStaticColumns all = RegularAndStaticColumns.NONE;
    /* Updates of one statement share the object; a race only costs a comparison. */
    private RegularAndStaticColumns last = RegularAndStaticColumns.NONE;

    void add(final RegularAndStaticColumns columns) {
        if (columns == last) {
            return;
        }
        if (!all.includes(columns)) {
            synchronized (this) {
                all = columns.mergeTo(all);
            }
        }
        last = columns;
    }

    RegularAndStaticColumns get() {
        return all;
    }
}
