/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.KeyCorpus;
import io.nestling.testing.Seeds;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the contracts of indexes share: which index is tested, with how much memory and on which keys. A test
 * of an index extends {@link PointIndexContract} or {@link OrderedIndexContract}, {@link IndexModelContract}
 * and {@link IndexConcurrencyContract} and gives its factory.
 */
public abstract class IndexContract {
    /** The factory of the index under test. */
    protected abstract IndexFactory factory();

    /** Tells whether the index takes a key; a general one takes all of up to 65,535 bytes. */
    protected boolean accepts(final byte[] key) {
        return true;
    }

    /** Memory of an index that is not meant to run out of it. */
    protected long maxBytes() {
        return 64L << 20;
    }

    /** Memory of an index that is meant to run out of it. */
    protected long tightBytes() {
        return 1L << 20;
    }

    /**
     * Most bytes that an index may use once it was emptied, which used a number of them before it was filled
     * and when full.
     */
    protected long emptiedBytes(final long before, final long filled) {
        return before + 4096 + (filled - before) / 8;
    }

    /** The corpora, less the keys that the index does not take. */
    protected final List<KeyCorpus> corpora() {
        return KeyCorpus.all().stream()
            .map(corpus -> corpus.filter(this::accepts))
            .filter(corpus -> corpus.size() > 0)
            .collect(Collectors.toList());
    }

    final IndexFixture open() {
        return new IndexFixture(factory(), maxBytes(), maxBytes());
    }

    /** Takes the seed of a test and prints it. */
    final long seed(final String test) {
        return Seeds.seed(factory().indexName() + "." + test);
    }

    /** Distinct keys of 1 to 40 bytes that the index takes, in random order. */
    final List<byte[]> distinctKeys(final Random random, final int count) {
        final Set<ByteBuffer> seen = new HashSet<>();
        final List<byte[]> keys = new ArrayList<>(count);
        while (keys.size() < count) {
            final byte[] key = new byte[random.nextBoolean() ? Long.BYTES : 1 + random.nextInt(40)];
            random.nextBytes(key);
            if (key.length > 4) {
                key[0] &= 7; // some prefixes shared
            }
            if (accepts(key) && seen.add(ByteBuffer.wrap(key))) {
                keys.add(key);
            }
        }
        return keys;
    }
}
