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
 * Hash functions over byte strings and integers. None is cryptographic, none allocates.
 * <p>
 * {@link #hash64(byte[], int, int, long)} is XXH64 as its public specification describes it, so its values
 * are the same on every machine and may be stored in files. The integer mixers are bijections: different
 * inputs never collide before bits are cut off.
 * <h2>Thread safety</h2>
 * Stateless: any thread.
 *
 * @see <a href="https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md">xxHash specification</a>
 */
public final class Hashing {
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
        MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;

    /* The multipliers of the 32-bit finalizer of MurmurHash3. */
    private static final int MIX_1 = 0x85EBCA6B;
    private static final int MIX_2 = 0xC2B2AE35;

    private static final int STRIPE_BYTES = 4 * Long.BYTES;
    private static final int BYTE_MASK = 0xFF;
    private static final long UNSIGNED_INT_MASK = 0xFFFF_FFFFL;

    private Hashing() {
    }

    /**
     * Returns the XXH64 of a byte string with seed 0.
     *
     * @param bytes the string
     * @return 64 well mixed bits
     */
    public static long hash64(final byte[] bytes) {
        return hash64(bytes, 0, bytes.length, 0);
    }

    /**
     * Returns the XXH64 of a range of bytes.
     *
     * @param bytes array with the string
     * @param offset start of the string
     * @param length bytes of the string
     * @param seed selects the hash function
     * @return 64 well mixed bits
     * @throws IndexOutOfBoundsException if the range is not in the array
     */
    public static long hash64(final byte[] bytes, final int offset, final int length, final long seed) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == Long.BYTES) {
            return hash64((long) LONGS.get(bytes, offset), seed);
        }
        final int wholeStripes = length - length % STRIPE_BYTES;
        long hash = wholeStripes == 0 ? seed + PRIME_5 : stripes(bytes, offset, wholeStripes, seed);
        hash += length;
        return avalanche(tail(hash, bytes, offset + wholeStripes, offset + length));
    }

    /**
     * Returns the XXH64 of the eight bytes of a long in little-endian order: the hash of an 8-byte string without the
     * array.
     *
     * @param value the eight bytes
     * @param seed selects the hash function
     * @return 64 well mixed bits
     */
    public static long hash64(final long value, final long seed) {
        return avalanche(step8(seed + PRIME_5 + Long.BYTES, value));
    }

    /**
     * Mixes the bits of an int: each input bit flips each output bit with probability close to one half. A
     * bijection; 0 stays 0.
     *
     * @param value any number
     * @return the mixed number
     */
    public static int mix32(final int value) {
        int mixed = value;
        mixed ^= mixed >>> 16;
        mixed *= MIX_1;
        mixed ^= mixed >>> 13;
        mixed *= MIX_2;
        mixed ^= mixed >>> 16;
        return mixed;
    }

    /**
     * Mixes the bits of a long: each input bit flips each output bit with probability close to one half. A
     * bijection; 0 stays 0.
     *
     * @param value any number
     * @return the mixed number
     */
    public static long mix64(final long value) {
        return avalanche(value);
    }

    /**
     * Maps a hash evenly to {@code 0..bound-1} by its upper 32 bits, without a division.
     *
     * @param hash a well mixed hash
     * @param bound number of outcomes, at least 1
     * @return a number from 0 to {@code bound - 1}
     */
    public static int reduce(final long hash, final int bound) {
        return (int) ((hash >>> Integer.SIZE) * bound >>> Integer.SIZE);
    }

    private static long stripes(final byte[] bytes, final int offset, final int length, final long seed) {
        long lane1 = seed + PRIME_1 + PRIME_2;
        long lane2 = seed + PRIME_2;
        long lane3 = seed;
        long lane4 = seed - PRIME_1;
        for (int at = offset; at < offset + length; at += STRIPE_BYTES) {
            lane1 = round(lane1, (long) LONGS.get(bytes, at));
            lane2 = round(lane2, (long) LONGS.get(bytes, at + Long.BYTES));
            lane3 = round(lane3, (long) LONGS.get(bytes, at + 2 * Long.BYTES));
            lane4 = round(lane4, (long) LONGS.get(bytes, at + 3 * Long.BYTES));
        }
        long hash = Long.rotateLeft(lane1, 1) + Long.rotateLeft(lane2, 7)
            + Long.rotateLeft(lane3, 12) + Long.rotateLeft(lane4, 18);
        hash = mergeLane(hash, lane1);
        hash = mergeLane(hash, lane2);
        hash = mergeLane(hash, lane3);
        return mergeLane(hash, lane4);
    }

    private static long tail(final long before, final byte[] bytes, final int from, final int end) {
        long hash = before;
        int at = from;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            hash = step8(hash, (long) LONGS.get(bytes, at));
        }
        if (at <= end - Integer.BYTES) {
            hash ^= ((int) INTS.get(bytes, at) & UNSIGNED_INT_MASK) * PRIME_1;
            hash = Long.rotateLeft(hash, 23) * PRIME_2 + PRIME_3;
            at += Integer.BYTES;
        }
        for (; at < end; at++) {
            hash ^= (bytes[at] & BYTE_MASK) * PRIME_5;
            hash = Long.rotateLeft(hash, 11) * PRIME_1;
        }
        return hash;
    }

    private static long step8(final long hash, final long lane) {
        return Long.rotateLeft(hash ^ round(0, lane), 27) * PRIME_1 + PRIME_4;
    }

    private static long round(final long accumulator, final long lane) {
        return Long.rotateLeft(accumulator + lane * PRIME_2, 31) * PRIME_1;
    }

    private static long mergeLane(final long hash, final long lane) {
        return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
    }

    private static long avalanche(final long value) {
        long hash = value;
        hash ^= hash >>> 33;
        hash *= PRIME_2;
        hash ^= hash >>> 29;
        hash *= PRIME_3;
        hash ^= hash >>> 32;
        return hash;
    }
}
