/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.nestling.testing.Seeds;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HashingTest {
    private static final long OTHER_SEED = 0x9E3779B1L;

    /**
     * Length, hash with seed 0, hash with {@link #OTHER_SEED}, of the bytes 7 + 131 i; from another XXH64
     * implementation.
     */
    private static final long[][] VECTORS = {
        {0, 0xEF46DB3751D8E999L, 0xAC75FDA2929B17EFL},
        {1, 0xA96C7F0CE858BBB7L, 0x84E535B36672440DL},
        {3, 0xBED43740EE6332BBL, 0x00B77B485431CE5DL},
        {4, 0xFA212AE44B3BB23DL, 0x60492C4BFCB70CACL},
        {5, 0xD339DCC9AC8E6776L, 0xDB92B23C2BA23485L},
        {7, 0x2744460DD675D2C0L, 0xCDF83B729545B016L},
        {8, 0x994B676B71CE94DDL, 0xF424EDEBFEA8D23FL},
        {9, 0x572B84C18B983AF8L, 0xD9E11608C7050C46L},
        {12, 0xB92F588CE720786EL, 0xDDD89BDBF8AA26E0L},
        {15, 0x09E6451ED2FF8B1DL, 0xC812576B9FD296EEL},
        {16, 0x94AD0095E72B24D5L, 0x4EFFE275897ABAB4L},
        {31, 0x6711D55E306B5D8FL, 0xFA1259CC8B20EB58L},
        {32, 0x07F7B8E3BC5D6E25L, 0x920F3E10A5DB09C6L},
        {33, 0x09F85EEB4E1CBE9FL, 0x3D805E8712CB4890L},
        {39, 0xB13C137A0FB701C3L, 0xBC293EB216B8290EL},
        {44, 0xD02B2028C27A5329L, 0x5DD3DAB1B2FB15E6L},
        {63, 0xB7C9968C066CB6A5L, 0x184BC5097530BB9AL},
        {64, 0x50D4159A0411632EL, 0x94667E10D68B3991L},
        {100, 0x9DDADA11D3DC2D8FL, 0x5766BE6782B96389L},
        {255, 0x15A6DB05D4E83DF4L, 0x99365070F4F22BF9L},
        {300, 0xC68E7EF39B5CA10EL, 0x6CA8E717AB083D31L},
    };

    @Test
    void shouldGiveThePublishedHashes() {
        assertEquals(0xEF46DB3751D8E999L, Hashing.hash64(new byte[0]));
        assertEquals(0xD24EC4F1A98C6E5BL, Hashing.hash64("a".getBytes(StandardCharsets.US_ASCII)));
        assertEquals(0x44BC2CF5AD770999L, Hashing.hash64("abc".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void shouldAgreeWithAnotherImplementationAtEveryBranch() {
        final byte[] bytes = new byte[300];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (7 + 131 * i);
        }
        for (final long[] vector : VECTORS) {
            final int length = (int) vector[0];
            assertEquals(vector[1], Hashing.hash64(bytes, 0, length, 0), "length " + length);
            assertEquals(vector[2], Hashing.hash64(bytes, 0, length, OTHER_SEED), "length " + length);
        }
    }

    @Test
    void shouldDependOnTheRangeOnly() {
        final Random random = Seeds.random("HashingTest.shouldDependOnTheRangeOnly");
        for (int length = 0; length < 100; length++) {
            final byte[] left = new byte[length + 20];
            final byte[] right = new byte[length + 20];
            random.nextBytes(left);
            random.nextBytes(right);
            final int leftOffset = random.nextInt(20);
            final int rightOffset = random.nextInt(20);
            System.arraycopy(left, leftOffset, right, rightOffset, length);
            final long seed = random.nextLong();
            assertEquals(
                Hashing.hash64(left, leftOffset, length, seed),
                Hashing.hash64(right, rightOffset, length, seed));
        }
    }

    @Test
    void shouldHashALongLikeItsBytes() {
        final Random random = Seeds.random("HashingTest.shouldHashALongLikeItsBytes");
        for (int i = 0; i < 1_000; i++) {
            final long value = random.nextLong();
            final long seed = random.nextLong();
            final byte[] bytes =
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
            assertEquals(Hashing.hash64(bytes, 0, Long.BYTES, seed), Hashing.hash64(value, seed));
        }
    }

    @Test
    void shouldFlipHalfOfTheBitsWhenOneFlips() {
        final Random random = Seeds.random("HashingTest.shouldFlipHalfOfTheBitsWhenOneFlips");
        final int rounds = 2_000;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            long hashFlips = 0;
            long mix64Flips = 0;
            long mix32Flips = 0;
            for (int i = 0; i < rounds; i++) {
                final long value = random.nextLong();
                final long other = value ^ 1L << bit;
                hashFlips += Long.bitCount(Hashing.hash64(value, 1) ^ Hashing.hash64(other, 1));
                mix64Flips += Long.bitCount(Hashing.mix64(value) ^ Hashing.mix64(other));
                mix32Flips += Integer.bitCount(
                    Hashing.mix32((int) value) ^ Hashing.mix32((int) value ^ 1 << bit));
            }
            assertEquals(32.0, (double) hashFlips / rounds, 1.5, "hash64, bit " + bit);
            assertEquals(32.0, (double) mix64Flips / rounds, 1.5, "mix64, bit " + bit);
            assertEquals(16.0, (double) mix32Flips / rounds, 1.0, "mix32, bit " + bit);
        }
    }

    @Test
    void shouldMixToKnownValues() {
        assertEquals(0, Hashing.mix32(0));
        assertEquals(0, Hashing.mix64(0));
        assertEquals(0x514E28B7, Hashing.mix32(1));
        assertEquals(0x81F16F39, Hashing.mix32(-1));
    }

    @Test
    void shouldReduceEvenly() {
        final Random random = Seeds.random("HashingTest.shouldReduceEvenly");
        assertEquals(0, Hashing.reduce(0, 7));
        assertEquals(6, Hashing.reduce(-1L, 7));
        assertEquals(Integer.MAX_VALUE - 1, Hashing.reduce(-1L, Integer.MAX_VALUE));
        final int[] counts = new int[7];
        for (int i = 0; i < 70_000; i++) {
            counts[Hashing.reduce(Hashing.mix64(random.nextLong()), counts.length)]++;
        }
        for (final int count : counts) {
            assertEquals(10_000, count, 700);
        }
    }

    @Test
    void shouldMakeAnotherFunctionOfEachSeed() {
        final byte[] key = {1, 2, 3};
        assertNotEquals(Hashing.hash64(key, 0, 3, 0), Hashing.hash64(key, 0, 3, 1));
        assertNotEquals(Hashing.hash64(7L, 0), Hashing.hash64(7L, 1));
    }

    @Test
    void hash64ThrowsIndexOutOfBoundsWhenTheRangeIsNotInTheArray() {
        final byte[] bytes = new byte[10];
        assertThrows(IndexOutOfBoundsException.class, () -> Hashing.hash64(bytes, 0, 11, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> Hashing.hash64(bytes, -1, 3, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> Hashing.hash64(bytes, 3, -1, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> Hashing.hash64(bytes, 8, Integer.MAX_VALUE, 0));
    }

    @Test
    void shouldAllocateNothing() {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final byte[] bytes = new byte[100];
        long sum = 0;
        for (int i = 0; i < 100; i++) {
            sum += Hashing.hash64(bytes, 0, i, i);
        }
        threads.getCurrentThreadAllocatedBytes();
        final long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 10_000; i++) {
            sum += Hashing.hash64(bytes, 0, i % 100, i);
        }
        final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < 10_000, "allocated " + allocated + " bytes, sum " + sum);
    }
}
