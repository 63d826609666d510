/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.util.function.Consumer;

/**
 * The range tombstones of a memtable or of a table. That of a memtable shows those of one state.
 * <h2>Thread safety</h2>
 * One thread at a time. Others may write to the memtable meanwhile.
 */
public interface RangeTombstoneSet {
    /** Denotes no range tombstone. */
    long NONE = -1L;

    /**
     * Returns the sequence number of the newest range tombstone that covers a key.
     *
     * @param key array that begins with the key
     * @param length bytes of the key
     * @param maxSequence greatest sequence number that counts
     * @return the number, or {@link #NONE}
     * @throws IllegalArgumentException if the set is one of a memtable whose state is newer than {@code maxSequence}
     */
    long newestCovering(byte[] key, int length, long maxSequence);

    /**
     * Passes all range tombstones on, in the order of their first keys.
     *
     * @param action receives each of them
     */
    void forEach(Consumer<RangeTombstone> action);
}
