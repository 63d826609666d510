/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Unsigned variable-length integers (LEB128): seven bits a byte, least significant first, bit 7 set on all
 * but the last byte. An {@code int} takes 1 to 5 bytes and a {@code long} 1 to 10; both are taken as
 * unsigned, so -1 is the longest.
 * <p>
 * A number has exactly one encoding: reading rejects one that is longer than needed. So after {@code readInt}
 * at an offset, the next field starts at {@code offset + Varint.length(value)}. Example: 300 is
 * {@code AC 02}.
 * <h2>Thread safety</h2>
 * Stateless: any thread, as long as no other thread writes the same bytes.
 */
public final class Varint {
    /** Maximum number of bytes of an {@code int}. */
    public static final int MAX_INT_BYTES = 5;
    /** Maximum number of bytes of a {@code long}. */
    public static final int MAX_LONG_BYTES = 10;

    private static final int PAYLOAD_BITS = 7;
    private static final int PAYLOAD_MASK = 0x7F;
    private static final int CONTINUATION_BIT = 0x80;
    private static final long UNSIGNED_INT_MASK = 0xFFFF_FFFFL;
    private static final int INT_LAST_BYTE_BITS = Integer.SIZE - (MAX_INT_BYTES - 1) * PAYLOAD_BITS;
    private static final int LONG_LAST_BYTE_BITS = Long.SIZE - (MAX_LONG_BYTES - 1) * PAYLOAD_BITS;

    private Varint() {
    }

    /**
     * Returns the encoded length of an unsigned int.
     *
     * @param value the number, taken as unsigned
     * @return bytes, 1 to {@value #MAX_INT_BYTES}
     */
    public static int length(final int value) {
        return length(value & UNSIGNED_INT_MASK);
    }

    /**
     * Returns the encoded length of an unsigned long.
     *
     * @param value the number, taken as unsigned
     * @return bytes, 1 to {@value #MAX_LONG_BYTES}
     */
    public static int length(final long value) {
        final int bits = Long.SIZE - Long.numberOfLeadingZeros(value | 1);
        return (bits + PAYLOAD_BITS - 1) / PAYLOAD_BITS;
    }

    /**
     * Writes an unsigned int.
     *
     * @param destination array to write to
     * @param offset index of the first byte
     * @param value the number, taken as unsigned
     * @return offset behind the last byte written
     * @throws IndexOutOfBoundsException if it does not fit; nothing is written then
     */
    public static int write(final byte[] destination, final int offset, final int value) {
        return write(destination, offset, value & UNSIGNED_INT_MASK);
    }

    /**
     * Writes an unsigned long.
     *
     * @param destination array to write to
     * @param offset index of the first byte
     * @param value the number, taken as unsigned
     * @return offset behind the last byte written
     * @throws IndexOutOfBoundsException if it does not fit; nothing is written then
     */
    public static int write(final byte[] destination, final int offset, final long value) {
        final int length = length(value);
        if (offset < 0 || offset > destination.length - length) {
            throw new IndexOutOfBoundsException("varint of " + length + " bytes does not fit at offset "
                + offset + " of an array of " + destination.length + " bytes");
        }
        int position = offset;
        long rest = value;
        while ((rest & ~PAYLOAD_MASK) != 0) {
            destination[position++] = (byte) (rest | CONTINUATION_BIT);
            rest >>>= PAYLOAD_BITS;
        }
        destination[position++] = (byte) rest;
        return position;
    }

    /**
     * Writes an unsigned int at the position of a buffer and moves the position behind it.
     *
     * @param destination buffer to write to
     * @param value the number, taken as unsigned
     * @throws IndexOutOfBoundsException if it does not fit; the buffer is unchanged then
     */
    public static void write(final ByteBuffer destination, final int value) {
        write(destination, value & UNSIGNED_INT_MASK);
    }

    /**
     * Writes an unsigned long at the position of a buffer and moves the position behind it.
     *
     * @param destination buffer to write to
     * @param value the number, taken as unsigned
     * @throws IndexOutOfBoundsException if it does not fit; the buffer is unchanged then
     */
    public static void write(final ByteBuffer destination, final long value) {
        final int length = length(value);
        if (destination.remaining() < length) {
            throw new IndexOutOfBoundsException("varint of " + length + " bytes does not fit at position "
                + destination.position() + " of a buffer with limit " + destination.limit());
        }
        long rest = value;
        while ((rest & ~PAYLOAD_MASK) != 0) {
            destination.put((byte) (rest | CONTINUATION_BIT));
            rest >>>= PAYLOAD_BITS;
        }
        destination.put((byte) rest);
    }

