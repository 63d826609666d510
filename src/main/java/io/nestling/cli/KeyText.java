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

/** Keys on the command line: the bytes that the shell passed, or hexadecimal digits. */
final class KeyText {
    private static final char UNDECODABLE = '\uFFFD';
    private static final Charset SHELL = shellCharset();

    private KeyText() {
    }

    /* How the JVM turned the bytes of arguments into strings. ASCII has no way back for other characters. */
    private static Charset shellCharset() {
        final String name = System.getProperty("sun.jnu.encoding", "UTF-8");
        final Charset charset = Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
        return charset.equals(StandardCharsets.US_ASCII) ? StandardCharsets.UTF_8 : charset;
    }

    /**
     * The bytes of a key.
     *
     * @param text the argument
     * @param hex whether it is hexadecimal
     * @param command the command at work, for the error
     */
    static byte[] parse(final String text, final boolean hex, final CommandLine command) {
        if (hex) {
            try {
                return HexFormat.of().parseHex(text);
            } catch (final IllegalArgumentException e) {
                throw new ParameterException(
                    command, "'" + text + "' is no even number of hexadecimal digits");
            }
        }
        if (text.indexOf(UNDECODABLE) >= 0) {
            throw new ParameterException(command, "'" + text
                + "' has bytes that are no text in this locale; use a UTF-8 locale or --hex");
        }
        return text.getBytes(SHELL);
    }

    /** Prints the first bytes of an array, as they are or as hexadecimal digits. */
    static void print(final byte[] bytes, final int length, final boolean hex, final OutputStream out)
        throws IOException {
        if (hex) {
            out.write(HexFormat.of().formatHex(bytes, 0, length).getBytes(StandardCharsets.US_ASCII));
        } else {
            out.write(bytes, 0, length);
        }
    }
}
