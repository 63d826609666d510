/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * A line with the progress of a command, shown on a terminal only, after the first second.
 * <p>
 * Not thread-safe.
 */
final class Progress implements AutoCloseable {
    private static final long FIRST_NANOS = 1_000_000_000L;
    private static final long STEP_NANOS = 200_000_000L;
    private static final String CLEAR_LINE = "\r\u001b[K";
    private static final double PERCENT = 100.0;

    private final PrintStream err;
    private final boolean enabled;
    private final long total;
    private long next = System.nanoTime() + FIRST_NANOS;
    private boolean shown;

    /** Starts the time. {@code total} is the final value of {@link #update}; 0 if unknown. */
    Progress(final Console console, final long total) {
        this.err = console.err();
        this.enabled = console.terminal();
        this.total = total;
    }

    /** Updates the line by the part that is done and the text after the percentage; most calls do nothing. */
    void update(final long done, final Supplier<String> text) {
        if (!enabled) {
            return;
        }
        final long now = System.nanoTime();
        if (now - next < 0) {
            return;
        }
        next = now + STEP_NANOS;
        final String share = total <= 0 ? ""
            : String.format(Locale.ROOT, "%3.0f %%  ", Math.min(PERCENT, PERCENT * done / total));
        err.print(CLEAR_LINE + share + text.get());
        err.flush();
        shown = true;
    }

    /** Removes the line. */
    @Override
    public void close() {
        clear();
    }

    /** Removes the line until the next update, so that a message can be shown. */
    void clear() {
        if (shown) {
            err.print(CLEAR_LINE);
            err.flush();
            shown = false;
        }
    }
}
