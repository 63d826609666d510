/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.bytes.Varint;
import org.apache.cassandra.db.marshal.ByteArrayAccessor;
import org.apache.cassandra.db.marshal.ValueAccessor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A buffer of bytes that is written or read sequentially. Numbers are little endian, lengths unsigned LEB128.
 * <h2>Thread safety</h2> One thread at a time.
 */
final class ByteBlob {
    private static final VarHandle LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final VarHandle INT =
        MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final int INITIAL_BYTES = 512;
    private static final byte[] EMPTY = new byte[0];

    byte[] bytes = new byte[INITIAL_BYTES];
    /** Offset of the next byte to write or read. */
    int position;

    void reserve(final int more) {
        if (bytes.length - position < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(position, more), bytes.length * 2));
        }
    }

    /** Returns the array, enlarged to a length; its content is undefined. */
    byte[] ofLength(final int length) {
        if (bytes.length < length) {
            bytes = new byte[Math.max(length, bytes.length * 2)];
        }
        return bytes;
    }

    // ---- writing ----

    void putByte(final int value) {
        reserve(1);
        bytes[position++] = (byte) value;
    }

    void putInt(final int value) {
        reserve(Integer.BYTES);
        INT.set(bytes, position, value);
        position += Integer.BYTES;
    }

    void putInt(final int at, final int value) {
        INT.set(bytes, at, value);
    }

    void putLong(final long value) {
        reserve(Long.BYTES);
        LONG.set(bytes, position, value);
        position += Long.BYTES;
    }

    void putVarint(final int value) {
        reserve(Varint.MAX_INT_BYTES);
        if ((value & ~0x7F) == 0) {
            bytes[position++] = (byte) value;
        } else {
            position = Varint.write(bytes, position, value);
        }
    }

    void putBytes(final byte[] source, final int offset, final int length) {
        reserve(length);
        System.arraycopy(source, offset, bytes, position, length);
        position += length;
    }

    /** Writes the length of a value plus a number, then the value. */
    <V> void putValue(final V value, final ValueAccessor<V> accessor, final int lengthOffset) {
        final int length = accessor.size(value);
        putVarint(length + lengthOffset);
        reserve(length);
        accessor.copyTo(value, 0, bytes, ByteArrayAccessor.instance, position, length);
        position += length;
    }

    // ---- reading ----

    byte getByte() {
        return bytes[position++];
    }

    int getInt() {
        final int value = (int) INT.get(bytes, position);
        position += Integer.BYTES;
        return value;
    }

    long getLong() {
        final long value = (long) LONG.get(bytes, position);
        position += Long.BYTES;
        return value;
    }

    int getVarint() {
        int read = bytes[position++];
        if (read >= 0) {
            return read;
        }
        int value = read & 0x7F;
        for (int shift = 7;; shift += 7) {
            read = bytes[position++];
            value |= (read & 0x7F) << shift;
            if (read >= 0) {
                return value;
            }
        }
    }

    /** Returns a copy of the next bytes. */
    byte[] getBytes(final int length) {
        if (length == 0) {
            return EMPTY;
        }
        final byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
        position += length;
        return copy;
    }
}
