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
 * The skip list of the JDK with arrays as keys and values. A put copies both into arrays of their own, as a store must that does
 * not own its caller's buffers.
 * <h2>Thread safety</h2>
 * Any number of writers and readers.
 */
final class SkipListIndex extends PeerIndex {
    /** References of a node (key, value, next) and of an index node (node, down, right). */
    private static final int NODE_REFERENCES = 3;
    private static final int INDEX_NODE_REFERENCES = 3;
    /** One key in four has index nodes; each further level is half as likely as the one before: 1/4 * 2. */
    private static final double INDEX_NODES_PER_KEY = 0.5;

    private final LongAdder arrayBytes = new LongAdder();
    private volatile ConcurrentSkipListMap<byte[], byte[]> map = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    SkipListIndex(final int valueBytes) {
        super(valueBytes);
    }

    /** The map, unless closed. */
    ConcurrentSkipListMap<byte[], byte[]> map() {
        final ConcurrentSkipListMap<byte[], byte[]> current = map;
        if (current == null) {
            throw new IllegalStateException("closed");
        }
        return current;
    }

    @Override
    public long get(final byte[] key, final int offset, final int length) {
        return payload(map().get(whole(key, offset, length)));
    }

    @Override
    public long put(final byte[] key, final int offset, final int length, final long payload) {
        checkEntry(length, payload);
        final byte[] copy = Arrays.copyOfRange(key, offset, offset + length);
        final byte[] before = map().put(copy, value(payload));
        if (before == null) {
            arrayBytes.add(LAYOUT.byteArray(length) + valueArrayBytes());
        }
        return payload(before);
    }

    @Override
    public long remove(final byte[] key, final int offset, final int length) {
        final byte[] before = map().remove(whole(key, offset, length));
        if (before != null) {
            arrayBytes.add(-LAYOUT.byteArray(length) - valueArrayBytes());
        }
        return payload(before);
    }

    @Override
    public long entryCount() {
        return map().size();
    }

    /** Nodes and index nodes, the number of the latter as expected. */
    @Override
    public long bytesUsed() {
        final long entries = entryCount();
        return entries * LAYOUT.object(NODE_REFERENCES)
            + Math.round(entries * INDEX_NODES_PER_KEY * LAYOUT.object(INDEX_NODE_REFERENCES));
    }

    @Override
    public long totalBytes() {
        return bytesUsed() + arrayBytes.sum();
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
