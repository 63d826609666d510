/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import io.nestling.index.IndexContext;
import io.nestling.testing.KeyCorpus;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/** Random sorted maps of keys that make tries of different shapes, and tries of the same content. */
final class TrieMaps {
    static final int SHAPES = 6;
    private static final String[] PATHS = {
        "usr/share/doc/", "usr/lib/x86_64-linux-gnu/", "usr/share/", "etc/", ""};

    private TrieMaps() {
    }

    static NavigableMap<byte[], Long> empty() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    /** A map of up to {@code count} keys of one shape. */
    static NavigableMap<byte[], Long> random(final Random random, final int shape, final int count) {
        final NavigableMap<byte[], Long> map = empty();
        for (int i = 0; i < count; i++) {
            map.put(key(random, shape), payload(random));
        }
        return map;
    }

    /** A payload that fits a leaf pointer, or one that does not. */
    static long payload(final Random random) {
        return (random.nextInt(4) == 0 ? TrieBlockLayout.INLINE_LIMIT : 0) + random.nextInt(100_000);
    }

    static byte[] key(final Random random, final int shape) {
        switch (shape) {
            case 0: // short, of all lengths
                return bytes(random, random.nextInt(4), 256, 1);
            case 1: // long chains with few branches
                final byte[] chain = new byte[random.nextInt(60)];
                for (int i = 0; i < chain.length; i++) {
                    chain[i] = (byte) (random.nextInt(12) == 0 ? 1 : 0);
                }
                return chain;
            case 2: // two wide nodes
                return new byte[] {(byte) random.nextInt(2), (byte) random.nextInt(256)};
            case 3: // narrow nodes
                return bytes(random, random.nextInt(8), 9, 28);
            case 4: // wide nodes with prefixes
                return bytes(random, 1 + random.nextInt(2), 256, 1);
            default: // paths
                final String end = random.nextInt(3) == 0 ? "/changelog.Debian.gz" : "";
                final String path = PATHS[random.nextInt(PATHS.length)] + PATHS[random.nextInt(PATHS.length)]
                    + Integer.toString(random.nextInt(300), 36) + end;
                return path.getBytes(StandardCharsets.UTF_8);
        }
    }

    private static byte[] bytes(final Random random, final int length, final int alphabet, final int factor) {
        final byte[] key = new byte[length];
        for (int i = 0; i < length; i++) {
            key[i] = (byte) (random.nextInt(alphabet) * factor);
        }
        return key;
    }

    /** A key of a map, the neighbour of one, or any. */
    static byte[] near(final Random random, final int shape, final NavigableMap<byte[], Long> map) {
        final byte[] any = key(random, shape);
        final byte[] near = map.ceilingKey(any);
        return near == null || random.nextInt(4) == 0
            ? any : KeyCorpus.neighbour(near, random.nextInt(KeyCorpus.NEIGHBOURS));
    }

    /** A trie that holds what a map does, put in random order. */
    static InMemoryTrie trie(final Map<byte[], Long> map, final Random random) {
        final InMemoryTrie trie = new InMemoryTrie(IndexContext.standalone(64L << 20));
        final List<byte[]> keys = new java.util.ArrayList<>(map.keySet());
        java.util.Collections.shuffle(keys, random);
        for (final byte[] key : keys) {
            trie.put(key, 0, key.length, map.get(key));
        }
        return trie;
    }

    static int commonPrefix(final byte[] left, final byte[] right) {
        final int mismatch = Arrays.mismatch(left, right);
        return mismatch < 0 ? left.length : mismatch;
    }
}
