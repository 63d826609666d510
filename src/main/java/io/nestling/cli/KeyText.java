/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Converts keys on the command line: the bytes that the shell passed, or hexadecimal digits. */
final class KeyText {
    /** Message after an argument that the JVM could not decode. */
    static final String UNDECODABLE_PROBLEM =
        " has bytes that are no text in this locale; use a UTF-8 one, such as LC_ALL=C.UTF-8";

    private static final char UNDECODABLE = '\uFFFD';
    private static final Charset SHELL = shellCharset();

    private KeyText() {
    }

    /* The charset from which the JVM decoded arguments. ASCII cannot encode other characters. */
    private static Charset shellCharset() {
        final String name = System.getProperty("sun.jnu.encoding", "UTF-8");
        final Charset charset = Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
        return charset.equals(StandardCharsets.US_ASCII) ? StandardCharsets.UTF_8 : charset;
    }

    /** Returns the bytes of a key; errors name the running command. */
    static byte[] parse(final String text, final boolean hex, final CommandLine command) {
        if (hex) {
            try {
                return HexFormat.of().parseHex(text);
            } catch (final IllegalArgumentException e) {
                throw new ParameterException(command, "expected an even number of hexadecimal digits but was '" + text + "'");
            }
        }
        if (isUndecodable(text)) {
            throw new ParameterException(command, "'" + text + "'" + UNDECODABLE_PROBLEM + ", or --hex");
        }
        return text.getBytes(SHELL);
    }

    /** Returns whether the JVM lost bytes of an argument when it decoded it. */
    static boolean isUndecodable(final String text) {
        return text.indexOf(UNDECODABLE) >= 0;
    }

    /** Writes the first bytes of an array, unchanged or as hexadecimal digits. */
    static void print(final byte[] bytes, final int length, final boolean hex, final OutputStream out) throws IOException {
        if (hex) {
            out.write(HexFormat.of().formatHex(bytes, 0, length).getBytes(StandardCharsets.US_ASCII));
        } else {
            out.write(bytes, 0, length);
        }
    }
}
