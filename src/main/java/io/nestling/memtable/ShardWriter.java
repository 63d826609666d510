/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;

/**
 * Makes one write to a shard, in two halves, so that nothing can fail once it has a sequence number: {@link
 * #prepare} checks everything and appends the record, and {@link #commit} numbers and publishes it. The
 * record's value is copied in between.
 * <h2>Thread safety</h2>
 * It belongs to one thread from {@link MemtableShard#begin} to {@link #end}.
 */
interface ShardWriter {
    /**
     * Appends the record of a new version, without value and number.
     *
     * @return the record, whose value is to be copied in before {@link #commit}
     * @throws io.nestling.memory.SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalStateException if the memtable takes no writes
     */
    long prepare(EntryKind kind, byte[] key, int offset, int length, int valueLength);

    /**
     * Numbers a prepared record and makes it the newest of its key.
     *
     * @return its sequence number, for which the caller waits after {@link #end}
     * @throws io.nestling.memory.SpaceExhaustedException if the index has no room for the key; nothing has
     *     changed then
     */
    long commit(long record, byte[] key, int offset, int length, int valueLength);

    /** Lets others write. */
    void end();
}
