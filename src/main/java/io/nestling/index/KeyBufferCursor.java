/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/** A cursor that keeps the key of its entry in a buffer of its own. */
public abstract class KeyBufferCursor extends PositionedCursor {
    private static final int INITIAL_KEY_BYTES = 64;

    /** Holds the key; replaced by a longer one for a longer key. */
    protected byte[] key = new byte[INITIAL_KEY_BYTES];
    /** Number of bytes of the key. */
    protected int keyLength;
    /** Bytes that the key shares with the key before the last move. */
    protected int commonPrefix;

    /** Creates an unpositioned cursor. */
    protected KeyBufferCursor() {
    }

    @Override
    public final byte[] keyBuffer() {
        checkValid();
        return key;
    }

    @Override
    public final int keyLength() {
        checkValid();
        return keyLength;
    }

    @Override
    public final int commonPrefix() {
        checkValid();
        return commonPrefix;
    }
}
