/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * An index that many threads may write at once: a key's payload changes only if it still is what the writer has seen.
 * <h2>Thread safety</h2>
 * All methods but {@link #reserve}, {@link #verify} and {@link #close} may be called by any thread at any time. Each
 * call takes effect at one moment between its begin and its end, for every key by itself; what a thread wrote before
 * it published a payload is seen by whoever reads that payload.
 */
public interface ConcurrentIndex extends PointIndex {
    /**
     * Adds a key unless it is there.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @param payload 0 to {@link #MAX_PAYLOAD}
     * @return {@link #NONE} if the key was added, or else the payload that it has and keeps
     * @throws io.nestling.memory.SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalArgumentException if the key is too long or the payload out of range
     */
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
}
