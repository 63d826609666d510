/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import java.util.Arrays;

/**
 * The path to a position in a trie, in a growing buffer.
 * <h2>Thread safety</h2>
 * None.
 */
public final class TriePath implements TransitionsReceiver {
    private static final int INITIAL_BYTES = 64;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int length;

    /** Makes an empty path. */
    public TriePath() {
    }

    @Override
    public void addPathByte(final int transition) {
        reserve(1);
        bytes[length++] = (byte) transition;
    }

    @Override
    public void addPathBytes(final byte[] source, final int offset, final int count) {
        reserve(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    @Override
    public void resetPathLength(final int newLength) {
        if (newLength < 0 || newLength > length) {
            throw new IllegalArgumentException("expected a path length of 0 to " + length + " but was " + newLength);
        }
        length = newLength;
    }

    private void reserve(final int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    /**
     * Returns the buffer that holds the path from its first byte on; only {@link #length()} bytes count, and they change with the
     * path.
     *
     * @return the shared buffer, to be read only
     */
    public byte[] buffer() {
        return bytes;
    }

    /**
     * Returns the number of bytes of the path.
     *
     * @return the length
     */
    public int length() {
        return length;
    }

    /**
     * Returns a copy of the path.
     *
     * @return a new array
     */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }
}
