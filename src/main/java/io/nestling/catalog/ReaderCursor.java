/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.catalog;

import io.nestling.index.Direction;
import io.nestling.trie.view.TransitionsReceiver;
import io.nestling.trie.view.TrieCursor;

/** A cursor that reads no memory once its reader is closed, as that memory may be in use again or released. */
final class ReaderCursor implements TrieCursor {
    private final OffHeapTrie.Reader reader;
    private final TrieCursor cursor;

    ReaderCursor(final OffHeapTrie.Reader reader, final TrieCursor cursor) {
        this.reader = reader;
        this.cursor = cursor;
    }

    @Override
    public int depth() {
        return cursor.depth();
    }

    @Override
    public int incomingTransition() {
        return cursor.incomingTransition();
    }

    @Override
    public boolean hasContent() {
        return cursor.hasContent();
    }

    @Override
    public long content() {
        reader.checkOpen();
        return cursor.content();
    }

    @Override
    public Direction direction() {
        return cursor.direction();
    }

    @Override
    public int advance() {
        reader.checkOpen();
        return cursor.advance();
    }

    @Override
    public int advanceMultiple(final TransitionsReceiver receiver) {
        reader.checkOpen();
        return cursor.advanceMultiple(receiver);
    }

    @Override
    public int skipTo(final int depth, final int transition) {
        reader.checkOpen();
        return cursor.skipTo(depth, transition);
    }

    @Override
    public int advanceToContent(final TransitionsReceiver path) {
        reader.checkOpen();
        return cursor.advanceToContent(path);
    }
}
