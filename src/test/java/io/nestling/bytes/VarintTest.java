/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nestling.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VarintTest {
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");
    private static final int GUARD = 3;

    @Test
    void shouldWriteKnownBytes() {
        assertEquals("00", written(0));
        assertEquals("7f", written(127));
        assertEquals("80 01", written(128));
        assertEquals("ac 02", written(300));
        assertEquals("ff ff ff ff 0f", written(-1));
        assertEquals("80 80 80 80 08", written(Integer.MIN_VALUE));
        assertEquals("ff ff ff ff ff ff ff ff ff 01", written(-1L));
        assertEquals("80 80 80 80 80 80 80 80 80 01", written(Long.MIN_VALUE));
        assertEquals("ff ff ff ff ff ff ff ff 7f", written(Long.MAX_VALUE));
    }

    @Test
    void shouldRoundTripInts() {
        final Random random = Seeds.random("VarintTest.shouldRoundTripInts");
        for (int bits = 1; bits <= Integer.SIZE; bits++) {
            checkInt(1 << bits - 1);
            checkInt((1 << bits - 1) - 1);
            for (int i = 0; i < 200; i++) {
                checkInt(random.nextInt() >>> Integer.SIZE - bits);
            }
        }
        checkInt(-1);
    }

    private static void checkInt(final int value) {
        final byte[] bytes = new byte[GUARD + Varint.MAX_INT_BYTES + GUARD];
        final int end = Varint.write(bytes, GUARD, value);
        assertEquals(Varint.length(value), end - GUARD);
        assertEquals(value, Varint.readInt(bytes, GUARD, end));
        assertEquals(Integer.toUnsignedLong(value), Varint.readLong(bytes, GUARD, bytes.length));

        final ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length);
        buffer.position(GUARD);
        Varint.write(buffer, value);
        assertEquals(end, buffer.position());
        buffer.position(GUARD);
        assertEquals(value, Varint.readInt(buffer));
        assertEquals(end, buffer.position());
    }

    @Test
    void shouldRoundTripLongs() {
        final Random random = Seeds.random("VarintTest.shouldRoundTripLongs");
        for (int bits = 1; bits <= Long.SIZE; bits++) {
            checkLong(1L << bits - 1);
            checkLong((1L << bits - 1) - 1);
            for (int i = 0; i < 200; i++) {
                checkLong(random.nextLong() >>> Long.SIZE - bits);
            }
        }
        checkLong(-1);
    }

    private static void checkLong(final long value) {
        final byte[] bytes = new byte[GUARD + Varint.MAX_LONG_BYTES + GUARD];
        final int end = Varint.write(bytes, GUARD, value);
        assertEquals(Varint.length(value), end - GUARD);
        assertEquals(value, Varint.readLong(bytes, GUARD, end));

        final ByteBuffer buffer = ByteBuffer.allocate(bytes.length).position(GUARD);
        Varint.write(buffer, value);
        assertArrayEquals(bytes, buffer.array());
        buffer.position(GUARD);
        assertEquals(value, Varint.readLong(buffer));
        assertEquals(end, buffer.position());
    }

    @Test
    void shouldTakeOneToFiveAndOneToTenBytes() {
        for (int bits = 1; bits <= Long.SIZE; bits++) {
            assertEquals((bits + 6) / 7, Varint.length(1L << bits - 1));
            if (bits <= Integer.SIZE) {
                assertEquals((bits + 6) / 7, Varint.length(1 << bits - 1));
            }
        }
        assertEquals(1, Varint.length(0));
        assertEquals(1, Varint.length(0L));
    }

    @Test
    void readThrowsIllegalArgumentWhenTruncatedAtAnyLength() {
        final byte[] bytes = new byte[GUARD + Varint.MAX_LONG_BYTES];
        final int end = Varint.write(bytes, GUARD, -1L);
        for (int limit = GUARD; limit < end; limit++) {
            final int to = limit;
            final Exception failure =
                assertThrows(IllegalArgumentException.class, () -> Varint.readLong(bytes, GUARD, to));
            assertEquals("varint at offset 3 is truncated: the input ends at offset " + to,
                failure.getMessage());
            final ByteBuffer buffer = ByteBuffer.wrap(bytes, GUARD, to - GUARD);
            final Exception same = assertThrows(IllegalArgumentException.class,
                () -> Varint.readLong(buffer));
            assertEquals(failure.getMessage(), same.getMessage());
            assertEquals(GUARD, buffer.position());
        }
    }

    @Test
    void readThrowsIllegalArgumentWhenMalformed() {
        assertMalformedInt("varint at offset 0 does not fit 32 bits: byte 4 of it is 16", "ff ff ff ff 10");
        assertMalformedInt("varint at offset 0 does not end within 5 bytes", "80 80 80 80 80 01");
        assertMalformedInt("varint at offset 0 is longer than needed: byte 1 of it is a final 0", "81 00");
        assertMalformedInt("varint at offset 0 is longer than needed: byte 4 of it is a final 0",
            "ff ff ff ff 00");
        assertMalformedLong(
            "varint at offset 0 does not fit 64 bits: byte 9 of it is 2", "ff ff ff ff ff ff ff ff ff 02");
        assertMalformedLong(
            "varint at offset 0 does not end within 10 bytes", "80 80 80 80 80 80 80 80 80 80 01");
        assertMalformedLong("varint at offset 0 is longer than needed: byte 2 of it is a final 0",
            "ff ff 00");
    }

    private static void assertMalformedInt(final String message, final String hex) {
        final byte[] bytes = HEX.parseHex(hex);
        assertEquals(message, assertThrows(
            IllegalArgumentException.class, () -> Varint.readInt(bytes, 0, bytes.length)).getMessage());
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        assertEquals(message, assertThrows(
            IllegalArgumentException.class, () -> Varint.readInt(buffer)).getMessage());
        assertEquals(0, buffer.position());
    }

    private static void assertMalformedLong(final String message, final String hex) {
        final byte[] bytes = HEX.parseHex(hex);
        assertEquals(message, assertThrows(
            IllegalArgumentException.class, () -> Varint.readLong(bytes, 0, bytes.length)).getMessage());
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        assertEquals(message, assertThrows(
            IllegalArgumentException.class, () -> Varint.readLong(buffer)).getMessage());
        assertEquals(0, buffer.position());
    }

    @Test
    void shouldHaveOneEncodingForEachNumber() {
        final Random random = Seeds.random("VarintTest.shouldHaveOneEncodingForEachNumber");
        int accepted = 0;
        for (int i = 0; i < 20_000; i++) {
            final byte[] bytes = new byte[1 + random.nextInt(12)];
            random.nextBytes(bytes);
            for (int j = 0; j < bytes.length; j++) {
                bytes[j] |= (byte) (random.nextInt(4) == 0 ? 0 : 0x80);
            }
            try {
                final long value = Varint.readLong(bytes, 0, bytes.length);
                final byte[] again = new byte[Varint.length(value)];
                Varint.write(again, 0, value);
                assertArrayEquals(Arrays.copyOf(bytes, again.length), again);
                accepted++;
            } catch (final IllegalArgumentException expected) {
                assertEquals(0, expected.getMessage().indexOf("varint at offset 0 "), expected.getMessage());
            }
        }
        assertEquals(true, accepted > 1_000, "accepted " + accepted);
    }

    @Test
    void readThrowsIndexOutOfBoundsWhenTheRangeIsNotInTheArray() {
        final byte[] bytes = new byte[4];
        assertThrows(IndexOutOfBoundsException.class, () -> Varint.readInt(bytes, 0, 5));
        assertThrows(IndexOutOfBoundsException.class, () -> Varint.readInt(bytes, -1, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> Varint.readLong(bytes, 3, 2));
    }

    @Test
    void writeThrowsIndexOutOfBoundsWhenItDoesNotFit() {
        final byte[] bytes = new byte[4];
        final Exception failure =
            assertThrows(IndexOutOfBoundsException.class, () -> Varint.write(bytes, 3, 300));
        assertEquals("varint of 2 bytes does not fit at offset 3 of an array of 4 bytes",
            failure.getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> Varint.write(bytes, -1, 1L));
        assertThrows(IndexOutOfBoundsException.class, () -> Varint.write(bytes, 0, -1));
        final ByteBuffer buffer = ByteBuffer.wrap(bytes, 2, 1);
        final Exception same = assertThrows(IndexOutOfBoundsException.class, () -> Varint.write(buffer, 300));
        assertEquals("varint of 2 bytes does not fit at position 2 of a buffer with limit 3",
            same.getMessage());
        assertEquals(2, buffer.position());
        assertArrayEquals(new byte[4], bytes);
    }

    private static String written(final int value) {
        final byte[] bytes = new byte[Varint.MAX_INT_BYTES];
        return HEX.formatHex(bytes, 0, Varint.write(bytes, 0, value));
    }

    private static String written(final long value) {
        final byte[] bytes = new byte[Varint.MAX_LONG_BYTES];
        return HEX.formatHex(bytes, 0, Varint.write(bytes, 0, value));
    }
}
