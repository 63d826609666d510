/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/**
 * Receives the events of a memtable. No method has to be implemented. The methods are called without locks of the memtable, in
 * the thread that wrote, froze or flushed, which waits for them: they should return soon. What they throw is logged, to the
 * {@link System.Logger} with this package's name, and the memtable goes on.
 * <h2>Thread safety</h2>
 * Any thread may call the methods, several at the same time.
 */
public interface MemtableListener {
    /**
     * Called once, after the first write behind which {@link Memtable#isFull} is true, also if it was refused. A thread that
     * reads or asks {@code isFull} may see it earlier.
     *
     * @param memtable the memtable; it may be frozen or closed by now
     */
    default void full(final Memtable memtable) {
    }

    /**
     * Called once, when the memtable is frozen and the writes under way have ended.
     *
     * @param memtable the memtable
     */
    default void frozen(final Memtable memtable) {
    }

    /**
     * Called after each flush whose sink has taken everything; not if it failed.
     *
     * @param memtable the memtable
     * @param result what was passed on
     */
    default void flushed(final Memtable memtable, final FlushResult result) {
    }
}
