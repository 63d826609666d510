/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;

/** Copies of keys that the caller passed in buffers. */
final class KeyCopy {
    private KeyCopy() {
    }

    /** Returns the bytes between position and limit. */
    static byte[] of(final ByteBuffer key) {
        final byte[] copy = new byte[key.remaining()];
        key.get(key.position(), copy);
        return copy;
    }

    /** Returns a part of a buffer. */
    static byte[] of(final DirectBuffer key, final int offset, final int length) {
        EntryArguments.checkPart("key", offset, length, key.capacity());
        final byte[] copy = new byte[length];
        key.getBytes(offset, copy);
        return copy;
    }
}
