/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.catalog;

import io.nestling.index.Direction;
import io.nestling.index.IndexContext;
import io.nestling.index.PointIndex;
import io.nestling.offheap.Claim;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.trie.InMemoryTrie;
import io.nestling.trie.view.Trie;
import io.nestling.trie.view.TrieCursor;

/**
 * A trie of keys (0 to 65,535 bytes) and payloads (0 to 2<sup>62</sup> - 1) in off-heap memory, without a memtable. Its {@link
 * Reader} is a {@link Trie}, for walks, merges, slices and intersections.
 * <p>
 * Example: the payloads of two tries for the keys from "m" to "n", those of {@code newer} where both have a key.
 * <pre>{@code
 * try (OffHeapTrie older = OffHeapTrie.open(16 << 20); OffHeapTrie newer = OffHeapTrie.open(16 << 20)) {
 *     older.put("mole".getBytes(UTF_8), 1);
 *     older.put("mouse".getBytes(UTF_8), 2);
 *     newer.put("mouse".getBytes(UTF_8), 3);
 *     try (OffHeapTrie.Reader first = newer.reader(); OffHeapTrie.Reader second = older.reader()) {
 *         Trie both = Trie.merge(List.of(first, second), MergeResolver.FIRST);
 *         both.subtrie(new byte[] {'m'}, new byte[] {'n'}).forEachPayload(Direction.FORWARD, System.out::println); // 1, 3
 *     }
 * }
 * }</pre>
 * After {@link #close} all methods but {@code close} throw {@link IllegalStateException}.
 * <h2>Thread safety</h2>
 * Any thread may call all methods. Writes and {@link #bytesUsed} wait for each other; reads take no lock.
 */
public final class OffHeapTrie implements AutoCloseable {
    private final EpochReclaimer epochs;
    private final InMemoryTrie index;

    private OffHeapTrie(final IndexContext context) {
        this.epochs = context.epochs();
        this.index = new InMemoryTrie(context);
    }

    /**
     * Creates an empty trie. It takes memory as it grows.
     *
     * @param capacityBytes most bytes that it may take; it takes no more than 2 GiB on JDK 17 to 21, and 8 GiB on later ones
     * @return a new trie, which the caller closes
     * @throws IllegalArgumentException if the capacity is not positive
     * @throws io.nestling.memory.SpaceExhaustedException if the capacity is too small for an empty trie, or the system gives no
     *     memory
     */
    public static OffHeapTrie open(final long capacityBytes) {
        return new OffHeapTrie(IndexContext.standalone(capacityBytes));
    }

    /**
     * Adds a key or replaces its payload, which a full trie may refuse as well.
     *
     * @param key the key, which is copied
     * @param payload 0 to {@link PointIndex#MAX_PAYLOAD}
     * @return the payload before, or {@link PointIndex#NONE}
     * @throws io.nestling.memory.SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalArgumentException if the key is too long or the payload out of range
     */
    public synchronized long put(final byte[] key, final long payload) {
        checkOpen();
        return index.put(key, 0, key.length, payload);
    }

    /**
     * Removes a key.
     *
     * @param key the key
     * @return the payload before, or {@link PointIndex#NONE}
     * @throws io.nestling.memory.SpaceExhaustedException if a smaller node cannot be built beside the old one; nothing has
     *     changed then
     */
    public synchronized long remove(final byte[] key) {
        checkOpen();
        return index.remove(key, 0, key.length);
    }

    /**
     * Returns the payload of a key.
     *
     * @param key the key
     * @return the payload, or {@link PointIndex#NONE}
     */
    public long get(final byte[] key) {
        checkOpen();
        final Claim guard = epochs.guard();
        try {
            return index.get(key, 0, key.length);
        } finally {
            guard.held = Claim.FREE;
        }
    }

    /**
     * Returns the number of keys.
     *
     * @return the count, exact while no thread writes
     */
    public long size() {
        checkOpen();
        return index.entryCount();
    }

    /**
     * Returns the memory in use, without the free blocks that removed keys and replaced nodes have left.
     *
     * @return bytes
     */
    public synchronized long bytesUsed() {
        checkOpen();
        return index.bytesUsed();
    }

    /**
     * Opens a view of this trie. While it is open, writes go on, but memory that they free is not used again: close it soon.
     *
     * @return a new reader, which the caller closes
     */
    public Reader reader() {
        checkOpen();
        return new Reader(this);
    }

    private void checkOpen() {
        if (epochs.isClosed()) {
            throw new IllegalStateException("the trie is closed");
        }
    }

    /**
     * Waits until all readers are closed, so that a thread must not call it with one open, and releases the memory. Closing twice
     * does nothing.
     */
    @Override
    public void close() {
        epochs.close(); // outside of the monitor: a thread with a reader may be waiting for that
        synchronized (this) {
            index.close();
        }
    }

    /**
     * A view of an {@link OffHeapTrie} that keeps what its cursors reach from being used again. A cursor is good until the reader
     * is closed; then it throws {@link IllegalStateException}.
     * <h2>Thread safety</h2>
     * Any thread may make cursors. Close the reader when none of them is in use by another thread.
     */
    public static final class Reader implements Trie, AutoCloseable {
        private final Trie trie;
        private final Claim guard;
        private volatile boolean closed;

        private Reader(final OffHeapTrie owner) {
            this.trie = owner.index.trie();
            this.guard = owner.epochs.guard();
        }

        @Override
        public TrieCursor cursor(final Direction direction) {
            checkOpen();
            return new ReaderCursor(this, trie.cursor(direction));
        }

        void checkOpen() {
            if (closed) {
                throw new IllegalStateException("the reader is closed");
            }
        }

        /** Ends the use of all cursors of this reader. Closing twice does nothing. */
        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                guard.held = Claim.FREE;
            }
        }
    }
}
