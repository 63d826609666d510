/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

/**
 * Takes the transitions that a {@link TrieCursor} follows, so that whoever moves the cursor can keep the path
 * to where it stands: see {@link TriePath}.
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
     * @param bytes array that holds them; it is the cursor's and changes after the call
     * @param offset the first one
     * @param length how many
     */
    void addPathBytes(byte[] bytes, int offset, int length);

    /**
     * Cuts the path.
     *
     * @param length number of transitions that stay
     */
    void resetPathLength(int length);
}
