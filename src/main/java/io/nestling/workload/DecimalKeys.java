/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

/**
 * Keys of eight bytes, each drawn uniformly from its own set of few (6) or many (100) values: the decimal distributions of the
 * MlpIndex report ("Data Distribution and Configuration"). In A the last two bytes have many values, in B
 * the first two. There are 6<sup>6</sup> 100<sup>2</sup> keys, in a random order.
 */
final class DecimalKeys implements KeyGenerator {
    private static final int FEW = 6;
    private static final int MANY = 100;
    private static final int BYTES_WITH_MANY = 2;
    private static final int BYTE_VALUES = 1 << Byte.SIZE;

    private final byte[][] values = new byte[Long.BYTES][];
    private final Permutation order;

    private DecimalKeys(final int firstWithMany, final long seed) {
        final Randomness randomness = new Randomness(seed);
        for (int i = 0; i < values.length; i++) {
            final boolean many = i >= firstWithMany && i < firstWithMany + BYTES_WITH_MANY;
            values[i] = choice(many ? MANY : FEW, randomness);
        }
        order = new Permutation(numbers(), seed);
    }

    /** Returns the distribution A. */
    static DecimalKeys a() {
        return new DecimalKeys(Long.BYTES - BYTES_WITH_MANY, 'A');
    }

    /** Returns the distribution B. */
    static DecimalKeys b() {
        return new DecimalKeys(0, 'B');
    }

    private static byte[] choice(final int count, final Randomness randomness) {
        final byte[] chosen = new byte[count];
        int filled = 0;
        for (int value = 0; value < BYTE_VALUES; value++) {
            // The probability that fills the rest uniformly.
            if (randomness.below(BYTE_VALUES - value) < count - filled) {
                chosen[filled++] = (byte) value;
            }
        }
        return chosen;
    }

    @Override
    public int maxKeyBytes() {
        return Long.BYTES;
    }

    @Override
    public long numbers() {
        long product = 1;
        for (int i = 0; i < Long.BYTES; i++) {
            product *= i < BYTES_WITH_MANY ? MANY : FEW;
        }
        return product;
    }

    @Override
    public boolean distinct() {
        return true;
    }

    @Override
    public int generate(final long number, final byte[] target) {
        int rest = (int) order.apply(number);
        for (int i = 0; i < values.length; i++) {
            target[i] = values[i][rest % values[i].length];
            rest /= values[i].length;
        }
        return values.length;
    }
}
