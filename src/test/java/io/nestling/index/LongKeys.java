/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.Effort;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Keys up to the longest that an index takes, and longer ones, which no index has but readers may ask for. */
final class LongKeys {
    private static final int COUNT = 3_000;
    private static final int FEW = 8;
    private static final int LONG_EVERY = 50; // some indexes take long for these
    private static final int ENDS = 15;
    private static final byte[][] TAILS = {
        {0}, {1}, {-1}, {0, 0}, {0, 0, 1}, {0, 0, -1}, {0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, new byte[70_000]};

    private LongKeys() {
    }

    /** Distinct keys in random order, by a name of what is special about them. */
    static Map<String, List<byte[]>> datasets() {
        final Random random = new Random(19);
        final List<byte[]> atBothEnds = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            final byte[] key = new byte[Long.BYTES];
            random.nextBytes(key);
            atBothEnds.add(key);
        }
        atBothEnds.add(filled(0));
        atBothEnds.add(filled(-1));
        atBothEnds.add(filled(5));
        final List<byte[]> allLong = new ArrayList<>();
        for (int i = 0; i < COUNT / LONG_EVERY; i++) {
            final byte[] key = filled(7);
            for (int j = 0; j < ENDS; j++) {
                key[key.length - ENDS + j] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(2));
            }
            allLong.add(key);
        }
        final List<byte[]> behindLongOnes = new ArrayList<>();
        for (int i = 0; i < FEW; i++) {
            final byte[] key = filled(-1);
            key[0] = 0;
            key[key.length - 1] = (byte) i;
            behindLongOnes.add(key);
        }
        for (int i = 0; i < COUNT; i++) {
            final byte[] key = new byte[2 * Long.BYTES];
            key[0] = 7;
            key[1] = (byte) random.nextInt(3);
            key[ENDS - 1] = (byte) random.nextInt();
            key[ENDS] = (byte) random.nextInt();
            behindLongOnes.add(key);
        }
        final Map<String, List<byte[]>> datasets = new TreeMap<>();
        datasets.put("a few long keys", atBothEnds);
        datasets.put("a few long keys before others that begin alike", behindLongOnes);
        datasets.put("all keys are long", allLong);
        return datasets;
    }

    private static byte[] filled(final int value) {
        final byte[] key = new byte[PointIndex.MAX_KEY_BYTES];
        Arrays.fill(key, (byte) value);
        return key;
    }

    /** Keys that begin with some of the longest ones, the first and the last among them, and go on. */
    static byte[][] longerThan(final List<byte[]> keys) {
        final List<byte[]> longest = new ArrayList<>();
        keys.stream().filter(key -> key.length == PointIndex.MAX_KEY_BYTES).sorted(Arrays::compareUnsigned).forEach(longest::add);
        final List<byte[]> longer = new ArrayList<>();
        final int step = Math.max(1, (longest.size() - 1) / Effort.count(3, 7, 7));
        for (int i = 0; i < longest.size(); i += step) {
            add(longer, longest.get(i));
        }
        add(longer, longest.get(longest.size() - 1));
        return longer.toArray(new byte[0][]);
    }

    private static void add(final List<byte[]> longer, final byte[] key) {
        for (final byte[] tail : TAILS) {
            final byte[] query = Arrays.copyOf(key, key.length + tail.length);
            System.arraycopy(tail, 0, query, key.length, tail.length);
            longer.add(query);
        }
    }
}
