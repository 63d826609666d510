/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/** The memory off the heap of the open memtables of this process, by purpose, as {@link OffHeap} counts it. */
public interface OffHeapMXBean {
    /**
     * Returns the number of open memtables.
     *
     * @return memtables that were opened and not closed
     */
    int getMemtables();

    /**
     * Returns what indexes use.
     *
     * @return bytes
     */
    long getIndexBytes();

    /**
     * Returns what records use: keys, values and their versions.
     *
     * @return bytes
     */
    long getRecordBytes();

    /**
     * Returns what the order of keys uses beside indexes that have none.
     *
     * @return bytes
     */
    long getOrderBytes();

    /**
     * Returns what range tombstones use.
     *
     * @return bytes
     */
    long getRangeTombstoneBytes();

    /**
     * Returns what is reserved: all of the above, and what is free for later writes.
     *
     * @return bytes
     */
    long getReservedBytes();

    /**
     * Returns the native bridge of the process, and why it is not a faster one.
     *
     * @return a line such as {@code ffm}
     */
    String getBridge();
}
