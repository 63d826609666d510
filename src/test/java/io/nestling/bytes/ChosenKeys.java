/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Keys that somebody chooses who knows a hash function: families with one hash, or with many equal bits of it. */
public final class ChosenKeys {
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    /* A chain that took eight bytes by a product, a rotation and another product. */
    private static final long CHAIN_FACTOR = 0x243F6A8885A308D3L;
    private static final int CHAIN_BIT = 34;
    private static final int CHAIN_BLOCKS = 16;

    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(Long.SIZE);
    private static final BigInteger MODULUS = TWO_64.add(BigInteger.ONE);

    private ChosenKeys() {
    }

    private static long inverse(final long odd) {
        long x = odd;
        for (int i = 0; i < 5; i++) {
            x *= 2 - odd * x;
        }
        return x;
    }

    // ---- public functions, and one whose differences cancel under each seed ----

    /** Words with {@code mix64(word + 8 * GOLDEN)} alike in the low 14 bits of both halves; each second has another last bit. */
    public static long[] wordsOfOneMix(final int count) {
        final long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            words[i] = unmix(alike(i / 2)) - 8 * GOLDEN ^ i & 1;
        }
        return words;
    }

    private static long alike(final long number) {
        return (number & 0xFFFF) << 14 | (number >>> 16 & 0xFFFF) << 46 | 5 | 9L << 32;
    }

    private static long unmix(final long mixed) {
        long x = mixed;
        x ^= x >>> 32;
        x *= inverse(PRIME_3);
        x ^= x >>> 29 ^ x >>> 58;
        x *= inverse(PRIME_2);
        return x ^ x >>> 33;
    }

    /** Keys of 16 bytes whose XXH64 with a seed is that of the first one. */
    public static List<byte[]> keysOfOneXxHash(final int count, final long seed) {
        final List<byte[]> keys = new ArrayList<>();
        final long target = xxState(0, seed) ^ round(12_345);
        for (int i = 0; i < count; i++) {
            final long rounded = target ^ xxState(i, seed);
            keys.add(key(i, Long.rotateRight(rounded * inverse(PRIME_1), 31) * inverse(PRIME_2)));
        }
        return keys;
    }

    private static long xxState(final long first, final long seed) {
        return Long.rotateLeft(seed + PRIME_5 + 16 ^ round(first), 27) * PRIME_1 + PRIME_4;
    }

    private static long round(final long lane) {
        return Long.rotateLeft(lane * PRIME_2, 31) * PRIME_1;
    }

    /** Strings of 128 bytes with one hash by the chain {@code s = rotate(s ^ word * factor, 29) * factor'}, whatever its seed. */
    public static List<byte[]> stringsOfOneChain(final int count) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final long[] words = new long[CHAIN_BLOCKS];
            long carry = 0;
            for (int k = 0; k < CHAIN_BLOCKS; k++) {
                long product = 0x1111111111111111L * (k + 1) * CHAIN_FACTOR ^ carry;
                carry = 0;
                if (k < CHAIN_BLOCKS - 1 && (i >> k & 1) != 0) {
                    product ^= 1L << CHAIN_BIT;
                    carry = Long.MIN_VALUE;
                }
                words[k] = product * inverse(CHAIN_FACTOR);
            }
            keys.add(key(words));
        }
        return keys;
    }

    // ---- KeyHash with a known seed ----

    /** Keys of 16 bytes that have one hash, all 64 bits of it. */
    public static List<byte[]> keysOfOneHash(final KeyHash hash, final int count) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(key(i, hash.step(hash.start(), i) ^ hash.step(hash.start(), 0) ^ 12_345));
        }
        return keys;
    }

    /** As {@link #wordsOfOneMix} for the hash of a seed and words of a kind. */
    public static long[] wordsOfOneBucket(final long seed, final int kind, final int count) {
        final KeyHash hash = KeyHash.ofSeed(seed);
        final long end = Hashing.mix64(seed + 3 * GOLDEN) + kind;
        final BigInteger stepInverse = inverseOfFactor(Hashing.mix64(seed + 2 * GOLDEN));
        final long endInverse = inverse(Hashing.mix64(seed + 4 * GOLDEN) | 1);
        final long[] words = new long[count];
        int made = 0;
        for (long i = 0; made < count; i++) {
            final long product = alike(i) ^ alike(i) >>> Integer.SIZE;
            for (final long start : unfold(product * endInverse ^ end, stepInverse)) {
                final long word = start ^ hash.start();
                if (made < count && hash.hash(word, kind) == alike(i)) {
                    words[made++] = word;
                    if (made < count) {
                        words[made++] = word ^ 1;
                    }
                }
            }
        }
        return words;
    }

    private static BigInteger inverseOfFactor(final long factor) {
        return BigInteger.valueOf(factor >>> 1 | 1).modInverse(MODULUS);
    }

    /** The numbers that a step may bring to a given one, at most two. */
    private static long[] unfold(final long folded, final BigInteger inverse) {
        final BigInteger remainder = BigInteger.valueOf(folded).mod(TWO_64);
        return new long[] {
            remainder.multiply(inverse).mod(MODULUS).longValue(),
            remainder.add(BigInteger.ONE).multiply(inverse).mod(MODULUS).longValue()};
    }

    /** A key of some words, little endian. */
    public static byte[] key(final long... words) {
        final ByteBuffer key = ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (final long word : words) {
            key.putLong(word);
        }
        return key.array();
    }

    /** A key of eight bytes whose bytes sort as an unsigned word does. */
    public static byte[] bigEndian(final long word) {
        return ByteBuffer.allocate(Long.BYTES).putLong(word).array();
    }
}
