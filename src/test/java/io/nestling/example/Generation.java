/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.example;

import io.nestling.memtable.Memtable;

import java.util.concurrent.atomic.AtomicInteger;

/** A memtable, its log, and the number of its first write. Closed when no view has it any more. Any thread may use it. */
record Generation(Memtable memtable, WriteAheadLog log, long firstSequence, AtomicInteger views) {
    void retain() {
        views.incrementAndGet();
    }

    void release() {
        if (views.decrementAndGet() == 0) {
            memtable.close();
        }
    }
}
