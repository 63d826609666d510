/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Access to little-endian numbers in byte arrays: the byte order of table files. */
final class LittleEndian {
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {
    }

    static int getInt(final byte[] bytes, final int offset) {
        return (int) INTS.get(bytes, offset);
    }

    static void putInt(final byte[] bytes, final int offset, final int value) {
        INTS.set(bytes, offset, value);
    }

    static long getLong(final byte[] bytes, final int offset) {
        return (long) LONGS.get(bytes, offset);
    }

    static void putLong(final byte[] bytes, final int offset, final long value) {
        LONGS.set(bytes, offset, value);
    }
}
