/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

/**
 * A write does not fit into the memory that its structure may use. It is thrown before anything has changed:
 * the structure is as it was, and a smaller write may still succeed.
 */
public final class SpaceExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what was needed and what there is
     */
    public SpaceExhaustedException(final String message) {
        super(message);
    }
}
