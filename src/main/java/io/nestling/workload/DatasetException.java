/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.io.IOException;

/**
 * A data set does not exist, has too few keys or cannot be read further. The message names it and the reason,
 * and the line if one is at fault.
 */
public final class DatasetException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what is wrong with which data set
     */
    public DatasetException(final String message) {
        super(message);
    }

    /**
     * Makes the exception.
     *
     * @param dataset name of the data set
     * @param line number of the line, from 1
     * @param problem what is wrong with it
     * @param cause what was thrown before, or null
     */
    public DatasetException(
        final String dataset, final long line, final String problem, final Throwable cause) {
        super(dataset + ", line " + line + ": " + problem, cause);
    }
}
