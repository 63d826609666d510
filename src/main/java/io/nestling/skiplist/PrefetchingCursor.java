/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.index.LazyKeyCursor;

import java.util.Objects;

/**
 * Cursor over a skip list that prefetches nodes and records ahead ({@link LookAhead}). Backward it goes in runs: it looks its key
 * up, walks forward from a node before it, and visits the collected nodes in reverse.
 * <h2>Thread safety</h2>
 * One thread; a position holds within one guard.
 */
final class PrefetchingCursor extends LazyKeyCursor {
    private static final byte[] NO_KEY = {};

    private final SkipList list;
    private final Nodes nodes;
    private final Splice splice = new Splice();
    final LookAhead lookAhead;
    private final ReverseRun reverse;
    private int node;

    PrefetchingCursor(final SkipList list, final Nodes nodes, final int prefetchLevels) {
        super(nodes.keys());
        this.list = list;
        this.nodes = nodes;
        this.lookAhead = new LookAhead(nodes, prefetchLevels);
        this.reverse = new ReverseRun(nodes);
    }

    @Override
    public boolean first() {
        return seek(NO_KEY, 0, 0);
    }

    @Override
    public boolean last() {
        checkOpen();
        list.checkOpen();
        do {
            node = HEAD;
            for (int level = nodes.height() - 1; level >= 0; level--) {
                for (int next = nodes.next(node, level); next != NULL; next = nodes.next(next, level)) {
                    if (nodes.payload(next) >= 0) {
                        node = next;
                    }
                }
            }
        } while (!standBackward());
        return valid;
    }

    @Override
    public boolean seek(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        checkOpen();
        list.checkOpen();
        final int found = splice.seek(nodes, bytes, offset, length, false);
        return jump(found == NULL ? splice.behind(0) : found);
    }

    @Override
    public boolean seekLowerThan(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        checkOpen();
        list.checkOpen();
        do {
            splice.seek(nodes, bytes, offset, length, true);
            node = splice.before(0);
        } while (!standBackward());
        return valid;
    }

    /** Jumps to a node, or to the next live one. */
    private boolean jump(final int target) {
        forgetBefore();
        reverse.clear();
        node = target;
        lookAhead.restart(splice.nodeIndex(), splice.indexBehind(), node);
        return standForward();
    }

    /** Makes the node, or the next live one, the current entry. */
    private boolean standForward() {
        valid = false;
        while (node != NULL && !stand()) {
            node = lookAhead.next(node);
        }
        return valid;
    }

    /** Makes the node the current entry if it is alive. */
    private boolean stand() {
        return enter(nodes.payload(node));
    }

    /** Makes the node the current entry after a jump, invalid if it is the head; returns false if it has died. */
    private boolean standBackward() {
        forgetBefore();
        reverse.clear();
        lookAhead.restart();
        valid = false;
        return node == HEAD || stand();
    }

    @Override
    public boolean next() {
        if (!valid) {
            return false;
        }
        leave();
        reverse.clear();
        node = lookAhead.next(node);
        return standForward();
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        leave();
        lookAhead.restart();
        valid = false;
        while (!valid && hasReverse()) {
            node = reverse.take();
            stand();
        }
        return valid;
    }

    /** Returns whether there are nodes before the entry that was left. */
    private boolean hasReverse() {
        if (reverse.isEmpty()) {
            reverse.fill(splice, keyBefore(), keyBeforeLength());
        }
        return !reverse.isEmpty();
    }

    @Override
    protected void keyRead(final int length) {
        lookAhead.expectKeys(length);
    }
}
