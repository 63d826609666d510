/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.PointIndex;
import io.nestling.memory.RecordLayout;

import java.util.HexFormat;
import java.util.Objects;

/** Checks of arguments. */
final class Limits {
    private static final int SHOWN_BYTES = 16;

    private Limits() {
    }

    static void checkKey(final byte[] key) {
        Objects.requireNonNull(key, "key");
        checkKeyLength(key.length);
    }

    static void checkKeyLength(final int length) {
        if (length > PointIndex.MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                "a key of " + length + " bytes is longer than " + PointIndex.MAX_KEY_BYTES);
        }
    }

    static void checkValueLength(final int length) {
        if (length > RecordLayout.MAX_VALUE_BYTES) {
            throw new IllegalArgumentException(
                "a value of " + length + " bytes is longer than " + RecordLayout.MAX_VALUE_BYTES);
        }
    }

    /** Checks the bounds of a range of keys. */
    static void checkRange(final byte[] from, final byte[] to) {
        Objects.requireNonNull(from, "fromInclusive");
        Objects.requireNonNull(to, "toExclusive");
        checkKeyLength(from.length);
        checkKeyLength(to.length);
        if (ByteComparison.compare(from, to) >= 0) {
            throw new IllegalArgumentException("the range from " + text(from) + " to " + text(to)
                + " is empty");
        }
    }

    /** Checks that a part of a buffer exists. */
    static void checkPart(final String name, final int offset, final int length, final int capacity) {
        if (offset < 0 || length < 0 || offset > capacity - length) {
            throw new IndexOutOfBoundsException(
                length + " bytes at " + offset + " are outside the " + name + " buffer of " + capacity);
        }
    }

    private static String text(final byte[] key) {
        final String digits = HexFormat.of().formatHex(key, 0, Math.min(key.length, SHOWN_BYTES));
        return "[" + digits + (key.length > SHOWN_BYTES ? "... " + key.length + " bytes" : "") + "]";
    }
}
