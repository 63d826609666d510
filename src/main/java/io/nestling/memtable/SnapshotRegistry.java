/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/**
 * The open snapshots of one memtable.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class SnapshotRegistry {
    private final SequenceGate gate;
    /* The open snapshots, linked from new to old. Changed by stores alone, so that an error leaves the list whole. */
    private Snapshot newest;
    private long count;

    SnapshotRegistry(final SequenceGate gate) {
        this.gate = gate;
    }

    /** Takes a snapshot of what is visible now. */
    synchronized Snapshot open(final MemtableState state, final ShardSet shards) {
        // Under the lock of capture(): a snapshot that a flush does not know is not older than the flush.
        final Snapshot snapshot = new Snapshot(this, state, shards, gate.visible());
        snapshot.older = newest;
        if (newest != null) {
            newest.newer = snapshot;
        }
        newest = snapshot;
        count++;
        return snapshot;
    }

    synchronized void close(final Snapshot snapshot) {
        if (!snapshot.isClosed()) {
            final Snapshot newer = snapshot.newer;
            final Snapshot older = snapshot.older;
            snapshot.closed = true;
            if (newer == null) {
                newest = older;
            } else {
                newer.older = older;
            }
            if (older != null) {
                older.newer = newer;
            }
            count--;
        }
    }

    synchronized long count() {
        return count;
    }

    /**
     * Returns the visible sequence number and then those of older snapshots, distinct and descending.
     */
    synchronized long[] capture() {
        final long visible = gate.visible();
        int size = 1;
        long before = visible;
        for (Snapshot snapshot = newest; snapshot != null; snapshot = snapshot.older) {
            size += snapshot.sequence() == before ? 0 : 1;
            before = snapshot.sequence();
        }
        final long[] sequences = new long[size];
        sequences[0] = visible;
        int last = 0;
        for (Snapshot snapshot = newest; snapshot != null; snapshot = snapshot.older) {
            if (snapshot.sequence() != sequences[last]) {
                sequences[++last] = snapshot.sequence();
            }
        }
        return sequences;
    }
}