    /**
     * Reads an unsigned int.
     *
     * @param source array to read from
     * @param offset index of the first byte
     * @param limit offset behind the last byte that may be read
     * @return the number, taken as unsigned
     * @throws IllegalArgumentException if it is truncated, too large or longer than needed; the message
     *     names the offset
     * @throws IndexOutOfBoundsException if {@code offset..limit} is not a range of the array
     */
    public static int readInt(final byte[] source, final int offset, final int limit) {
        return (int) read(source, offset, limit, MAX_INT_BYTES, INT_LAST_BYTE_BITS);
    }

    /**
     * Reads an unsigned long.
     *
     * @param source array to read from
     * @param offset index of the first byte
     * @param limit offset behind the last byte that may be read
     * @return the number, taken as unsigned
     * @throws IllegalArgumentException if it is truncated, too large or longer than needed; the message
     *     names the offset
     * @throws IndexOutOfBoundsException if {@code offset..limit} is not a range of the array
     */
    public static long readLong(final byte[] source, final int offset, final int limit) {
        return read(source, offset, limit, MAX_LONG_BYTES, LONG_LAST_BYTE_BITS);
    }

    /**
     * Reads an unsigned int at the position of a buffer and moves the position behind it.
     *
     * @param source buffer to read from
     * @return the number, taken as unsigned
     * @throws IllegalArgumentException if it is truncated, too large or longer than needed; the buffer is
     *     unchanged then
     */
    public static int readInt(final ByteBuffer source) {
        return (int) read(source, MAX_INT_BYTES, INT_LAST_BYTE_BITS);
    }

    /**
     * Reads an unsigned long at the position of a buffer and moves the position behind it.
     *
     * @param source buffer to read from
     * @return the number, taken as unsigned
     * @throws IllegalArgumentException if it is truncated, too large or longer than needed; the buffer is
     *     unchanged then
     */
    public static long readLong(final ByteBuffer source) {
        return read(source, MAX_LONG_BYTES, LONG_LAST_BYTE_BITS);
    }

    private static long read(
        final byte[] source, final int offset, final int limit, final int maxBytes, final int lastByteBits) {
        Objects.checkFromToIndex(offset, limit, source.length);
        long value = 0;
        for (int i = 0; i < maxBytes; i++) {
            if (offset + i == limit) {
                throw truncated(offset, i);
            }
            final int next = source[offset + i];
            value |= (long) (next & PAYLOAD_MASK) << i * PAYLOAD_BITS;
            if ((next & CONTINUATION_BIT) == 0) {
                checkLastByte(next, offset, i, maxBytes, lastByteBits);
                return value;
            }
        }
        throw tooLong(offset, maxBytes);
    }

    private static long read(final ByteBuffer source, final int maxBytes, final int lastByteBits) {
        final int start = source.position();
        final int remaining = source.remaining();
        long value = 0;
        for (int i = 0; i < maxBytes; i++) {
            if (i == remaining) {
                throw truncated(start, i);
            }
            final int next = source.get(start + i);
            value |= (long) (next & PAYLOAD_MASK) << i * PAYLOAD_BITS;
            if ((next & CONTINUATION_BIT) == 0) {
                checkLastByte(next, start, i, maxBytes, lastByteBits);
                source.position(start + i + 1);
                return value;
            }
        }
        throw tooLong(start, maxBytes);
    }

    private static void checkLastByte(
        final int last, final int offset, final int index, final int maxBytes, final int lastByteBits) {
        if (last == 0 && index > 0) {
            throw new IllegalArgumentException(
                "varint at offset " + offset + " is longer than needed: byte " + index
                + " of it is a final 0");
        }
        if (index == maxBytes - 1 && last >>> lastByteBits != 0) {
            throw new IllegalArgumentException("varint at offset " + offset + " does not fit "
                + ((maxBytes - 1) * PAYLOAD_BITS + lastByteBits) + " bits: byte " + index + " of it is "
                + last);
        }
    }

    private static IllegalArgumentException truncated(final int offset, final int bytes) {
        return new IllegalArgumentException(
            "varint at offset " + offset + " is truncated: the input ends at offset " + (offset + bytes));
    }

    private static IllegalArgumentException tooLong(final int offset, final int maxBytes) {
        return new IllegalArgumentException(
            "varint at offset " + offset + " does not end within " + maxBytes + " bytes");
    }
}
