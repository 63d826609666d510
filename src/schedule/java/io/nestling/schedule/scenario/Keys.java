/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** The keys of a scenario, by number. The first few are hot: most operations use them. */
final class Keys {
    /** Bits of a key's number in a payload. */
    static final int NUMBER_BITS = 12;
    private static final byte[] NASTY = {0, 1, 'a', 'b', 0x7F, (byte) 0x80, (byte) 0xFF};
    private static final int STYLES = 8;

    private final List<byte[]> keys = new ArrayList<>();
    private final int hot;
    private final int[] inOrder;
    private final int[] ranks;

    Keys(final Random random, final int hotKeys) {
        final TreeSet<byte[]> seen = new TreeSet<>(Arrays::compareUnsigned);
        make(random, hotKeys, seen);
        hot = Math.min(hotKeys, keys.size());
        if (keys.size() > hot && random.nextBoolean()) {
            makeHotKeysNeighbours(random, new ArrayList<>(seen));
        }
        inOrder = new int[keys.size()];
        ranks = new int[keys.size()];
        sort();
    }

    /** Keys of eight bytes: some parents, with so many children each, which differ in one byte; all of them hot. */
    Keys(final Random random, final int parents, final int children) {
        final TreeSet<byte[]> seen = new TreeSet<>(Arrays::compareUnsigned);
        final byte[] parent = new byte[Long.BYTES];
        for (int i = 0; i < parents; i++) {
            final int place = 2 + random.nextInt(Long.BYTES - 2);
            random.nextBytes(parent);
            Arrays.fill(parent, 0, random.nextInt(place), (byte) 7);
            for (int j = 0; j < children; j++) {
                final byte[] key = parent.clone();
                key[place] = (byte) random.nextInt(256);
                if (seen.add(key)) {
                    keys.add(key);
                }
            }
        }
        Collections.shuffle(keys, random);
        hot = keys.size();
        inOrder = new int[keys.size()];
        ranks = new int[keys.size()];
        sort();
    }

    private void sort() {
        final Map<byte[], Integer> order = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < keys.size(); i++) {
            order.put(keys.get(i), i);
        }
        int rank = 0;
        for (final int number : order.values()) {
            inOrder[rank] = number;
            ranks[number] = rank++;
        }
    }

    private void make(final Random random, final int hotKeys, final TreeSet<byte[]> seen) {
        final int style = random.nextInt(STYLES);
        final byte[] prefix = new byte[random.nextInt(40)];
        random.nextBytes(prefix);
        final int letters = 2 + random.nextInt(5);
        final int most = style == 6 ? 200 : 400;
        final int number = hotKeys + switch (random.nextInt(9)) {
            case 0, 1, 2 -> 0;
            case 3 -> random.nextInt(most);
            default -> random.nextInt(style == 6 && random.nextBoolean() ? most : 50);
        };
        for (int tries = 0; keys.size() < number && tries < 20 * number; tries++) {
            final byte[] key = key(random, style, prefix, letters, number);
            if (seen.add(key)) {
                keys.add(key);
            }
        }
    }

    private static byte[] key(
        final Random random, final int style, final byte[] prefix, final int letters, final int number) {
        return switch (style) {
            case 0 -> fill(new byte[random.nextInt(4)], 0, letters, random); // short, of few letters
            case 1 -> number(8, random.nextInt(4 * number)); // eight bytes, near each other
            case 2 -> fill(Arrays.copyOf(prefix, prefix.length + random.nextInt(5)), prefix.length, letters, random);
            case 3 -> { // eight random bytes
                final byte[] key = new byte[8];
                random.nextBytes(key);
                yield key;
            }
            case 4 -> { // paths
                final StringBuilder text = new StringBuilder();
                for (int i = random.nextInt(4); i >= 0; i--) {
                    text.append('/').append("abcdefgh", 0, 1 + random.nextInt(8)).append(random.nextInt(letters));
                }
                yield text.toString().getBytes(StandardCharsets.US_ASCII);
            }
            case 5 -> { // two or three dense bytes
                final byte[] key = new byte[2 + random.nextInt(2)];
                key[0] = (byte) random.nextInt(letters);
                key[1] = (byte) random.nextInt(256);
                yield key;
            }
            case 6 -> { // one byte varies: wide nodes
                final byte[] key = new byte[8];
                key[prefix.length % 8] = (byte) random.nextInt(256);
                yield key;
            }
            default -> {
                final byte[] key = new byte[random.nextInt(24)];
                random.nextBytes(key);
                if (key.length > 3) {
                    key[0] &= 1;
                    key[1] = 0;
                }
                yield key;
            }
        };
    }

    private static byte[] number(final int length, final int value) {
        final byte[] key = new byte[length];
        key[length - 1] = (byte) value;
        key[length - 2] = (byte) (value >>> 8);
        return key;
    }

    private static byte[] fill(final byte[] key, final int from, final int letters, final Random random) {
        for (int i = from; i < key.length; i++) {
            key[i] = NASTY[random.nextInt(letters)];
        }
        return key;
    }

    /** Some faults are about a border between two hot keys. */
    private void makeHotKeysNeighbours(final Random random, final List<byte[]> sorted) {
        final int from = random.nextInt(sorted.size() - hot + 1);
        final List<byte[]> near = new ArrayList<>(sorted.subList(from, from + hot));
        Collections.shuffle(near, random);
        sorted.subList(from, from + hot).clear();
        Collections.shuffle(sorted, random);
        keys.clear();
        keys.addAll(near);
        keys.addAll(sorted);
    }

    int size() {
        return keys.size();
    }

    int hot() {
        return hot;
    }

    byte[] key(final int number) {
        return keys.get(number);
    }

    /** Returns the number of the key at a rank of the order. */
    int atRank(final int rank) {
        return inOrder[rank];
    }

    /** Returns the rank of a key in the order of all. */
    int rank(final int number) {
        return ranks[number];
    }

    /** Returns the number of a key, or -1. */
    int numberOf(final byte[] key) {
        for (int i = 0; i < keys.size(); i++) {
            if (Arrays.equals(keys.get(i), key)) {
                return i;
            }
        }
        return -1;
    }
}
