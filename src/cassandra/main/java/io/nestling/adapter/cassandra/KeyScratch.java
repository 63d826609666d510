/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import java.util.Arrays;

/** A growing array for one encoded key. */
final class KeyScratch {
    private static final int INITIAL_BYTES = 64;

    byte[] bytes = new byte[INITIAL_BYTES];
    int length;

    void reserve(final int capacity) {
        if (bytes.length < capacity) {
            bytes = Arrays.copyOf(bytes, Math.max(capacity, bytes.length * 2));
        }
    }

    void append(final int b) {
        reserve(length + 1);
        bytes[length++] = (byte) b;
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }
}
