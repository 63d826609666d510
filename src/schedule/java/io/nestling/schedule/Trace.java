/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The steps of a replayed run, line by line. Off in a search. */
public final class Trace {
    private static final String PRODUCT = "io.nestling.";
    private static final List<String> LINES = new ArrayList<>();
    private static boolean on;

    private Trace() {
    }

    static void begin() {
        LINES.clear();
        on = true;
    }

    /** Ends the trace and returns its lines. */
    static List<String> end() {
        on = false;
        return List.copyOf(LINES);
    }

    /**
     * Returns whether a trace is kept.
     *
     * @return false in a search
     */
    public static boolean isOn() {
        return on;
    }

    /**
     * Adds a line.
     *
     * @param line what happens
     */
    public static void add(final String line) {
        if (on) {
            LINES.add(line);
        }
    }

    static void access(final Fiber fiber, final String what, final String where, final long value) {
        if (on) {
            LINES.add(String.format(Locale.ROOT, "%6d  %-8s %-12s %s = %x   %s",
                Scheduler.time(), fiber.name, what, where, value, caller()));
        }
    }

    static void staleRead(final Fiber fiber, final long value, final long newest) {
        if (on) {
            LINES.add(String.format(Locale.ROOT, "        %s reads a stale value: %x, not %x", fiber.name, value, newest));
        }
    }

    /** Returns the innermost three frames of the product. */
    static String caller() {
        final StringBuilder text = new StringBuilder();
        int shown = 0;
        for (final StackTraceElement frame : new Throwable().getStackTrace()) {
            final String name = frame.getClassName();
            if (name.startsWith(PRODUCT) && !name.startsWith(PRODUCT + "schedule") && !name.endsWith("offheap.Slab")
                && shown < 3) {
                text.append(shown++ > 0 ? " < " : "").append(name.substring(name.lastIndexOf('.') + 1)).append('.')
                    .append(frame.getMethodName()).append(':').append(frame.getLineNumber());
            }
        }
        return text.toString();
    }
}
