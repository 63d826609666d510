/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.List;

/** Reads what the tool is asked for. What it does not know is refused, with the value and what was expected. */
final class Input {
    private static final String COROUTINES = "jdk.internal.vm";
    private static final int NEEDED_JDK = 22;

    private Input() {
    }

    /** A run to be repeated, as a finding prints it. */
    record Replay(String kind, long scenario, long schedule, boolean weak) { }

    private static IllegalArgumentException wrong(final String name, final String expected, final String was) {
        return new IllegalArgumentException(name + ": expected " + expected + " but was '" + was + "'");
    }

    /**
     * Reads a number.
     *
     * @param name what it is, for the message
     * @param text the number, at least 0
     */
    static long number(final String name, final String text) {
        try {
            final long number = Long.parseLong(text);
            if (number >= 0) {
                return number;
            }
        } catch (final NumberFormatException e) {
            throw (IllegalArgumentException) wrong(name, "a whole number", text).initCause(e);
        }
        throw wrong(name, "a number from 0 to " + Long.MAX_VALUE, text);
    }

    /** Reads a number from a system property that may be missing or empty. */
    static long property(final String name, final long otherwise) {
        final String text = System.getProperty(name, "");
        return text.isBlank() ? otherwise : number(name, text);
    }

    /** Returns whether memory is weak, given {@code weak} or {@code strong}. */
    static boolean isWeak(final String name, final String text) {
        if (!text.equals("weak") && !text.equals("strong")) {
            throw wrong(name, "weak or strong", text);
        }
        return text.equals("weak");
    }

    static Replay replay(final String name, final String text) {
        final String[] parts = text.split(",");
        if (parts.length != 4) {
            throw wrong(name, "KIND,SCENARIO,SCHEDULE,weak|strong", text);
        }
        return new Replay(parts[0], number(name + ": SCENARIO", parts[1]), number(name + ": SCHEDULE", parts[2]),
            isWeak(name, parts[3]));
    }

    /** Returns plants by their names, separated by commas, or all of them for {@code all}. */
    static List<Plant> plants(final String name, final String asked, final List<Plant> all) {
        if (asked.equals("all")) {
            return all;
        }
        final List<String> names = all.stream().map(Plant::name).toList();
        final List<String> wanted = List.of(asked.split(","));
        for (final String each : wanted) {
            if (!names.contains(each)) {
                throw wrong(name, "all, or some of " + names, each);
            }
        }
        return all.stream().filter(plant -> wanted.contains(plant.name())).toList();
    }

    /** Throws if this JDK has no coroutines, or keeps them to itself. */
    static void checkJdk() {
        final String java = "this is JDK " + Runtime.version();
        if (Runtime.version().feature() < NEEDED_JDK) {
            throw new IllegalStateException("the race finder needs the coroutines of JDK " + NEEDED_JDK + " or later; " + java);
        }
        final Module base = Object.class.getModule();
        if (!base.isExported(COROUTINES, Input.class.getModule())) {
            throw new IllegalStateException("the race finder needs --add-exports java.base/" + COROUTINES
                + "=ALL-UNNAMED for the coroutines of the JDK; " + java + (base.getPackages().contains(COROUTINES)
                    ? ", started without it" : ", which has none"));
        }
    }
}
