/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.bytes.KeyChunk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The first eight bytes of a key as a number with the same unsigned order: big endian, shorter keys filled with zeroes. Keys that
 * share a word are told apart in their run.
 */
final class KeyWord {
    /** Bytes of a word, which alone gives keys of this length back. */
    static final int BYTES = Long.BYTES;
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN).withInvokeExactBehavior();
    private static final int BYTE_MASK = 0xFF;

    private KeyWord() {
    }

    static long of(final byte[] key, final int offset, final int length) {
        return KeyChunk.at(key, offset, length, 0);
    }

    static void write(final long word, final byte[] destination) {
        LONGS.set(destination, 0, word);
    }

    /** Returns the byte at a depth of 0 to 7. */
    static int byteAt(final long word, final int depth) {
        return (int) (word >>> Long.SIZE - Byte.SIZE - Byte.SIZE * depth) & BYTE_MASK;
    }

    /** Returns the first {@code length} bytes, 1 to 8, the others zero. */
    static long prefix(final long word, final int length) {
        return word & -1L << Long.SIZE - Byte.SIZE * length;
    }

    /** Returns the first {@code length} bytes, 1 to 7, followed by one other byte and zeroes. */
    static long extend(final long word, final int length, final int next) {
        return prefix(word, length) | (long) next << Long.SIZE - Byte.SIZE - Byte.SIZE * length;
    }

    /** Returns whether two words share their first {@code length} bytes, 1 to 8. */
    static boolean sharePrefix(final long left, final long right, final int length) {
        return (left ^ right) >>> Long.SIZE - Byte.SIZE * length == 0;
    }

    /** Returns the number of leading bytes that two words share. */
    static int commonPrefix(final long left, final long right) {
        return Long.numberOfLeadingZeros(left ^ right) / Byte.SIZE;
    }
}
