/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.function.Supplier;

/** Keys generated from the numbers 0, 1, 2, ..., without duplicates. */
record GeneratedDataset(String name, Supplier<KeyGenerator> generators) implements Dataset {
    /** Consecutive duplicates after which a generator counts as exhausted. */
    private static final int MAX_TRIES = 100_000;

    @Override
    public long maxKeys() {
        return generators.get().numbers();
    }

    @Override
    public KeySet keys(final int count) throws DatasetException {
        Datasets.checkCount(name, count);
        final KeyGenerator generator = generators.get();
        if (count > generator.numbers()) {
            throw new DatasetException(name + ": " + count + " keys asked for, the data set has " + generator.numbers());
        }
        return keys(count, generator, 0, generator.distinct() ? null : new KeyHashes(count));
    }

    /** Generates absent keys from the second half of the numbers, which {@link #keys} does not reach in practice. */
    @Override
    public KeySet absentKeys(final int count, final KeySet present) throws DatasetException {
        Datasets.checkCount(name, count);
        final KeyGenerator generator = generators.get();
        final KeyHashes known = new KeyHashes((long) count + present.size());
        known.addAll(present);
        return keys(count, generator, generator.numbers() / 2, known);
    }

    private KeySet keys(final int count, final KeyGenerator generator, final long firstNumber, final KeyHashes known)
        throws DatasetException {
        final byte[] key = new byte[generator.maxKeyBytes()];
        final KeySet.Builder builder = KeySet.builder();
        int tries = 0;
        for (long number = firstNumber; builder.size() < count; number++) {
            if (number == generator.numbers() || tries == MAX_TRIES) {
                throw new DatasetException(name + ": " + count + " keys asked for, the data set has no more than "
                    + builder.size() + (firstNumber == 0 ? "" : " others"));
            }
            final int length = generator.generate(number, key);
            if (known == null || known.add(key, 0, length)) {
                builder.add(key, 0, length);
                tries = 0;
            } else {
                tries++;
            }
        }
        return builder.build();
    }
}
