/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * One entry as a cursor or a flush shows it: valid until the cursor moves.
 * <p> A view from an index has a {@link #payload()} but no value, sequence or kind; a view from a memtable or
 * a table file has value, sequence and kind but no payload. Other accessors throw {@link
 * UnsupportedOperationException}.
 * <p> A view from an index may read the key only when it is asked for, from its {@link io.nestling.offheap.KeySource}. Where that
 * uses the memory of replaced payloads again, {@link #keyBuffer}, {@link #keyLength}, {@link #key} and {@link #commonPrefix} are
 * called inside the guard in which the cursor moved.
 * <h2>Thread safety</h2>
 * One thread: the one that moves the cursor.
 */
public interface EntryView {
    /**
     * Returns the buffer that holds the key from its first byte; only {@link #keyLength()} bytes count, and they change
     * with the next move.
     *
     * @return the shared buffer, to be read only
     */
    byte[] keyBuffer();

    /**
     * Returns the length of the key.
     *
     * @return 0 to 65,535 bytes
     */
    int keyLength();

    /**
     * Returns a copy of the key.
     *
     * @return a new array of {@link #keyLength()} bytes
     */
    default byte[] key() {
        return java.util.Arrays.copyOf(keyBuffer(), keyLength());
    }

    /**
     * Returns the number of leading bytes that this key shares with the key before the cursor's last {@code
     * next} or {@code previous}; 0 after any other move.
     *
     * @return the exact length of the common prefix, in bytes
     */
    int commonPrefix();

    /**
     * Returns the payload that the index holds for the key.
     *
     * @return the payload
     * @throws UnsupportedOperationException if this entry has a value
     */
    default long payload() {
        throw new UnsupportedOperationException("this entry has a value, no payload");
    }

    /**
     * Returns the length of the value; 0 for a tombstone.
     *
     * @return length in bytes
     * @throws UnsupportedOperationException if this entry has a payload
     */
    default int valueLength() {
        throw new UnsupportedOperationException("this entry has a payload, no value");
    }

    /**
     * Copies the whole value.
     *
     * @param destination array to copy to
     * @param offset index of the first byte written
     * @return {@link #valueLength()}
     * @throws IndexOutOfBoundsException if it does not fit
     * @throws UnsupportedOperationException if this entry has a payload
     */
    default int copyValue(final byte[] destination, final int offset) {
        throw new UnsupportedOperationException("this entry has a payload, no value");
    }

    /**
     * Returns a copy of the value, or of the operand in its place.
     *
     * @return a new array, or null for a tombstone
     */
    default byte[] value() {
        if (!kind().isValue()) {
            return null;
        }
        final byte[] value = new byte[valueLength()];
        copyValue(value, 0);
        return value;
    }

    /**
     * Returns the sequence number of the write that made this entry.
     *
     * @return the number, 0 to 2^56 - 1
     * @throws UnsupportedOperationException if this entry has a payload
     */
    default long sequence() {
        throw new UnsupportedOperationException("this entry has a payload, no sequence number");
    }

    /**
     * Returns the kind of this entry.
     *
     * @return {@link EntryKind#VALUE} or {@link EntryKind#TOMBSTONE}; from versions as they are, from table cursors and in
     *     flushes also {@link EntryKind#EXPIRING} and {@link EntryKind#OPERAND}
     * @throws UnsupportedOperationException if this entry has a payload
     */
    default EntryKind kind() {
        throw new UnsupportedOperationException("this entry has a payload, no kind");
    }

    /**
     * Returns when an entry of kind {@link EntryKind#EXPIRING} expires.
     *
     * @return milliseconds since the epoch, at least 0: from then on the key is deleted
     * @throws UnsupportedOperationException if this entry has another kind
     */
    default long expiry() {
        throw new UnsupportedOperationException("this entry has no expiry");
    }
}
