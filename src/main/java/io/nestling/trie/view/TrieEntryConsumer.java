/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

/** Receives the entries of a {@link Trie}. */
@FunctionalInterface
public interface TrieEntryConsumer {
    /**
     * Receives one entry.
     *
     * @param keyBuffer buffer with the key from its first byte on; it is shared and changes after the call
     * @param keyLength length of the key in bytes
     * @param payload the payload
     */
    void accept(byte[] keyBuffer, int keyLength, long payload);
}
