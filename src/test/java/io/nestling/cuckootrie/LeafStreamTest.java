/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.EntryCursor;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LeafStreamTest {
    private static final int DEPTH = 400;
    private static final int STABLE = 2_000;
    private static final int ROUNDS = 20;
    private static final int CHILDREN = 8;
    private static final int MOST_BEFORE = 40;

    private static byte[] keyAt(final EntryCursor cursor) {
        return Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength());
    }

    /**
     * Keys whose nodes have their one inner child on the side from which the walk comes, and leaves behind: each level
     * leaves an item in the list until all levels below are done.
     */
    @Test
    void shouldKeepMoreLevelsThanTheListHasRoomForAtFirst() {
        for (final boolean forward : new boolean[] {true, false}) {
            try (TestTrie test = new TestTrie(64L << 20)) {
                final TreeMap<byte[], Integer> expected = new TreeMap<>(Arrays::compareUnsigned);
                final byte inner = (byte) (forward ? 0x40 : 0xBF);
                for (int depth = 0; depth < DEPTH; depth++) {
                    final byte[] key = new byte[depth + 1];
                    Arrays.fill(key, inner);
                    for (int i = 1; i < 7; i++) {
                        key[depth] = (byte) (forward ? 0x40 + 0x10 * i : 0xBF - 0x10 * i);
                        expected.put(key.clone(), test.put(key.clone()));
                    }
                }
                final byte[] outermost = {(byte) (forward ? 0 : 0xFF)};
                expected.put(outermost, test.put(outermost));
                try (EntryCursor cursor = test.trie().cursor()) {
                    final Map<byte[], Integer> inOrder = forward ? expected : expected.descendingMap();
                    boolean found = forward ? cursor.first() : cursor.last();
                    for (final Map.Entry<byte[], Integer> entry : inOrder.entrySet()) {
                        assertTrue(found);
                        assertEquals((long) entry.getValue(), cursor.payload());
                        assertArrayEquals(entry.getKey(), keyAt(cursor));
                        found = forward ? cursor.next() : cursor.previous();
                    }
                    assertFalse(found);
                }
            }
        }
    }

    /** All nodes above have few children: reading one requests several more at once, which must not become too many. */
    @Test
    void shouldReadAllWhereNodesHaveFewChildrenEach() {
        try (TestTrie test = new TestTrie(16L << 20)) {
            final TreeMap<byte[], Integer> keys = new TreeMap<>(Arrays::compareUnsigned);
            for (int i = 0; i < 1 << 12; i++) {
                final byte[] key = {(byte) (i >>> 9 << 5), (byte) (i >>> 6 << 5), (byte) (i >>> 3 << 5), (byte) (i << 5)};
                keys.put(key, test.put(key));
            }
            test.check(new ArrayList<>(keys.keySet()));
            try (EntryCursor cursor = test.trie().cursor()) {
                for (final byte[] from : keys.keySet()) {
                    assertTrue(cursor.seek(from, 0, from.length));
                    boolean found = true;
                    for (final int payload : keys.tailMap(from, true).values().stream().limit(100).toList()) {
                        assertTrue(found);
                        assertEquals(payload, cursor.payload());
                        found = cursor.next();
                    }
                }
            }
        }
    }

    /** The cursor turns now and then: what the stream knows lies on the other side then. */
    @Test
    void shouldTurnAnywhere() {
        final Random random = new Random(Seeds.seed("LeafStreamTest.turn"));
        try (TestTrie test = new TestTrie(16L << 20)) {
            final TreeMap<byte[], Integer> keys = new TreeMap<>(Arrays::compareUnsigned);
            while (keys.size() < STABLE) {
                final byte[] key = new byte[3];
                random.nextBytes(key);
                if (test.get(key) < 0) {
                    keys.put(key, test.put(key));
                }
            }
            final List<byte[]> sorted = new ArrayList<>(keys.keySet());
            try (EntryCursor cursor = test.trie().cursor()) {
                int at = 0;
                assertTrue(cursor.first());
                for (int round = 0; round < 500; round++) {
                    final boolean forward = random.nextBoolean();
                    final int steps = random.nextInt(60);
                    for (int i = 0; i < steps && (forward ? at + 1 < STABLE : at > 0); i++) {
                        assertTrue(forward ? cursor.next() : cursor.previous());
                        at += forward ? 1 : -1;
                        assertEquals((long) keys.get(sorted.get(at)), cursor.payload());
                    }
                    if (random.nextBoolean()) {
                        assertArrayEquals(sorted.get(at), keyAt(cursor));
                    }
                }
            }
        }
    }

    /**
     * Keys come and go between the steps, near the ones that stay, so that nodes change whose children are on their way.
     * A stream that did not look at the node above would pass by what that has got meanwhile, or follow what it has lost.
     */
    @Test
    void shouldShowWhatIsThereThroughout() {
        final Random random = new Random(Seeds.seed("LeafStreamTest.change"));
        try (TestTrie test = new TestTrie(16L << 20)) {
            final TreeMap<byte[], Integer> stable = new TreeMap<>(Arrays::compareUnsigned);
            final List<byte[]> keys = new ArrayList<>();
            while (stable.size() < STABLE) {
                final byte[] key = new byte[4];
                random.nextBytes(key);
                if (test.get(key) < 0) {
                    stable.put(key, test.put(key));
                    keys.add(key);
                }
            }
            for (int round = 0; round < ROUNDS; round++) {
                final boolean forward = (round & 1) == 0;
                final TreeMap<byte[], Integer> left = new TreeMap<>(stable);
                final List<Integer> changing = new ArrayList<>();
                byte[] before = null;
                try (EntryCursor cursor = test.trie().cursor()) {
                    boolean found = forward ? cursor.first() : cursor.last();
                    while (found) {
                        final byte[] key = keyAt(cursor);
                        if (before != null) {
                            final int order = Arrays.compareUnsigned(key, before);
                            assertTrue(forward ? order > 0 : order < 0);
                        }
                        before = key;
                        left.remove(key);
                        change(test, random, keys, changing);
                        found = forward ? cursor.next() : cursor.previous();
                    }
                }
                assertTrue(left.isEmpty(), left.size() + " keys were not shown");
                changing.forEach(test::remove);
            }
            test.check(keys);
        }
    }

    /**
     * A node whose children are on their way gives way to another one, elsewhere in the trie, whose name has the same hash:
     * its children match what was requested, and a stream that did not look at the node above would show their keys here.
     */
    @Test
    void shouldNotTakeTheChildrenOfAnotherNodeOfTheSameHash() {
        final Random random = new Random(Seeds.seed("LeafStreamTest.sameHash"));
        int taken = 0;
        for (int before = 0; before < MOST_BEFORE; before++) {
            try (TestTrie test = new TestTrie(8L << 20)) {
                final byte[][] prefixes = prefixesOfOneHash(random, test.trie().tableOpen().hash());
                final TreeMap<byte[], Integer> stable = new TreeMap<>(Arrays::compareUnsigned);
                for (int i = 0; i < before; i++) {
                    final byte[] key = {0, (byte) i, (byte) random.nextInt()};
                    stable.put(key, test.put(key));
                }
                for (int i = 0; i < 100; i++) {
                    final byte[] key = {(byte) random.nextInt(128, 192), (byte) i, (byte) random.nextInt()};
                    stable.put(key, test.put(key));
                }
                final List<Integer> gone = new ArrayList<>();
                for (int i = 0; i < CHILDREN; i++) {
                    gone.add(test.put(child(prefixes[0], i)));
                }
                try (EntryCursor cursor = test.trie().cursor()) {
                    assertTrue(cursor.first());
                    byte[] last = keyAt(cursor);
                    int shown = stable.containsKey(last) ? 1 : 0;
                    boolean found = cursor.next();
                    if (cursor.payload() < gone.get(0)) {
                        gone.forEach(test::remove);
                        for (int i = 0; i < CHILDREN; i++) {
                            test.put(child(prefixes[1], i));
                        }
                        taken++;
                    }
                    while (found) {
                        final byte[] key = keyAt(cursor);
                        assertTrue(Arrays.compareUnsigned(key, last) > 0, before + " keys before");
                        shown += stable.containsKey(key) ? 1 : 0;
                        last = key;
                        found = cursor.next();
                    }
                    assertEquals(stable.size(), shown);
                }
            }
        }
        assertTrue(taken > MOST_BEFORE / 2);
    }

    /** Two strings of as many symbols, whole bytes, whose names have one hash; the first one sorts before the other. */
    private static byte[][] prefixesOfOneHash(final Random random, final NameHash names) {
        final Map<Long, byte[]> seen = new HashMap<>();
        while (true) {
            final byte[] prefix = new byte[5];
            random.nextBytes(prefix);
            // The first one goes below 128 and the other one above 192, so that stable keys may stand between.
            final boolean low = seen.size() % 2 == 0;
            prefix[0] = (byte) (low ? 64 | prefix[0] & 63 : 192 | prefix[0] & 63);
            long hash = names.root();
            for (int i = 0; i < Symbols.count(prefix.length); i++) {
                hash = names.append(hash, Symbols.codeAt(prefix, 0, prefix.length, i, Integer.MAX_VALUE));
            }
            final byte[] other = seen.put(hash, prefix);
            if (other != null && (other[0] < 0) == low) {
                return low ? new byte[][] {prefix, other} : new byte[][] {other, prefix};
            }
        }
    }

    private static byte[] child(final byte[] prefix, final int number) {
        final byte[] key = Arrays.copyOf(prefix, prefix.length + 1);
        key[prefix.length] = (byte) (number << 4);
        return key;
    }

    private static void change(
        final TestTrie test, final Random random, final List<byte[]> keys, final List<Integer> changing) {
        for (int i = 0; i < 4; i++) {
            if (changing.size() > 200) {
                test.remove(changing.remove(random.nextInt(changing.size())));
            } else {
                final byte[] near = keys.get(random.nextInt(keys.size())).clone();
                near[random.nextInt(near.length)] ^= (byte) (1 << random.nextInt(8));
                if (test.get(near) < 0) {
                    changing.add(test.put(near));
                }
            }
        }
    }
}
