/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The open snapshots of one memtable.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class SnapshotRegistry {
    private final SequenceGate gate;
    /** Number of open snapshots by sequence number, the newest first. */
    private final Map<Long, Integer> open = new TreeMap<>(Collections.reverseOrder());
    private long count;

    SnapshotRegistry(final SequenceGate gate) {
        this.gate = gate;
    }

    /** A new snapshot of what is visible now. */
    synchronized Snapshot open() {
        // Under the same lock as capture(): a snapshot that a flush does not know is not older than the
        // flush.
        final Snapshot snapshot = new Snapshot(this, gate.visible());
        open.merge(snapshot.sequence(), 1, Integer::sum);
        count++;
        return snapshot;
    }

    synchronized void close(final Snapshot snapshot) {
        if (!snapshot.isClosed()) {
            snapshot.markClosed();
            open.computeIfPresent(snapshot.sequence(), (sequence, times) -> times == 1 ? null : times - 1);
            count--;
        }
    }

    synchronized long count() {
        return count;
    }

    /**
     * What is visible now, and then the older states that snapshots see: distinct sequence numbers,
     * descending.
     */
    synchronized long[] capture() {
        final long visible = gate.visible();
        final long[] sequences = new long[open.size() + 1];
        sequences[0] = visible;
        int size = 1;
        for (final long sequence : open.keySet()) {
            if (sequence != visible) {
                sequences[size++] = sequence;
            }
        }
        return java.util.Arrays.copyOf(sequences, size);
    }

    /**
     * The sequence number of a snapshot.
     *
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it belongs to another memtable
     * @throws IllegalStateException if it is closed
     */
    long sequenceOf(final Snapshot snapshot) {
        Objects.requireNonNull(snapshot, "snapshot");
        if (snapshot.registry() != this) {
            throw new IllegalArgumentException(snapshot + " belongs to another memtable");
        }
        if (snapshot.isClosed()) {
            throw new IllegalStateException("snapshot is closed: it was taken at " + snapshot.sequence());
        }
        return snapshot.sequence();
    }
}
