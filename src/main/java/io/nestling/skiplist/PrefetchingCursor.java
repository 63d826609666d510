/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.index.PositionedCursor;
import io.nestling.offheap.KeySource;

import java.util.Arrays;
import java.util.Objects;

/**
 * Cursor over a skip list that prefetches nodes and records ahead ({@link LookAhead}). Backward it goes in runs: it looks its key
 * up, walks forward from a node before it, and visits the collected nodes in reverse.
 * <h2>Thread safety</h2>
 * One thread; a position holds within one guard.
 */
final class PrefetchingCursor extends PositionedCursor {
    private static final int INITIAL_KEY_BYTES = 64;
    private static final byte[] NO_KEY = {};

    private final SkipList list;
    private final Nodes nodes;
    private final KeySource keys;
    private final Splice splice = new Splice();
    private final LookAhead lookAhead;
    private final ReverseRun reverse;
    private int node;
    /* The entry and the one before. They swap by number, as storing a reference costs more. */
    private final Entry[] entries = {new Entry(), new Entry()};
    private int own;

    PrefetchingCursor(final SkipList list, final Nodes nodes, final int prefetchLevels) {
        this.list = list;
        this.nodes = nodes;
        this.keys = nodes.keys();
        this.lookAhead = new LookAhead(nodes, prefetchLevels);
        this.reverse = new ReverseRun(nodes);
    }

    @Override
    public boolean first() {
        return seek(NO_KEY, 0, 0);
    }

    @Override
    public boolean last() {
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
        list.checkOpen();
        final int found = splice.seek(nodes, bytes, offset, length, false);
        return jump(found == NULL ? splice.behind(0) : found);
    }

    @Override
    public boolean seekLowerThan(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        list.checkOpen();
        do {
            splice.seek(nodes, bytes, offset, length, true);
            node = splice.before(0);
        } while (!standBackward());
        return valid;
    }

    /** Jumps to a node, or to the next live one. */
    private boolean jump(final int target) {
        entries[own ^ 1].payload = PointIndex.NONE;
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
        final long payload = nodes.payload(node);
        entries[own].payload = payload;
        entries[own].isLoaded = false;
        valid = payload >= 0;
        return valid;
    }

    /** Makes the node the current entry after a jump, invalid if it is the head; returns false if it has died. */
    private boolean standBackward() {
        entries[own ^ 1].payload = PointIndex.NONE;
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
        own ^= 1;
        reverse.clear();
        node = lookAhead.next(node);
        return standForward();
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        own ^= 1;
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
            final Entry left = entries[own ^ 1];
            load(left);
            reverse.fill(splice, left.key, left.keyLength);
        }
        return !reverse.isEmpty();
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        load(entries[own]);
        return entries[own].key;
    }

    @Override
    public int keyLength() {
        checkValid();
        load(entries[own]);
        return entries[own].keyLength;
    }

    private void load(final Entry entry) {
        if (entry.isLoaded) {
            return;
        }
        final int length = keys.copyKeyIfFits(entry.payload, entry.key);
        if (length > entry.key.length) {
            entry.key = new byte[Math.min(PointIndex.MAX_KEY_BYTES, length + (length >> 1))];
            keys.copyKey(entry.payload, entry.key, 0);
        }
        entry.keyLength = length;
        entry.isLoaded = true;
        lookAhead.expectKeys(length);
    }

    @Override
    public int commonPrefix() {
        checkValid();
        final Entry last = entries[own ^ 1];
        if (last.payload == PointIndex.NONE) {
            return 0;
        }
        final Entry present = entries[own];
        load(present);
        load(last);
        final int mismatch = Arrays.mismatch(present.key, 0, present.keyLength, last.key, 0, last.keyLength);
        return mismatch < 0 ? present.keyLength : mismatch;
    }

    @Override
    public long payload() {
        checkValid();
        return entries[own].payload;
    }

    LookAhead lookAhead() {
        return lookAhead;
    }

    @Override
    public void close() {
        valid = false;
    }

    /** An entry; its key is read from the record on request. */
    private static final class Entry {
        private long payload = PointIndex.NONE;
        private byte[] key = new byte[INITIAL_KEY_BYTES];
        private int keyLength;
        private boolean isLoaded;
    }
}
