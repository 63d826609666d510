/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

/**
 * Thrown if a write does not fit into the memory that its structure may use, before anything has changed.
 * A smaller write may still succeed.
 */
public final class SpaceExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was needed and what is left
     */
    public SpaceExhaustedException(final String message) {
        super(message);
    }
}
