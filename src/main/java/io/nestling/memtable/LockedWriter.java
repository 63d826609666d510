/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.WriteFailure;

/**
 * Writes to a shard whose writers take turns. All space is reserved before the record is appended.
 * <h2>Thread safety</h2>
 * One thread: the one that has entered the shard's lock.
 */
final class LockedWriter extends ShardWriter {
    private final MemtableState state;
    private final MemtableShard shard;
    private final SequenceGate gate;
    private final WriteFailure failure;
    private final long[] recordBytes = new long[1];

    LockedWriter(final MemtableState state, final MemtableShard shard) {
        super(shard.lock().slot(MemtableShard.SINGLE_WRITER_ROW), shard.records());
        this.state = state;
        this.shard = shard;
        this.gate = state.gate();
        this.failure = state.failure();
    }

    @Override
    long prepare(
        final EntryKind kind, final byte[] key, final int offset, final int length, final int valueLength) {
        state.checkWritable();
        final long previous = shard.newest(key, offset, length);
        final int links = previous == RecordLayout.NO_RECORD ? 0 : shard.linkFlags(previous);
        final long word = shard.versionWord(kind, links);
        recordBytes[0] = shard.recordBytes(word, length, valueLength);
        shard.space().update(length, recordBytes[0]);
        try {
            try {
                shard.space().reserve(recordBytes, 0, 1, length, previous == RecordLayout.NO_RECORD ? 1 : 0);
                return shard.append(word, previous, key, offset, length, valueLength);
            } catch (final SpaceExhaustedException e) {
                state.markFull();
                shard.space().release();
                throw e;
            }
        } catch (final SpaceExhaustedException e) {
            throw e;
        } catch (final Throwable e) {
            failure.cause = e;
            throw e;
        }
    }

    @Override
    long commit(
        final long record, final byte[] key, final int offset, final int length, final int valueLength) {
        try {
            shard.publish(record, key, offset, length);
            shard.counters().countWrites(MemtableShard.SINGLE_WRITER_ROW, 1, length + (long) valueLength);
        } catch (final SpaceExhaustedException e) {
            state.markFull();
            throw e;
        } catch (final Throwable e) {
            failure.cause = e;
            throw e;
        }
        final long sequence = number(record);
        try {
            shard.recycle(record);
        } catch (final Throwable e) {
            shard.recyclingError = e; // the write has taken effect
        }
        return sequence;
    }

    private long number(final long record) {
        long sequence = SequenceGate.NO_FAILURE;
        try {
            sequence = gate.claim(1);
            records.putSequence(record, sequence);
            gate.complete(sequence, sequence); // at once: until then it delays all later numbers
            return sequence;
        } catch (final Throwable e) {
            failure.cause = e;
            if (sequence < gate.failedAt) {
                gate.failedAt = sequence;
            }
            throw e;
        }
    }
}
