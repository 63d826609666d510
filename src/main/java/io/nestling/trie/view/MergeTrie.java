/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;

import java.util.List;
import java.util.Objects;

/**
 * The keys of several tries. Its cursor moves those of the sources side by side in a heap by position, so that each source walks
 * a shared path once, and paths are compared by depth and transition alone.
 */
final class MergeTrie implements Trie {
    private final List<? extends Trie> tries;
    private final MergeResolver resolver;

    MergeTrie(final List<? extends Trie> tries, final MergeResolver resolver) {
        this.tries = List.copyOf(tries);
        this.resolver = Objects.requireNonNull(resolver, "resolver");
    }

    @Override
    public TrieCursor cursor(final Direction direction) {
        return new MergeCursor(tries, resolver, direction);
    }
}
