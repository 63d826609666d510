/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/**
 * Thrown on content that no writer makes. The package catches it and throws a {@link CorruptTableException} with the location.
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
