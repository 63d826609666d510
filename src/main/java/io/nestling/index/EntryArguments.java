/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.Objects;

/** Checks of the arguments that all indexes share, so that each refuses the same with the same words. */
public final class EntryArguments {
    private EntryArguments() {
    }

    /**
     * Checks an entry that is to be put.
     *
     * @param key array with the key
     * @param offset start of the key
     * @param length bytes of the key
     * @param payload the payload
     * @throws IndexOutOfBoundsException if the range is not in the array
     * @throws IllegalArgumentException if the key is longer than {@link PointIndex#MAX_KEY_BYTES} or the payload is outside 0 to
     *     {@link PointIndex#MAX_PAYLOAD}
     */
    public static void checkEntry(final byte[] key, final int offset, final int length, final long payload) {
        Objects.checkFromIndexSize(offset, length, key.length);
        if (length > PointIndex.MAX_KEY_BYTES) {
            throw new IllegalArgumentException("a key of " + length + " bytes is longer than " + PointIndex.MAX_KEY_BYTES);
        }
        if (payload < 0 || payload > PointIndex.MAX_PAYLOAD) {
            throw new IllegalArgumentException("payload " + payload + " is outside 0 to " + PointIndex.MAX_PAYLOAD);
        }
    }

    /**
     * Checks that there is room for what a batch of keys is answered with.
     *
     * @param keys the batch
     * @param payloads one payload for each key
     * @throws IllegalArgumentException if the array is too short
     */
    public static void checkRoom(final KeyBatch keys, final long[] payloads) {
        if (payloads.length < keys.size()) {
            throw new IllegalArgumentException(
                "room for " + payloads.length + " payloads, the batch has " + keys.size() + " keys");
        }
    }
}
