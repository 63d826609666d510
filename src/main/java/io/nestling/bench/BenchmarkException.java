/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/** A run cannot be done or has shown wrong answers. The message is for users. */
public final class BenchmarkException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what went wrong, in one line
     * @param cause what was thrown before, or null
     */
    public BenchmarkException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
