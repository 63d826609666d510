/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.Locale;
import java.util.Objects;

/**
 * The bytes of a key being decoded: a position, and an inversion for descending parts. Each read names what it
 * expects, for the message if the key ends too early. Positions count from the start of the key.
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

    /** Moves to a position that was passed before, or over bytes that were checked. */
    void seek(final int newPosition) {
        position = newPosition;
    }

    /** Moves back to the start of a malformed value, where no inversion is on. */
    void rewind(final int newPosition) {
        position = newPosition;
        inversion = 0;
    }

    /** Toggles the inversion of all bits read from here on. */
    void invert() {
        inversion ^= BYTE_MASK;
    }

    /** Throws unless {@code count} bytes are left. */
    void require(final int count, final String what) {
        if (remaining() < count) {
            throw new MalformedKeyException(position, "expected " + what + " (" + count
                + (count == 1 ? " byte)" : " bytes)") + " but was the end of the key after " + remaining());
        }
    }

    /** Reads one byte, 0 to 255. */
    int next(final String what) {
        if (position == length) {
            throw new MalformedKeyException(position, "expected more of " + what + " but was the end of the key");
        }
        return nextRequired();
    }

    /** Returns the exception for an unexpected byte that was just read. */
    MalformedKeyException unexpected(final String expected, final int found) {
        final String stored = inversion == 0 ? "" : String.format(Locale.ROOT, " (stored as %02X)", found ^ inversion);
        return new MalformedKeyException(
            position - 1, String.format(Locale.ROOT, "expected %s but was byte %02X%s", expected, found, stored));
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

    /** Fills an array, for which the caller has called {@link #require}. */
    void read(final byte[] destination) {
        for (int i = 0; i < destination.length; i++) {
            destination[i] = (byte) nextRequired();
        }
    }

    private int nextRequired() {
        return (bytes[base + position++] & BYTE_MASK) ^ inversion;
    }
}
