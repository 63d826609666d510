/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryArguments;
import io.nestling.index.EntryKind;
import io.nestling.offheap.RecordStore;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;

/**
 * Writes that {@link Memtable#write} makes visible together. They are applied in the order in which they were
 * added; of two writes to one key the later one counts.
 * <p>
 * A batch keeps the arrays that it is given and does not copy them: they must not change until it is
 * written for the last time. It can be written more than once, and reused after {@link #clear}.
 * <h2>Thread safety</h2>
 * One thread at a time, also while the batch is written.
 */
public final class WriteBatch implements Iterable<WriteBatch.Operation> {
    private final List<Operation> operations = new ArrayList<>();
    private final BatchPlan plan = new BatchPlan();
    private int ranges;
    private boolean expires;
    private boolean merges;
    private long bytes;

    /** Creates an empty batch. */
    public WriteBatch() {
    }

    /**
     * One write of a batch.
     *
     * @param kind its effect: {@link EntryKind#VALUE} puts, {@link EntryKind#EXPIRING} puts until an expiry, {@link
     *     EntryKind#OPERAND} merges, {@link EntryKind#TOMBSTONE} deletes a key, {@link EntryKind#RANGE_TOMBSTONE} deletes a range
     * @param key the key, or the first key of the range
     * @param value the value to put, or the operand to merge, else null
     * @param toExclusive first key behind the range to delete; null if the range has no end, or the write is another one
     * @param expiry when the value to put expires, in milliseconds since the epoch; 0 if it does not, or the write is another one
     */
    public record Operation(EntryKind kind, byte[] key, byte[] value, byte[] toExclusive, long expiry) {
        int valueLength() {
            return value == null ? 0 : value.length;
        }

        /** Copies value and expiry into the record of this write, which is not published. */
        void putInto(final RecordStore records, final long record) {
            if (valueLength() > 0) {
                records.putValue(record, value, 0, value.length);
            }
            if (kind == EntryKind.EXPIRING) {
                records.putExpiry(record, expiry);
            }
        }
    }

    /**
     * Adds a put.
     *
     * @param key 0 to 65,535 bytes
     * @param value the value
     * @return this
     * @throws NullPointerException if one is null
     * @throws IllegalArgumentException if one is too long
     */
    public WriteBatch put(final byte[] key, final byte[] value) {
        return add(EntryKind.VALUE, key, value, "value", 0);
    }

    /**
     * Adds a put of a value that expires.
     *
     * @param key 0 to 65,535 bytes
     * @param value the value
     * @param expiryMillis from when on the key is deleted, in milliseconds since the epoch, at least 0; it may have passed
     * @return this
     * @throws NullPointerException if key or value is null
     * @throws IllegalArgumentException if one is too long, or the expiry is negative
     */
    public WriteBatch putExpiring(final byte[] key, final byte[] value, final long expiryMillis) {
        EntryArguments.checkExpiry(expiryMillis);
        add(EntryKind.EXPIRING, key, value, "value", expiryMillis);
        expires = true;
        return this;
    }

    /**
     * Adds an operand for the value of a key, see {@link Memtable#merge}.
     *
     * @param key 0 to 65,535 bytes
     * @param operand the operand
     * @return this
     * @throws NullPointerException if one is null
     * @throws IllegalArgumentException if one is too long
     */
    public WriteBatch merge(final byte[] key, final byte[] operand) {
        add(EntryKind.OPERAND, key, operand, "operand", 0);
        merges = true;
        return this;
    }

    private WriteBatch add(
        final EntryKind kind, final byte[] key, final byte[] value, final String what, final long expiry) {
        Limits.checkKey(key);
        Objects.requireNonNull(value, what);
        Limits.checkValueLength(value.length);
        operations.add(new Operation(kind, key, value, null, expiry));
        bytes += key.length + (long) value.length;
        return this;
    }

    /**
     * Adds a deletion.
     *
     * @param key 0 to 65,535 bytes
     * @return this
     * @throws NullPointerException if the key is null
     * @throws IllegalArgumentException if the key is too long
     */
    public WriteBatch delete(final byte[] key) {
        Limits.checkKey(key);
        operations.add(new Operation(EntryKind.TOMBSTONE, key, null, null, 0));
        bytes += key.length;
        return this;
    }

    /**
     * Adds a deletion of a range.
     *
     * @param fromInclusive first key of the range
     * @param toExclusive first key behind the range
     * @return this
     * @throws NullPointerException if one is null
     * @throws IllegalArgumentException if one is too long or the range is empty
     */
    public WriteBatch deleteRange(final byte[] fromInclusive, final byte[] toExclusive) {
        Limits.checkRange(fromInclusive, toExclusive);
        operations.add(new Operation(EntryKind.RANGE_TOMBSTONE, fromInclusive, null, toExclusive, 0));
        ranges++;
        bytes += fromInclusive.length + (long) toExclusive.length;
        return this;
    }

    /**
     * Adds a deletion of all keys at or above a key.
     *
     * @param fromInclusive first key of the range, which has no end
     * @return this
     * @throws NullPointerException if the key is null
     * @throws IllegalArgumentException if the key is too long
     */
    public WriteBatch deleteRangeFrom(final byte[] fromInclusive) {
        Limits.checkRangeStart(fromInclusive);
        operations.add(new Operation(EntryKind.RANGE_TOMBSTONE, fromInclusive, null, null, 0));
        ranges++;
        bytes += fromInclusive.length;
        return this;
    }

    /** Removes all writes. */
    public void clear() {
        operations.clear();
        ranges = 0;
        expires = false;
        merges = false;
        bytes = 0;
    }

    /**
     * Returns the number of writes.
     *
     * @return the number of writes added since the last {@link #clear}
     */
    public int size() {
        return operations.size();
    }

    /**
     * Returns the size of the content.
     *
     * @return bytes of all keys, values and ends of ranges; a memtable takes more for them
     */
    public long byteSize() {
        return bytes;
    }

    /**
     * Returns the writes in the order in which they were added.
     *
     * @return an iterator that cannot remove
     */
    @Override
    public Iterator<Operation> iterator() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < operations.size();
            }

            @Override
            public Operation next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("the batch has " + operations.size() + " writes");
                }
                return operations.get(next++);
            }
        };
    }

    Operation operation(final int i) {
        return operations.get(i);
    }

    /** Returns the number of range deletions. */
    int ranges() {
        return ranges;
    }

    /** Returns whether a write is an operand. */
    boolean merges() {
        return merges;
    }

    /** Returns whether a write has an expiry. */
    boolean expires() {
        return expires;
    }

    BatchPlan plan() {
        return plan;
    }
}
