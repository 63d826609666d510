/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Operations on ranges of bytes in a {@link Slab}, eight bytes at a time. */
public final class SlabBytes {
    private static final VarHandle ARRAY_LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();

    private static final int SHORT_BYTES = 64;
    /* Maximum number of blocks that cost less than the call of a bulk copy. */
    private static final int MOST_BLOCKS = 4;
    private static final int ZERO_SHIFT = 6;
    private static final int INT_ZERO_SHIFT = 5;
    private static final int VARINT_BITS = 7;
    private static final int VARINT_MORE = 0x80;
    private static final int VARINT_MASK = 0x7F;

    private SlabBytes() {
    }

    /** Returns the length of the common prefix of a range of a slab and a range of an array of the same length. */
    public static int commonPrefix(
        final Slab slab, final long offset, final byte[] array, final int arrayOffset, final int length) {
        if (length == Long.BYTES) {
            // A common length of keys: without a loop, more of the following code fits into the processor's window.
            final long difference = slab.getLong(offset) ^ (long) ARRAY_LONG.get(array, arrayOffset);
            return difference == 0 ? Long.BYTES : Long.numberOfTrailingZeros(difference) >>> 3;
        }
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            final long difference = slab.getLong(offset + i) ^ (long) ARRAY_LONG.get(array, arrayOffset + i);
            if (difference != 0) {
                return i + (Long.numberOfTrailingZeros(difference) >>> 3);
            }
        }
        if (i < length && length >= Long.BYTES) {
            // The last eight bytes, which overlap bytes already found equal.
            final int last = length - Long.BYTES;
            final long difference = slab.getLong(offset + last) ^ (long) ARRAY_LONG.get(array, arrayOffset + last);
            return difference == 0 ? length : last + (Long.numberOfTrailingZeros(difference) >>> 3);
        }
        for (; i < length; i++) {
            if (slab.getByte(offset + i) != array[arrayOffset + i]) {
                return i;
            }
        }
        return length;
    }

    /**
     * Copies up to eight bytes that end at an offset to an array, by one load and one store. The eight bytes before that offset
     * must lie in the slab, and the array must have room for eight bytes; those behind {@code length} get arbitrary values.
     */
    public static void copyEndingAt(
        final Slab slab, final long end, final int length, final byte[] array, final int arrayOffset) {
        ARRAY_LONG.set(array, arrayOffset, slab.getLong(end - Long.BYTES) >>> (Long.BYTES - length << 3));
    }

    /** Copies bytes to an array: up to 128 bytes by single loads and stores, which cost less than the call of a bulk copy. */
    public static void copyOut(
        final Slab slab, final long offset, final byte[] array, final int arrayOffset, final int length) {
        if (length < Slab.BLOCK_BYTES) {
            copyShort(slab, offset, array, arrayOffset, length);
        } else if (length > MOST_BLOCKS * Slab.BLOCK_BYTES) {
            slab.getBytes(offset, array, arrayOffset, length);
        } else {
            slab.getBlocks(offset, array, arrayOffset, length);
        }
    }

    private static void copyShort(
        final Slab slab, final long offset, final byte[] array, final int arrayOffset, final int length) {
        if (length >= 2 * Long.BYTES) {
            final int last = length - 2 * Long.BYTES;
            copyOne(slab, offset, array, arrayOffset);
            copyOne(slab, offset + Long.BYTES, array, arrayOffset + Long.BYTES);
            copyOne(slab, offset + last, array, arrayOffset + last);
            copyOne(slab, offset + last + Long.BYTES, array, arrayOffset + last + Long.BYTES);
        } else if (length >= Long.BYTES) {
            copyOne(slab, offset, array, arrayOffset);
            copyOne(slab, offset + length - Long.BYTES, array, arrayOffset + length - Long.BYTES);
        } else {
            for (int i = 0; i < length; i++) {
                array[arrayOffset + i] = slab.getByte(offset + i);
            }
        }
    }

    private static void copyOne(final Slab slab, final long offset, final byte[] array, final int arrayOffset) {
        ARRAY_LONG.set(array, arrayOffset, slab.getLong(offset));
    }

    /** Copies bytes from an array: short ranges by a loop, eight bytes at a time. */
    static void copyIn(
        final Slab slab, final long offset, final byte[] array, final int arrayOffset, final int length) {
        if (length > SHORT_BYTES || length < Long.BYTES) {
            slab.putBytes(offset, array, arrayOffset, length);
            return;
        }
        final int last = length - Long.BYTES;
        if (last <= Long.BYTES) {
            slab.putLong(offset, (long) ARRAY_LONG.get(array, arrayOffset));
        } else {
            for (int i = 0; i <= last; i += Long.BYTES) {
                slab.putLong(offset + i, (long) ARRAY_LONG.get(array, arrayOffset + i));
            }
        }
        // The last eight bytes, which may overlap those copied already.
        slab.putLong(offset + last, (long) ARRAY_LONG.get(array, arrayOffset + last));
    }

    /** Copies bytes to a buffer, without a view, which would be an allocation for each call. */
    static void copyOut(
        final Slab slab, final long offset, final MutableDirectBuffer buffer, final int bufferOffset, final int length) {
        buffer.checkLimit(bufferOffset + length); // an expandable buffer grows here
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            buffer.putLong(bufferOffset + i, slab.getLong(offset + i), ByteOrder.LITTLE_ENDIAN);
        }
        for (; i < length; i++) {
            buffer.putByte(bufferOffset + i, slab.getByte(offset + i));
        }
    }

    /** Copies bytes from a buffer. */
    static void copyIn(
        final Slab slab, final long offset, final DirectBuffer buffer, final int bufferOffset, final int length) {
        buffer.checkLimit(bufferOffset + length);
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            slab.putLong(offset + i, buffer.getLong(bufferOffset + i, ByteOrder.LITTLE_ENDIAN));
        }
        for (; i < length; i++) {
            slab.putByte(offset + i, buffer.getByte(bufferOffset + i));
        }
    }

    /** Returns 1 for 0 and 0 for any other number, by two instructions: only 0 has 64 leading zeroes. */
    static int isZero(final long number) {
        return Long.numberOfLeadingZeros(number) >>> ZERO_SHIFT;
    }

    static int isZero(final int number) {
        return Integer.numberOfLeadingZeros(number) >>> INT_ZERO_SHIFT;
    }

    /** Returns up to eight bytes as a big-endian number, with zeroes behind them; 0 if the length is not positive. */
    static long bigEndianWord(final Slab slab, final long offset, final int length) {
        if (length >= Long.BYTES) {
            return Long.reverseBytes(slab.getLong(offset));
        }
        long word = 0;
        for (int i = 0; i < length; i++) {
            word |= (slab.getByte(offset + i) & 0xFFL) << (Long.BYTES - 1 - i << 3);
        }
        return word;
    }

    /** Writes an unsigned LEB128 number; returns the offset behind it. */
    static long putVarint(final Slab slab, final long at, final int number) {
        int rest = number;
        long end = at;
        while ((rest & ~VARINT_MASK) != 0) {
            slab.putByte(end++, (byte) (rest & VARINT_MASK | VARINT_MORE));
            rest >>>= VARINT_BITS;
        }
        slab.putByte(end++, (byte) rest);
        return end;
    }

    /** Reads an unsigned LEB128 number. */
    static int varint(final Slab slab, final long at) {
        int read = slab.getByte(at);
        if (read >= 0) {
            return read;
        }
        int number = read & VARINT_MASK;
        for (int i = 1;; i++) {
            read = slab.getByte(at + i);
            number |= (read & VARINT_MASK) << i * VARINT_BITS;
            if (read >= 0) {
                return number;
            }
        }
    }

    static void clear(final Slab slab, final long offset, final long length) {
        long at = offset;
        final long end = offset + length;
        for (; at < end && (at & (Long.BYTES - 1)) != 0; at++) {
            slab.putByte(at, (byte) 0);
        }
        for (; at <= end - Slab.BLOCK_BYTES; at += Slab.BLOCK_BYTES) {
            slab.putSeries(at, 0L, 0L); // four numbers with one check of the bounds
        }
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            slab.putLong(at, 0L);
        }
        for (; at < end; at++) {
            slab.putByte(at, (byte) 0);
        }
    }
}
