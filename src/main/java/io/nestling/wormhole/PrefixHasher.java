/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import io.nestling.bytes.Hashing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Hashes of all prefixes of one byte string, each in constant time once the blocks of eight bytes before its end
 * have been chained (incremental hashing, Wormhole section 3.1).
 * <h2>Thread safety</h2>
 * None; each thread has its own.
 */
final class PrefixHasher {
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final int BLOCK_SHIFT = 3;
    private static final int BLOCK_MASK = Long.BYTES - 1;
    /* Odd constants with well mixed bits: leading digits of pi, e and the golden ratio. */
    private static final long TAIL_FACTOR = 0x243F6A8885A308D3L;
    private static final long LENGTH_FACTOR = 0xB7E151628AED2A6BL;
    private static final long CHAIN_FACTOR = 0x9E3779B97F4A7C15L;
    private static final int CHAIN_ROTATION = 29;
    /** Strings longer than this are hashed as a whole by a function that takes four blocks at a time. */
    private static final int LONG_STRING_BYTES = 64;
    private static final int FIRST_BLOCKS = 32;
    private static final int MOST_KEPT_BLOCKS = 128;

    private final long seed;
    private byte[] array;
    private int offset;
    private int length;
    /* chain[i] is the hash of the first i blocks, for i up to chained. */
    private long[] chain;
    private int chained;

    PrefixHasher(final long seed) {
        this.seed = seed;
        this.chain = newChain();
    }

    /** Takes another string; the array must stay unchanged while it is in use. */
    void reset(final byte[] newArray, final int newOffset, final int newLength) {
        array = newArray;
        offset = newOffset;
        length = newLength;
        chained = 0;
    }

    /** Makes room for strings of a length, so that no more is made when they come. */
    void expect(final int bytes) {
        final int block = bytes >>> BLOCK_SHIFT;
        if (block >= chain.length) {
            chain = Arrays.copyOf(chain, block + (block >> 1) + 1);
        }
    }

    /** Forgets the array, and what a long string has made room for. */
    void release() {
        array = null;
        if (chain.length > MOST_KEPT_BLOCKS) {
            chain = newChain();
        }
    }

    private long[] newChain() {
        final long[] chain = new long[FIRST_BLOCKS];
        chain[0] = seed;
        return chain;
    }

    byte[] array() {
        return array;
    }

    int offset() {
        return offset;
    }

    int length() {
        return length;
    }

    /** Hash of the first {@code prefixLength} bytes. */
    long hash(final int prefixLength) {
        final int block = prefixLength >>> BLOCK_SHIFT;
        if (chained < block) {
            extend(block);
        }
        final int rest = prefixLength & BLOCK_MASK;
        final long tail = rest == 0 ? 0 : word(block) & (1L << (rest << 3)) - 1;
        return Hashing.mix64(chain[block] ^ (tail + 1) * TAIL_FACTOR + prefixLength * LENGTH_FACTOR);
    }

    /** Hash of the whole string. */
    long hash() {
        return length <= LONG_STRING_BYTES ? hash(length) : Hashing.hash64(array, offset, length, seed);
    }

    private void extend(final int block) {
        expect(block << BLOCK_SHIFT);
        long value = chain[chained];
        for (int i = chained; i < block; i++) {
            value = Long.rotateLeft(value ^ word(i) * TAIL_FACTOR, CHAIN_ROTATION) * CHAIN_FACTOR;
            chain[i + 1] = value;
        }
        chained = block;
    }

    /** The eight bytes of a block; what lies behind the string may be anything. */
    private long word(final int block) {
        final int at = offset + (block << BLOCK_SHIFT);
        if (at <= array.length - Long.BYTES) {
            return (long) LONGS.get(array, at);
        }
        long word = 0;
        for (int i = array.length - 1; i >= at; i--) {
            word = word << Byte.SIZE | array[i] & 0xFF;
        }
        return word;
    }
}
