/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import io.nestling.bytes.KeyChunk;
import io.nestling.offheap.KeySource;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongFunction;

/**
 * Keys of payloads, kept on the heap: stands in for a record store where indexes are tested that read keys
 * from records. A payload has one key for good. Any thread may ask, or tell keys.
 */
public final class HeapKeySource implements KeySource {
    private static final int FIRST_SLOTS = 64;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private final LongFunction<byte[]> keyOf;
    private volatile Table registered = new Table(FIRST_SLOTS);

    /** Makes a source to which keys are told by {@link #register}. */
    public HeapKeySource() {
        this.keyOf = payload -> registered.get(payload);
    }

    /**
     * Makes a source that computes keys.
     *
     * @param keyOf gives the key of a payload, or null
     */
    public HeapKeySource(final LongFunction<byte[]> keyOf) {
        this.keyOf = keyOf;
    }

    /**
     * Tells the key of a payload, which must be done before the payload is put into an index.
     *
     * @param payload the payload
     * @param key its key, copied
     * @throws IllegalStateException if the payload has another key
     */
    public synchronized void register(final long payload, final byte[] key) {
        final byte[] before = registered.get(payload);
        if (before == null) {
            registered = registered.with(payload, key.clone());
        }
        if (before != null && !Arrays.equals(before, key)) {
            throw new IllegalStateException(
                "payload " + payload + " belongs to " + KeyCorpus.text(before) + ", not to "
                    + KeyCorpus.text(key));
        }
    }

    /** A hash table that only grows: tests ask it so often that a map of boxed numbers would take much of their time. */
    private static final class Table {
        private final AtomicReferenceArray<byte[]> keys;
        /** Stored before the key of their slot. */
        private final long[] payloads;
        private int size;

        Table(final int slots) {
            keys = new AtomicReferenceArray<>(slots);
            payloads = new long[slots];
        }

        private int slot(final long payload) {
            return (int) (payload * SPREAD >>> 40) & payloads.length - 1;
        }

        byte[] get(final long payload) {
            int slot = slot(payload);
            byte[] key = keys.getAcquire(slot);
            while (key != null && payloads[slot] != payload) {
                slot = slot + 1 & payloads.length - 1;
                key = keys.getAcquire(slot);
            }
            return key;
        }

        /** Adds a payload that is not there; returns this table, or a larger copy of it. */
        Table with(final long payload, final byte[] key) {
            if (size >= payloads.length / 2) {
                final Table larger = new Table(2 * payloads.length);
                for (int i = 0; i < payloads.length; i++) {
                    if (keys.getPlain(i) != null) {
                        larger.add(payloads[i], keys.getPlain(i));
                    }
                }
                return larger.with(payload, key);
            }
            add(payload, key);
            return this;
        }

        private void add(final long payload, final byte[] key) {
            int slot = slot(payload);
            while (keys.getPlain(slot) != null) {
                slot = slot + 1 & payloads.length - 1;
            }
            payloads[slot] = payload;
            keys.setRelease(slot, key);
            size++;
        }
    }

    private byte[] key(final long payload) {
        final byte[] key = keyOf.apply(payload);
        if (key == null) {
            throw new IllegalStateException("payload " + payload + " belongs to no key");
        }
        return key;
    }

    @Override
    public int keyLength(final long payload) {
        return key(payload).length;
    }

    @Override
    public int copyKey(final long payload, final byte[] destination, final int offset) {
        final byte[] key = key(payload);
        System.arraycopy(key, 0, destination, offset, key.length);
        return key.length;
    }

    @Override
    public int compareKey(final long payload, final byte[] key, final int offset, final int length) {
        final byte[] own = key(payload);
        return Arrays.compareUnsigned(own, 0, own.length, key, offset, offset + length);
    }

    @Override
    public long keyWord(final long payload, final int from) {
        final byte[] key = key(payload);
        return KeyChunk.at(key, 0, key.length, from);
    }

    @Override
    public long address(final long payload) {
        return 0;
    }
}
