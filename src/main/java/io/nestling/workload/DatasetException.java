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

    /**
     * Creates the exception.
     *
     * @param message the data set and the problem
     */
    public DatasetException(final String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param dataset name of the data set
     * @param line number of the line, from 1
     * @param problem the problem of the line
     * @param cause the cause, or null
     */
    public DatasetException(final String dataset, final long line, final String problem, final Throwable cause) {
        super(dataset + ", line " + line + ": " + problem, cause);
    }
}
