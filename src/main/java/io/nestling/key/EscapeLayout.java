/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * The prefix-free form of byte strings of any length: a zero byte is written as {@code 00 01} and the end as {@code 00 00}.
 * Since {@code 00 00} sorts before {@code 00 01} and before every other byte, a string sorts before its extensions.
 * <p>
 * Example: {@code 61 00 62} becomes {@code 61 00 01 62 00 00}.
 */
final class EscapeLayout {
    /** First byte of an escape. */
    static final int ESCAPE = 0x00;
    /** Second byte of an escape: a zero byte. */
    static final int ESCAPED_ZERO = 0x01;
    /** Second byte of an escape: the end. */
    static final int END = 0x00;
    /** Length of the end in bytes. */
    static final int END_BYTES = 2;

    private EscapeLayout() {
    }

    /** Appends an escaped zero byte. */
    static void putZero(final KeyBuffer out) {
        out.put(ESCAPE);
        out.put(ESCAPED_ZERO);
    }

    /** Appends the end. */
    static void putEnd(final KeyBuffer out) {
        out.put(ESCAPE);
        out.put(END);
    }

    /** Reads the second byte of an escape; returns true at the end, false for a zero byte. */
    static boolean isEnd(final KeyInput in, final String what) {
        final int second = in.next(what);
        if (second > ESCAPED_ZERO) {
            throw in.unexpected("00 or 01 after 00 in " + what, second);
        }
        return second == END;
    }
}
