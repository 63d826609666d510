/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

/**
 * Receives the transitions that a {@link TrieCursor} follows, so that the caller of the cursor can keep its path; see {@link
 * TriePath}.
 */
public interface TransitionsReceiver {
    /**
     * Appends one transition.
     *
     * @param transition 0 to 255
     */
    void addPathByte(int transition);

    /**
     * Appends several transitions.
     *
     * @param bytes array with the transitions; it belongs to the cursor and changes after the call
     * @param offset index of the first one
     * @param length number of transitions
     */
    void addPathBytes(byte[] bytes, int offset, int length);

    /**
     * Shortens the path.
     *
     * @param length number of remaining transitions
     */
    void resetPathLength(int length);
}
