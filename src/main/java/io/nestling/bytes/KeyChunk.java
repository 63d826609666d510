/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads eight bytes of a key as a number that sorts, unsigned, as they do: big endian, with zeroes behind the key's end.
 * <h2>Thread safety</h2>
 * Stateless: any thread.
 */
public final class KeyChunk {
    private static final VarHandle LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN).withInvokeExactBehavior();

    private KeyChunk() {
    }

    /**
     * Returns the eight bytes from an index in a key on.
     *
     * @param key array that holds the key
     * @param offset the key's first byte in it
     * @param length the key's bytes
     * @param from index in the key of the chunk's first byte: at least 0, may lie behind the end
     * @return the chunk
     */
    public static long at(final byte[] key, final int offset, final int length, final int from) {
        final int rest = length - from;
        if (rest >= Long.BYTES) {
            return (long) LONG.get(key, offset + from);
        }
        if (rest <= 0) {
            return 0;
        }
        if (length >= Long.BYTES) {
            return (long) LONG.get(key, offset + length - Long.BYTES) << (Long.BYTES - rest << 3);
        }
        long chunk = 0;
        for (int i = 0; i < rest; i++) {
            chunk |= (key[offset + from + i] & 0xFFL) << (Long.BYTES - 1 - i << 3);
        }
        return chunk;
    }
}
