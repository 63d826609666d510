/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.offheap.SlabAllocator;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.schema.TableMetadataRef;

import java.util.concurrent.atomic.AtomicReference;

/** Creates memtables with given parameters; factories with equal parameters are equal. */
record NestlingMemtableFactory(MemtableParameters parameters) implements Memtable.Factory {
    @Override
    public Memtable create(
        final AtomicReference<CommitLogPosition> commitLogLowerBound, final TableMetadataRef metadata,
        final Memtable.Owner owner) {
        return new NestlingMemtable(commitLogLowerBound, metadata, owner, parameters, SlabAllocator.direct());
    }
}
