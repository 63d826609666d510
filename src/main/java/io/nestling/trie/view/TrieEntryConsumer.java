/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

/** Takes the entries of a {@link Trie}. */
@FunctionalInterface
public interface TrieEntryConsumer {
    /**
     * Takes one entry.
     *
     * @param keyBuffer holds the key from its first byte on; it is shared and changes after the call
     * @param keyLength bytes of the key
     * @param payload the payload
     */
    void accept(byte[] keyBuffer, int keyLength, long payload);
}
