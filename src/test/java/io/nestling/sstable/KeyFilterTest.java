/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Seeds;

import java.util.Random;

import org.junit.jupiter.api.Test;

class KeyFilterTest {
    private static long hash(final String key) {
        final byte[] bytes = TestEntry.bytes(key);
        return KeyFilter.hash(bytes, 0, bytes.length);
    }

    @Test
    void shouldKnowEveryKeyAndFewOthers() {
        for (final int keys : new int[] {1, 10, 100, 5_000, 200_000}) {
            final KeyFilter filter = KeyFilter.forKeys(keys);
            for (int i = 0; i < keys; i++) {
                filter.add(hash("usr/share/doc/package-" + i));
            }
            for (int i = 0; i < keys; i++) {
                assertTrue(filter.mayContain(hash("usr/share/doc/package-" + i)));
            }
            int wrong = 0;
            for (int i = 0; i < 100_000; i++) {
                wrong += filter.mayContain(hash("usr/share/man/package-" + i)) ? 1 : 0;
            }
            final double rate = wrong / 100_000.0;
            assertTrue(rate < 0.02, "false positives with " + keys + " keys: " + rate);
        }
    }

    @Test
    void shouldKnowRandomKeysAndFewOthers() {
        final Random random = Seeds.random("KeyFilterTest");
        final KeyFilter filter = KeyFilter.forKeys(100_000);
        final byte[] key = new byte[8];
        for (int i = 0; i < 100_000; i++) {
            random.nextBytes(key);
            filter.add(KeyFilter.hash(key, 0, key.length));
        }
        int wrong = 0;
        for (int i = 0; i < 200_000; i++) {
            random.nextBytes(key);
            wrong += filter.mayContain(KeyFilter.hash(key, 0, key.length)) ? 1 : 0;
        }
        assertTrue(wrong < 4_000, "false positives: " + wrong + " of 200000");
        assertTrue(wrong > 500, "false positives: " + wrong + " of 200000, so it was hardly asked");
    }

    @Test
    void shouldAddManyAsOneByOne() {
        final long[] hashes = Seeds.random("KeyFilterTest.shouldAddManyAsOneByOne").longs(300).toArray();
        for (final int count : new int[] {0, 1, 299}) {
            final KeyFilter filter = KeyFilter.forKeys(hashes.length);
            final KeyFilter expected = KeyFilter.forKeys(hashes.length);
            filter.addAll(hashes, count);
            for (int i = 0; i < count; i++) {
                expected.add(hashes[i]);
            }
            final byte[] bytes = new byte[(int) filter.byteCount()];
            final byte[] expectedBytes = new byte[bytes.length];
            filter.copyBytes(0, bytes);
            expected.copyBytes(0, expectedBytes);
            assertArrayEquals(expectedBytes, bytes);
        }
        KeyFilter.forKeys(0).addAll(hashes, hashes.length);
    }

    @Test
    void shouldKnowNothingWhenEmpty() {
        assertFalse(KeyFilter.forKeys(0).mayContain(hash("a")));
        assertEquals(0, KeyFilter.forKeys(0).byteCount());
        assertFalse(KeyFilter.forKeys(1).mayContain(hash("a")));
    }

    @Test
    void shouldTakeTenBitsAKey() {
        assertEquals(64, KeyFilter.forKeys(1).byteCount());
        assertEquals(64, KeyFilter.forKeys(51).byteCount());
        assertEquals(128, KeyFilter.forKeys(52).byteCount());
        assertEquals(1_250_048, KeyFilter.forKeys(1_000_000).byteCount());
    }

    @Test
    void shouldSetTheBitsOfTheFormat() {
        final KeyFilter filter = KeyFilter.forKeys(100);
        assertEquals(128, filter.byteCount());
        final long hash = 0x8000_0000_1234_5678L;
        filter.add(hash);
        final byte[] bytes = new byte[200];
        assertEquals(128, filter.copyBytes(0, bytes));
        int bits = 0x1234_5678;
        int set = 0;
        for (int i = 0; i < 6; i++) {
            bits *= 0x9E3779B9;
            final int bit = bits >>> 23;
            assertTrue((bytes[64 + bit / 8] >>> bit % 8 & 1) == 1, "bit " + bit + " of block 1");
        }
        for (final byte b : bytes) {
            set += Integer.bitCount(b & 0xFF);
        }
        assertEquals(6, set);
    }

    @Test
    void shouldComeBackFromBytes() {
        final KeyFilter filter = KeyFilter.forKeys(1000);
        filter.add(hash("a"));
        final KeyFilter copy = KeyFilter.ofSize(filter.byteCount(), 1000);
        final byte[] chunk = new byte[256];
        for (long offset = 0; offset < filter.byteCount(); offset += chunk.length) {
            copy.putBytes(offset, chunk, filter.copyBytes(offset, chunk));
        }
        assertTrue(copy.mayContain(hash("a")));
        assertFalse(copy.mayContain(hash("b")));
    }

    @Test
    void shouldShrink() {
        for (final long made : new long[] {1, 60, 1000, 5000, 100_000, 1_000_003}) {
            for (final int keys : new int[] {0, 1, 45, 52, 400, 1000, 2900, 5000}) {
                if (keys > made) {
                    continue;
                }
                final KeyFilter filter = KeyFilter.forKeys(made);
                for (int i = 0; i < keys; i++) {
                    filter.add(hash("key " + i));
                }
                final KeyFilter shrunk = filter.shrunkTo(keys);
                final String what = keys + " keys, made for " + made + ", " + shrunk.byteCount() + " bytes";
                KeyFilter.ofSize(shrunk.byteCount(), keys);
                assertTrue(shrunk.byteCount() >= keys && shrunk.byteCount() <= filter.byteCount(), what);
                for (int i = 0; i < keys; i++) {
                    assertTrue(shrunk.mayContain(hash("key " + i)), what + ", key " + i);
                }
                int found = 0;
                for (int i = 0; i < 10_000; i++) {
                    found += shrunk.mayContain(hash("absent " + i)) ? 1 : 0;
                }
                assertTrue(found < 500, found + " absent keys pass: " + what);
                assertTrue(keys < made || shrunk == filter, what);
            }
        }
    }

    @Test
    void ofSizeThrowsWhenNoWriterMakesSuchAFilter() {
        for (final long size : new long[] {-64, 1, 63, 65, (1L << 30) + 64}) {
            assertThrows(MalformedBlockException.class, () -> KeyFilter.ofSize(size, 1L << 40));
        }
        assertThrows(MalformedBlockException.class, () -> KeyFilter.ofSize(1 << 30, (1 << 29) - 64));
        assertThrows(MalformedBlockException.class, () -> KeyFilter.ofSize(192, 63));
        for (final long keys : new long[] {0, 1, 51, 52, 1_000_000}) {
            KeyFilter.ofSize(KeyFilter.forKeys(keys).byteCount(), keys);
        }
    }
}
