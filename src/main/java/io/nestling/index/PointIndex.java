/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * A map from keys (0 to 65,535 bytes) to payloads (0 to 2^62 - 1; in a memtable the newest record's pointer).
 * <h2>Thread safety</h2> One writer at a time calls {@code put}, {@code remove} and {@code reserve}, unless
 * the factory allows many ({@link IndexFactory#concurrentWriters()}). Any number of threads read
 * meanwhile without locks; a read sees each write that was complete when it began. Readers that run beside a
 * writer hold a guard of the context's {@link io.nestling.offheap.EpochReclaimer} from before the call until
 * they are done with the result; a cursor's position is valid within one guard. The caller of {@code close} has
 * ended all other use.
 * <h2>Errors</h2>
 * An {@link Error} thrown by a write or a reservation may leave it half done, as if its thread had stalled for good. Every later
 * one throws {@link IllegalStateException} with that error as its cause, and so does a read that would have to wait for the
 * broken write; other reads are correct. {@code close} releases all memory, and may be called again if it throws. An exception
 * that is not named here, such as one of the key source, leaves the keys unchanged, or comes when the write is done.
 */
public interface PointIndex extends AutoCloseable {
    /** Denotes no payload. */
    long NONE = -1L;
    /** Longest key in bytes. */
    int MAX_KEY_BYTES = 65_535;
    /** Greatest payload. */
    long MAX_PAYLOAD = (1L << 62) - 1;

    /**
     * Returns the payload of a key. Longer keys than {@link #MAX_KEY_BYTES} are treated as absent, here, in {@link #getAll} and
     * in {@link #remove}.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return the payload, or {@link #NONE}
     */
    long get(byte[] key, int offset, int length);

    /**
     * Looks up many keys, with their memory accesses interleaved.
     *
     * @param keys the keys
     * @param payloads receives the payload of key {@code i}, or {@link #NONE}, at {@code i}
     * @throws IllegalArgumentException if {@code payloads} is too short
     */
    void getAll(KeyBatch keys, long[] payloads);

    /**
     * Prefetches, interleaved, the cache lines that puts of a batch's keys will touch; may stall. It is meant for some dozens of
     * keys that are expected to be new and that are put right afterwards. An index does nothing here unless that makes its puts
     * faster.
     *
     * @param keys the keys
     */
    default void prefetchAll(final KeyBatch keys) {
    }

    /**
     * Adds a key or replaces its payload.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @param payload 0 to {@link #MAX_PAYLOAD}
     * @return the payload before, or {@link #NONE}
     * @throws io.nestling.memory.SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalArgumentException if the key is too long or the payload out of range
     */
    long put(byte[] key, int offset, int length, long payload);

    /**
     * Adds a key, unless it is present.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @param payload 0 to {@link #MAX_PAYLOAD}
     * @return {@link #NONE} if the key was added, else its payload, which did not change
     * @throws io.nestling.memory.SpaceExhaustedException if it does not fit; nothing has changed then
     * @throws IllegalArgumentException if the key is too long or the payload out of range
     */
    default long putIfAbsent(final byte[] key, final int offset, final int length, final long payload) {
        EntryArguments.checkEntry(key, offset, length, payload);
        final long present = get(key, offset, length);
        return present == NONE ? put(key, offset, length, payload) : present;
    }

    /**
     * Removes a key.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return the payload before, or {@link #NONE}
     * @throws io.nestling.memory.SpaceExhaustedException if the smaller structure cannot be built beside the
     *     old one; nothing has changed then
     */
    long remove(byte[] key, int offset, int length);

    /**
     * Reserves space, so that a number of puts cannot fail for lack of it. Replaces the reservation before and releases what
     * no put has used of it; reserving for no entries thus ends a reservation.
     *
     * @param entries number of puts to come
     * @param keyBytes sum of the lengths of their keys
     * @throws io.nestling.memory.SpaceExhaustedException if they might not fit
     */
    void reserve(int entries, long keyBytes);

    /**
     * Returns the number of keys.
     *
     * @return the count, exact while no thread writes
     */
    long entryCount();

    /**
     * Returns the memory in use by the index itself, without free blocks and without records.
     *
     * @return bytes
     */
    long bytesUsed();

    /**
     * Checks every invariant of the whole structure. No thread may write meanwhile.
     *
     * @throws IllegalStateException that names the broken invariant and where it is broken
     */
    void verify();

    /** Releases all memory. Use after close throws {@link IllegalStateException}. */
    @Override
    void close();
}
