/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Access to numbers in the bytes of keys. They are big endian, so that the bytes sort like the unsigned numbers. */
final class KeyBytes {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private KeyBytes() {
    }

    static byte[] ascii(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static void putLong(final byte[] array, final int offset, final long value) {
        LONGS.set(array, offset, value);
    }

    static void putInt(final byte[] array, final int offset, final int value) {
        INTS.set(array, offset, value);
    }

    /** Writes the last decimal digits of a number and returns the offset after them. */
    static int putDigits(final byte[] array, final int start, final long value, final int digits) {
        long rest = value;
        for (int i = start + digits - 1; i >= start; i--) {
            array[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return start + digits;
    }
}
