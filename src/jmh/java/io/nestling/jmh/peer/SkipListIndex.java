/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.jmh.peer;

import io.nestling.index.EntryCursor;

import java.util.Arrays;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The skip list of the JDK with arrays as keys and shared objects as values. A put copies the key into an
 * array of its own, as a store must that does not own its caller's buffers.
 * <h2>Thread safety</h2>
 * Any number of writers and readers.
 */
final class SkipListIndex extends PeerIndex {
    /** References of a node (key, value, next) and of an index node (node, down, right). */
    private static final int NODE_REFERENCES = 3;
    private static final int INDEX_NODE_REFERENCES = 3;
    /** One key in four has index nodes; each further level is half as likely as the one before: 1/4 * 2. */
    private static final double INDEX_NODES_PER_KEY = 0.5;

    private final HeapLayout layout = HeapLayout.current();
    private final LongAdder keyArrayBytes = new LongAdder();
    private volatile ConcurrentSkipListMap<byte[], Integer> map = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    /** The map, unless closed. */
    ConcurrentSkipListMap<byte[], Integer> map() {
        final ConcurrentSkipListMap<byte[], Integer> current = map;
        if (current == null) {
            throw new IllegalStateException("closed");
        }
        return current;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        return SharedValues.payload(map().get(whole(key, offset, length)));
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        checkEntry(length, payload);
        final byte[] copy = Arrays.copyOfRange(key, offset, offset + length);
        final Integer before = map().put(copy, SharedValues.of(payload));
        if (before == null) {
            keyArrayBytes.add(layout.byteArray(length));
        }
        return SharedValues.payload(before);
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        final Integer before = map().remove(whole(key, offset, length));
        if (before != null) {
            keyArrayBytes.add(-layout.byteArray(length));
        }
        return SharedValues.payload(before);
    }

    @Override
    public long entryCount() {
        return map().size();
    }

    /** Nodes and index nodes, the number of the latter as expected. */
    @Override
    public long bytesUsed() {
        final long entries = entryCount();
        return entries * layout.object(NODE_REFERENCES)
            + Math.round(entries * INDEX_NODES_PER_KEY * layout.object(INDEX_NODE_REFERENCES));
    }

    @Override
    public long totalBytes() {
        return bytesUsed() + keyArrayBytes.sum();
    }

    @Override
    public EntryCursor cursor() {
        return new SkipListCursor(map());
    }

    @Override
    protected void release() {
        map = null;
    }
}
