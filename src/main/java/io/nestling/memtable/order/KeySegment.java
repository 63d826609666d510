/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable.order;

import static io.nestling.memtable.order.KeyEntries.ENTRY_BYTES;
import static io.nestling.memtable.order.KeyEntries.RECORD_OFFSET;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A part of a {@link KeyLog}: slots for the records of new keys, in a growing slab. Each writer takes slots from a chunk of
 * its own. Sealing closes the free slots and leaves the memory to the thread that sealed it, which sorts it in place and
 * needs no more memory for that.
 * <h2>Thread safety</h2>
 * Any number of threads add, inside a guard, each with its own writer slot; one thread at a time reads and seals.
 * The owner calls {@code close} once no guard is left in which the segment was found.
 * <h2>Invariants</h2>
 * <ol>
 * <li>A slot goes from free (0) to a record or to closed (-1), each by CAS, and a slot of a sealed segment is
 * not free.</li>
 * <li>The prefixes of an unsealed segment are not used.</li>
 * </ol>
 */
final class KeySegment implements AutoCloseable {
    /** Slots of a chunk. */
    static final int CHUNK_ENTRIES = 32;
    private static final long FREE = 0;
    private static final long CLOSED = -1;
    private static final long NO_SLOT = -1;
    private static final int STRIDE_SHIFT = 4;
    /* A chunk in one word: its first free slot, above the number of free slots. */
    private static final int LENGTH_BITS = 8;
    private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

    private final GrowingSlab growing;
    private final Slab slab;
    private final long capacity;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLongArray chunks;
    private volatile long limit;
    private volatile long sealedEnd = -1;

    /** Creates an empty segment in a slab of its own, with chunks for a number of writer slots. */
    KeySegment(final SlabAllocator allocator, final MemoryBudget budget, final long maxBytes, final int writerSlots) {
        this.chunks = new AtomicLongArray(writerSlots << STRIDE_SHIFT);
        this.growing = new GrowingSlab(allocator, budget, maxBytes);
        this.slab = growing.slab();
        this.capacity = slab.size() / ENTRY_BYTES / CHUNK_ENTRIES * CHUNK_ENTRIES;
    }

    /**
     * Adds a record by a thread in a writer slot; returns false if the segment is full or sealed, throws if the budget has
     * nothing left.
     */
    boolean add(final long record, final int writerSlot) {
        while (true) {
            final long slot = take(writerSlot << STRIDE_SHIFT);
            if (slot == NO_SLOT) {
                return false;
            }
            if (slab.compareAndSetLong(slot * ENTRY_BYTES + RECORD_OFFSET, FREE, record)) {
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
        if (first != NO_SLOT) {
            chunks.setPlain(at, first + 1 << LENGTH_BITS | CHUNK_ENTRIES - 1);
        }
        return first;
    }

    private long takeChunk() {
        while (true) {
            final long first = next.get();
            final long end = first + CHUNK_ENTRIES;
            if (end > capacity) {
                return NO_SLOT;
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
                "the log of new keys needs " + end * ENTRY_BYTES + " bytes, the budget has no more than "
                    + limit * ENTRY_BYTES + " for it");
        }
        limit = growing.limit() / ENTRY_BYTES;
    }

    /**
     * Reserves space for the only writer to add some records; returns false if the segment is too small for them, throws if the
     * budget is.
     */
    boolean reserve(final int records) {
        final long end = next.get() + records + CHUNK_ENTRIES;
        if (end > capacity) {
            return false;
        }
        if (end > limit) {
            growTo(end);
        }
        return true;
    }

    /** Releases what the only writer has reserved and not used. */
    synchronized void trim() {
        final long end = next.get();
        if (end < capacity) {
            growing.shrinkTo(end * ENTRY_BYTES);
            limit = growing.limit() / ENTRY_BYTES;
        }
    }

    /** Returns the number of slots taken, counting whole chunks. */
    long taken() {
        return sealedEnd >= 0 ? sealedEnd : Math.min(next.get(), capacity);
    }

    /** Returns the record in a slot that was taken; 0 if it is not there yet. */
    long record(final long slot) {
        return slab.getLongAcquire(slot * ENTRY_BYTES + RECORD_OFFSET);
    }

    /** Ends adding, moves all records to the beginning, and returns them. Can be repeated. */
    KeyEntries seal() {
        // memtable-concurrency.md, claim 24
        if (sealedEnd < 0) {
            sealedEnd = Math.min(next.getAndSet(capacity), capacity);
        }
        for (long slot = 0; slot < sealedEnd; slot++) {
            if (record(slot) == FREE) {
                slab.compareAndSetLong(slot * ENTRY_BYTES + RECORD_OFFSET, FREE, CLOSED); // unless a writer fills it
            }
        }
        long size = sealedEnd;
        for (long slot = 0; slot < size; slot++) {
            while (slot < size && record(slot) == CLOSED) {
                size--;
                slab.putLong(slot * ENTRY_BYTES + RECORD_OFFSET, record(size));
                slab.putLong(size * ENTRY_BYTES + RECORD_OFFSET, CLOSED);
            }
        }
        sealedEnd = size;
        return KeyEntries.inSlab(slab, size);
    }

    @Override
    public synchronized void close() {
        growing.close();
    }
}
