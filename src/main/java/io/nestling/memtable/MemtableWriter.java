/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.memory.BudgetShare;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Claim;

/**
 * Makes the writes of a memtable. With a shared budget, it first asks for flushes, and repeats a write that does not fit when a
 * flush has ended. With a listener, it looks after each write whether the memtable is full.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class MemtableWriter {
    private final MemtableState state;
    private final ShardSet shards;
    private final BatchWriter batches;
    private final ListenerCalls listener;

    MemtableWriter(final MemtableState state, final ShardSet shards, final ListenerCalls listener) {
        this.state = state;
        this.shards = shards;
        this.batches = new BatchWriter(state, shards);
        this.listener = listener;
    }

    /** Makes one write and returns its sequence number, which may not be visible yet. */
    long write(
        final EntryKind kind, final byte[] key, final int keyLength,
        final Object value, final int valueOffset, final int valueLength) {
        final BudgetShare<Memtable> share = state.share();
        if (share == null) {
            return writeOnce(kind, key, keyLength, value, valueOffset, valueLength);
        }
        for (long deadline = 0;;) {
            share.beforeWrite();
            final long moment = share.moment();
            try {
                return writeOnce(kind, key, keyLength, value, valueOffset, valueLength);
            } catch (final SpaceExhaustedException e) {
                deadline = share.await(moment, deadline, e);
            }
        }
    }

    private long writeOnce(
        final EntryKind kind, final byte[] key, final int keyLength,
        final Object value, final int valueOffset, final int valueLength) {
        try {
            return writeLocked(kind, key, keyLength, value, valueOffset, valueLength);
        } finally {
            listener.afterWrite();
        }
    }

    private long writeLocked(
        final EntryKind kind, final byte[] key, final int keyLength,
        final Object value, final int valueOffset, final int valueLength) {
        final ShardWriter writer = shards.of(key, 0, keyLength).begin(keyLength, valueLength);
        try {
            return writer.write(kind, key, keyLength, value, valueOffset, valueLength);
        } finally {
            if (writer.guard != null) {
                writer.guard.held = Claim.FREE;
            }
            writer.slot.held = Claim.FREE;
        }
    }

    /** Makes the writes of a batch, see {@link BatchWriter#write}. */
    long write(
        final WriteBatch batch, final SequenceForm form, final SequenceReservation reservation, final long first) {
        final BudgetShare<Memtable> share = state.share();
        if (share == null) {
            return writeOnce(batch, form, reservation, first);
        }
        for (long deadline = 0;;) {
            share.beforeWrite();
            final long moment = share.moment();
            try {
                return writeOnce(batch, form, reservation, first);
            } catch (final SpaceExhaustedException e) {
                deadline = share.await(moment, deadline, e);
            }
        }
    }

    private long writeOnce(
        final WriteBatch batch, final SequenceForm form, final SequenceReservation reservation, final long first) {
        try {
            return batches.write(batch, form, reservation, first);
        } finally {
            listener.afterWrite();
        }
    }
}
