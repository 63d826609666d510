/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import java.io.IOException;

/** Thrown when results cannot be written. */
final class OutputException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final String BROKEN_PIPE = "Broken pipe";

    private OutputException(final IOException cause) {
        super("cannot write the output: " + cause.getMessage(), cause);
    }

    static OutputException of(final IOException e) {
        return e instanceof OutputException output ? output : new OutputException(e);
    }

    /** Returns whether the reader has closed the pipe, as {@code head} does when it has enough. */
    boolean isReaderGone() {
        return String.valueOf(getCause().getMessage()).contains(BROKEN_PIPE);
    }
}
