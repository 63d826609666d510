/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.util.Arrays;
import java.util.Random;

/**
 * Changes of plain bytes, for the parts of an input that have no structure, and numbers that readers go wrong at.
 */
public final class ByteMutations {
    private static final int KINDS = 8;

    private ByteMutations() {
    }

    /**
     * Changes bytes at one place.
     *
     * @param bytes not changed
     * @param other another input, to take parts from
     * @param random chooses
     * @return a new array
     */
    public static byte[] change(final byte[] bytes, final byte[] other, final Random random) {
        final int at = random.nextInt(bytes.length + 1);
        final int end = at + random.nextInt(Math.min(bytes.length - at, length(random)) + 1);
        switch (random.nextInt(KINDS)) {
            case 0:
                return replace(bytes, at, end, new byte[0]);
            case 1:
                return replace(bytes, at, at, Arrays.copyOfRange(bytes, at, end));
            case 2:
                final int from = random.nextInt(other.length + 1);
                final int to = from + random.nextInt(Math.min(other.length - from, length(random)) + 1);
                return replace(bytes, at, random.nextBoolean() ? at : end, Arrays.copyOfRange(other, from, to));
            case 3:
                final byte[] run = new byte[length(random)];
                Arrays.fill(run, (byte) number(random));
                return replace(bytes, at, random.nextBoolean() ? at : end, run);
            case 4:
                return Arrays.copyOf(bytes, at);
            case 5:
                final byte[] little = new byte[random.nextBoolean() ? Integer.BYTES : Long.BYTES];
                long rest = number(random);
                for (int i = 0; i < little.length; i++, rest >>= Byte.SIZE) {
                    little[i] = (byte) rest;
                }
                return replace(bytes, at, Math.min(bytes.length, at + little.length), little);
            default:
                return replace(bytes, at, Math.min(at + 1, bytes.length), new byte[] {(byte) changed(
                    at < bytes.length ? bytes[at] : 0, random)});
        }
    }

    /**
     * Returns another number near to one, or one that readers go wrong at.
     *
     * @param number the number
     * @param random chooses
     * @return a number
     */
    public static long changed(final long number, final Random random) {
        switch (random.nextInt(4)) {
            case 0:
                return number ^ 1L << random.nextInt(Long.SIZE);
            case 1:
                return number + random.nextInt(9) - 4;
            case 2:
                return random.nextBoolean() ? number << 1 : number >>> 1;
            default:
                return number(random);
        }
    }

    /**
     * Returns a number that readers go wrong at: a power of two, or one or two beside it, of either sign.
     *
     * @param random chooses
     * @return a number
     */
    public static long number(final Random random) {
        final long number = (1L << random.nextInt(Long.SIZE)) + random.nextInt(5) - 2;
        return random.nextInt(4) == 0 ? -number : number;
    }

    /**
     * Replaces a range.
     *
     * @param bytes not changed
     * @param from its start
     * @param to offset behind it
     * @param with the new bytes
     * @return a new array
     */
    public static byte[] replace(final byte[] bytes, final int from, final int to, final byte[] with) {
        final byte[] result = new byte[bytes.length - (to - from) + with.length];
        System.arraycopy(bytes, 0, result, 0, from);
        System.arraycopy(with, 0, result, from, with.length);
        System.arraycopy(bytes, to, result, from + with.length, bytes.length - to);
        return result;
    }

    /** A length, mostly short. */
    private static int length(final Random random) {
        return 1 + random.nextInt(1 << random.nextInt(10));
    }
}
