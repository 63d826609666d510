/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

import java.util.Arrays;

/**
 * The memory of a {@link RecordStore}: slabs, in which positions are claimed in ascending order. A slab's positions begin at a
 * multiple of a power of two, which may be larger than the slab. A record lies in one slab.
 * <h2>Thread safety</h2>
 * As {@link RecordStore} says.
 */
abstract sealed class RecordSlabs implements AutoCloseable permits RecordStore {
    /* Behind pointer 0, and such that records of 32 bytes, a common size, lie in one line each. */
    static final long FIRST_RECORD = 32;
    private static final long MAX_BYTES = 1L << RecordLayout.PREVIOUS_BITS + RecordLayout.POINTER_SHIFT;

    private final SlabAllocator allocator;
    private final MemoryBudget budget;
    private final long firstBytes;
    private final long slabBytes;
    private final int slabShift;
    final long slabMask;
    /* The slab that has most of the records, or null before it is created, and its number. */
    private Slab main;
    private final int mainNumber;
    private volatile GrowingSlab[] slabs = {};
    private volatile long limit;
    final PaddedAtomicLong next = new PaddedAtomicLong(FIRST_RECORD);

    RecordSlabs(
        final SlabAllocator allocator, final MemoryBudget budget, final long slabBytes, final long firstBytes) {
        this.allocator = allocator;
        this.budget = budget;
        this.slabBytes = Math.min(Math.min(slabBytes, allocator.maxSlabBytes()), MAX_BYTES >>> 1);
        this.firstBytes = Math.min(firstBytes, this.slabBytes);
        this.slabShift = Long.SIZE - Long.numberOfLeadingZeros(this.slabBytes - 1);
        this.slabMask = (1L << slabShift) - 1;
        this.mainNumber = this.firstBytes < this.slabBytes ? 1 : 0;
    }

    /** Returns the size of a slab. */
    final long slabBytes(final int number) {
        return number == 0 ? firstBytes : slabBytes;
    }

    final int number(final long position) {
        return (int) (position >>> slabShift);
    }

    /**
     * Returns whether the first slab has room for some bytes of records of the only writer.
     *
     * @param recordBytes sum of {@link RecordLayout#recordBytes}
     * @return whether all of them would lie in it
     */
    public final boolean fitsFirstSlab(final long recordBytes) {
        return recordBytes <= firstBytes - next.get();
    }

    /**
     * Reserves space for the only writer to append one record and then another one.
     *
     * @param recordBytes {@link RecordLayout#recordBytes} of the first
     * @param spareBytes {@link RecordLayout#recordBytes} of the other one; 0 for none
     * @throws SpaceExhaustedException if they do not fit
     */
    public final void reserve(final long recordBytes, final long spareBytes) {
        final long position = next.get();
        final long bytes = recordBytes + spareBytes;
        if (startOf(position, bytes) + bytes > limit) {
            synchronized (this) {
                reachFor(reachFor(position, recordBytes), spareBytes);
            }
        }
    }

    /**
     * Reserves space for the only writer to append some records in a given order and then another one.
     *
     * @param recordBytes {@link RecordLayout#recordBytes} of each
     * @param from number of the first one
     * @param to number behind the last one
     * @param spareBytes size of the other one; 0 for none
     * @throws SpaceExhaustedException if they do not fit
     */
    public final synchronized void reserve(
        final long[] recordBytes, final int from, final int to, final long spareBytes) {
        long position = next.get();
        for (int i = from; i < to; i++) {
            position = reachFor(position, recordBytes[i]);
        }
        reachFor(position, spareBytes);
    }

    /** Makes space for a record at or after a position usable and returns the end of the record. */
    private long reachFor(final long position, final long bytes) {
        checkSize(bytes);
        final long start = startOf(position, bytes);
        if (start != position) {
            reach((position & ~slabMask) + slabBytes(number(position)));
        }
        reach(start + bytes);
        return start + bytes;
    }

    /**
     * Returns the bytes of all records, with the unused ends of all slabs but the last.
     *
     * @return bytes
     */
    public final long bytesUsed() {
        final long position = next.get();
        if (position == FIRST_RECORD) {
            return 0;
        }
        final int number = number(position);
        return (number == 0 ? 0 : firstBytes + (number - 1) * slabBytes) + (position & slabMask);
    }

    /**
     * Returns the bytes charged to the budget.
     *
     * @return bytes
     */
    public final synchronized long bytesReserved() {
        long bytes = 0;
        for (final GrowingSlab slab : slabs) {
            bytes += slab.limit();
        }
        return bytes;
    }

