/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.testing.KeyCorpus;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** The keys of one random program: some of one or two corpora, so that they meet often, and neighbours of these. */
final class RandomKeys {
    private static final int USUAL_KEYS = 60;
    private static final int MANY_KEYS = 1_500;

    private final List<byte[]> keys = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    RandomKeys(final Random random) {
        final int corpora = 1 + random.nextInt(2);
        for (int i = 0; i < corpora; i++) {
            final KeyCorpus corpus = KeyCorpus.all().get(random.nextInt(KeyCorpus.all().size()));
            final int count = Math.min(corpus.size(), 1 + random.nextInt(random.nextInt(8) == 0 ? MANY_KEYS : USUAL_KEYS));
            if (random.nextBoolean()) {
                keys.addAll(corpus.thinnedTo(count).keys());
            } else {
                final int start = random.nextInt(corpus.size() - count + 1);
                keys.addAll(corpus.keys().subList(start, start + count));
            }
            names.add(corpus.name());
        }
    }

    /** A key that was chosen, or a neighbour of it. */
    byte[] key(final Random random) {
        final byte[] key = keys.get(random.nextInt(keys.size()));
        return random.nextInt(4) == 0 ? KeyCorpus.neighbour(key, random.nextInt(KeyCorpus.NEIGHBOURS)) : key;
    }

    /** A key to seek, which may be longer than an entry's can be. */
    byte[] sought(final Random random) {
        final byte[] key = key(random);
        return random.nextInt(30) > 0 ? key : Arrays.copyOf(key, KeyCorpus.MAX_KEY_BYTES + 1 + random.nextInt(2000));
    }

    /** A bound of a range: a key, the empty key, a run of FF, or a key with a long tail. */
    byte[] bound(final Random random) {
        final byte[] key = key(random);
        switch (random.nextInt(16)) {
            case 0:
                return new byte[0];
            case 1:
                final byte[] run = new byte[1 + random.nextInt(70)];
                Arrays.fill(run, (byte) 0xFF);
                return run;
            case 2:
            case 3:
                final byte[] tail = new byte[random.nextInt(random.nextInt(6) == 0 ? 60_000 : 5_000)];
                Arrays.fill(tail, (byte) random.nextInt());
                final byte[] joined = Arrays.copyOf(key, Math.min(KeyCorpus.MAX_KEY_BYTES, key.length + tail.length));
                System.arraycopy(tail, 0, joined, key.length, joined.length - key.length);
                return joined;
            default:
                return key;
        }
    }

    /** Up to some boundaries of ranges, ascending. */
    byte[][] boundaries(final Random random, final int count) {
        return random.ints(count, 0, keys.size()).mapToObj(keys::get).sorted(Arrays::compareUnsigned)
            .collect(ArrayList<byte[]>::new, (list, key) -> {
                if (list.isEmpty() || !Arrays.equals(list.get(list.size() - 1), key)) {
                    list.add(key);
                }
            }, List::addAll).toArray(byte[][]::new);
    }

    /** The keys that were chosen, without neighbours. */
    List<byte[]> all() {
        return keys;
    }

    @Override
    public String toString() {
        return keys.size() + " keys of " + String.join(" and ", names);
    }
}
