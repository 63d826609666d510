/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process that speaks the line protocol. Threads of its own read what it says, so that one that hangs is noticed.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class PeerProcess implements AutoCloseable {
    private static final int MAX_LINE = 400;
    private static final int MAX_LINES = 16;
    private static final long END_SECONDS = 3;
    /* Put in place of a line when the output has ended: no line has it. */
    private static final String END = "\n";

    private final PeerCommand peer;
    private final Process process;
    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MAX_LINES);
    private final Thread output;
    private final Thread errors;
    private volatile String lastError = "";
    private String lastLine = "";
    private boolean broken;

    /** Thrown if a peer cannot go on; the message names it. */
    static final class PeerException extends Exception {
        private static final long serialVersionUID = 1L;

        PeerException(final String message) {
            super(message);
        }
    }

    private interface LineSink {
        void accept(String line) throws InterruptedException;
    }

    /** Starts a peer with a file of keys, of which it is to load the first ones. */
    PeerProcess(final PeerCommand peer, final Path keys, final int count) throws PeerException {
        this.peer = peer;
        try {
            process = new ProcessBuilder("sh", "-c", peer.command() + " \"$@\"", peer.name(), keys.toString(),
                String.valueOf(count)).start();
        } catch (final IOException e) {
            throw new PeerException(peer.name() + " cannot be started: " + e.getMessage());
        }
        output = reading(process.getInputStream(), lines::put);
        errors = reading(process.getErrorStream(), line -> lastError = line.isBlank() || line.equals(END) ? lastError : line);
    }

    private static Thread reading(final InputStream in, final LineSink sink) {
        final Thread thread = new Thread(() -> {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                final StringBuilder line = new StringBuilder();
                for (int c = reader.read(); c >= 0; c = reader.read()) {
                    if (c != '\n' && line.length() < MAX_LINE) {
                        line.append(Character.isISOControl(c) ? ' ' : (char) c);
                    } else if (c == '\n') {
                        sink.accept(line.toString().strip());
                        line.setLength(0);
                    }
                }
                if (!line.isEmpty()) {
                    sink.accept(line.toString().strip());
                }
                sink.accept(END);
            } catch (final IOException | InterruptedException e) {
                // The process is ended by close: nobody waits for its lines.
            }
        }, "peer");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Sends a command and returns the answer, which is not an error. */
    String ask(final String command, final long nanos) throws PeerException {
        if (!lines.isEmpty()) {
            final String unasked = lines.remove();
            throw unasked.equals(END) ? ended(command) : failed("said more than one line before '" + command + "'", unasked);
        }
        try {
            final OutputStream in = process.getOutputStream();
            in.write((command + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (final IOException e) {
            throw ended(command);
        }
        return answer(command, nanos);
    }

    /** Waits for a line. */
    String answer(final String command, final long nanos) throws PeerException {
        try {
            final String line = lines.poll(nanos, TimeUnit.NANOSECONDS);
            if (line == null) {
                throw failed("did not answer '" + command + "' in " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s", lastLine);
            }
            if (line.equals(END)) {
                throw ended(command);
            }
            lastLine = line;
            if (line.startsWith("ERROR")) {
                throw failed("gave up at '" + command + "'", line);
            }
            return line;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchmarkException("interrupted", e);
        }
    }

    PeerException unexpected(final String expected, final String command) {
        return failed("did not answer '" + command + "' by " + expected, lastLine);
    }

    private PeerException ended(final String command) {
        try {
            final boolean exited = process.waitFor(END_SECONDS, TimeUnit.SECONDS);
            errors.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
            return failed(exited ? "ended with exit code " + process.exitValue() + " at '" + command + "'"
                : "closed its output at '" + command + "'", lastLine);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchmarkException("interrupted", e);
        }
    }

    private PeerException failed(final String problem, final String line) {
        broken = true;
        return new PeerException(peer.name() + " " + problem + "; its last line: '" + line + "'"
            + (lastError.isEmpty() ? "" : ", on the standard error: '" + lastError + "'"));
    }

    /** Ends the process; after a failure or some seconds by force, with those that it started unless it has ended itself. */
    @Override
    public void close() {
        try (OutputStream in = process.getOutputStream()) {
            in.write("q 0\n".getBytes(StandardCharsets.UTF_8));
        } catch (final IOException e) {
            // It is gone already, or will not end by itself.
        }
        try {
            if (broken || !process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            kill();
        }
        output.interrupt();
    }

    private void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
