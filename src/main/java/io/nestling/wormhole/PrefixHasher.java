/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import io.nestling.bytes.KeyHash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Hashes of all prefixes of one byte string, each in constant time once the states behind earlier words of eight bytes are known
 * (incremental hashing, Wormhole section 3.1). They equal those of a {@link KeyHash}.
 * <h2>Thread safety</h2>
 * One thread at a time.
 */
final class PrefixHasher {
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final int BLOCK_SHIFT = 3;
    private static final int BLOCK_MASK = Long.BYTES - 1;
    private static final int FIRST_BLOCKS = 32;
    private static final int MOST_KEPT_BLOCKS = 128;

    private final KeyHash keyHash;
    private byte[] array;
    private int offset;
    private int length;
    /* chain[i] is the state behind the first i words, for i up to {@code chained}. */
    private long[] chain;
    private int chained;

    PrefixHasher(final KeyHash keyHash) {
        this.keyHash = keyHash;
        this.chain = newChain();
    }

    /** Sets another string; the array must not change while in use. */
    void reset(final byte[] newArray, final int newOffset, final int newLength) {
        array = newArray;
        offset = newOffset;
        length = newLength;
        chained = 0;
    }

    /** Allocates memory for strings of a length. */
    void expect(final int bytes) {
        final int block = bytes >>> BLOCK_SHIFT;
        if (block >= chain.length) {
            chain = Arrays.copyOf(chain, block + (block >> 1) + 1);
        }
    }

    /** Forgets the array, and memory that a long string needed. */
    void release() {
        array = null;
        if (chain.length > MOST_KEPT_BLOCKS) {
            chain = newChain();
        }
    }

    private long[] newChain() {
        final long[] fresh = new long[FIRST_BLOCKS];
        fresh[0] = keyHash.start();
        return fresh;
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

    /** Returns the hash of the first {@code prefixLength} bytes. */
    long hash(final int prefixLength) {
        final int block = prefixLength >>> BLOCK_SHIFT;
        if (chained < block) {
            extend(block);
        }
        return hash(keyHash, chain[block], array, offset, prefixLength);
    }

    /** Returns the hash of the first {@code prefixLength} bytes from an offset on, given the state behind their whole words. */
    static long hash(
        final KeyHash keyHash, final long state, final byte[] array, final int offset, final int prefixLength) {
        final int rest = prefixLength & BLOCK_MASK;
        return keyHash.finish(rest == 0 ? state
            : keyHash.step(state, word(array, offset + prefixLength - rest) & (1L << (rest << 3)) - 1), prefixLength);
    }

    /** Returns the hash of the whole string, without keeping more states. */
    long hash() {
        final int known = Math.min(chained, length >>> BLOCK_SHIFT) << BLOCK_SHIFT;
        return keyHash.finish(keyHash.extend(chain[known >>> BLOCK_SHIFT], array, offset + known, length - known), length);
    }

    private void extend(final int block) {
        expect(block << BLOCK_SHIFT);
        long value = chain[chained];
        for (int i = chained; i < block; i++) {
            value = keyHash.step(value, word(array, offset + (i << BLOCK_SHIFT)));
            chain[i + 1] = value;
        }
        chained = block;
    }

    /** Returns eight bytes from an index on; those behind the end of the array are 0. */
    private static long word(final byte[] array, final int at) {
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
