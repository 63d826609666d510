/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a command left behind.
 *
 * @param exitCode its exit code
 * @param out what it wrote to the standard output
 * @param err what it wrote to the error stream
 */
record Outcome(int exitCode, byte[] out, String err) {
    /** Runs a command in this process, away from any terminal. */
    static Outcome of(final String... args) {
        return of(false, args);
    }

    /** Runs a command in this process. */
    static Outcome of(final boolean terminal, final String... args) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final int exitCode = Main.run(new Console(out, err, terminal), args);
        return new Outcome(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs a command whose results go to a stream; the outcome has none. */
    static Outcome into(final OutputStream out, final String... args) {
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final int exitCode = Main.run(new Console(out, err, false), args);
        return new Outcome(exitCode, new byte[0], err.toString(StandardCharsets.UTF_8));
    }

    /** The output, one character a byte, so that bytes can be compared as strings; a line ends as on Linux. */
    String text() {
        return new String(out, StandardCharsets.ISO_8859_1).replace(System.lineSeparator(), "\n");
    }

    /** The lines of {@link #text()}. */
    List<String> lines() {
        return text().isEmpty() ? List.of() : List.of(text().split("\n", -1)).subList(0, newlines());
    }

    private int newlines() {
        return (int) text().chars().filter(c -> c == '\n').count();
    }

    /** The lines of the error stream. */
    List<String> messages() {
        return err.lines().toList();
    }
}
