/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * The versions of keys in a memtable or in a table as they are: a cursor that shows tombstones, too, and the range tombstones
 * beside it, which the cursor does not apply. {@link VisibleCursor} makes of several of them what a reader sees.
 * <h2>Thread safety</h2>
 * One thread at a time. Others may write to the memtable meanwhile.
 */
public interface Versions extends AutoCloseable {
    /** {@link #asOf} of a table, which shows every version of a key. */
    long EVERY_VERSION = Long.MAX_VALUE;

    /**
     * Returns the cursor: always the same one, which {@link #close} closes.
     *
     * @return a cursor with sequence numbers, kinds and values. It shows the versions of a key from new to old.
     */
    EntryCursor cursor();

    /**
     * Returns the range tombstones.
     *
     * @return always the same set, usable until {@link #close}
     */
    RangeTombstoneSet rangeTombstones();

    /**
     * Returns the sequence number of the state that is shown.
     *
     * @return that of a memtable's snapshot, of which the cursor shows the newest version of each key, and behind an operand the
     *     next one; {@link #EVERY_VERSION} if it shows all versions
     */
    long asOf();

    /**
     * Returns the exception for a cursor that does not find a key again.
     *
     * @param message what was found
     * @return an exception to throw, which names the file if there is one
     */
    default RuntimeException outOfOrder(final String message) {
        return new IllegalStateException(message);
    }

    /** Closes the cursor, and releases what is kept for it. Closing twice does nothing. */
    @Override
    void close();
}
