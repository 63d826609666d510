/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * The bit patterns of UTF-8.
 * <pre>
 *  code points        bytes
 *  U+0000..U+007F     0xxxxxxx
 *  U+0080..U+07FF     110xxxxx 10xxxxxx
 *  U+0800..U+FFFF     1110xxxx 10xxxxxx 10xxxxxx
 *  U+10000..U+10FFFF  11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
 * </pre>
 */
final class Utf8Layout {
    /** First code point of two bytes. */
    static final int FIRST_OF_TWO = 0x80;
    /** First code point of three bytes. */
    static final int FIRST_OF_THREE = 0x800;
    /** First code point of four bytes. */
    static final int FIRST_OF_FOUR = 0x10000;
    /** Payload bits of a byte behind the first. */
    static final int CONTINUATION_BITS = 6;
    /** Mask of these bits. */
    static final int CONTINUATION_MASK = 0x3F;
    /** The upper bits of a byte behind the first. */
    static final int CONTINUATION_LEAD = 0x80;

    private static final int LEAD_OF_TWO = 0xC0;
    private static final int LEAD_OF_THREE = 0xE0;
    private static final int LEAD_OF_FOUR = 0xF0;
    private static final int LEAD_LIMIT = 0xF8;

    private Utf8Layout() {
    }

    /** Returns the number of bytes of a code point, 1 to 4. */
    static int length(final int codePoint) {
        if (codePoint < FIRST_OF_TWO) {
            return 1;
        }
        if (codePoint < FIRST_OF_THREE) {
            return 2;
        }
        return codePoint < FIRST_OF_FOUR ? 3 : 4;
    }

    /** Returns the upper bits of the first byte of a code point of two to four bytes. */
    static int leadByte(final int length) {
        if (length == 2) {
            return LEAD_OF_TWO;
        }
        return length == 3 ? LEAD_OF_THREE : LEAD_OF_FOUR;
    }

    /** Returns the number of bytes of a code point, given its first byte from 80 on: 2 to 4, or 0 if none starts with it. */
    static int lengthByLead(final int lead) {
        if (lead < LEAD_OF_TWO || lead >= LEAD_LIMIT) {
            return 0;
        }
        if (lead < LEAD_OF_THREE) {
            return 2;
        }
        return lead < LEAD_OF_FOUR ? 3 : 4;
    }
}
