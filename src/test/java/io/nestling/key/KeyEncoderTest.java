/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class KeyEncoderTest {
    private static final byte[] BEFORE = {42, 0x61, 0, 0};

    @Test
    void shouldChainAllTypesAndDecodeThemAgain() {
        final UUID uuid = new UUID(1, -2);
        final byte[] key = new KeyEncoder().int8(-128).int16(-32_768).int32(-1).int64(1L << 40)
            .uint8(255).uint16(65_535).uint32(4_294_967_295L).uint64(-1L)
            .float32(-0f).float64(1e300).bool(true)
            .string("k\u00e9y").bytes(new byte[] {0, 1}).uuid(uuid).bigInteger(BigInteger.TEN.pow(50))
            .bigDecimal(new BigDecimal("-7.50")).instant(Instant.MAX)
            .value(KeyType.INT8.nullsLast(), null).toBytes();
        final KeyDecoder decoder = new KeyDecoder(key);
        assertEquals(-128, decoder.int8());
        assertEquals(-32_768, decoder.int16());
        assertEquals(-1, decoder.int32());
        assertEquals(1L << 40, decoder.int64());
        assertEquals(255, decoder.uint8());
        assertEquals(65_535, decoder.uint16());
        assertEquals(4_294_967_295L, decoder.uint32());
        assertEquals(-1L, decoder.uint64());
        assertEquals(-0f, decoder.float32());
        assertEquals(1e300, decoder.float64());
        assertTrue(decoder.bool());
        assertEquals("k\u00e9y", decoder.string());
        assertArrayEquals(new byte[] {0, 1}, decoder.bytes());
        assertEquals(uuid, decoder.uuid());
        assertEquals(BigInteger.TEN.pow(50), decoder.bigInteger());
        assertEquals(new BigDecimal("-7.50"), decoder.bigDecimal());
        assertEquals(Instant.MAX, decoder.instant());
        assertEquals(null, decoder.value(KeyType.INT8.nullsLast()));
        assertEquals(0, decoder.remaining());
        decoder.end();
    }

    @Test
    void shouldReuseItsBuffer() {
        final KeyEncoder encoder = new KeyEncoder();
        assertEquals(0, encoder.length());
        assertArrayEquals(new byte[0], encoder.toBytes());
        encoder.string("x".repeat(1_000));
        final byte[] buffer = encoder.buffer();
        assertEquals(1_002, encoder.length());
        assertSame(encoder, encoder.reset());
        assertEquals(0, encoder.length());
        encoder.uint8(1).uint8(2);
        assertSame(buffer, encoder.buffer());
        assertArrayEquals(new byte[] {1, 2}, Arrays.copyOf(encoder.buffer(), encoder.length()));
        final byte[] copy = encoder.toBytes();
        encoder.reset().uint8(9);
        assertArrayEquals(new byte[] {1, 2}, copy);
    }

    @Test
    void shouldEncodeARangeOfBytes() {
        final byte[] source = {9, 0, 5, 9};
        assertArrayEquals(
            KeyType.BYTES.encode(new byte[] {0, 5}), new KeyEncoder().bytes(source, 1, 2).toBytes());
        assertArrayEquals(KeyType.BYTES.encode(new byte[0]), new KeyEncoder().bytes(source, 4, 0).toBytes());
    }

    @Test
    void bytesThrowsIndexOutOfBoundsWhenTheRangeIsNotInTheArray() {
        final KeyEncoder encoder = before();
        assertThrows(IndexOutOfBoundsException.class, () -> encoder.bytes(new byte[3], 2, 2));
        assertArrayEquals(BEFORE, encoder.toBytes());
    }

    @Test
    void integersThrowIllegalArgumentWhenOutOfRange() {
        assertRejects("expected uint8 (0..255) but was 256", encoder -> encoder.uint8(256));
        assertRejects("expected uint8 (0..255) but was -1", encoder -> encoder.uint8(-1));
        assertRejects("expected uint16 (0..65535) but was 65536", encoder -> encoder.uint16(65_536));
        assertRejects("expected uint32 (0..4294967295) but was -1", encoder -> encoder.uint32(-1));
        assertRejects("expected uint32 (0..4294967295) but was 4294967296",
            encoder -> encoder.uint32(1L << 32));
        assertRejects("expected int8 (-128..127) but was 128", encoder -> encoder.int8(128));
        assertRejects("expected int16 (-32768..32767) but was -32769", encoder -> encoder.int16(-32_769));
        assertRejects("expected uint8 (0..255) but was 300", encoder -> encoder.value(KeyType.UINT8, 300));
        assertRejects("expected uint8 (0..255) but was 300",
            encoder -> encoder.value(KeyType.UINT8.nullsFirst().descending(), 300));
    }

    @Test
    void stringThrowsIllegalArgumentWhenASurrogateIsUnpaired() {
        assertRejects("expected string but was an unpaired surrogate U+D800 at index 2",
            encoder -> encoder.string("ab\ud800"));
        assertRejects("expected string but was an unpaired surrogate U+D800 at index 0",
            encoder -> encoder.string("\ud800b"));
        assertRejects("expected string but was an unpaired surrogate U+DC00 at index 1",
            encoder -> encoder.string("a\udc00"));
        assertRejects("expected string but was an unpaired surrogate U+DBFF at index 2",
            encoder -> encoder.value(KeyType.STRING.descending(), "\ud800\udc00\udbff\ud800\udc00"));
    }

    @Test
    void nullThrowsIllegalArgumentWhenTheTypeDoesNotTakeIt() {
        final String advice = " (take a type with nullsFirst() or nullsLast())";
        assertRejects("expected string but was null" + advice, encoder -> encoder.string(null));
        assertRejects("expected bytes but was null" + advice, encoder -> encoder.bytes(null));
        assertRejects("expected uuid but was null" + advice, encoder -> encoder.uuid(null));
        assertRejects("expected bigInteger but was null" + advice, encoder -> encoder.bigInteger(null));
        assertRejects("expected bigDecimal but was null" + advice, encoder -> encoder.bigDecimal(null));
        assertRejects("expected instant but was null" + advice, encoder -> encoder.instant(null));
        assertRejects("expected int32 descending but was null" + advice,
            encoder -> encoder.value(KeyType.INT32.descending(), null));
    }

    @Test
    void bigDecimalThrowsIllegalArgumentWhenItHasTooManyDigits() {
        final BigInteger tooLong = BigInteger.TEN.pow(BigDecimalCodec.MAX_DIGITS);
        assertRejects("expected bigDecimal of at most 131072 decimal digits but was an unscaled number of 435412 bits",
            encoder -> encoder.bigDecimal(new BigDecimal(tooLong)));
        assertRejects("expected bigDecimal of at most 131072 decimal digits but was an unscaled number of 50000001 bits",
            encoder -> encoder.bigDecimal(new BigDecimal(BigInteger.ONE.shiftLeft(50_000_000).negate())));
    }

    @Test
    void shouldTakeDecimalsOfUpToTheMostDigits() {
        final BigDecimal most = new BigDecimal(BigInteger.TEN.pow(BigDecimalCodec.MAX_DIGITS - 1));
        final byte[] key = KeyType.BIG_DECIMAL.encode(most);
        assertTrue(key.length < 12, "length " + key.length);
        assertEquals(most, KeyType.BIG_DECIMAL.decode(key));
        final BigDecimal extreme = new BigDecimal(most.unscaledValue().negate(), Integer.MIN_VALUE);
        assertEquals(extreme, KeyType.BIG_DECIMAL.decode(KeyType.BIG_DECIMAL.encode(extreme)));
        final BigDecimal dense = new BigDecimal(new BigInteger("7".repeat(131_001)), 77);
        assertEquals(dense, KeyType.BIG_DECIMAL.decode(KeyType.BIG_DECIMAL.encode(dense)));
    }

    @Test
    void shouldTakeKeysOfExactlyTheLimit() {
        final byte[] bytes = new byte[KeyEncoder.MAX_KEY_BYTES - 2];
        Arrays.fill(bytes, (byte) 5);
        assertEquals(KeyEncoder.MAX_KEY_BYTES, KeyType.BYTES.encode(bytes).length);
        assertArrayEquals(bytes, KeyType.BYTES.decode(KeyType.BYTES.encode(bytes)));
        final String string = "s".repeat(KeyEncoder.MAX_KEY_BYTES - 2);
        assertEquals(string, KeyType.STRING.decode(KeyType.STRING.encode(string)));
        final BigInteger integer = BigInteger.ONE.shiftLeft(65_532 * 8).subtract(BigInteger.ONE);
        assertEquals(KeyEncoder.MAX_KEY_BYTES, KeyType.BIG_INTEGER.encode(integer).length);
        for (final BigInteger value : List.of(integer, integer.negate())) {
            assertEquals(value, KeyType.BIG_INTEGER.decode(KeyType.BIG_INTEGER.encode(value)));
        }
    }

    @Test
    void anythingThrowsIllegalArgumentWhenTheKeyWouldBeTooLong() {
        final String limit = " bytes long; the limit is 65535 bytes";
        assertRejects("string of 70002 encoded bytes at position 4 makes the key 70006" + limit,
            encoder -> encoder.string("x".repeat(70_000)));
        assertRejects("string of 90002 encoded bytes at position 4 makes the key 90006" + limit,
            encoder -> encoder.string("\u20ac".repeat(30_000)));
        assertRejects("bytes of 80002 encoded bytes at position 4 makes the key 80006" + limit,
            encoder -> encoder.bytes(new byte[40_000]));
        assertRejects("bytes of 80002 encoded bytes at position 4 makes the key 80006" + limit,
            encoder -> encoder.bytes(new byte[50_000], 1, 40_000));
        assertRejects("bytes of 65534 encoded bytes at position 5 makes the key 65539" + limit,
            encoder -> encoder.value(KeyType.BYTES.nullsFirst(), new byte[32_766]));
        assertRejects("bigInteger of 65536 encoded bytes at position 4 makes the key 65540" + limit,
            encoder -> encoder.bigInteger(BigInteger.ONE.shiftLeft(65_532 * 8)));
        assertRejects("bigInteger of 125000004 encoded bytes at position 4 makes the key 125000008" + limit,
            encoder -> encoder.bigInteger(BigInteger.ONE.shiftLeft(1_000_000_000)));
        assertRejects("bigDecimal of 65543 encoded bytes at position 4 makes the key 65547" + limit,
            encoder -> encoder.bigDecimal(new BigDecimal(new BigInteger("7".repeat(131_072)))));
    }

    @Test
    void fixedTypesThrowIllegalArgumentWhenTheKeyIsFull() {
        final KeyEncoder full = new KeyEncoder().bytes(filled(KeyEncoder.MAX_KEY_BYTES - 2));
        final byte[] before = full.toBytes();
        final List<Consumer<KeyEncoder>> calls = List.of(
            e -> e.int8(1), e -> e.uint64(1), e -> e.float32(1), e -> e.float64(1), e -> e.bool(true),
            e -> e.uuid(new UUID(1, 1)), e -> e.instant(Instant.EPOCH), e -> e.bigInteger(BigInteger.ZERO),
            e -> e.bigDecimal(BigDecimal.ZERO), e -> e.bigDecimal(BigDecimal.ONE), e -> e.string(""),
            e -> e.bytes(new byte[0]), e -> e.value(KeyType.INT8.nullsFirst(), null));
        for (final Consumer<KeyEncoder> call : calls) {
            final Exception failure = assertThrows(IllegalArgumentException.class, () -> call.accept(full));
            assertTrue(failure.getMessage().endsWith("the limit is 65535 bytes"), failure.getMessage());
            assertArrayEquals(before, full.toBytes());
        }
    }

    @Test
    void shouldAllocateNothingWhenReused() {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final KeyEncoder encoder = new KeyEncoder();
        final byte[] bytes = {1, 0, 2};
        for (int i = 0; i < 100; i++) {
            encoder.reset().int64(i).string("some text").bytes(bytes).float64(i);
        }
        threads.getCurrentThreadAllocatedBytes();
        final long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 10_000; i++) {
            encoder.reset().int64(i).string("some text").bytes(bytes).float64(i);
        }
        final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < 10_000, "allocated " + allocated + " bytes");
    }

    /** The call fails with this message, and the key is as it was before. */
    private static void assertRejects(final String message, final Consumer<KeyEncoder> call) {
        final KeyEncoder encoder = before();
        final Exception failure = assertThrows(IllegalArgumentException.class, () -> call.accept(encoder));
        assertEquals(message, failure.getMessage());
        assertArrayEquals(BEFORE, encoder.toBytes());
        assertArrayEquals(new byte[] {42, 0x61, 0, 0, 7}, encoder.uint8(7).toBytes());
    }

    private static KeyEncoder before() {
        return new KeyEncoder().uint8(42).string("a");
    }

    private static byte[] filled(final int length) {
        final byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 1);
        return bytes;
    }
}
