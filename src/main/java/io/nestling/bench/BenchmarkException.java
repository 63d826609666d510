/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/** Thrown when a run is not possible or a subject gives wrong answers. The message is for users. */
public final class BenchmarkException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with the problem in one line. */
    public BenchmarkException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
