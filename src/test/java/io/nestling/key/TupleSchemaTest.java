/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class TupleSchemaTest {
    private static final TupleSchema SCHEMA =
        TupleSchema.of(KeyType.INT64, KeyType.STRING.nullsFirst(), KeyType.UINT8.descending());

    @Test
    void shouldEncodeItsComponentsOneAfterTheOther() {
        final byte[] expected = new KeyEncoder().int64(5).value(KeyType.STRING.nullsFirst(), "x")
            .value(KeyType.UINT8.descending(), 3).toBytes();
        assertArrayEquals(expected, SCHEMA.encode(5L, "x", 3));
        assertArrayEquals(new Object[] {5L, "x", 3}, SCHEMA.decode(expected));
        assertArrayEquals(new Object[] {5L, null, 3}, SCHEMA.decode(SCHEMA.encode(5L, null, 3)));
        assertEquals("(int64, string nulls first, uint8 descending)", SCHEMA.toString());
        assertEquals(List.of(KeyType.INT64, KeyType.STRING),
            TupleSchema.of(KeyType.INT64, KeyType.STRING).types());
    }

    @Test
    void shouldHaveAnEmptyTuple() {
        final TupleSchema empty = TupleSchema.of();
        assertEquals(0, empty.encode().length);
        assertEquals(0, empty.decode(new byte[0]).length);
        assertEquals(0, empty.compare(new Object[0], new Object[0]));
    }

    @Test
    void shouldCompareByTheFirstDifferentComponent() {
        assertTrue(SCHEMA.compare(new Object[] {1L, "b", 1}, new Object[] {2L, "a", 1}) < 0);
        assertTrue(SCHEMA.compare(new Object[] {1L, null, 1}, new Object[] {1L, "", 1}) < 0);
        assertTrue(SCHEMA.compare(new Object[] {1L, "a", 1}, new Object[] {1L, "a", 2}) > 0);
        assertEquals(0, SCHEMA.compare(new Object[] {1L, "a", 1}, new Object[] {1L, "a", 1}));
    }

    @Test
    void shouldWorkInTheMiddleOfAKey() {
        final KeyEncoder encoder = new KeyEncoder().bool(true);
        SCHEMA.encodeTo(encoder, 1L, null, 2);
        SCHEMA.encodeTo(encoder, 3L, "y", 4);
        final KeyDecoder decoder = new KeyDecoder(encoder.toBytes());
        assertTrue(decoder.bool());
        assertArrayEquals(new Object[] {1L, null, 2}, SCHEMA.decodeFrom(decoder));
        assertArrayEquals(new Object[] {3L, "y", 4}, SCHEMA.decodeFrom(decoder));
        decoder.end();
    }

    @Test
    void encodeThrowsIllegalArgumentWhenAValueDoesNotFit() {
        assertRejects("component 2 (uint8 descending): expected uint8 (0..255) but was 256", 1L, "x", 256);
        assertRejects("component 0 (int64): expected a value of class Long but was 1 of class Integer", 1, "x", 2);
        assertRejects("component 0 (int64): expected a value but was null "
            + "(take a type with nullsFirst() or nullsLast())", null, "x", 2);
        assertRejects("component 1 (string nulls first): expected string but was "
            + "an unpaired surrogate U+D800 at index 0", 1L, "\ud800", 2);
        assertRejects("component 1 (string nulls first): string of 70002 encoded bytes at position 10"
            + " makes the key 70012 bytes long; the limit is 65535 bytes", 1L, "x".repeat(70_000), 2);
        assertRejects("expected 3 values for (int64, string nulls first, uint8 descending) but was 2", 1L, "x");
        assertRejects("expected 3 values for (int64, string nulls first, uint8 descending) but was null",
            (Object[]) null);
    }

    private static void assertRejects(final String message, final Object... values) {
        final KeyEncoder encoder = new KeyEncoder().uint8(9);
        final Exception failure =
            assertThrows(IllegalArgumentException.class, () -> SCHEMA.encodeTo(encoder, values));
        assertEquals(message, failure.getMessage());
        assertArrayEquals(new byte[] {9}, encoder.toBytes());
    }

    @Test
    void decodeThrowsMalformedKeyWhenTheKeyIsNoTuple() {
        final byte[] key = SCHEMA.encode(1L, "x", 2);
        for (int length = 0; length < key.length; length++) {
            final KeyDecoder decoder = new KeyDecoder(key, 0, length);
            final String message =
                assertThrows(MalformedKeyException.class, () -> SCHEMA.decodeFrom(decoder)).getMessage();
            assertTrue(message.contains(": component "), message);
            assertEquals(0, decoder.position());
        }
        assertEquals("malformed key at position 8: component 1 (string nulls first): expected the marker of "
            + "string nulls first (00 or 01) but was byte 07", assertThrows(MalformedKeyException.class,
            () -> SCHEMA.decode(new KeyEncoder().int64(1).uint8(7).toBytes())).getMessage());
        final byte[] longer = new KeyEncoder().int64(1).uint8(0).uint8(1).uint8(1).toBytes();
        assertEquals("malformed key at position 10: expected the end of the key but was 1 more bytes",
            assertThrows(MalformedKeyException.class, () -> SCHEMA.decode(longer)).getMessage());
    }

    @Test
    void compareThrowsIllegalArgumentWhenTheTuplesAreNotOfTheSchema() {
        final Object[] good = {1L, "x", 2};
        assertThrows(IllegalArgumentException.class, () -> SCHEMA.compare(good, new Object[] {1L, "x"}));
        assertEquals("component 1 (string nulls first): expected a value of class String but was 7 of class Integer",
            assertThrows(IllegalArgumentException.class,
                () -> SCHEMA.compare(good, new Object[] {1L, 7, 2})).getMessage());
    }
}
