/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/**
 * Content that no writer makes. It is caught inside the package and becomes a {@link CorruptTableException}
 * with the place.
 */
final class MalformedBlockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedBlockException(final String message) {
        super(message);
    }

    MalformedBlockException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
