/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

/**
 * The keys from one key on and below another.
 *
 * @param fromInclusive smallest key of the range, or null for no lower bound
 * @param toExclusive first key after the range, or null for no upper bound
 */
public record KeyRange(byte[] fromInclusive, byte[] toExclusive) {
    /** Copies the arrays. */
    public KeyRange {
        fromInclusive = fromInclusive == null ? null : fromInclusive.clone();
        toExclusive = toExclusive == null ? null : toExclusive.clone();
    }
}
