/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.offheap.Claim;

/**
 * Makes one write to a shard in two halves: {@link #prepare} checks everything, reserves space and appends the record, {@link
 * #commit} publishes and numbers it. The caller copies the value in between. Both may refuse the write by a {@link
 * io.nestling.memory.SpaceExhaustedException}, after which it is not visible. Any other exception ends all writes of the
 * memtable.
 * <h2>Thread safety</h2>
 * A writer belongs to one thread from {@link MemtableShard#begin} until that thread frees, by stores, the guard (if any) and
 * then the slot.
 */
abstract class ShardWriter {
    /** Up to this size of a value a key is assumed to be new: saves a lookup if it is, costs a copy of the record if not. */
    static final int MAX_MOVED_BYTES = 512;

    /** The writer slot that reserves this writer for one thread. */
    final Claim slot;
    /** A guard of the epochs that the write holds until it ends, or null. */
    Claim guard;

    ShardWriter(final Claim slot) {
        this.slot = slot;
    }

    /**
     * Appends the record of a new version, without value and sequence number.
     *
     * @return the record, whose value the caller copies in before {@link #commit}
     * @throws io.nestling.memory.SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalStateException if the memtable takes no writes
     */
    abstract long prepare(EntryKind kind, byte[] key, int offset, int length, int valueLength);

    /**
     * Makes a prepared record the newest of its key and numbers it.
     *
     * @return its sequence number; the caller frees the slot and then waits until the number is visible
     * @throws io.nestling.memory.SpaceExhaustedException if the index has no room for the key; nothing has
     *     changed then
     */
    abstract long commit(long record, byte[] key, int offset, int length, int valueLength);
}
