/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

class KeySetTest {
    private static final int[] COUNTS = {0, 1, 2, 3, 1023, 1024, 1025, 5000};

    static KeySet setOf(final List<byte[]> keys) {
        final KeySet.Builder builder = KeySet.builder();
        for (final byte[] key : keys) {
            builder.add(key, 0, key.length);
        }
        assertEquals(keys.size(), builder.size());
        return builder.build();
    }

    static List<byte[]> listOf(final KeySet keys) {
        final List<byte[]> list = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            list.add(keys.key(i));
        }
        return list;
    }

    static void assertKeys(final List<byte[]> expected, final KeySet keys) {
        assertEquals(expected.size(), keys.size());
        long bytes = 0;
        for (int i = 0; i < expected.size(); i++) {
            final byte[] key = expected.get(i);
            assertArrayEquals(key, keys.key(i));
            assertEquals(key.length, keys.length(i));
            assertTrue(Arrays.equals(
                key, 0, key.length, keys.array(i), keys.offset(i), keys.offset(i) + keys.length(i)));
            bytes += key.length;
        }
        assertEquals(bytes, keys.keyBytes());
        assertThrows(IndexOutOfBoundsException.class, () -> keys.key(expected.size()));
        assertThrows(IndexOutOfBoundsException.class, () -> keys.key(-1));
    }

    private static List<byte[]> randomKeys(final Random random, final int count, final int least, final int most) {
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final byte[] key = new byte[least + random.nextInt(most - least + 1)];
            random.nextBytes(key);
            keys.add(key);
        }
        return keys;
    }

    /**
     * Few characters, zeros among them, and long common prefixes: many equal keys and keys that begin others.
     */
    private static List<byte[]> similarKeys(final Random random, final int count) {
        final List<byte[]> keys = new ArrayList<>(List.of(new byte[0]));
        while (keys.size() < count) {
            final byte[] base = keys.get(random.nextInt(keys.size()));
            final byte[] key = Arrays.copyOf(base, Math.max(0, base.length + random.nextInt(23) - 10));
            for (int i = Math.min(base.length, key.length); i < key.length; i++) {
                key[i] = (byte) (random.nextInt(3) - 1);
            }
            keys.add(key);
        }
        return keys;
    }

    @Test
    void shouldHoldKeysInTheirOrder() {
        final Random random = Seeds.random("KeySetTest.order");
        for (final int count : COUNTS) {
            for (final int shortest : new int[] {0, 8, 24}) {
                final List<byte[]> keys = randomKeys(random, count, shortest, 24);
                assertKeys(keys, setOf(keys));
            }
            assertEquals(24, setOf(randomKeys(random, count + 1, 24, 24)).commonLength());
        }
        assertTrue(setOf(List.of(new byte[1], new byte[2])).commonLength() < 0);
        assertKeys(List.of(new byte[0]), setOf(List.of(new byte[0])));
    }

    @Test
    void shouldTakeAPartOfAnArray() {
        final byte[] array = {1, 2, 3, 4};
        final KeySet keys = KeySet.builder().add(array, 1, 2).add(array, 4, 0).build();
        array[1] = 9;
        assertKeys(List.of(new byte[] {2, 3}, new byte[0]), keys);
    }

    @Test
    void shouldHoldKeysInManySegments() {
        final Random random = Seeds.random("KeySetTest.segments");
        final List<byte[]> keys = randomKeys(random, 3500, 0, 9);
        keys.add(new byte[KeySet.MAX_KEY_BYTES]);
        final KeySet set = setOf(keys);
        assertNotSame(set.array(0), set.array(keys.size() - 1));
        assertKeys(keys, set);
        final List<byte[]> reversed = new ArrayList<>(keys);
        Collections.reverse(reversed);
        assertKeys(reversed, set.reversed());
        assertKeys(keys.subList(1000, 3300), set.slice(1000, 3300));
    }

    @Test
    void shouldHoldKeysOfOneLengthInManySegments() {
        final byte[] key = new byte[KeySet.MAX_KEY_BYTES];
        final KeySet.Builder builder = KeySet.builder();
        for (int i = 0; i < 1030; i++) {
            KeyBytes.putInt(key, 0, i);
            builder.add(key, 0, key.length);
        }
        final KeySet keys = builder.build();
        assertSame(keys.array(0), keys.array(1023));
        assertNotSame(keys.array(0), keys.array(1024));
        for (int i = 0; i < keys.size(); i++) {
            assertEquals(KeySet.MAX_KEY_BYTES, keys.length(i));
            assertEquals((byte) i, keys.array(i)[keys.offset(i) + 3]);
        }
        assertEquals(1030L * KeySet.MAX_KEY_BYTES, keys.keyBytes());
    }

    @Test
    void keyThatIsTooLongThrowsIllegalArgumentException() {
        final KeySet.Builder builder = KeySet.builder();
        final IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
            () -> builder.add(new byte[65_536], 0, 65_536));
        assertEquals("a key of 65536 bytes is longer than 65535", e.getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> builder.add(new byte[3], 1, 3));
        assertEquals(0, builder.build().size());
    }

    @Test
    void shouldSortByUnsignedBytes() {
        final Random random = Seeds.random("KeySetTest.sort");
        for (final int count : COUNTS) {
            final List<List<byte[]>> sets = List.of(randomKeys(random, count, 8, 8), randomKeys(random, count, 0, 3),
                similarKeys(random, Math.max(count, 1)), repeated(random, count));
            for (final List<byte[]> keys : sets) {
                final KeySet sorted = setOf(keys).sorted();
                keys.sort(Arrays::compareUnsigned);
                assertKeys(keys, sorted);
            }
        }
    }

    private static List<byte[]> repeated(final Random random, final int count) {
        final List<byte[]> few = randomKeys(random, 5, 0, 100);
        final List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(few.get(random.nextInt(few.size())));
        }
        return keys;
    }

    @Test
    void shouldSortKeysThatBeginOneAnother() {
        final List<byte[]> keys = new ArrayList<>();
        for (int length = 0; length < 4000; length++) {
            keys.add(new byte[length]);
        }
        final List<byte[]> shuffled = new ArrayList<>(keys);
        Collections.shuffle(shuffled, new Random(1));
        assertKeys(keys, setOf(shuffled).sorted());
    }

    @Test
    void shouldCompareKeysOfTwoSets() {
        final KeySet left = setOf(List.of(new byte[] {1}, new byte[] {-1}));
        final KeySet right = setOf(List.of(new byte[] {1}, new byte[] {1, 0}));
        assertEquals(0, left.compare(0, right, 0));
        assertTrue(left.compare(0, right, 1) < 0);
        assertTrue(left.compare(1, right, 1) > 0);
    }

    @Test
    void shouldSliceAndLayOutSlicesAnew() {
        final Random random = Seeds.random("KeySetTest.slice");
        for (final int shortest : new int[] {6, 0}) {
            final List<byte[]> keys = randomKeys(random, 3000, shortest, 6);
            final KeySet set = setOf(keys);
            for (int round = 0; round < 20; round++) {
                final int from = random.nextInt(keys.size());
                final int to = from + random.nextInt(keys.size() - from + 1);
                final List<byte[]> expected = new ArrayList<>(keys.subList(from, to));
                final KeySet slice = set.slice(from, to);
                assertKeys(expected, slice);
                assertKeys(expected.subList(0, expected.size() / 2), slice.slice(0, expected.size() / 2));
                Collections.reverse(expected);
                assertKeys(expected, slice.reversed());
                expected.sort(Arrays::compareUnsigned);
                assertKeys(expected, slice.sorted());
            }
            assertThrows(IndexOutOfBoundsException.class, () -> set.slice(0, 3001));
            assertThrows(IndexOutOfBoundsException.class, () -> set.slice(2, 1));
        }
    }
}
