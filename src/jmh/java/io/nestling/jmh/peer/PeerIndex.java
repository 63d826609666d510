/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.bench.Values;
import io.nestling.index.EntryCursor;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;

import java.util.Arrays;

/**
 * The part that the adaptations of the peers to {@link OrderedIndex} share. Payloads are 0 to {@link
 * #GREATEST_PAYLOAD}; use after close throws.
 */
public abstract class PeerIndex implements OrderedIndex {
    /** Greatest payload that a peer must take. */
    public static final long GREATEST_PAYLOAD = (1L << 20) - 1;

    static final HeapLayout LAYOUT = HeapLayout.current();

    private final Values values;
    private boolean closed;

    /**
     * Makes an open index.
     *
     * @param valueBytes length of the values
     */
    protected PeerIndex(final int valueBytes) {
        values = new Values(valueBytes);
    }

    /** Length of the values. */
    final int valueBytes() {
        return values.bytes();
    }

    /**
     * The value of a payload.
     *
     * @param payload the payload
     * @return an array of its own
     */
    protected final byte[] value(final long payload) {
        return values.of(payload);
    }

    /**
     * Payload of a value.
     *
     * @param value a value, or null
     * @return the payload, or {@link #NONE} for null
     */
    protected static long payload(final byte[] value) {
        return value == null ? NONE : Values.payload(value);
    }

    /**
     * Bytes of the array of one value on the heap.
     *
     * @return bytes, with header and padding
     */
    protected final long valueArrayBytes() {
        return LAYOUT.byteArray(values.bytes());
    }

    /**
     * Memory of index, keys and values, on and off heap.
     *
     * @return bytes
     */
    public abstract long totalBytes();

    /** Gives back what the peer holds; called once. */
    protected abstract void release();

    /** One lookup after the other: none of the peers has a batched lookup that is faster. */
    @Override
    public void getAll(final KeyBatch keys, final long[] payloads) {
        final int size = keys.size();
        if (payloads.length < size) {
            throw new IllegalArgumentException(payloads.length + " payloads for " + size + " keys");
        }
        for (int i = 0; i < size; i++) {
            payloads[i] = get(keys.array(i), keys.offset(i), keys.length(i));
        }
    }

    /** Does nothing: the peers take memory as they need it. */
    @Override
    public void reserve(final int entries, final long keyBytes) {
        checkOpen();
    }

    /** Walks all entries: their keys must ascend, and there must be as many as counted. */
    @Override
    public void verify() {
        long entries = 0;
        byte[] before = null;
        try (EntryCursor cursor = cursor()) {
            for (boolean valid = cursor.first(); valid; valid = cursor.next()) {
                final byte[] key = cursor.key();
                if (before != null && Arrays.compareUnsigned(before, key) >= 0) {
                    throw new IllegalStateException("key " + entries + " does not sort after the one before");
                }
                before = key;
                entries++;
            }
        }
        if (entries != entryCount()) {
            throw new IllegalStateException(entries + " entries are there, " + entryCount() + " are counted");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            release();
        }
    }

    /** Throws unless the index is open. */
    protected final void checkOpen() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
    }

    /**
     * Throws unless a key and a payload are in range.
     *
     * @param length of the key
     * @param payload the payload
     */
    protected final void checkEntry(final int length, final long payload) {
        checkOpen();
        if (length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key of " + length + " bytes is longer than " + MAX_KEY_BYTES);
        }
        if (payload < 0 || payload > GREATEST_PAYLOAD) {
            throw new IllegalArgumentException("payload " + payload + " is not 0 to " + GREATEST_PAYLOAD);
        }
    }

    /**
     * A key as an array of its own.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return the array itself if the key is all of it, else a copy
     */
    protected static byte[] whole(final byte[] key, final int offset, final int length) {
        return offset == 0 && length == key.length ? key : Arrays.copyOfRange(key, offset, offset + length);
    }
}
