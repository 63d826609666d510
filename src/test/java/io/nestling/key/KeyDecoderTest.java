/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class KeyDecoderTest {
    private static final HexFormat HEX = HexFormat.of();

    static Stream<TypeSample<?>> variants() {
        return TypeSamples.all().stream().flatMap(sample -> sample.variants().stream());
    }

    @ParameterizedTest
    @MethodSource("variants")
    void valueThrowsMalformedKeyWhenTruncatedAtAnyLength(final TypeSample<?> sample) {
        final Random random = Seeds.random("KeyDecoderTest.valueThrowsMalformedKeyWhenTruncatedAtAnyLength");
        for (int i = 0; i < Effort.count(20, 40, 40); i++) {
            checkTruncated(sample, random);
        }
    }

    private static <T> void checkTruncated(final TypeSample<T> sample, final Random random) {
        final byte[] key = sample.type().encode(sample.next(random));
        final byte[] within = new byte[key.length + 2];
        System.arraycopy(key, 0, within, 1, key.length);
        for (int length = 0; length < key.length; length++) {
            final KeyDecoder decoder = new KeyDecoder(within, 1, length);
            final MalformedKeyException failure =
                assertThrows(MalformedKeyException.class, () -> decoder.value(sample.type()));
            assertTrue(failure.position() >= 0 && failure.position() <= length, failure.getMessage());
            assertTrue(failure.getMessage().contains("but was the end of the key"), failure.getMessage());
            assertEquals(0, decoder.position());
            assertEquals(length, decoder.remaining());
        }
    }

    /** Whatever is not rejected has to be the one encoding of what it decodes to. */
    @ParameterizedTest
    @MethodSource("variants")
    void shouldAcceptOnlyWhatTheEncoderWrites(final TypeSample<?> sample) {
        final Random random = Seeds.random("KeyDecoderTest.shouldAcceptOnlyWhatTheEncoderWrites");
        for (int i = 0; i < Effort.count(200, 600, 600); i++) {
            checkCanonical(sample, damaged(sample, random));
        }
    }

    private static <T> byte[] damaged(final TypeSample<T> sample, final Random random) {
        if (random.nextInt(4) == 0) {
            final byte[] noise = new byte[random.nextInt(20)];
            random.nextBytes(noise);
            return noise;
        }
        final byte[] key = sample.type().encode(sample.next(random));
        final byte[] longer = Arrays.copyOf(key, key.length + random.nextInt(4));
        for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
            longer[random.nextInt(Math.min(longer.length, 12))] ^= (byte) (1 << random.nextInt(8));
        }
        return longer;
    }

    private static <T> void checkCanonical(final TypeSample<T> sample, final byte[] bytes) {
        final KeyDecoder decoder = new KeyDecoder(bytes);
        final T value;
        try {
            value = decoder.value(sample.type());
        } catch (final MalformedKeyException expected) {
            assertEquals(0, decoder.position(), "position after a failure");
            assertTrue(expected.position() <= bytes.length, expected.getMessage());
            return;
        }
        assertArrayEquals(Arrays.copyOf(bytes, decoder.position()), sample.type().encode(value),
            () -> sample + " accepted " + HEX.formatHex(bytes) + " as " + value);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "boolean | 02 | 0 | expected boolean (00 or 01) but was byte 02",
        "boolean | | 0 | expected boolean (1 byte) but was the end of the key after 0",
        "int32 | 800000 | 0 | expected int32 (4 bytes) but was the end of the key after 3",
        "uuid | 0102 | 0 | expected uuid (16 bytes) but was the end of the key after 2",
        "instant | 8000000000 | 0 | expected instant (12 bytes) but was the end of the key after 5",
        "string | 61 | 1 | expected more of string but was the end of the key",
        "string | 6100 | 2 | expected more of string but was the end of the key",
        "string | 610002 | 2 | expected 00 or 01 after 00 in string but was byte 02",
        "string | 61800000 | 1 | expected UTF-8 in string but was byte 80",
        "string | F8888888 | 0 | expected UTF-8 in string but was byte F8",
        "string | C3280000 | 1 | expected a UTF-8 continuation byte in string but was byte 28",
        "string | 61C0AF0000 | 1 "
            + "| 'expected UTF-8 in string but was U+002F in 2 bytes, which is not well-formed'",
        "string | EDA0800000 | 0 "
            + "| 'expected UTF-8 in string but was U+D800 in 3 bytes, which is not well-formed'",
        "string | F490808000 | 0 "
            + "| 'expected UTF-8 in string but was U+110000 in 4 bytes, which is not well-formed'",
        "bytes | FF00FF | 2 | expected 00 or 01 after 00 in bytes but was byte FF",
        "bytes descending | 00FF00 | 2 "
            + "| 'expected 00 or 01 after 00 in bytes but was byte FF (stored as 00)'",
        "bytes | 0001 | 2 | expected more of bytes but was the end of the key",
        "float32 | FFC00001 | 0 | expected float32 but was a NaN that is not the canonical one",
        "float32 | 00000000 | 0 | expected float32 but was a NaN that is not the canonical one",
        "bigInteger | 7F | 0 | expected the header of bigInteger but was byte 7F",
        "bigInteger | FF | 0 | expected the header of bigInteger but was byte FF",
        "bigInteger | 00 | 0 | expected the header of bigInteger but was byte 00",
        "bigInteger | 820001 | 1 | expected magnitude of bigInteger but was a leading zero byte",
        "bigInteger | FE007D | 1 | expected a length of bigInteger above 125 but was 125",
        "bigInteger | FEFFFF01 | 3 "
            + "| expected magnitude of bigInteger (65535 bytes) but was the end of the key after 1",
        "bigDecimal | 82 | 0 | expected the sign of bigDecimal (7E, 80 or 81) but was byte 82",
        "bigDecimal | 8181016580 | 3 "
            + "| 'expected two digits of bigDecimal (01 to 64) or their end (00) but was byte 65'",
        "bigDecimal | 8181010080 | 3 | expected digits of bigDecimal but was none or zeros around them",
        "bigDecimal | 8181010B010080 | 3 | expected digits of bigDecimal but was none or zeros around them",
        "bigDecimal | 8181010200 | 3 | expected digits of bigDecimal but was none or zeros around them",
        "bigDecimal | 8181010B01 | 5 | expected more of digits of bigDecimal but was the end of the key",
        "bigDecimal | 8189 | 1 | expected the header of exponent of bigDecimal but was byte 89",
        "bigDecimal | 81820001 | 2 | "
            + "'expected exponent of bigDecimal"
            + " but was a magnitude of 2 bytes that is too large or starts with 0'",
        "bigDecimal | 808480000000 | 1 | expected a scale of bigDecimal of 32 bits but was 2147483648",
        "bigDecimal | 81800B0080 | 0 "
            + "| 'expected bigDecimal but was exponent 0, 1 digits and scale 0, which do not belong together'",
        "bigDecimal | 8184000000010B0080 | 2 | "
            + "'expected exponent of bigDecimal"
            + " but was a magnitude of 4 bytes that is too large or starts with 0'",
        "bigDecimal | 8183FFFFFF0B0080 | 0 "
            + "| 'expected bigDecimal but was exponent 16777215, 1 digits and scale 0,"
            + " which do not belong together'",
        "int8 nulls first | 02 | 0 | expected the marker of int8 nulls first (00 or 01) but was byte 02",
        "int8 nulls last | 00 | 0 | expected the marker of int8 nulls last (02 or 01) but was byte 00",
        "int8 nulls first | | 0 | expected more of null marker but was the end of the key",
    })
    void valueThrowsMalformedKeyWhenTheBytesAreNoEncoding(
        final String type, final String hex, final int position, final String problem) {
        final KeyDecoder decoder = new KeyDecoder(HEX.parseHex(hex == null ? "" : hex));
        final MalformedKeyException failure =
            assertThrows(MalformedKeyException.class, () -> decoder.value(ValueText.type(type)));
        assertEquals(problem, failure.problem());
        assertEquals(position, failure.position());
        assertEquals("malformed key at position " + position + ": " + problem, failure.getMessage());
    }

    @Test
    void instantThrowsMalformedKeyWhenOutOfRange() {
        final byte[] tooLate = new KeyEncoder().int64(31_556_889_864_403_200L).uint32(0).toBytes();
        assertEquals("malformed key at position 0: expected an instant with seconds "
            + "-31557014167219200..31556889864403199 but was 31556889864403200",
            assertThrows(MalformedKeyException.class, () -> KeyType.INSTANT.decode(tooLate)).getMessage());
        final byte[] tooManyNanos = new KeyEncoder().int64(0).uint32(1_000_000_000).toBytes();
        assertEquals("malformed key at position 8: expected an instant with nanoseconds 0..999999999"
            + " but was 1000000000", assertThrows(MalformedKeyException.class,
                () -> KeyType.INSTANT.decode(tooManyNanos)).getMessage());
    }

    @Test
    void endThrowsMalformedKeyWhenBytesAreLeft() {
        final KeyDecoder decoder = new KeyDecoder(new byte[] {1, 2, 3});
        decoder.uint8();
        assertEquals(2, decoder.remaining());
        assertEquals("malformed key at position 1: expected the end of the key but was 2 more bytes",
            assertThrows(MalformedKeyException.class, decoder::end).getMessage());
    }

    @Test
    void shouldGoOnAfterAFailure() {
        final KeyDecoder decoder = new KeyDecoder(new KeyEncoder().uint8(7).bigDecimal(new BigDecimal("-1"))
            .value(KeyType.STRING.descending(), "x").toBytes());
        assertEquals(7, decoder.uint8());
        for (final KeyType<?> wrong : List.of(KeyType.BOOLEAN, KeyType.BIG_DECIMAL.descending(),
            KeyType.INT8.nullsLast(), KeyType.STRING.descending(),
            KeyType.BIG_INTEGER.nullsFirst(), KeyType.UUID)) {
            assertThrows(MalformedKeyException.class, () -> decoder.value(wrong), wrong::toString);
            assertEquals(1, decoder.position());
        }
        assertEquals(new BigDecimal("-1"), decoder.bigDecimal());
        assertEquals("x", decoder.value(KeyType.STRING.descending()));
        decoder.end();
    }

    @Test
    void shouldReadInsideARangeAndStartOver() {
        final byte[] source = {9, 9, (byte) 0x80, 5, 9};
        final KeyDecoder decoder = new KeyDecoder(source, 2, 2);
        assertEquals(5, decoder.int16());
        assertEquals(2, decoder.position());
        decoder.end();
        decoder.reset(source, 3, 1);
        assertEquals(0, decoder.position());
        assertEquals(5, decoder.uint8());
        assertThrows(IndexOutOfBoundsException.class, () -> decoder.reset(source, 4, 2));
        assertEquals(1, decoder.position());
        assertThrows(IndexOutOfBoundsException.class, () -> new KeyDecoder(source, -1, 2));
    }
}
