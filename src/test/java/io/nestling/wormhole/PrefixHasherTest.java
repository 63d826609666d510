/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.KeyHash;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

class PrefixHasherTest {
    @Test
    void shouldHashAPrefixAsAStringOfItsOwn() {
        final Random random = new Random(Seeds.seed("PrefixHasher.shouldHashAPrefixAsAStringOfItsOwn"));
        final PrefixHasher whole = new PrefixHasher(KeyHash.ofSeed(7));
        final PrefixHasher part = new PrefixHasher(KeyHash.ofSeed(7));
        for (int round = 0; round < 200; round++) {
            final byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);
            final int offset = random.nextInt(bytes.length + 1);
            whole.reset(bytes, offset, bytes.length - offset);
            for (int length = bytes.length - offset; length >= 0; length -= 1 + random.nextInt(3)) {
                final byte[] prefix = Arrays.copyOfRange(bytes, offset, offset + length);
                part.reset(prefix, 0, length);
                assertEquals(part.hash(length), whole.hash(length));
            }
        }
    }

    @Test
    void shouldTellPrefixesApart() {
        final Set<Long> hashes = new HashSet<>();
        final byte[] zeroes = new byte[1000];
        final PrefixHasher hasher = new PrefixHasher(KeyHash.ofSeed(1));
        hasher.reset(zeroes, 0, zeroes.length);
        for (int length = 0; length <= zeroes.length; length++) {
            assertTrue(hashes.add(hasher.hash(length)), "zeroes of length " + length);
        }
        final PrefixHasher other = new PrefixHasher(KeyHash.ofSeed(2));
        other.reset(zeroes, 0, zeroes.length);
        assertNotEquals(hasher.hash(9), other.hash(9));
        assertNotEquals(hasher.hash(), other.hash());
    }

    @Test
    void shouldSpreadShortPrefixesOverTags() {
        final PrefixHasher hasher = new PrefixHasher(KeyHash.ofSeed(3));
        final Set<Long> tags = new HashSet<>();
        for (int i = 0; i < 1 << 16; i++) {
            hasher.reset(new byte[] {(byte) (i >>> 8), (byte) i}, 0, 2);
            tags.add(hasher.hash(2) >>> TableLayout.TAG_SHIFT);
        }
        assertTrue(tags.size() > 65_500, () -> tags.size() + " different tags of 65,536 prefixes");
    }

    @Test
    void shouldHashAsBeforeWhenLongerStringsAreExpected() {
        final byte[] key = new byte[5000];
        Seeds.random("PrefixHasherTest.expected").nextBytes(key);
        final PrefixHasher expecting = new PrefixHasher(KeyHash.ofSeed(5));
        expecting.reset(key, 0, key.length);
        final long before = expecting.hash(100);
        expecting.expect(key.length);
        final PrefixHasher other = new PrefixHasher(KeyHash.ofSeed(5));
        other.reset(key, 0, key.length);
        for (int length = 0; length <= key.length; length++) {
            assertEquals(other.hash(length), expecting.hash(length));
        }
        assertEquals(before, expecting.hash(100));
    }
}
