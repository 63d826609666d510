/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.index.PositionedCursor;
import io.nestling.offheap.KeySource;

import java.util.Arrays;
import java.util.Objects;

/**
 * Cursor over a skip list that prefetches nodes and records ahead ({@link LookAhead}). Backward it goes in runs: it looks its key
 * up, walks forward from a node before it, and visits the collected nodes in reverse.
 * <p>
 * A key is read from its record only on request.
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
    private long payload;
    /* The key and the one before. They swap by number, as storing a reference costs more. */
    private final byte[][] buffers = {new byte[INITIAL_KEY_BYTES], new byte[INITIAL_KEY_BYTES]};
    private int own;
    private int keyLength;
    private boolean keyLoaded;
    /* The entry before; NONE after a jump. */
    private long payloadBefore = PointIndex.NONE;
    private int keyLengthBefore;
    private boolean keyBeforeLoaded;

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
        payloadBefore = PointIndex.NONE;
        reverse.clear();
        node = target;
        lookAhead.restart(splice.nodeIndex(), splice.indexBehind(), node);
        return standForward();
    }

    /** Makes the node, or the next live one, the current entry. */
    private boolean standForward() {
        keyLoaded = false;
        while (node != NULL) {
            payload = nodes.payload(node);
            if (payload >= 0) {
                valid = true;
                return true;
            }
            node = lookAhead.next(node);
        }
        valid = false;
        return false;
    }

    /** Makes the node the current entry after a jump, invalid if it is the head; returns false if it has died. */
    private boolean standBackward() {
        payloadBefore = PointIndex.NONE;
        keyLoaded = false;
        reverse.clear();
        lookAhead.restart();
        valid = node != HEAD;
        if (valid) {
            payload = nodes.payload(node);
            valid = payload >= 0;
            return valid;
        }
        return true;
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
        if (reverse.isEmpty()) {
            loadKey();
            reverse.fill(splice, buffers[own], keyLength);
        }
        leave();
        lookAhead.restart();
        keyLoaded = false;
        while (!reverse.isEmpty()) {
            node = reverse.take();
            payload = nodes.payload(node);
            if (payload >= 0) {
                return true;
            }
            if (reverse.isEmpty()) {
                loadKeyBefore();
                reverse.fill(splice, buffers[own ^ 1], keyLengthBefore);
            }
        }
        valid = false;
        return false;
    }

    /** Keeps the entry as the one before. */
    private void leave() {
        payloadBefore = payload;
        keyBeforeLoaded = keyLoaded;
        if (keyLoaded) {
            own ^= 1;
            keyLengthBefore = keyLength;
        }
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        loadKey();
        return buffers[own];
    }

    @Override
    public int keyLength() {
        checkValid();
        loadKey();
        return keyLength;
    }

    private void loadKey() {
        if (!keyLoaded) {
            keyLength = load(payload, own);
            keyLoaded = true;
            lookAhead.expectKeys(keyLength);
        }
    }

    private void loadKeyBefore() {
        if (!keyBeforeLoaded) {
            keyLengthBefore = load(payloadBefore, own ^ 1);
            keyBeforeLoaded = true;
        }
    }

    /** Copies a key to one of the buffers; returns its length. */
    private int load(final long from, final int to) {
        final int length = keys.copyKeyIfFits(from, buffers[to]);
        if (length > buffers[to].length) {
            buffers[to] = new byte[Math.min(PointIndex.MAX_KEY_BYTES, length + (length >> 1))];
            keys.copyKey(from, buffers[to], 0);
        }
        return length;
    }

    @Override
    public int commonPrefix() {
        checkValid();
        if (payloadBefore == PointIndex.NONE) {
            return 0;
        }
        loadKey();
        loadKeyBefore();
        final int mismatch = Arrays.mismatch(buffers[own], 0, keyLength, buffers[own ^ 1], 0, keyLengthBefore);
        return mismatch < 0 ? keyLength : mismatch;
    }

    @Override
    public long payload() {
        checkValid();
        return payload;
    }

    LookAhead lookAhead() {
        return lookAhead;
    }

    @Override
    public void close() {
        valid = false;
    }
}
