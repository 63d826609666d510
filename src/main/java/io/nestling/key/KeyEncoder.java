/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;

/**
 * Builds a byte-comparable key from typed components: {@code new KeyEncoder().int64(5).string("x").toBytes()}. Keys of the same
 * component types sort as the components do, the first one counting most, and none is a prefix of another. {@link KeyDecoder}
 * reads them back.
 * <p>
 * An encoder is meant to be reused: after {@link #reset} it keeps its buffer, and {@link #buffer} with
 * {@link #length} give the key without a copy. A method that throws leaves the key as it was before the call.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
public final class KeyEncoder {
    /** Maximum length of a key in bytes. */
    public static final int MAX_KEY_BYTES = KeyBuffer.MAX_KEY_BYTES;

    private final KeyBuffer buffer = new KeyBuffer();

    /** Creates an encoder with an empty key. */
    public KeyEncoder() {
    }

    /**
     * Appends a signed 8-bit integer.
     *
     * @param value -128 to 127
     * @return this
     * @throws IllegalArgumentException if the value does not fit or the key would become too long
     */
    public KeyEncoder int8(final int value) {
        return integer(IntegerFormat.INT8, value);
    }

    /**
     * Appends a signed 16-bit integer.
     *
     * @param value -32,768 to 32,767
     * @return this
     * @throws IllegalArgumentException if the value does not fit or the key would become too long
     */
    public KeyEncoder int16(final int value) {
        return integer(IntegerFormat.INT16, value);
    }

    /**
     * Appends a signed 32-bit integer.
     *
     * @param value any number
     * @return this
     * @throws IllegalArgumentException if the key would become too long
     */
    public KeyEncoder int32(final int value) {
        return integer(IntegerFormat.INT32, value);
    }

    /**
     * Appends a signed 64-bit integer.
     *
     * @param value any number
     * @return this
     * @throws IllegalArgumentException if the key would become too long
     */
    public KeyEncoder int64(final long value) {
        return integer(IntegerFormat.INT64, value);
    }

    /**
     * Appends an unsigned 8-bit integer.
     *
     * @param value 0 to 255
     * @return this
     * @throws IllegalArgumentException if the value does not fit or the key would become too long
     */
    public KeyEncoder uint8(final int value) {
        return integer(IntegerFormat.UINT8, value);
    }

    /**
     * Appends an unsigned 16-bit integer.
     *
     * @param value 0 to 65,535
     * @return this
     * @throws IllegalArgumentException if the value does not fit or the key would become too long
     */
    public KeyEncoder uint16(final int value) {
        return integer(IntegerFormat.UINT16, value);
    }

    /**
     * Appends an unsigned 32-bit integer.
     *
     * @param value 0 to 4,294,967,295
     * @return this
     * @throws IllegalArgumentException if the value does not fit or the key would become too long
     */
    public KeyEncoder uint32(final long value) {
        return integer(IntegerFormat.UINT32, value);
    }

    /**
     * Appends an unsigned 64-bit integer.
     *
     * @param value any bits, taken as unsigned
     * @return this
     * @throws IllegalArgumentException if the key would become too long
     */
    public KeyEncoder uint64(final long value) {
        return integer(IntegerFormat.UINT64, value);
    }

    /**
     * Appends a single-precision number.
     *
     * @param value any number; every NaN becomes the canonical one
     * @return this
     * @throws IllegalArgumentException if the key would become too long
     */
    public KeyEncoder float32(final float value) {
        return integer(IntegerFormat.FLOAT32, FloatBits.ofFloat(value));
    }

    /**
     * Appends a double-precision number.
     *
     * @param value any number; every NaN becomes the canonical one
     * @return this
     * @throws IllegalArgumentException if the key would become too long
     */
    public KeyEncoder float64(final double value) {
        return integer(IntegerFormat.FLOAT64, FloatBits.ofDouble(value));
    }

    /**
     * Appends a boolean.
     *
     * @param value false or true
     * @return this
     * @throws IllegalArgumentException if the key would become too long
     */
    public KeyEncoder bool(final boolean value) {
        return value(KeyType.BOOLEAN, value);
    }

    /**
     * Appends a string.
     *
     * @param value the string
     * @return this
     * @throws IllegalArgumentException if it is null or has an unpaired surrogate, or the key would become too long
     */
    public KeyEncoder string(final String value) {
        return value(KeyType.STRING, value);
    }

    /**
     * Appends a byte string.
     *
     * @param value the bytes
     * @return this
     * @throws IllegalArgumentException if it is null or the key would become too long
     */
    public KeyEncoder bytes(final byte[] value) {
        return value(KeyType.BYTES, value);
    }

    /**
     * Appends a range of bytes as a byte string.
     *
     * @param source array with the bytes
     * @param offset start of the range
     * @param count bytes of the range
     * @return this
     * @throws IllegalArgumentException if the key would become too long
     * @throws IndexOutOfBoundsException if the range is not in the array
     */
    public KeyEncoder bytes(final byte[] source, final int offset, final int count) {
        Objects.checkFromIndexSize(offset, count, source.length);
        BytesCodec.encodeRange(source, offset, count, buffer);
        return this;
    }

    /**
     * Appends a UUID.
     *
     * @param value the UUID
     * @return this
     * @throws IllegalArgumentException if it is null or the key would become too long
     */
    public KeyEncoder uuid(final UUID value) {
        return value(KeyType.UUID, value);
    }

    /**
     * Appends an integer of any size.
     *
     * @param value the integer
     * @return this
     * @throws IllegalArgumentException if it is null or the key would become too long
     */
    public KeyEncoder bigInteger(final BigInteger value) {
        return value(KeyType.BIG_INTEGER, value);
    }

    /**
     * Appends a decimal.
     *
     * @param value the decimal
     * @return this
     * @throws IllegalArgumentException if it is null or has more than 131,072 digits, or the key would become too long
     */
    public KeyEncoder bigDecimal(final BigDecimal value) {
        return value(KeyType.BIG_DECIMAL, value);
    }

    /**
     * Appends an instant.
     *
     * @param value the instant
     * @return this
     * @throws IllegalArgumentException if it is null or the key would become too long
     */
    public KeyEncoder instant(final Instant value) {
        return value(KeyType.INSTANT, value);
    }

    /**
     * Appends a value of a type.
     *
     * @param type the type
     * @param value the value; null only if the type accepts it
     * @param <T> Java type of the value
     * @return this
     * @throws IllegalArgumentException if the type cannot hold the value or the key would become too long
     */
    public <T> KeyEncoder value(final KeyType<T> type, final T value) {
        if (value == null && !type.acceptsNull()) {
            throw new IllegalArgumentException(
                "expected " + type + " but was null (take a type with nullsFirst() or nullsLast())");
        }
        final int before = buffer.length();
        try {
            type.codec().encode(value, buffer);
        } catch (final RuntimeException | Error failure) {
            buffer.truncate(before);
            throw failure;
        }
        return this;
    }

    /**
     * Starts a new key in the same buffer.
     *
     * @return this
     */
    public KeyEncoder reset() {
        buffer.truncate(0);
        return this;
    }

    /**
     * Returns the length of the key so far.
     *
     * @return bytes
     */
    public int length() {
        return buffer.length();
    }

    /**
     * Returns the array that holds the key in its first {@link #length} bytes. It is the encoder's own: the next call
     * that appends may write to it or replace it.
     *
     * @return the array, not a copy
     */
    public byte[] buffer() {
        return buffer.bytes();
    }

    /**
     * Returns a copy of the key so far.
     *
     * @return a new array
     */
    public byte[] toBytes() {
        return Arrays.copyOf(buffer.bytes(), buffer.length());
    }

    /** Removes all bytes behind a position, for callers that append several components or none. */
    void truncate(final int length) {
        buffer.truncate(length);
    }

    private KeyEncoder integer(final IntegerFormat format, final long value) {
        format.encode(value, buffer);
        return this;
    }
}
