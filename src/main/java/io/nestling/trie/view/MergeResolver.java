/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

/** Says which payload a key has in a merge when several tries hold it. */
@FunctionalInterface
public interface MergeResolver {
    /** The payload in the first of the tries. */
    MergeResolver FIRST = (left, right) -> left;
    /** The payload in the last of the tries. */
    MergeResolver LAST = (left, right) -> right;
    /** There is no such key: {@link #resolve} throws {@link IllegalStateException}. */
    MergeResolver DISTINCT = (left, right) -> {
        throw new IllegalStateException("two tries hold one key, with payloads " + left + " and " + right);
    };

    /**
     * Resolves two payloads of one key. More than two are resolved one after the other.
     *
     * @param left payload in the earlier trie of the list, or what was resolved from several
     * @param right payload in the later one
     * @return a payload: not negative
     */
    long resolve(long left, long right);
}
