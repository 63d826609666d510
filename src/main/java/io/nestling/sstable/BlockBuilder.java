/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.ByteComparison;
import io.nestling.bytes.Varint;

import java.util.Arrays;

/**
 * Builds blocks of front-coded entries ({@link TableEntryLayout}), one after the other. The last key survives {@link #reset}, so
 * that the caller can compare the next key with it.
 */
final class BlockBuilder {
    private static final int INITIAL_BYTES = 4 << 10;

    private byte[] buffer = new byte[INITIAL_BYTES];
    private int size;
    private int[] restarts = new int[16];
    private int restartCount;
    private int entryCount;

    private byte[] lastKey = new byte[64];
    private int lastKeyLength;
    private long lastSequence;

    boolean isEmpty() {
        return entryCount == 0;
    }

    /** Returns the buffer whose first {@link #lastKeyLength} bytes are the last key. */
    byte[] lastKey() {
        return lastKey;
    }

    int lastKeyLength() {
        return lastKeyLength;
    }

    long lastSequence() {
        return lastSequence;
    }

    /** Returns the length of the prefix that a key shares with the last one. */
    int commonPrefix(final byte[] key, final int keyLength) {
        return ByteComparison.commonPrefix(lastKey, 0, lastKeyLength, key, 0, keyLength);
    }

    /** Returns an upper bound of the size of the block, trailer included, after an entry with these lengths. */
    long sizeWith(final int keyLength, final int commonPrefix, final long valueBytes) {
        final boolean restart = entryCount % TableEntryLayout.RESTART_INTERVAL == 0;
        final int tail = restart ? keyLength : keyLength - commonPrefix;
        final int trailer = (restartCount + (restart ? 2 : 1)) * Integer.BYTES;
        return size + 2L * Varint.MAX_INT_BYTES + Varint.MAX_LONG_BYTES + tail + valueBytes + trailer;
    }

    /**
     * Adds an entry up to the end of its key tail, and the form if the tag has no room for it. The caller adds the rest with
     * {@link #addVarint}, {@link #addBytes} or {@link #addSpace}. The value's length is ignored for a tombstone.
     */
    void addKey(
        final byte[] key, final int keyLength, final int commonPrefix, final long sequence, final int form,
        final int valueLength) {
        final boolean restart = entryCount % TableEntryLayout.RESTART_INTERVAL == 0;
        if (restart) {
            addRestart();
        }
        final int shared = restart ? 0 : commonPrefix;
        reserve(2 * Varint.MAX_INT_BYTES + Varint.MAX_LONG_BYTES + Varint.MAX_INT_BYTES + keyLength + 1);
        size = Varint.write(buffer, size, shared);
        size = Varint.write(buffer, size, keyLength - shared);
        size = Varint.write(buffer, size, TableEntryLayout.tag(sequence, form));
        if (TableEntryLayout.hasValueLength(form)) {
            size = Varint.write(buffer, size, valueLength);
        }
        System.arraycopy(key, shared, buffer, size, keyLength - shared);
        size += keyLength - shared;
        if (form >= TableEntryLayout.FIRST_LATER_FORM) {
            buffer[size++] = (byte) form;
        }
        entryCount++;

        if (lastKey.length < keyLength) {
            lastKey = Arrays.copyOf(lastKey, Math.max(keyLength, 2 * lastKey.length));
        }
        System.arraycopy(key, commonPrefix, lastKey, commonPrefix, keyLength - commonPrefix);
        lastKeyLength = keyLength;
        lastSequence = sequence;
    }

    void addVarint(final long value) {
        reserve(Varint.MAX_LONG_BYTES);
        size = Varint.write(buffer, size, value);
    }

    void addBytes(final byte[] bytes, final int offset, final int length) {
        final int start = addSpace(length); // first, since it may replace the buffer
        System.arraycopy(bytes, offset, buffer, start, length);
    }

    /** Appends space, which the caller then fills in {@link #buffer}, and returns its offset. */
    int addSpace(final int length) {
        reserve(length);
        size += length;
        return size - length;
    }

    /** Completes the block by its restart points and returns its length: its bytes are the first ones of {@link #buffer}. */
    int finish() {
        reserve((restartCount + 1) * Integer.BYTES);
        for (int i = 0; i < restartCount; i++) {
            LittleEndian.putInt(buffer, size, restarts[i]);
            size += Integer.BYTES;
        }
        LittleEndian.putInt(buffer, size, restartCount);
        size += Integer.BYTES;
        return size;
    }

    byte[] buffer() {
        return buffer;
    }

    /** Begins the next block. */
    void reset() {
        size = 0;
        restartCount = 0;
        entryCount = 0;
    }

    private void addRestart() {
        if (restartCount == restarts.length) {
            restarts = Arrays.copyOf(restarts, 2 * restartCount);
        }
        restarts[restartCount++] = size;
    }

    private void reserve(final int length) {
        if (buffer.length - size < length) {
            buffer = Arrays.copyOf(buffer, Math.max(size + length, buffer.length + (buffer.length >> 1)));
        }
    }
}
