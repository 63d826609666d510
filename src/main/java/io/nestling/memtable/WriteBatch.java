/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;

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
    private long bytes;

    /** Creates an empty batch. */
    public WriteBatch() {
    }

    /**
     * One write of a batch.
     *
     * @param kind its effect: {@link EntryKind#VALUE} puts, {@link EntryKind#TOMBSTONE} deletes a key,
     *     {@link EntryKind#RANGE_TOMBSTONE} deletes a range
     * @param key the key, or the first key of the range
     * @param value the value to put, else null
     * @param toExclusive first key behind the range to delete; null if the range has no end, or the write is another one
     */
    public record Operation(EntryKind kind, byte[] key, byte[] value, byte[] toExclusive) {
        int valueLength() {
            return value == null ? 0 : value.length;
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
        Limits.checkKey(key);
        Objects.requireNonNull(value, "value");
        Limits.checkValueLength(value.length);
        operations.add(new Operation(EntryKind.VALUE, key, value, null));
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
        operations.add(new Operation(EntryKind.TOMBSTONE, key, null, null));
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
        operations.add(new Operation(EntryKind.RANGE_TOMBSTONE, fromInclusive, null, toExclusive));
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
        operations.add(new Operation(EntryKind.RANGE_TOMBSTONE, fromInclusive, null, null));
        ranges++;
        bytes += fromInclusive.length;
        return this;
    }

    /** Removes all writes. */
    public void clear() {
        operations.clear();
        ranges = 0;
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

    BatchPlan plan() {
        return plan;
    }
}
