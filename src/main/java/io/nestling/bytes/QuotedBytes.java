/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import java.util.Locale;

/** Shows bytes of a key in quotes: what ASCII prints as it is, all else as a backslash and two hexadecimal digits. */
public final class QuotedBytes {
    private static final int MAX_BYTES = 64;

    private QuotedBytes() {
    }

    /**
     * Returns the text of some bytes; of many the first 64 and three dots.
     *
     * @param key array that holds them
     * @param from the first one
     * @param length their number; those behind the end of the array are left out
     * @return the text, in quotes
     */
    public static String text(final byte[] key, final int from, final int length) {
        final StringBuilder text = new StringBuilder("\"");
        final int end = Math.min(key.length, from + Math.min(length, MAX_BYTES));
        for (int i = from; i < end; i++) {
            final int octet = key[i] & 0xFF;
            if (octet >= ' ' && octet <= '~' && octet != '"' && octet != '\\') {
                text.append((char) octet);
            } else {
                text.append(String.format(Locale.ROOT, "\\%02x", octet));
            }
        }
        return text.append(end < key.length && end < from + length ? "...\"" : "\"").toString();
    }
}
