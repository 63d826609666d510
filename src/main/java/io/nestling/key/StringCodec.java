/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

import java.util.Locale;

import static io.nestling.key.Utf8Layout.CONTINUATION_BITS;
import static io.nestling.key.Utf8Layout.CONTINUATION_LEAD;
import static io.nestling.key.Utf8Layout.CONTINUATION_MASK;
import static io.nestling.key.Utf8Layout.FIRST_OF_FOUR;
import static io.nestling.key.Utf8Layout.FIRST_OF_TWO;
import static io.nestling.key.Utf8Layout.leadByte;

/** Strings as UTF-8 in the form of {@link EscapeLayout}. The order is that of code points. */
final class StringCodec implements Codec<String> {
    static final String NAME = "string";

    @Override
    public void encode(final String value, final KeyBuffer out) {
        out.reserve(encodedLength(value), NAME);
        final int length = value.length();
        for (int i = 0; i < length; i++) {
            final char unit = value.charAt(i);
            if (unit == 0) {
                EscapeLayout.putZero(out);
            } else if (unit < FIRST_OF_TWO) {
                out.put(unit);
            } else if (Character.isHighSurrogate(unit)) {
                i++;
                putMultiByte(Character.toCodePoint(unit, value.charAt(i)), out);
            } else {
                putMultiByte(unit, out);
            }
        }
        EscapeLayout.putEnd(out);
    }

    /** Returns the length with escapes and end; throws if a surrogate is unpaired. */
    private static long encodedLength(final String value) {
        long bytes = EscapeLayout.END_BYTES;
        final int length = value.length();
        for (int i = 0; i < length; i++) {
            final char unit = value.charAt(i);
            if (Character.isSurrogate(unit)) {
                if (Character.isLowSurrogate(unit) || i + 1 == length || !Character.isLowSurrogate(value.charAt(i + 1))) {
                    throw new IllegalArgumentException(String.format(
                        Locale.ROOT, "expected string but was an unpaired surrogate U+%04X at index %d", (int) unit, i));
                }
                i++;
                bytes += Utf8Layout.length(FIRST_OF_FOUR);
            } else {
                bytes += unit == 0 ? 2 : Utf8Layout.length(unit);
            }
        }
        return bytes;
    }

    private static void putMultiByte(final int codePoint, final KeyBuffer out) {
        final int length = Utf8Layout.length(codePoint);
        int shift = (length - 1) * CONTINUATION_BITS;
        out.put(leadByte(length) | codePoint >>> shift);
        while (shift > 0) {
            shift -= CONTINUATION_BITS;
            out.put(CONTINUATION_LEAD | codePoint >>> shift & CONTINUATION_MASK);
        }
    }

    @Override
    public String decode(final KeyInput in) {
        final StringBuilder value = new StringBuilder();
        while (true) {
            final int lead = in.next(NAME);
            if (lead == EscapeLayout.ESCAPE) {
                if (EscapeLayout.isEnd(in, NAME)) {
                    return value.toString();
                }
                value.append('\0');
            } else if (lead < FIRST_OF_TWO) {
                value.append((char) lead);
            } else {
                value.appendCodePoint(readMultiByte(lead, in));
            }
        }
    }

    private static int readMultiByte(final int lead, final KeyInput in) {
        final int start = in.position() - 1;
        final int length = Utf8Layout.lengthByLead(lead);
        if (length == 0) {
            throw in.unexpected("UTF-8 in string", lead);
        }
        int codePoint = lead - leadByte(length);
        for (int i = 1; i < length; i++) {
            final int next = in.next(NAME);
            if ((next & ~CONTINUATION_MASK) != CONTINUATION_LEAD) {
                throw in.unexpected("a UTF-8 continuation byte in string", next);
            }
            codePoint = codePoint << CONTINUATION_BITS | next & CONTINUATION_MASK;
        }
        if (!Character.isValidCodePoint(codePoint) || Utf8Layout.length(codePoint) != length
            || codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
            throw new MalformedKeyException(start, String.format(
                Locale.ROOT, "expected UTF-8 in string but was U+%04X in %d bytes, which is not well-formed", codePoint,
                length));
        }
        return codePoint;
    }

    @Override
    public int compare(final String left, final String right) {
        final int common = Math.min(left.length(), right.length());
        for (int i = 0; i < common; i++) {
            final char leftUnit = left.charAt(i);
            final char rightUnit = right.charAt(i);
            if (leftUnit != rightUnit) {
                return compareUnits(leftUnit, rightUnit);
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /** Compares units by code point: a surrogate is half of a code point above all code points of one unit. */
    private static int compareUnits(final char left, final char right) {
        final boolean leftSurrogate = Character.isSurrogate(left);
        return leftSurrogate == Character.isSurrogate(right)
            ? Character.compare(left, right) : Boolean.compare(leftSurrogate, !leftSurrogate);
    }
}
