/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

/** Chooses the payload of a key that several tries of a merge hold. */
@FunctionalInterface
public interface MergeResolver {
    /** Chooses the payload in the first of the tries. */
    MergeResolver FIRST = (left, right) -> left;
    /** Chooses the payload in the last of the tries. */
    MergeResolver LAST = (left, right) -> right;
    /** For tries without a common key: {@link #resolve} throws {@link IllegalStateException}. */
    MergeResolver DISTINCT = (left, right) -> {
        throw new IllegalStateException("two tries hold one key, with payloads " + left + " and " + right);
    };

    /**
     * Resolves two payloads of one key; of more payloads, two at a time.
     *
     * @param left payload in the earlier trie of the list, or the result for earlier ones
     * @param right payload in the later trie
     * @return the chosen payload, not negative
     */
    long resolve(long left, long right);
}
