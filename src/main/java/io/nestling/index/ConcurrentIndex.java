/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * An index that many threads may write at once: a key's payload changes only if it still is what the writer has seen.
 * <h2>Thread safety</h2>
 * All methods but {@link #reserve}, {@link #verify} and {@link #close} may be called by any thread at any time. Each
 * call takes effect for each key at one moment between its beginning and its end. A thread that reads a payload sees
 * everything that the writer wrote before it published that payload.
 */
public interface ConcurrentIndex extends PointIndex {
    @Override
    long putIfAbsent(byte[] key, int offset, int length, long payload);

    /**
     * Replaces the payload of a key that has a certain one. It needs no space.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @param expected the payload that the key must have
     * @param payload 0 to {@link #MAX_PAYLOAD}
     * @return false if the key is absent or has another payload; nothing has changed then
     * @throws IllegalArgumentException if the key is too long or the payload out of range
     */
    boolean replace(byte[] key, int offset, int length, long expected, long payload);

    // ---- a write in several steps, under one guard ----

    /**
     * Returns the hash of a key for the steps of one write, so that it is computed once.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return the same number for the same key; 0 if the index has no use for it
     */
    default long hash(final byte[] key, final int offset, final int length) {
        return 0;
    }

    /**
     * Looks up, with best effort, a key that will be written next; may miss a present key.
     * The caller holds a guard of the index's epochs, as for the other steps.
     *
     * @param hash the {@link #hash} of the key
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return a payload that the key has, or {@link #NONE}
     */
    default long tryGet(final long hash, final byte[] key, final int offset, final int length) {
        return get(key, offset, length);
    }

    /**
     * Adds a key as {@link #putIfAbsent(byte[], int, int, long)}, under the caller's guard. It uses no reserved space
     * if there is other space, and may find none while guards are held, the caller's included.
     *
     * @param hash the {@link #hash} of the key
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @param payload 0 to {@link #MAX_PAYLOAD}
     * @return {@link #NONE} if the key was added, else its payload, which did not change
     * @throws io.nestling.memory.SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalArgumentException if the key is too long or the payload out of range
     */
    default long putIfAbsent(
        final long hash, final byte[] key, final int offset, final int length, final long payload) {
        return putIfAbsent(key, offset, length, payload);
    }

    /**
     * Replaces a payload as {@link #replace(byte[], int, int, long, long)}, under the caller's guard.
     *
     * @param hash the {@link #hash} of the key
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @param expected the payload that the key must have; no other key has or had it
     * @param payload 0 to {@link #MAX_PAYLOAD}
     * @return false if the key is absent or has another payload; nothing has changed then
     * @throws IllegalArgumentException if the key is too long or the payload out of range
     */
    default boolean replace(
        final long hash, final byte[] key, final int offset, final int length, final long expected, final long payload) {
        return replace(key, offset, length, expected, payload);
    }
}
