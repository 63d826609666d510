/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.Locale;
import java.util.Objects;

/**
 * The bytes of a key being decoded: a position, and an inversion for descending parts. Each read says what it
 * expects, so that a key that ends too early is reported in the terms of its reader. Positions count from the
 * start of the key.
 */
final class KeyInput {
    private static final int BYTE_MASK = 0xFF;

    private byte[] bytes;
    private int base;
    private int length;
    private int position;
    private int inversion;

    KeyInput(final byte[] bytes, final int offset, final int length) {
        reset(bytes, offset, length);
    }

    /** Starts over with another key. */
    void reset(final byte[] newBytes, final int offset, final int newLength) {
        Objects.checkFromIndexSize(offset, newLength, newBytes.length);
        bytes = newBytes;
        base = offset;
        length = newLength;
        rewind(0);
    }

    int position() {
        return position;
    }

    int remaining() {
        return length - position;
    }

    /** Moves to a position that was passed before, or over bytes that are known to be there. */
    void seek(final int newPosition) {
        position = newPosition;
    }

    /** Returns to the start of a value after it turned out to be malformed: no inversion is on there. */
    void rewind(final int newPosition) {
        position = newPosition;
        inversion = 0;
    }

    /** Reads from here on every bit as its opposite, or stops doing so. */
    void invert() {
        inversion ^= BYTE_MASK;
    }

    /** Fails unless so many bytes are left. */
    void require(final int count, final String what) {
        if (remaining() < count) {
            throw new MalformedKeyException(position, "expected " + what + " (" + count
                + (count == 1 ? " byte)" : " bytes)") + ", found the end of the key after " + remaining());
        }
    }

    /** Reads one byte, 0 to 255. */
    int next(final String what) {
        if (position == length) {
            throw new MalformedKeyException(position,
                "expected more of " + what + ", found the end of the key");
        }
        return nextRequired();
    }

    /** The failure when the byte just read is none of those that may stand there. */
    MalformedKeyException unexpected(final String expected, final int found) {
        final String stored = inversion == 0 ? "" : String.format(Locale.ROOT, " (stored as %02X)", found ^ inversion);
        return new MalformedKeyException(
            position - 1, String.format(Locale.ROOT, "expected %s, found byte %02X%s", expected, found, stored));
    }

    /** Reads {@code count} bytes as a number, highest first. */
    long bigEndian(final int count, final String what) {
        require(count, what);
        long value = 0;
        for (int i = 0; i < count; i++) {
            value = value << Byte.SIZE | nextRequired();
        }
        return value;
    }

    /** Fills an array; the caller called {@link #require} before it allocated the array. */
    void read(final byte[] destination) {
        for (int i = 0; i < destination.length; i++) {
            destination[i] = (byte) nextRequired();
        }
    }

    private int nextRequired() {
        return (bytes[base + position++] & BYTE_MASK) ^ inversion;
    }
}
