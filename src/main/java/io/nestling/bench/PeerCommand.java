/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.regex.Pattern;

/**
 * A program that takes part in a run as a peer, by the line protocol of {@link SubjectServer}. The names of the key file and the
 * number of keys are appended to its command of the shell. An answer may take {@code patienceSeconds} longer than asked for,
 * beside 20 us a key.
 */
public record PeerCommand(String name, String command, int patienceSeconds) {
    private static final Pattern NAME = Pattern.compile("[\\w.+-]+");

    /**
     * Checks the parts. Throws, with a message for users, if the name has other characters than letters, digits, '_', '.', '+'
     * and '-', the command is blank, or the seconds are fewer than 1.
     */
    public PeerCommand {
        if (!NAME.matcher(name).matches() || command.isBlank()) {
            throw new IllegalArgumentException("expected NAME=COMMAND, the name of letters, digits, '_', '.', '+' and '-', "
                + "but was '" + name + "=" + command + "'");
        }
        if (patienceSeconds < 1) {
            throw new IllegalArgumentException("expected a time for answers of at least 1 second but was " + patienceSeconds);
        }
    }

    /** Returns the peer that a user has named by {@code NAME=COMMAND}; throws as the constructor. */
    public static PeerCommand of(final String text, final int patienceSeconds) {
        final int end = text.indexOf('=');
        if (end < 0) {
            throw new IllegalArgumentException("expected NAME=COMMAND but was '" + text + "'");
        }
        return new PeerCommand(text.substring(0, end), text.substring(end + 1), patienceSeconds);
    }
}
