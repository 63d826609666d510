/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class KeyTypeTest {
    @Test
    void shouldOrderStringsByCodePointUnlikeStringItself() {
        final String emoji = "\ud83d\ude00";
        final String privateUse = "\ue000";
        assertTrue(emoji.compareTo(privateUse) < 0);
        assertTrue(KeyType.STRING.comparator().compare(emoji, privateUse) > 0);
        assertTrue(ByteComparison.compare(KeyType.STRING.encode(emoji),
            KeyType.STRING.encode(privateUse)) > 0);
    }

    @Test
    void shouldOrderUuidsUnsignedUnlikeUuidItself() {
        final UUID low = new UUID(Long.MAX_VALUE, 0);
        final UUID high = new UUID(Long.MIN_VALUE, 0);
        assertTrue(low.compareTo(high) > 0);
        assertTrue(KeyType.UUID.comparator().compare(low, high) < 0);
        assertTrue(ByteComparison.compare(KeyType.UUID.encode(low), KeyType.UUID.encode(high)) < 0);
    }

    @Test
    void shouldPutEqualDecimalsBesideEachOtherByScale() {
        final List<BigDecimal> sorted = List.of(new BigDecimal("-1.00"), new BigDecimal("1E+0"),
            new BigDecimal("1.0"), new BigDecimal("1.00"), new BigDecimal("1.001"));
        byte[] before = null;
        for (final BigDecimal value : sorted) {
            final byte[] key = KeyType.BIG_DECIMAL.encode(value);
            assertTrue(before == null || ByteComparison.compare(before, key) < 0, value::toString);
            assertEquals(value, KeyType.BIG_DECIMAL.decode(key));
            before = key;
        }
    }

    @Test
    void shouldWriteEveryNanAsTheCanonicalOne() {
        assertArrayEquals(KeyType.FLOAT64.encode(Double.NaN),
            KeyType.FLOAT64.encode(Double.longBitsToDouble(0xFFF0_0000_0000_0001L)));
        assertArrayEquals(KeyType.FLOAT32.encode(Float.NaN),
            KeyType.FLOAT32.encode(Float.intBitsToFloat(0x7F80_0001)));
        assertEquals(0x7FF8_0000_0000_0000L, Double.doubleToRawLongBits(
            KeyType.FLOAT64.decode(KeyType.FLOAT64.encode(Double.longBitsToDouble(-1L)))));
    }

    @Test
    void shouldReverseTwiceToTheFirstEncoding() {
        final KeyType<String> twice = KeyType.STRING.nullsFirst().descending().descending();
        assertArrayEquals(KeyType.STRING.nullsFirst().encode("x"), twice.encode("x"));
        assertEquals("string nulls first", twice.toString());
        assertThrows(IllegalStateException.class, twice::nullsLast);
    }

    @Test
    void shouldSortNullAsTheOrderOfTheCombinatorsSays() {
        assertNullIs(true, KeyType.INT32.nullsFirst());
        assertNullIs(false, KeyType.INT32.nullsLast());
        assertNullIs(false, KeyType.INT32.nullsFirst().descending());
        assertNullIs(true, KeyType.INT32.nullsLast().descending());
        assertNullIs(true, KeyType.INT32.descending().nullsFirst());
        assertNullIs(false, KeyType.INT32.descending().nullsLast());
    }

    private static void assertNullIs(final boolean first, final KeyType<Integer> type) {
        for (final int value : new int[] {Integer.MIN_VALUE, 0, Integer.MAX_VALUE}) {
            assertEquals(first, Arrays.compareUnsigned(type.encode(null), type.encode(value)) < 0,
                type::toString);
            assertEquals(first, type.comparator().compare(null, value) < 0, type::toString);
        }
        assertEquals(0, type.comparator().compare(null, null));
    }

    @Test
    void nullsFirstThrowsIllegalStateWhenNullHasAPlaceAlready() {
        assertEquals("expected a type without null but was int32 nulls last", assertThrows(
            IllegalStateException.class, () -> KeyType.INT32.nullsLast().nullsFirst()).getMessage());
        assertThrows(IllegalStateException.class, () -> KeyType.INT32.nullsFirst().descending().nullsFirst());
    }

    @Test
    void shouldTellItsJavaTypeAndWhetherItTakesNull() {
        assertEquals(Long.class, KeyType.UINT32.descending().nullsFirst().javaType());
        assertEquals(byte[].class, KeyType.BYTES.javaType());
        assertFalse(KeyType.BYTES.descending().acceptsNull());
        assertTrue(KeyType.BYTES.nullsFirst().descending().acceptsNull());
    }

    @Test
    void decodeThrowsMalformedKeyWhenBytesAreLeft() {
        assertThrows(MalformedKeyException.class, () -> KeyType.INT8.decode(new byte[2]));
    }
}
