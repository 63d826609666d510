/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.IndexFactory;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;


/**
 * Creates subjects with one index of the catalog.
 * <h2>Thread safety</h2>
 * Immutable.
 */
record IndexSubjectFactory(IndexFactory factory) implements SubjectFactory {
    /* Greatest memory of an index for a key: structure, and the header and value of a record. */
    private static final long INDEX_BYTES_PER_KEY = 96;
    private static final long RECORD_BYTES_PER_KEY = 32;
    private static final int LENGTHS_DIFFER = -1;
    /*
     * Factor for inserts, updates and unfavorable shapes. Address space costs nothing, memory does.
     */
    private static final long ROOM = SlabAllocator.direct().lazy() ? 4 : 2;
    private static final long MIN_BYTES = 256L << 20;

    @Override
    public String subjectName() {
        return factory.indexName();
    }

    @Override
    public boolean ordered() {
        return factory.ordered();
    }

    @Override
    public boolean concurrentWriters() {
        return factory.concurrentWriters();
    }

    /** Returns true if slabs are direct buffers, which they are unless they are mapped. */
    @Override
    public boolean usesDirectBuffers() {
        return !SlabAllocator.direct().lazy();
    }

    @Override
    public String configuration() {
        if (factory.storesKeys()) {
            return "off-heap slabs; spells keys itself, payloads inside";
        }
        return "off-heap slabs; keys and 8-byte values in records beside it"
            + (factory.storesKeys(Long.BYTES) ? "; keys of 8 bytes and their payloads inside" : "");
    }

    @Override
    public MemoryNeed memoryNeed(final long keys, final long keyBytes) {
        return new MemoryNeed(0, factory.storesKeys()
            ? keys * INDEX_BYTES_PER_KEY + keyBytes + keyBytes / 2
            : keys * (INDEX_BYTES_PER_KEY + RECORD_BYTES_PER_KEY) + keyBytes + updateBytes(keys, keyBytes));
    }

    /** Returns the size of the records that mixed workloads append. */
    private static long updateBytes(final long keys, final long keyBytes) {
        final long average = keyBytes / Math.max(1, keys);
        return MixedWorkload.maxUpdates(keys, average) * (RECORD_BYTES_PER_KEY + average);
    }

    @Override
    public Subject create(final long keys, final long keyBytes) {
        return create(keys, keyBytes, LENGTHS_DIFFER);
    }

    @Override
    public Subject create(final long keys, final long keyBytes, final int keyLength) {
        final long bytes = Math.max(MIN_BYTES, ROOM * memoryNeed(keys, keyBytes).directBytes());
        final long whole = (bytes + MemoryBudget.SLAB_BYTES - 1) & -MemoryBudget.SLAB_BYTES;
        final boolean selfContained = factory.storesKeys() || keyLength >= 0 && factory.storesKeys(keyLength);
        return new IndexSubject(factory, selfContained, Math.min(whole, Slab.MAX_BYTES), whole);
    }
}
