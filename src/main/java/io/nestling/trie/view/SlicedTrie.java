/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;

import java.util.List;

/**
 * The keys of a trie in some ranges. Its cursor compares one transition a move, and only on the path to the next bound:
 * everything beside that path is inside or outside as a whole, and the cursor skips what is outside.
 */
final class SlicedTrie implements Trie {
    private final Trie source;
    private final RangeBounds bounds;

    SlicedTrie(final Trie source, final List<KeyRange> ranges) {
        this.source = source;
        this.bounds = new RangeBounds(ranges);
    }

    @Override
    public TrieCursor cursor(final Direction direction) {
        return new SlicedCursor(source.cursor(direction), bounds);
    }
}
