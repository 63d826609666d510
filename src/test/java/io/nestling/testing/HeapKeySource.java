/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import io.nestling.bytes.KeyChunk;
import io.nestling.offheap.KeySource;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;

/**
 * Keys of payloads, kept on the heap: stands in for a record store where indexes are tested that read keys
 * from records. A payload has one key for good.
 */
public final class HeapKeySource implements KeySource {
    private final Map<Long, byte[]> registered = new ConcurrentHashMap<>();
    private final LongFunction<byte[]> keyOf;

    /** Makes a source to which keys are told by {@link #register}. */
    public HeapKeySource() {
        this.keyOf = registered::get;
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
    public void register(final long payload, final byte[] key) {
        final byte[] before = registered.putIfAbsent(payload, key.clone());
        if (before != null && !Arrays.equals(before, key)) {
            throw new IllegalStateException(
                "payload " + payload + " belongs to " + KeyCorpus.text(before) + ", not to "
                    + KeyCorpus.text(key));
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
