/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryArguments;
import io.nestling.index.PointIndex;
import io.nestling.offheap.RecordLayout;

import java.util.HexFormat;
import java.util.Objects;

/** Argument validation. */
final class Limits {
    private static final int SHOWN_BYTES = 16;
    private static final int MAX_RESERVED = 1 << 24;

    private Limits() {
    }

    static void checkKey(final byte[] key) {
        Objects.requireNonNull(key, "key");
        checkKeyLength(key.length);
    }

    static void checkKeyLength(final int length) {
        EntryArguments.checkLength("key", length, PointIndex.MAX_KEY_BYTES);
    }

    static void checkValueLength(final int length) {
        EntryArguments.checkLength("value", length, RecordLayout.MAX_VALUE_BYTES);
    }

    static void checkReservation(final int count) {
        if (count < 1 || count > MAX_RESERVED) {
            throw new IllegalArgumentException("expected 1 to " + MAX_RESERVED + " sequence numbers but was " + count);
        }
    }

    /** Checks that the first of some given sequence numbers is above the last one, and the last one not too large. */
    static void checkSequence(final long first, final long last, final int count) {
        if (first <= last || first > RecordLayout.MAX_SEQUENCE - count + 1) {
            throw new IllegalArgumentException("expected " + count + " sequence numbers above " + last + " and up to "
                + RecordLayout.MAX_SEQUENCE + " but was " + count + " from " + first);
        }
    }

    /** Checks the bounds of a range of keys. */
    static void checkRange(final byte[] from, final byte[] to) {
        checkRangeStart(from);
        Objects.requireNonNull(to, "toExclusive");
        checkKeyLength(to.length);
        if (ByteComparison.compare(from, to) >= 0) {
            throw new IllegalArgumentException("expected a range that is not empty but was " + text(from) + " to " + text(to));
        }
    }

    /** Checks the lower bound of a range of keys that has no end. */
    static void checkRangeStart(final byte[] from) {
        Objects.requireNonNull(from, "fromInclusive");
        checkKeyLength(from.length);
    }

    private static String text(final byte[] key) {
        final String digits = HexFormat.of().formatHex(key, 0, Math.min(key.length, SHOWN_BYTES));
        return "[" + digits + (key.length > SHOWN_BYTES ? "... " + key.length + " bytes" : "") + "]";
    }
}
