/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

import java.util.List;

class ByteSizeTest {
    private static long size(final String text) {
        return new ByteSize().convert(text);
    }

    @Test
    void shouldReadSizesWithAndWithoutUnits() {
        assertEquals(0, size("0"));
        assertEquals(4_194_304, size("4194304"));
        assertEquals(4_194_304, size("4194304b"));
        for (final String same : List.of("4m", "4M", "4MB", "4MiB", "4 MiB", " 4m ", "4096k", "4.0m")) {
            assertEquals(4L << 20, size(same), same);
        }
        assertEquals(65_536, size("64KiB"));
        assertEquals(3L << 29, size("1.5g"));
        assertEquals(2L << 40, size("2t"));
        assertEquals(Long.MAX_VALUE, size("9223372036854775807"));
        assertEquals(Long.MAX_VALUE / 1024 * 1024, size(Long.MAX_VALUE / 1024 + "k"));
    }

    @Test
    void malformedSizeThrowsTypeConversionExceptionThatNamesIt() {
        for (final String wrong : List.of("", "m", "-4m", "4x", "4mm", "4 m b", "0x10", "1e6", "4i", ".5m",
            "4.m", "1,5g", "\u0664m", "99999999999999999999")) {
            final TypeConversionException e =
                assertThrows(TypeConversionException.class, () -> size(wrong), wrong);
            assertTrue(e.getMessage().contains("'" + wrong + "'"), e.getMessage());
        }
    }

    @Test
    void sizeAboveALongThrowsTypeConversionException() {
        final TypeConversionException e =
            assertThrows(TypeConversionException.class, () -> size("99999999999g"));
        assertTrue(e.getMessage().contains("9223372036854775807"), e.getMessage());
        assertThrows(TypeConversionException.class, () -> size("8388608t"));
        assertThrows(TypeConversionException.class, () -> size("9223372036854775808"));
        assertEquals(Long.MAX_VALUE - (1L << 40) + 1, size("8388607t"));
    }
}
