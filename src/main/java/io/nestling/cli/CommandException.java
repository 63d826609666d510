/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;


/** Thrown when a command fails. The message is for the user. */
final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CommandException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
