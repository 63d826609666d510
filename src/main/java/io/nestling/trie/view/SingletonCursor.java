/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie.view;

import io.nestling.index.Direction;
import io.nestling.index.PointIndex;

/** Walks the bytes of one key; in reverse it visits the last node twice. An empty key without a payload is an empty trie. */
final class SingletonCursor implements TrieCursor {
    private final byte[] key;
    private final long payload;
    private final Direction direction;
    private int depth;
    private boolean shown;

    SingletonCursor(final byte[] key, final long payload, final Direction direction) {
        this.key = key;
        this.payload = payload;
        this.direction = direction;
        shown = direction.isForward() && key.length == 0;
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int incomingTransition() {
        return depth <= 0 ? NO_TRANSITION : key[depth - 1] & 0xFF;
    }

    @Override
    public Direction direction() {
        return direction;
    }

    @Override
    public long content() {
        return shown ? payload : PointIndex.NONE;
    }

    @Override
    public int advance() {
        return advanceTo(depth + 1);
    }

    @Override
    public int advanceMultiple(final TransitionsReceiver receiver) {
        if (receiver != null && depth >= 0 && key.length - depth > 1) {
            receiver.addPathBytes(key, depth, key.length - depth - 1);
        }
        return advanceTo(Math.max(key.length, depth + 1));
    }

    private int advanceTo(final int to) {
        if (depth == EXHAUSTED) {
            return depth;
        }
        if (depth < key.length) {
            depth = to;
            shown = direction.isForward() && depth == key.length;
        } else {
            comeBack(key.length);
        }
        return depth;
    }

    /** Visits the last node again, in reverse, if there is content and it was not visited yet. */
    private void comeBack(final int maxDepth) {
        final boolean again = !direction.isForward() && !shown && payload != PointIndex.NONE;
        shown = again && key.length <= maxDepth;
        depth = shown ? key.length : EXHAUSTED;
    }

    @Override
    public int skipTo(final int toDepth, final int toTransition) {
        CursorOrder.checkSkip(this, toDepth);
        if (depth == EXHAUSTED) {
            return depth;
        }
        if (toDepth > depth && depth < key.length) {
            final int next = key[depth] & 0xFF;
            if (direction.isForward() ? next >= toTransition : next <= toTransition) {
                return advanceTo(toDepth);
            }
        }
        final int last = key.length == 0 ? NO_TRANSITION : key[key.length - 1] & 0xFF;
        comeBack(last <= toTransition ? toDepth : toDepth - 1);
        return depth;
    }
}
