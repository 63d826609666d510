/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;


/** The process is ending while a command is at work: what fails now is of no interest. */
final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoppedException(final Throwable cause) {
        super(cause);
    }
}
