/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.UUID;

/**
 * Reads the components of a key that {@link KeyEncoder} built, in the same order and with the same types. It accepts only what
 * the encoder writes: a value has one encoding, and anything else is a {@link MalformedKeyException} that names the position
 * and what was expected there. An exception does not change the decoder's position.
 * <h2>Thread safety</h2>
 * One thread at a time; the key must not change meanwhile.
 */
public final class KeyDecoder {
    private final KeyInput input;

    /**
     * Creates a decoder of a key.
     *
     * @param key the key, not copied
     */
    public KeyDecoder(final byte[] key) {
        this(key, 0, key.length);
    }

    /**
     * Creates a decoder of a key inside an array.
     *
     * @param source array with the key, not copied
     * @param offset start of the key
     * @param length bytes of the key
     * @throws IndexOutOfBoundsException if the range is not in the array
     */
    public KeyDecoder(final byte[] source, final int offset, final int length) {
        input = new KeyInput(source, offset, length);
    }

    /**
     * Starts over with another key.
     *
     * @param source array with the key, not copied
     * @param offset start of the key
     * @param length bytes of the key
     * @return this
     * @throws IndexOutOfBoundsException if the range is not in the array; the decoder is unchanged then
     */
    public KeyDecoder reset(final byte[] source, final int offset, final int length) {
        input.reset(source, offset, length);
        return this;
    }

    /**
     * Reads a signed 8-bit integer.
     *
     * @return the number
     * @throws MalformedKeyException if the key ends before
     */
    public byte int8() {
        return (byte) IntegerFormat.INT8.decode(input);
    }

    /**
     * Reads a signed 16-bit integer.
     *
     * @return the number
     * @throws MalformedKeyException if the key ends before
     */
    public short int16() {
        return (short) IntegerFormat.INT16.decode(input);
    }

    /**
     * Reads a signed 32-bit integer.
     *
     * @return the number
     * @throws MalformedKeyException if the key ends before
     */
    public int int32() {
        return (int) IntegerFormat.INT32.decode(input);
    }

    /**
     * Reads a signed 64-bit integer.
     *
     * @return the number
     * @throws MalformedKeyException if the key ends before
     */
    public long int64() {
        return IntegerFormat.INT64.decode(input);
    }

    /**
     * Reads an unsigned 8-bit integer.
     *
     * @return the number, 0 to 255
     * @throws MalformedKeyException if the key ends before
     */
    public int uint8() {
        return (int) IntegerFormat.UINT8.decode(input);
    }

    /**
     * Reads an unsigned 16-bit integer.
     *
     * @return the number, 0 to 65,535
     * @throws MalformedKeyException if the key ends before
     */
    public int uint16() {
        return (int) IntegerFormat.UINT16.decode(input);
    }

    /**
     * Reads an unsigned 32-bit integer.
     *
     * @return the number, 0 to 4,294,967,295
     * @throws MalformedKeyException if the key ends before
     */
    public long uint32() {
        return IntegerFormat.UINT32.decode(input);
    }

    /**
     * Reads an unsigned 64-bit integer.
     *
     * @return its 64 bits, unsigned
     * @throws MalformedKeyException if the key ends before
     */
    public long uint64() {
        return IntegerFormat.UINT64.decode(input);
    }

    /**
     * Reads a single-precision number.
     *
     * @return the number
     * @throws MalformedKeyException if the key ends before, or has a NaN that is not the canonical one
     */
    public float float32() {
        return value(KeyType.FLOAT32);
    }

    /**
     * Reads a double-precision number.
     *
     * @return the number
     * @throws MalformedKeyException if the key ends before, or has a NaN that is not the canonical one
     */
    public double float64() {
        return value(KeyType.FLOAT64);
    }

    /**
     * Reads a boolean.
     *
     * @return false or true
     * @throws MalformedKeyException if the key has something else here
     */
    public boolean bool() {
        return value(KeyType.BOOLEAN);
    }

    /**
     * Reads a string.
     *
     * @return the string
     * @throws MalformedKeyException if the key has something else here
     */
    public String string() {
        return value(KeyType.STRING);
    }

    /**
     * Reads a byte string.
     *
     * @return a new array
     * @throws MalformedKeyException if the key has something else here
     */
    public byte[] bytes() {
        return value(KeyType.BYTES);
    }

    /**
     * Reads a UUID.
     *
     * @return the UUID
     * @throws MalformedKeyException if the key ends before
     */
    public UUID uuid() {
        return value(KeyType.UUID);
    }

    /**
     * Reads an integer of any size.
     *
     * @return the integer
     * @throws MalformedKeyException if the key has something else here
     */
    public BigInteger bigInteger() {
        return value(KeyType.BIG_INTEGER);
    }

    /**
     * Reads a decimal.
     *
     * @return the decimal, with its scale
     * @throws MalformedKeyException if the key has something else here
     */
    public BigDecimal bigDecimal() {
        return value(KeyType.BIG_DECIMAL);
    }

    /**
     * Reads an instant.
     *
     * @return the instant
     * @throws MalformedKeyException if the key has something else here
     */
    public Instant instant() {
        return value(KeyType.INSTANT);
    }

    /**
     * Reads a value of a type.
     *
     * @param type the type
     * @param <T> Java type of the value
     * @return the value; null only if the type accepts it
     * @throws MalformedKeyException if the key has something else here
     */
    public <T> T value(final KeyType<T> type) {
        final int start = input.position();
        try {
            return type.codec().decode(input);
        } catch (final RuntimeException | Error failure) {
            input.rewind(start);
            throw failure;
        }
    }

    /**
     * Returns the position of the next component.
     *
     * @return bytes from the start of the key
     */
    public int position() {
        return input.position();
    }

    /**
     * Returns the number of bytes of the key that are not read yet.
     *
     * @return bytes
     */
    public int remaining() {
        return input.remaining();
    }

    /**
     * Checks that the key ends here.
     *
     * @throws MalformedKeyException if bytes are left
     */
    public void end() {
        if (input.remaining() != 0) {
            throw new MalformedKeyException(
                input.position(), "expected the end of the key but was " + input.remaining() + " more bytes");
        }
    }

    /** Moves back to a position passed before. */
    void rewind(final int position) {
        input.rewind(position);
    }
}
