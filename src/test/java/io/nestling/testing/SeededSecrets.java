/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import io.nestling.bytes.SecretSource;

import java.security.Provider;
import java.security.SecureRandomSpi;
import java.security.Security;
import java.util.Random;

/**
 * Makes the secret numbers of hashes follow from a seed, so that a run with them can be repeated: for a product that a {@link
 * LimitsLoader} has loaded, and whose {@link SecretSource} nobody has used yet. One thread at a time.
 */
public final class SeededSecrets {
    /** An odd number: products with it make seeds in a row differ in all bits. */
    public static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private static final Random NUMBERS = install();

    private SeededSecrets() {
    }

    /**
     * Begins the numbers of a seed.
     *
     * @param seed any number
     */
    public static void begin(final long seed) {
        NUMBERS.setSeed(seed);
    }

    private static Random install() {
        final Random numbers = new Random();
        final Provider provider = new NumbersProvider(numbers);
        Security.insertProviderAt(provider, 1);
        try {
            numbers.setSeed(1);
            final long first = SecretSource.nextLong();
            numbers.setSeed(1);
            if (SecretSource.nextLong() != first) {
                throw new IllegalStateException("secret numbers do not follow from a seed: they were used before");
            }
        } finally {
            Security.removeProvider(provider.getName());
        }
        return numbers;
    }

    /** Offers these numbers as the most preferred secure ones. */
    private static final class NumbersProvider extends Provider {
        private static final long serialVersionUID = 1;

        NumbersProvider(final Random numbers) {
            super("SeededNumbers", "1", "numbers that follow from a seed");
            putService(new Service(this, "SecureRandom", "SeededNumbers", Numbers.class.getName(), null, null) {
                @Override
                public Object newInstance(final Object parameter) {
                    return new Numbers(numbers);
                }
            });
        }
    }

    /** Secure in name alone. */
    private static final class Numbers extends SecureRandomSpi {
        private static final long serialVersionUID = 1;

        private final Random numbers;

        Numbers(final Random numbers) {
            this.numbers = numbers;
        }

        @Override
        protected void engineSetSeed(final byte[] seed) {
            // they have one
        }

        @Override
        protected void engineNextBytes(final byte[] bytes) {
            numbers.nextBytes(bytes);
        }

        @Override
        protected byte[] engineGenerateSeed(final int count) {
            final byte[] seed = new byte[count];
            numbers.nextBytes(seed);
            return seed;
        }
    }
}
