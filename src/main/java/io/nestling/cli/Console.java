/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The streams of a command: the output for results, as bytes, and the error stream for everything else. Text is UTF-8. */
final class Console {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final Path ERROR_LINK = Path.of("/proc/self/fd/2");

    private final OutputStream out;
    private final PrintStream err;
    private final boolean terminal;

    /** Creates a console for results and for messages. On a terminal, a line of {@code err} can be overwritten. */
    Console(final OutputStream out, final OutputStream err, final boolean terminal) {
        this.out = new BufferedOutputStream(new Output(out), BUFFER_BYTES);
        this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
        this.terminal = terminal;
    }

    /** Returns the streams of this process. */
    static Console system() {
        return new Console(new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err), isTerminal());
    }

    /* System.console() depends on input and output. */
    private static boolean isTerminal() {
        try {
            final String target = Files.readSymbolicLink(ERROR_LINK).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (final IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** Returns the stream for results, whose methods throw {@link OutputException}. */
    OutputStream out() {
        return out;
    }

    /** Returns the stream for messages. */
    PrintStream err() {
        return err;
    }

    /** Returns whether the stream for messages is a terminal. */
    boolean terminal() {
        return terminal;
    }

    /** Writes a line of results. */
    void println(final String line) throws OutputException {
        try {
            out.write(line.getBytes(StandardCharsets.UTF_8));
            out.write('\n');
        } catch (final IOException e) {
            throw OutputException.of(e);
        }
    }

    /** Flushes both streams. */
    void flush() throws OutputException {
        try {
            out.flush();
        } catch (final IOException e) {
            throw OutputException.of(e);
        } finally {
            err.flush();
        }
    }

    /** Throws failures to write results as {@link OutputException}; the buffer before it writes arrays only. */
    private static final class Output extends FilterOutputStream {
        Output(final OutputStream out) {
            super(out);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (final IOException e) {
                throw OutputException.of(e);
            }
        }
    }
}
