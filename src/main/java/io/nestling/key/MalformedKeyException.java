/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.key;

/**
 * Bytes that are not an encoding of the expected type. The message names the position and what was expected there.
 * <h2>Thread safety</h2>
 * Immutable.
 */
public final class MalformedKeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Byte position in the key. */
    private final int position;
    /** The message without the position. */
    private final String problem;

    /**
     * Creates an exception.
     *
     * @param position byte position, counted from the start of the key
     * @param problem what was expected and what was found there
     */
    public MalformedKeyException(final int position, final String problem) {
        this(position, problem, null);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param position byte position, counted from the start of the key
     * @param problem what was expected and what was found there
     * @param cause the exception that this one explains, or null
     */
    public MalformedKeyException(final int position, final String problem, final Throwable cause) {
        super("malformed key at position " + position + ": " + problem, cause);
        this.position = position;
        this.problem = problem;
    }

    /**
     * Returns the position at which the key is malformed.
     *
     * @return byte position, counted from the start of the key
     */
    public int position() {
        return position;
    }

    /**
     * Returns the message without the position.
     *
     * @return the expected and the actual content
     */
    public String problem() {
        return problem;
    }
}
