/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.regex.Pattern;

/**
 * A program that takes part in a run as a peer, by the line protocol of {@link SubjectServer}.
 *
 * @param name its name in the report
 * @param command a command of the shell, to which the names of the key file and the number of keys are appended
 * @param patienceSeconds how much longer than asked for an answer may take, beside 20 us a key
 */
public record PeerCommand(String name, String command, int patienceSeconds) {
    private static final Pattern NAME = Pattern.compile("[\\w.+-]+");

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if the name has other characters than letters, digits, '_', '.', '+' and '-', the command
     *     is blank, or the seconds are fewer than 1; the message is for users
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

    /**
     * Returns the peer that a user has named.
     *
     * @param text {@code NAME=COMMAND}
     * @param patienceSeconds how much longer than asked for an answer may take
     * @return the peer
     * @throws IllegalArgumentException as the constructor
     */
    public static PeerCommand of(final String text, final int patienceSeconds) {
        final int end = text.indexOf('=');
        if (end < 0) {
            throw new IllegalArgumentException("expected NAME=COMMAND but was '" + text + "'");
        }
        return new PeerCommand(text.substring(0, end), text.substring(end + 1), patienceSeconds);
    }
}
