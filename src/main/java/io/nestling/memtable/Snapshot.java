/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/**
 * A state of a memtable that can be read repeatedly. It costs little: a flush with {@link KeepVersions#NEEDED_BY_SNAPSHOTS}
 * emits what it sees, and a new range tombstone keeps what an open one needs of those that it lies over or divides. Reading a
 * key that was written n times since takes some 2 log2(n) + 64 steps from version to version: at n = 3,000,000 about twice the
 * time of reading the newest, if all are in the processor's cache.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
public final class Snapshot extends ReadView implements AutoCloseable {
    private final SnapshotRegistry registry;
    private final long sequence;
    /* The registry changes these, under its monitor. */
    volatile boolean closed;
    Snapshot newer;
    Snapshot older;

    Snapshot(final SnapshotRegistry registry, final MemtableState state, final ShardSet shards, final long sequence) {
        super(state, shards);
        this.registry = registry;
        this.sequence = sequence;
    }

    /**
     * Returns the sequence number of the last write that this snapshot shows.
     *
     * @return the sequence number
     */
    public long sequence() {
        return sequence;
    }

    /**
     * Returns whether the snapshot was closed.
     *
     * @return true if it can no longer be read
     */
    public boolean isClosed() {
        return closed;
    }

    @Override
    long visibleSequence() {
        if (closed) {
            throw new IllegalStateException("snapshot is closed: it was taken at " + sequence);
        }
        return sequence;
    }

    /** Closes the snapshot; its cursors stay usable. Closing twice does nothing. */
    @Override
    public void close() {
        registry.close(this);
    }

    @Override
    public String toString() {
        return "snapshot at " + sequence + (closed ? ", closed" : "");
    }
}
