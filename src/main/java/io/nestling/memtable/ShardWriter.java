/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordStore;
import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;

/**
 * Makes one write to a shard ({@link #write}): {@link #prepare} checks everything, reserves space and appends the record; the
 * value is copied; {@link #commit} publishes and numbers the record. The two halves may refuse the write by a {@link
 * io.nestling.memory.SpaceExhaustedException}, after which it is not visible. A frozen or closed memtable refuses it, too. Any
 * other error ends only this write before it takes space, and from then on all writes of the memtable.
 * <h2>Thread safety</h2>
 * A writer belongs to one thread from {@link MemtableShard#begin} until that thread frees, by stores, the guard (if any) and
 * then the slot.
 */
abstract class ShardWriter {
    /** Up to this size of a value a key is assumed to be new: saves a lookup if it is, costs a copy of the record if not. */
    static final int MAX_MOVED_BYTES = 512;

    /** A value and when it expires. */
    record ExpiringValue(byte[] value, long expiry) {
    }

    /** The writer slot that reserves this writer for one thread. */
    final Claim slot;
    /** The shard's records. */
    final RecordStore records;
    /** A guard of the epochs that the write holds until it ends, or null. */
    Claim guard;

    ShardWriter(final Claim slot, final RecordStore records) {
        this.slot = slot;
        this.records = records;
    }

    /**
     * Makes a write; returns its sequence number. The value is in a {@code byte[]}, {@link DirectBuffer}, {@link ByteBuffer} or
     * {@link ExpiringValue}; null for a tombstone. The caller frees the slot and then waits until the number is visible. If it
     * does not fit, or the memtable takes no writes, it throws and has changed nothing.
     */
    final long write(
        final EntryKind kind, final byte[] key, final int keyLength,
        final Object value, final int valueOffset, final int valueLength) {
        final long record = prepare(kind, key, 0, keyLength, valueLength);
        if (value instanceof byte[] bytes) {
            records.putValue(record, bytes, valueOffset, valueLength);
        } else if (value instanceof DirectBuffer buffer) {
            records.putValue(record, buffer, valueOffset, valueLength);
        } else if (value instanceof ByteBuffer buffer) {
            records.valueView(record).put(0, buffer, valueOffset, valueLength);
        } else if (value instanceof ExpiringValue expiring) {
            records.putValue(record, expiring.value(), valueOffset, valueLength);
            records.putExpiry(record, expiring.expiry());
        }
        return commit(record, key, 0, keyLength, valueLength);
    }

    /** Appends the record of a new version, without value and sequence number, and returns it. */
    abstract long prepare(EntryKind kind, byte[] key, int offset, int length, int valueLength);

    /** Makes a prepared record the newest of its key and numbers it; returns its sequence number. */
    abstract long commit(long record, byte[] key, int offset, int length, int valueLength);
}
