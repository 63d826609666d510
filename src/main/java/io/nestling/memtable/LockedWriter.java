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
 * Writes to a shard whose writers take turns. All space is reserved before the record is appended, but for the links of a key
 * that was wrongly expected to be new.
 * <p>
 * A key is expected to be new if the last one was. Then its record is appended without links, and put in one walk of the index.
 * If the key is there nevertheless, the record gets its links before it goes in, so that no reader sees a record without them.
 * If there is no space for these, the write is refused.
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
        final long previous =
            shard.expectsNew(valueLength) ? RecordLayout.NO_RECORD : shard.newest(key, offset, length);
        final int links = previous == RecordLayout.NO_RECORD ? 0 : shard.linkFlags(previous);
        final long word = shard.versionWord(kind, links);
        final long bytes = shard.recordBytes(word, length, valueLength);
        if (recordBytes[0] != bytes) { // without a store if nothing changes: other processors keep the line
            recordBytes[0] = bytes;
        }
        shard.space().update(length, bytes);
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
        final long prepared, final byte[] key, final int offset, final int length, final int valueLength) {
        final long record;
        try {
            record = publish(prepared, key, offset, length, valueLength);
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

    /** Makes a record the newest of its key; returns it, since it may move. */
    private long publish(
        final long prepared, final byte[] key, final int offset, final int length, final int valueLength) {
        if (!shard.expectsNew(valueLength)) { // as in prepare: it was looked up
            shard.noteLast(!shard.publish(prepared, key, offset, length));
            return prepared;
        }
        final long newest = shard.publishIfNew(prepared, key, offset, length);
        shard.noteLast(newest != RecordLayout.NO_RECORD);
        if (newest == RecordLayout.NO_RECORD) {
            return prepared;
        }
        final long linked = shard.link(prepared, newest);
        shard.space().update(length, shard.recordBytes(records.versionWord(linked), length, valueLength));
        shard.publish(linked, key, offset, length);
        return linked;
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
