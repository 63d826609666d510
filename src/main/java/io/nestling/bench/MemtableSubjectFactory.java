/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.index.IndexFactory;
import io.nestling.memory.MemoryBudget;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;


/**
 * Creates memtables with one index of the catalog as subjects; 0 shards stand for the default number.
 * <h2>Thread safety</h2>
 * Immutable.
 */
record MemtableSubjectFactory(IndexFactory index, int shards, Values values) implements SubjectFactory {
    /** Suffix of the names of memtables, after that of the index. */
    static final String NAME_SUFFIX = "_memtable";
    private static final long INDEX_BYTES_PER_KEY = 112;
    private static final long VERSION_BYTES_BESIDE_KEY_AND_VALUE = 32;
    /* Factor of the address space for keys spread unevenly over the shards; memory is taken as it is used. */
    private static final long ROOM = 2;
    private static final long MIN_BYTES = 256L << 20;

    @Override
    public String subjectName() {
        return index.indexName() + NAME_SUFFIX;
    }

    /** Returns true: a memtable sorts keys if its index does not. */
    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public boolean concurrentWriters() {
        return true;
    }

    @Override
    public boolean usesDirectBuffers() {
        return !SlabAllocator.direct().lazy();
    }

    @Override
    public String configuration() {
        return "memtable with " + (shards == 0 ? "shards by default" : shards == 1 ? "1 shard" : shards + " shards")
            + ", off-heap slabs, values of " + values.bytes() + " bytes";
    }

    @Override
    public MemoryNeed memoryNeed(final long keys, final long keyBytes) {
        final long average = keyBytes / Math.max(1, keys);
        final long versions = keys + MixedWorkload.maxUpdates(keys, average);
        return new MemoryNeed(
            0, keys * INDEX_BYTES_PER_KEY + versions * (VERSION_BYTES_BESIDE_KEY_AND_VALUE + average + values.bytes()));
    }

    @Override
    public Subject create(final long keys, final long keyBytes) {
        final long bytes = Math.max(MIN_BYTES, ROOM * memoryNeed(keys, keyBytes).directBytes());
        final long whole = (bytes + MemoryBudget.SLAB_BYTES - 1) & -MemoryBudget.SLAB_BYTES;
        final MemtableOptions.Builder options =
            MemtableOptions.builder().index(index).capacityBytes(Math.min(whole, Slab.MAX_BYTES));
        return new MemtableSubject(Memtable.open((shards == 0 ? options : options.shards(shards)).build()), values);
    }
}
