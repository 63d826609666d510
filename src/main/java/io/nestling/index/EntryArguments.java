/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Objects;

/** Argument validation that all indexes share, so that all throw the same errors. */
public final class EntryArguments {
    private EntryArguments() {
    }

    /**
     * Checks an entry before a put.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @param payload the payload
     * @throws IndexOutOfBoundsException if the range is not in the array
     * @throws IllegalArgumentException if the key is longer than {@link PointIndex#MAX_KEY_BYTES} or the payload is outside 0 to
     *     {@link PointIndex#MAX_PAYLOAD}
     */
    public static void checkEntry(final byte[] key, final int offset, final int length, final long payload) {
        Objects.checkFromIndexSize(offset, length, key.length);
        checkLength("key", length, PointIndex.MAX_KEY_BYTES);
        if (payload < 0 || payload > PointIndex.MAX_PAYLOAD) {
            throw new IllegalArgumentException("expected a payload of 0 to " + PointIndex.MAX_PAYLOAD + " but was " + payload);
        }
    }

    /**
     * Checks the length of a key or value.
     *
     * @param name what it is, for the message
     * @param length its bytes
     * @param most bytes that it may have
     * @throws IllegalArgumentException if it has more, or less than 0
     */
    public static void checkLength(final String name, final int length, final int most) {
        if (length < 0 || length > most) {
            throw new IllegalArgumentException("expected a " + name + " of at most " + most + " bytes but was " + length);
        }
    }

    /**
     * Checks when an entry expires.
     *
     * @param expiry milliseconds since the epoch
     * @throws IllegalArgumentException if it is negative
     */
    public static void checkExpiry(final long expiry) {
        if (expiry < 0) {
            throw new IllegalArgumentException("expected an expiry of at least 0 milliseconds since the epoch but was " + expiry);
        }
    }

    /**
     * Checks that a part of a buffer lies within it.
     *
     * @param name what the buffer holds, for the message
     * @param offset first byte of the part
     * @param length its bytes
     * @param capacity bytes of the buffer
     * @throws IndexOutOfBoundsException if it does not
     */
    public static void checkPart(final String name, final int offset, final int length, final int capacity) {
        if (offset < 0 || length < 0 || offset > capacity - length) {
            throw new IndexOutOfBoundsException("expected a part of the " + name + " buffer of " + capacity
                + " bytes but was " + length + " bytes at " + offset);
        }
    }

    /**
     * Checks that an array has room for the payloads of a batch of keys.
     *
     * @param keys the batch
     * @param payloads receives one payload for each key
     * @throws IllegalArgumentException if the array is too short
     */
    public static void checkRoom(final KeyBatch keys, final long[] payloads) {
        if (payloads.length < keys.size()) {
            throw new IllegalArgumentException(
                "expected an array of at least " + keys.size() + " payloads, one for each key, but was " + payloads.length);
        }
    }
}
