/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.io.IOException;

/**
 * Thrown when a data set does not exist, has too few keys or cannot be read. The message names it, the problem, and
 * the line with the problem if there is one.
 */
public final class DatasetException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with the data set and the problem. */
    public DatasetException(final String message) {
        super(message);
    }

    /** Creates the exception for a line of a data set, counted from 1, and its problem. */
    public DatasetException(final String dataset, final long line, final String problem, final Throwable cause) {
        super(dataset + ", line " + line + ": " + problem, cause);
    }
}
