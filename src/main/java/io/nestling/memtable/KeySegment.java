/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static io.nestling.memtable.KeyEntries.ENTRY_BYTES;
import static io.nestling.memtable.KeyEntries.RECORD_OFFSET;

import io.nestling.memory.GrowingSlab;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.Slab;
import io.nestling.memory.SlabAllocator;
import io.nestling.memory.SpaceExhaustedException;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A part of a {@link KeyLog}: places for the records of new keys, in a slab that grows. Writers take places in
 * chunks, each from its own. Sealing it closes the places that are free, and leaves the memory to the one who
 * sealed it, to be sorted in place: nothing more than what the log took is needed for that.
 * <h2>Thread safety</h2>
 * Any number of threads add, inside a guard, each with a number of its own; one thread at a time reads and seals.
 * {@code close} needs the owner to know that no guard is left in which the segment was found.
 * <h2>Invariants</h2>
 * <ol>
 * <li>A place goes from free (0) to a record or to closed (-1), each by CAS, and a place of a sealed segment is
 * not free.</li>
 * <li>The prefixes of an unsealed segment are not used.</li>
 * </ol>
 */
final class KeySegment implements AutoCloseable {
    /** Places of a chunk. */
    static final int CHUNK_ENTRIES = 32;
    private static final long FREE = 0;
    private static final long CLOSED = -1;
    private static final long NO_PLACE = -1;
    private static final int STRIDE_SHIFT = 4;
    /* A chunk in one word: its first free place, above the number of free places. */
    private static final int LENGTH_BITS = 8;
    private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

    private final GrowingSlab growing;
    private final Slab slab;
    private final long capacity;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLongArray chunks = new AtomicLongArray(ShardLock.PLACES << STRIDE_SHIFT);
    private volatile long limit;
    private volatile long sealedEnd = -1;

    /** Reserves address space. */
    KeySegment(final SlabAllocator allocator, final MemoryBudget budget, final long maxBytes) {
        this.growing = new GrowingSlab(allocator, budget, maxBytes);
        this.slab = growing.slab();
        this.capacity = slab.size() / ENTRY_BYTES / CHUNK_ENTRIES * CHUNK_ENTRIES;
    }

    /**
     * Adds a record.
     *
     * @param writer place of the shard's lock that the caller has to itself, 0 if it is alone
     * @return false if the segment is full or sealed
     * @throws SpaceExhaustedException if the budget has nothing left
     */
    boolean add(final long record, final int writer) {
        while (true) {
            final long place = take(writer << STRIDE_SHIFT);
            if (place == NO_PLACE) {
                return false;
            }
            if (slab.compareAndSetLong(place * ENTRY_BYTES + RECORD_OFFSET, FREE, record)) {
                return true;
            }
        }
    }

    private long take(final int at) {
        final long chunk = chunks.getPlain(at);
        if ((chunk & LENGTH_MASK) != 0) {
            chunks.setPlain(at, chunk + (1L << LENGTH_BITS) - 1);
            return chunk >>> LENGTH_BITS;
        }
        final long first = takeChunk();
        if (first != NO_PLACE) {
            chunks.setPlain(at, first + 1 << LENGTH_BITS | CHUNK_ENTRIES - 1);
        }
        return first;
    }

    private long takeChunk() {
        while (true) {
            final long first = next.get();
            final long end = first + CHUNK_ENTRIES;
            if (end > capacity) {
                return NO_PLACE;
            }
            if (end > limit) {
                growTo(end);
            } else if (next.compareAndSet(first, end)) {
                return first;
            }
        }
    }

    private synchronized void growTo(final long end) {
        if (!growing.growTo(end * ENTRY_BYTES)) {
            throw new SpaceExhaustedException(
                "the keys to be put in order need more than " + limit * ENTRY_BYTES + " bytes");
        }
        limit = growing.limit() / ENTRY_BYTES;
    }

    /**
     * Makes sure that the only writer can add some records.
     *
     * @return false if the segment ends before
     * @throws SpaceExhaustedException if the budget does not hold them
     */
    boolean ensure(final int records) {
        final long end = next.get() + records + CHUNK_ENTRIES;
        if (end > capacity) {
            return false;
        }
        if (end > limit) {
            growTo(end);
        }
        return true;
    }

    /** Gives back what {@link #ensure} got and nobody used, for the only writer. */
    synchronized void trim() {
        final long end = next.get();
        if (end < capacity) {
            growing.shrinkTo(end * ENTRY_BYTES);
            limit = growing.limit() / ENTRY_BYTES;
        }
    }

    /** Number of places taken, each chunk as a whole. */
    long taken() {
        return sealedEnd >= 0 ? sealedEnd : Math.min(next.get(), capacity);
    }

    /** The record at a place that was taken; 0 if it is not there yet. */
    long record(final long place) {
        return slab.getLongAcquire(place * ENTRY_BYTES + RECORD_OFFSET);
    }

    /**
     * Lets nobody add any more, and brings all records together at the beginning; returns what there is. Can be
     * repeated.
     */
    KeyEntries seal() {
        if (sealedEnd < 0) {
            sealedEnd = Math.min(next.getAndSet(capacity), capacity);
        }
        long[] holes = new long[CHUNK_ENTRIES];
        int count = 0;
        for (long place = 0; place < sealedEnd; place++) {
            if (record(place) <= FREE && isHole(place)) {
                if (count == holes.length) {
                    holes = Arrays.copyOf(holes, 2 * count);
                }
                holes[count++] = place;
            }
        }
        final long size = sealedEnd - count;
        long last = sealedEnd - 1;
        for (int i = 0; i < count && holes[i] < size; i++) {
            while (record(last) == CLOSED) {
                last--;
            }
            slab.putLong(holes[i] * ENTRY_BYTES + RECORD_OFFSET, record(last));
            slab.putLong(last * ENTRY_BYTES + RECORD_OFFSET, CLOSED);
            last--;
        }
        sealedEnd = size;
        return KeyEntries.inSlab(slab, size);
    }

    /** Closes a place that is free; false if a record has come there meanwhile. */
    private boolean isHole(final long place) {
        final long at = place * ENTRY_BYTES + RECORD_OFFSET;
        return slab.getLong(at) == CLOSED || slab.compareAndSetLong(at, FREE, CLOSED);
    }

    @Override
    public synchronized void close() {
        growing.close();
    }
}
