/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

/**
 * Maps keys (0 to 65,535 bytes) to payloads (0 to 2^62 - 1; in a memtable the newest record's pointer).
 * <h2>Thread safety</h2> One writer at a time calls {@code put}, {@code remove} and {@code reserve}, unless
 * the factory says that many may ({@link IndexFactory#concurrentWriters()}). Any number of threads read
 * meanwhile without locks; a read sees each write that was complete when it began. Readers that run beside a
 * writer hold a guard of the context's {@link io.nestling.memory.EpochReclaimer} from before the call until
 * they are done with the result; a cursor's position is good within one guard. {@code close} needs the caller
 * to have ended all other use.
 * <h2>Errors</h2>
 * An {@link Error} out of a write or a reservation may leave it half done, as if its thread stood still for ever. Every later one
 * throws {@link IllegalStateException} with that error as its cause, and so does a read that would have to wait for what is half
 * done; other reads are right. {@code close} gives all memory back, and may be called again if it throws. An exception that is
 * not named here, as of the source of keys, leaves the keys as they were, or comes when the write is done.
 */
public interface PointIndex extends AutoCloseable {
    /** Stands for no payload. */
    long NONE = -1L;
    /** Longest key in bytes. */
    int MAX_KEY_BYTES = 65_535;
    /** Greatest payload. */
    long MAX_PAYLOAD = (1L << 62) - 1;

    /**
     * Looks a key up. One that is longer than {@link #MAX_KEY_BYTES} is not there, as in {@link #getAll} and {@link #remove}.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     * @return the payload, or {@link #NONE}
     */
    long get(byte[] key, int offset, int length);

    /**
     * Looks many keys up, their memory accesses interleaved.
     *
     * @param keys the keys
     * @param payloads receives the payload of key {@code i}, or {@link #NONE}, at {@code i}
     * @throws IllegalArgumentException if {@code payloads} is too short
     */
    void getAll(KeyBatch keys, long[] payloads);

    /**
     * Asks for the memory that a put of a key will read first, so that it comes while the caller writes the key's record. It
     * changes nothing and waits for nothing; the put may come at any time or never. An index does nothing here if that does not
     * make its puts faster. Any thread that may put may call it, with or without a guard. What {@link #put} refuses of a key, or
     * once the index is closed, may be refused here.
     *
     * @param key array that holds the key
     * @param offset its first byte
     * @param length its bytes
     */
    default void prefetch(final byte[] key, final int offset, final int length) {
    }

    /**
     * Has the memory that puts of a batch's keys will read brought near, their accesses interleaved, as {@link #prefetch} does
     * for one key; but this waits for memory where that leads on. It is meant for keys that {@link #getAll} has not found, some
     * dozens that are put right afterwards. An index does nothing here if {@link #getAll} has brought near what their puts read.
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
     * Makes sure that a number of puts will not run out of space. It takes the place of the reservation before: what
     * that one held and no put has used is given back. Reserving for no entries thus ends a reservation.
     *
     * @param entries number of puts to come
     * @param keyBytes sum of the lengths of their keys
     * @throws io.nestling.memory.SpaceExhaustedException if they might not fit
     */
    void reserve(int entries, long keyBytes);

    /**
     * Number of keys.
     *
     * @return the count, exact when no writer is at work
     */
    long entryCount();

    /**
     * Memory in use by the index itself, without free blocks and without records.
     *
     * @return bytes
     */
    long bytesUsed();

    /**
     * Checks every invariant of the whole structure. No writer may be at work.
     *
     * @throws IllegalStateException that names the broken invariant and the place
     */
    void verify();

    /** Gives all memory back. Use after close throws {@link IllegalStateException}. */
    @Override
    void close();
}
