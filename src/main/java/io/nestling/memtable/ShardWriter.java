/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.memory.Claim;

/**
 * Makes one write to a shard, in two halves, so that nothing can fail once it has a sequence number: {@link
 * #prepare} checks everything and appends the record, and {@link #commit} numbers and publishes it. The
 * record's value is copied in between. What either half throws that is not named here ends all writes of the memtable.
 * <h2>Thread safety</h2>
 * It belongs to one thread from {@link MemtableShard#begin} until that thread frees first the guard, if there is one, and then
 * the slot, by stores.
 */
abstract class ShardWriter {
    /** What keeps others from this writer. */
    final Claim slot;
    /** A guard of the epochs that the write holds to its end, or null. */
    Claim guard;

    ShardWriter(final Claim slot) {
        this.slot = slot;
    }

    /**
     * Appends the record of a new version, without value and number.
     *
     * @return the record, whose value is to be copied in before {@link #commit}
     * @throws io.nestling.memory.SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalStateException if the memtable takes no writes
     */
    abstract long prepare(EntryKind kind, byte[] key, int offset, int length, int valueLength);

    /**
     * Numbers a prepared record and makes it the newest of its key.
     *
     * @return its sequence number, for which the caller waits after it has freed the slot
     * @throws io.nestling.memory.SpaceExhaustedException if the index has no room for the key; nothing has
     *     changed then
     */
    abstract long commit(long record, byte[] key, int offset, int length, int valueLength);
}
