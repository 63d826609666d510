/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import io.nestling.workload.DatasetReader;

import java.io.PrintStream;
import java.util.Arrays;

/** Warns of bytes that editors hide and that become part of keys or values. */
final class InvisibleBytes {
    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private InvisibleBytes() {
    }

    /** Warns of bytes in the first line of a text, on which the reader is. */
    static void warn(final String prefix, final DatasetReader reader, final PrintStream err) {
        final byte[] key = reader.key();
        final byte[] value = reader.value();
        if (key.length >= MARK.length && Arrays.equals(key, 0, MARK.length, MARK, 0, MARK.length)) {
            err.println(prefix + reader.name() + " begins with a byte order mark, which becomes part of the first key; "
                + "tail -c +4 removes it");
        }
        final byte[] end = value.length > 0 ? value : key;
        if (end.length > 0 && end[end.length - 1] == '\r') {
            err.println(prefix + reader.name() + ": the first line ends with a carriage return, which becomes part of the "
                + (value.length > 0 ? "value" : "key") + "; tr -d '\\r' removes it");
        }
    }
}
