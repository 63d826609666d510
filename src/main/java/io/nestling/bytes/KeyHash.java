/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A secret hash of keys for one structure in memory: without its secret numbers no one can choose keys that collide more
 * often than random ones. Values differ from one instance to the next and must not be stored in files or shown.
 * <p>
 * A key is a sequence of words of eight bytes, little endian, the last one filled with zeroes. The state begins with a secret
 * number; {@link #step} combines it with each word in turn, and {@link #finish} with the length:
 * <pre>
 * step(s, word)  = low half - high half of the 128-bit unsigned product of s ^ word and m0     s = k0 at first
 * finish(s, n)   = p ^ p >>> 32     with p = (s ^ k1 + n) * m1
 * </pre>
 * A step is the product modulo 2^64 + 1, but for a carry, so that words which differ give states that differ, by an amount that
 * the secret factor determines. The second product breaks the order of an arithmetic progression and brings all bits of the
 * state to the upper ones, of which the lower ones take their share.
 * <p>
 * Neither a signed product nor the exclusive or of the halves would do: {@code -x} gives the negative of the signed product,
 * and {@code ~x} the complement of most bits of the low half and of the high half, whatever the factor is.
 * <h2>Thread safety</h2>
 * Immutable: any thread.
 */
public final class KeyHash {
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final VarHandle INTS =
        MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    private static final long UNSIGNED_INT_MASK = 0xFFFF_FFFFL;
    private static final int BYTE_MASK = 0xFF;
    private static final long SEED_STEP = 0x9E37_79B9_7F4A_7C15L;

    private final long start;
    private final long stepFactor;
    private final long end;
    private final long endFactor;

    private KeyHash(final long start, final long stepFactor, final long end, final long endFactor) {
        this.start = start;
        this.stepFactor = stepFactor >>> 1 | 1; // below 2^63, which saves half of the correction to an unsigned product
        this.end = end;
        this.endFactor = endFactor | 1;
    }

    /**
     * Returns a new hash function with secret numbers.
     *
     * @return the function
     */
    public static KeyHash secret() {
        return new KeyHash(
            SecretSource.nextLong(), SecretSource.nextLong(), SecretSource.nextLong(), SecretSource.nextLong());
    }

    /**
     * Returns the hash function of a seed, to repeat a run. For tests: anyone who knows the seed can choose keys that collide.
     *
     * @param seed any number
     * @return the function
     */
    public static KeyHash ofSeed(final long seed) {
        return new KeyHash(Hashing.mix64(seed + SEED_STEP), Hashing.mix64(seed + 2 * SEED_STEP),
            Hashing.mix64(seed + 3 * SEED_STEP), Hashing.mix64(seed + 4 * SEED_STEP));
    }

    /**
     * Returns the hash of a key.
     *
     * @param key array with the key
     * @param offset its first byte
     * @param length its bytes
     * @return 64 well mixed bits
     * @throws IndexOutOfBoundsException if the key is not in the array
     */
    public long hash(final byte[] key, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, key.length);
        return finish(extend(start, key, offset, length), length);
    }

    /**
     * Returns the hash of a word under a kind; the hash of an 8-byte key is the one under kind 8.
     *
     * @param word the word
     * @param kind not negative; each kind has its own hashes
     * @return 64 well mixed bits
     */
    public long hash(final long word, final int kind) {
        return finish(step(start, word), kind);
    }

    /**
     * Returns the state before the first word.
     *
     * @return the state
     */
    public long start() {
        return start;
    }

    /**
     * Returns the state after one more word.
     *
     * @param state the state before it
     * @param word eight bytes, the first one in the lowest bits, zeroes behind the key's end
     * @return the state
     */
    public long step(final long state, final long word) {
        final long number = state ^ word;
        return number * stepFactor - (number >> Long.SIZE - 1 & stepFactor) - Math.multiplyHigh(number, stepFactor);
    }

    /**
     * Returns the state after the bytes from a multiple of eight on to the end of a key.
     *
     * @param state the state before them
     * @param bytes array with the bytes
     * @param offset the first of them
     * @param length their number
     * @return the state
     */
    public long extend(final long state, final byte[] bytes, final int offset, final int length) {
        final int last = offset + length - Long.BYTES;
        long extended = state;
        int at = offset;
        for (; at <= last; at += Long.BYTES) {
            extended = step(extended, (long) LONGS.get(bytes, at));
        }
        final int rest = length & Long.BYTES - 1;
        return rest == 0 ? extended
            : step(extended, last >= offset ? (long) LONGS.get(bytes, last) >>> (Long.BYTES - rest << 3) : few(bytes, at, rest));
    }

    /**
     * Returns the hash of a key whose words are all in the state.
     *
     * @param state the state after the last word
     * @param length the key's bytes
     * @return 64 well mixed bits
     */
    public long finish(final long state, final int length) {
        final long product = (state ^ end + length) * endFactor;
        return product ^ product >>> Integer.SIZE;
    }

    /** One to seven bytes as a word. */
    private static long few(final byte[] bytes, final int offset, final int length) {
        if (length >= Integer.BYTES) {
            final long high = (int) INTS.get(bytes, offset + length - Integer.BYTES) & UNSIGNED_INT_MASK;
            return (int) INTS.get(bytes, offset) & UNSIGNED_INT_MASK
                | high >>> (Long.BYTES - length << 3) << Integer.SIZE;
        }
        long word = 0;
        for (int i = length - 1; i >= 0; i--) {
            word = word << Byte.SIZE | bytes[offset + i] & BYTE_MASK;
        }
        return word;
    }
}
