/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;


/** Thrown when a command fails because the process is ending; not reported. */
final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoppedException(final Throwable cause) {
        super(cause);
    }
}
