/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import io.nestling.bytes.Hashing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Keys from the lines of a text, ordered by their hashes: a random order that does not depend on that of the lines. If the text
 * has more keys than requested, those with the least hashes are taken, so that memory holds at most about twice as many.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class TextDataset implements Dataset {
    private static final int MAX_VALUE_BYTES = Integer.MAX_VALUE;
    private static final int SPARE_KEYS = 1 << 16;
    private static final long UNKNOWN = -1;
    private static final long ORDER_SEED = 0x6F72_6465_72L;
    private static final long ABSENT_SEED = 0x6162_7365_6E74L;
    /** Number of changes to a key that are tried before it is extended. */
    private static final int MAX_CHANGES = 16;
    private static final String CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

    private final String name;
    private final DatasetReader.Source source;
    private final DatasetFormat format;
    private volatile long distinctKeys = UNKNOWN;

    TextDataset(final String name, final DatasetReader.Source source, final DatasetFormat format) {
        this.name = name;
        this.source = source;
        this.format = format;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long maxKeys() {
        if (distinctKeys == UNKNOWN) {
            try {
                distinctKeys = countKeys();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return distinctKeys;
    }

    private DatasetReader reader() {
        return new DatasetReader(name, source, format, KeySet.MAX_KEY_BYTES, MAX_VALUE_BYTES);
    }

    /** Returns the hash by which keys are ordered and chosen; no other code uses this function. */
    private static long orderOf(final byte[] array, final int offset, final int length) {
        return Hashing.hash64(array, offset, length, ORDER_SEED);
    }

    private long countKeys() throws IOException {
        long[] hashes = new long[SPARE_KEYS];
        int count = 0;
        try (DatasetReader lines = reader()) {
            while (lines.next()) {
                if (count == hashes.length) {
                    hashes = Arrays.copyOf(hashes, 2 * count);
                }
                final byte[] key = lines.key();
                hashes[count++] = orderOf(key, 0, key.length);
            }
        }
        Arrays.sort(hashes, 0, count);
        int distinct = Math.min(count, 1);
        for (int i = 1; i < count; i++) {
            distinct += hashes[i] == hashes[i - 1] ? 0 : 1;
        }
        return distinct;
    }

    @Override
    public KeySet keys(final int count) throws DatasetException {
        Datasets.checkCount(name, count);
        final Sample sample = new Sample(count);
        try (DatasetReader lines = reader()) {
            while (lines.next()) {
                sample.add(lines.key());
            }
        } catch (final DatasetException e) {
            throw e;
        } catch (final IOException e) {
            throw new DatasetException(name + ": cannot be closed: " + e.getMessage());
        }
        final KeySet keys = sample.keys();
        if (keys.size() < count) {
            distinctKeys = keys.size();
            throw new DatasetException(
                name + ": " + count + " keys asked for, the data set has " + keys.size() + " different ones");
        }
        return keys;
    }

    /** The keys with the least hashes among those added. */
    private static final class Sample {
        private final int wanted;
        private final int most;
        private KeySet.Builder builder = KeySet.builder();
        private long[] hashes = new long[SPARE_KEYS];
        private long bound = Long.MAX_VALUE;

        Sample(final int wanted) {
            this.wanted = wanted;
            this.most = (int) Math.min(2L * wanted + SPARE_KEYS, Integer.MAX_VALUE - Long.BYTES);
        }

        void add(final byte[] key) {
            final long hash = orderOf(key, 0, key.length);
            if (hash > bound) {
                return;
            }
            if (builder.size() == most) {
                final KeySet kept = keys();
                builder = KeySet.builder();
                for (int i = 0; i < kept.size(); i++) {
                    builder.add(kept.array(i), kept.offset(i), kept.length(i));
                    hashes[i] = orderOf(kept.array(i), kept.offset(i), kept.length(i));
                }
                bound = kept.size() == 0 ? Long.MIN_VALUE : kept.size() < wanted ? bound : hashes[kept.size() - 1];
            }
            if (builder.size() == hashes.length) {
                hashes = Arrays.copyOf(hashes, (int) Math.min(2L * hashes.length, most));
            }
            hashes[builder.size()] = hash;
            builder.add(key, 0, key.length);
        }

        /** Builds the distinct keys in the order of their hashes. */
        KeySet keys() {
            final KeySet all = builder.build();
            final long[] sorted = Arrays.copyOf(hashes, all.size());
            Arrays.sort(sorted);
            int kept = 0;
            for (int i = 0; i < sorted.length && kept < wanted; i++) {
                if (i == 0 || sorted[i] != sorted[i - 1]) {
                    sorted[kept++] = sorted[i];
                }
            }
            final int[] order = new int[kept];
            for (int i = 0; i < all.size(); i++) {
                final int at = Arrays.binarySearch(sorted, 0, kept, hashes[i]);
                if (at >= 0) {
                    order[at] = i;
                }
            }
            return all.ordered(i -> order[i], kept);
        }
    }

    @Override
    public KeySet absentKeys(final int count, final KeySet present) {
        Datasets.checkCount(name, count);
        final KeyHashes known = new KeyHashes((long) count + present.size());
        known.addAll(present);
        final Randomness randomness = new Randomness(ABSENT_SEED);
        final KeySet.Builder builder = KeySet.builder();
        for (int i = 0; builder.size() < count; i = i + 1 < present.size() ? i + 1 : 0) {
            byte[] key = present.size() == 0 ? new byte[0] : present.key(i);
            boolean added = false;
            for (int changes = 0; !added && changes < MAX_CHANGES; changes++) {
                change(key, randomness);
                added = known.add(key, 0, key.length);
            }
            while (!added) {
                key = key.length < KeySet.MAX_KEY_BYTES ? Arrays.copyOf(key, key.length + 1) : key;
                change(key, randomness);
                added = known.add(key, 0, key.length);
            }
            builder.add(key, 0, key.length);
        }
        return builder.build();
    }

    /** Replaces a byte of the second half by a letter or digit. */
    private static void change(final byte[] key, final Randomness randomness) {
        if (key.length > 0) {
            final int position = key.length - 1 - randomness.below(key.length / 2 + 1) % key.length;
            key[position] = (byte) CHARACTERS.charAt(randomness.below(CHARACTERS.length()));
        }
    }
}