    /**
     * Releases to the budget what was charged for records that were not appended. No thread may append
     * meanwhile.
     */
    public final synchronized void trim() {
        final int last = slabs.length - 1;
        if (last < 0) {
            return;
        }
        final long start = (long) last << slabShift;
        final long used = Math.max(0, next.get() - start);
        slabs[last].shrinkTo(used);
        limit = start + slabs[last].limit();
    }

    /** Releases all slabs; closing twice does nothing. */
    @Override
    public synchronized void close() {
        GrowingSlab.closeAll(slabs);
    }

    /** Claims space for a record, or for a chunk of records, and returns its position. */
    final long claim(final long bytes) {
        checkSize(bytes);
        while (true) {
            final long position = next.get();
            final long start = startOf(position, bytes);
            if (start + bytes > limit) {
                synchronized (this) {
                    reach(start + bytes);
                }
            } else if (next.compareAndSet(position, start + bytes)) {
                return start;
            }
        }
    }

    /** Undoes a claim if no other one came after it. */
    final void unclaim(final long position, final long bytes) {
        next.compareAndSet(position + bytes, position);
    }

    /** Returns the position of the next record: in the next slab if it would straddle two slabs. */
    private long startOf(final long position, final long bytes) {
        return (position & slabMask) + bytes > slabBytes(number(position)) ? (position & ~slabMask) + slabMask + 1 : position;
    }

    /**
     * Checks that a record fits into a slab.
     *
     * @param bytes {@link RecordLayout#recordBytes}
     * @throws SpaceExhaustedException if it does not
     */
    public final void checkSize(final long bytes) {
        if (bytes > slabBytes - RecordLayout.ALIGNMENT) {
            throw new SpaceExhaustedException(
                "expected a record of at most " + (slabBytes - RecordLayout.ALIGNMENT) + " bytes, the limit of a slab, but was "
                    + bytes);
        }
    }

    /** Makes positions below {@code end} usable; {@code end} lies in the last slab or one behind it. */
    private void reach(final long end) {
        if (end <= limit) {
            return;
        }
        if (end > MAX_BYTES) {
            throw new SpaceExhaustedException("expected at most " + MAX_BYTES + " bytes of records in a store but was " + end);
        }
        final int last = number(end - 1);
        final GrowingSlab[] before = slabs;
        final GrowingSlab[] present = Arrays.copyOf(before, Math.max(last + 1, before.length));
        try {
            for (int i = before.length; i <= last; i++) {
                // Others may still append small records to the end of the slab before, which must be usable then.
                if (i > 0 && !present[i - 1].growTo(slabBytes(i - 1))) {
                    throw exhausted(end);
                }
                present[i] = new GrowingSlab(allocator, budget, slabBytes(i));
            }
            if (!present[last].growTo(((end - 1) & slabMask) + 1)) {
                throw exhausted(end);
            }
        } catch (final Throwable e) {
            for (int i = before.length; i <= last && present[i] != null; i++) {
                present[i].close();
            }
            throw e;
        }
        if (last >= mainNumber) {
            main = present[mainNumber].slab(); // before the limit, which pointers into it follow
        }
        slabs = present;
        // The charged part may reach beyond the slab's end, where the next one begins.
        limit = ((long) last << slabShift) + Math.min(present[last].limit(), slabBytes(last));
    }

    private SpaceExhaustedException exhausted(final long end) {
        return new SpaceExhaustedException("records need " + (end - limit) + " more bytes, the budget has "
            + budget.remaining() + " left of " + budget.capacity());
    }

    /** Returns the machine address of a position, or 0 if this thread does not see its slab yet. */
    final long addressOf(final long position) {
        final long number = position >>> slabShift;
        final Slab slab = main;
        if (number == mainNumber && slab != null) {
            return slab.address(position & slabMask);
        }
        final GrowingSlab[] present = slabs;
        return number < present.length ? present[(int) number].slab().address(position & slabMask) : 0;
    }

    /** Returns the slab of a record. */
    final Slab slab(final long pointer) {
        return slabOf(pointer << RecordLayout.POINTER_SHIFT);
    }

    final Slab slabOf(final long position) {
        final int number = number(position);
        return number == mainNumber ? main : slabs[number].slab();
    }

    /** Returns the offset of a record in its slab. */
    final long offset(final long pointer) {
        return pointer << RecordLayout.POINTER_SHIFT & slabMask;
    }
}
