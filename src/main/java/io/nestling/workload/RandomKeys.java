/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;

import java.util.Arrays;

/**
 * Keys of random bytes, all of one length, possibly after a prefix of the character 0, as in the long-prefix key sets of the
 * Wormhole paper (EuroSys 2019, section 4.2).
 */
final class RandomKeys implements KeyGenerator {
    private static final int FILLER = '0';
    private static final int SMALL_TAIL = Integer.BYTES;

    private final int prefixBytes;
    private final int length;
    private final Randomness randomness;
    private final long seed;

    /** Creates a generator of keys with a shared prefix and at least 4 random bytes; another seed gives other keys. */
    RandomKeys(final int prefixBytes, final int randomBytes, final long seed) {
        this.prefixBytes = prefixBytes;
        this.length = prefixBytes + randomBytes;
        this.seed = Hashing.mix64(seed);
        this.randomness = new Randomness(seed);
    }

    @Override
    public int maxKeyBytes() {
        return length;
    }

    @Override
    public long numbers() {
        return length - prefixBytes < Long.BYTES ? 1L << Integer.SIZE : Long.MAX_VALUE;
    }

    /** Returns true: the first eight (or four) random bytes are an invertible mix of the number. */
    @Override
    public boolean distinct() {
        return true;
    }

    @Override
    public int generate(final long number, final byte[] target) {
        Arrays.fill(target, 0, prefixBytes, (byte) FILLER);
        int position = prefixBytes;
        if (length - prefixBytes < Long.BYTES) {
            KeyBytes.putInt(target, position, Hashing.mix32((int) number + (int) seed));
            position += SMALL_TAIL;
        } else {
            KeyBytes.putLong(target, position, Hashing.mix64(number + seed));
            position += Long.BYTES;
        }
        if (position < length) {
            randomness.restart(seed, number);
        }
        for (; position + Long.BYTES <= length; position += Long.BYTES) {
            KeyBytes.putLong(target, position, randomness.next());
        }
        for (long rest = position < length ? randomness.next() : 0; position < length; rest >>>= Byte.SIZE) {
            target[position++] = (byte) rest;
        }
        return length;
    }
}
