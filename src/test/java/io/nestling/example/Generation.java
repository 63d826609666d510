/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import io.nestling.memtable.Memtable;

/** A memtable, its log, and the number of its first write. Views own the memtable; the last closes it. Any thread may use it. */
record Generation(Memtable memtable, WriteAheadLog log, long firstSequence) {
    void retain() {
        if (!memtable.tryRetain()) {
            throw new IllegalStateException("expected a memtable of a view in use but was " + memtable);
        }
    }

    void release() {
        memtable.release();
    }
}
