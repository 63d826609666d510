/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

import java.util.Arrays;

/**
 * The memory of a {@link RecordStore}: slabs, in which positions are claimed. A slab's positions begin at a multiple of a power
 * of two, which may be larger than the slab. A record lies in one slab.
 * <p> The first records may lie in a small slab, whose positions are behind those of all others: then the slab that has most of
 * the records has number 0, and is found by one comparison.
 * <h2>Thread safety</h2>
 * As {@link RecordStore} says.
 */
abstract sealed class RecordSlabs implements AutoCloseable permits RecordStore {
    /* Behind pointer 0, and such that records of 32 bytes, a common size, lie in one line each. */
    static final long FIRST_RECORD = 32;
    private static final long MAX_POSITION = 1L << RecordLayout.PREVIOUS_BITS + RecordLayout.POINTER_SHIFT;
    private static final long MAX_SLAB_BYTES = MAX_POSITION >>> 4;

    private final SlabAllocator allocator;
    private final MemoryBudget budget;
    private final long slabBytes;
    private final long smallBytes;
    /* Position of the small slab, and end of the others. */
    private final long smallStart;
    private final int slabShift;
    final long slabMask;
    /* Null before it is created. */
    private volatile GrowingSlab small;
    /* Bytes of records in the small slab, once there are others. */
    private volatile long smallUsed;
    /* Slab 0; null before it is created. */
    private Slab main;
    private volatile GrowingSlab[] slabs = {};
    /* End of what is usable of the last slab, without the small one. */
    private volatile long limit;
    final PaddedAtomicLong next;
    /* Null until a record is retired. */
    FreeRecords free;

    RecordSlabs(
        final SlabAllocator allocator, final MemoryBudget budget, final long slabBytes, final long smallBytes) {
        this.allocator = allocator;
        this.budget = budget;
        this.slabBytes = Math.min(Math.min(slabBytes, allocator.maxSlabBytes()), MAX_SLAB_BYTES);
        this.smallBytes = Math.min(smallBytes, this.slabBytes);
        this.slabShift = Long.SIZE - Long.numberOfLeadingZeros(this.slabBytes - 1);
        this.slabMask = (1L << slabShift) - 1;
        this.smallStart = MAX_POSITION - slabMask - 1;
        this.next = new PaddedAtomicLong(firstRecord());
    }

    /** Returns the position of the first record. */
    final long firstRecord() {
        return FIRST_RECORD + (smallBytes > 0 ? smallStart : 0);
    }

    /** Returns whether a record lies in the small slab. */
    public final boolean isInSmallSlab(final long pointer) {
        return pointer << RecordLayout.POINTER_SHIFT >= smallStart;
    }

    /** Returns the position behind the slab of a position. */
    final long endOfSlab(final long position) {
        return position >= smallStart ? smallStart + smallBytes : (position & ~slabMask) + slabBytes;
    }

    /** Returns the first position of the slab that follows that of a position. */
    final long nextSlab(final long position) {
        return position >= smallStart ? FIRST_RECORD : (position & ~slabMask) + slabMask + 1;
    }

    /** Returns whether a position was claimed. */
    final boolean isClaimed(final long position) {
        final long end = next.get();
        return position >= smallStart ? end < smallStart || position < end : end < smallStart && position < end;
    }

    /**
     * Returns a number for a record that differs between records and grows with the bytes that they take, less than the bytes of
     * all slabs divided by 8.
     */
    public final long ordinal(final long pointer) {
        final long small = smallStart >>> RecordLayout.POINTER_SHIFT;
        return pointer >= small ? pointer - small : pointer + (smallBytes >>> RecordLayout.POINTER_SHIFT);
    }

    /** Returns whether the small slab has room for some bytes of records of the only writer. */
    public final boolean fitsSmallSlab(final long recordBytes) {
        final long position = next.get();
        return position >= smallStart && recordBytes <= endOfSlab(position) - position;
    }

    /** Returns whether the next records of the only writer would lie behind each other, in fresh memory of one slab. */
    public final boolean isContiguous(final long recordBytes) {
        final long position = next.get();
        return free == null && recordBytes <= endOfSlab(position) - position;
    }

    /**
     * Reserves space for the only writer to append one record and then another one, of {@link RecordLayout#recordBytes} each, 0
     * for none; throws if they do not fit.
     */
    public final void reserve(final long recordBytes, final long spareBytes) {
        if (free == null) {
            reserveFresh(recordBytes, spareBytes);
        } else {
            reserve(free.only(recordBytes), 0, 1, spareBytes);
        }
    }

    private void reserveFresh(final long recordBytes, final long spareBytes) {
        final long position = next.get();
        final long bytes = recordBytes + spareBytes;
        if (!isUsable(startOf(position, bytes) + bytes)) {
            reachFor(reachFor(position, recordBytes), spareBytes);
        }
    }

    /**
     * Reserves space for the only writer to append some records, numbers {@code from} to before {@code to}, in this order and
     * then another one (0 bytes for none); throws if they do not fit.
     */
    public final void reserve(final long[] recordBytes, final int from, final int to, final long spareBytes) {
        try {
            tryReserve(recordBytes, from, to, spareBytes);
        } catch (final SpaceExhaustedException e) {
            if (free == null || !free.gather()) {
                throw e;
            }
            tryReserve(recordBytes, from, to, spareBytes);
        }
    }

    private void tryReserve(final long[] recordBytes, final int from, final int to, final long spareBytes) {
        long position = next.get();
        if (free != null) {
            free.release();
            free.expect(to - from);
        }
        for (int i = from; i < to; i++) {
            if (free == null || !free.reserve(recordBytes[i])) {
                position = reachFor(position, recordBytes[i]);
            }
        }
        if (free == null || !free.fits(spareBytes)) {
            reachFor(position, spareBytes);
        }
    }

    /** Makes space for a record at or after a position usable and returns the end of the record. */
    private long reachFor(final long position, final long bytes) {
        checkSize(bytes);
        final long start = startOf(position, bytes);
        if (start != position) {
            reach(endOfSlab(position));
        }
        reach(start + bytes);
        return start + bytes;
    }

    /**
     * Returns the bytes of all records but the retired ones, with the unused ends of all slabs but the last and the small one.
     */
    public final long bytesUsed() {
        return bytesClaimed() - bytesFree();
    }

    /** Returns the bytes of records that were retired and not overwritten yet, exact while no thread writes. */
    public final long bytesFree() {
        final FreeRecords present = free;
        return present == null ? 0 : present.bytes();
    }

    final long bytesClaimed() {
        final long position = next.get();
        return position >= smallStart ? position - smallStart - FIRST_RECORD
            : smallUsed + (position >>> slabShift) * slabBytes + (position & slabMask) - FIRST_RECORD;
    }

    /** Returns the bytes charged to the budget. */
    public final synchronized long bytesReserved() {
        long bytes = small == null ? 0 : small.limit();
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
        if (free != null) {
            free.release();
        }
        final int last = slabs.length - 1;
        if (last < 0) {
            return;
        }
        final long start = (long) last << slabShift;
        final long position = next.get();
        final long used = position >= smallStart ? 0 : Math.max(0, position - start);
        slabs[last].shrinkTo(used);
        limit = start + slabs[last].limit();
    }

    /** Releases all slabs; closing twice does nothing. */
    @Override
    public synchronized void close() {
        try {
            GrowingSlab.closeAll(slabs);
        } finally {
            if (small != null) {
                small.close();
            }
        }
    }

    /** Claims space for a record, or for a chunk of records, and returns its position. */
    final long claim(final long bytes) {
        return claim(bytes, false);
    }

    /** Claims as {@link #claim(long)}, for the only writer: without a CAS, which would wait for all stores before it. */
    final long claimAlone(final long bytes) {
        return claim(bytes, true);
    }

    private long claim(final long bytes, final boolean alone) {
        checkSize(bytes);
        if (free != null) {
            final long block = free.next();
            if (block != RecordLayout.NO_RECORD) {
                return block << RecordLayout.POINTER_SHIFT;
            }
        }
        while (true) {
            final long position = next.get();
            final long start = startOf(position, bytes);
            if (!isUsable(start + bytes)) {
                reach(start + bytes);
            } else if (alone || next.compareAndSet(position, start + bytes)) {
                if (alone) {
                    next.setRelease(start + bytes);
                }
                if (position >= smallStart && start < smallStart) {
                    smallUsed = position - smallStart - FIRST_RECORD;
                }
                return start;
            }
        }
    }

    /** Returns whether the last claim of the only writer can grow, given its end. */
    final boolean canGrow(final long end, final long added) {
        return next.get() == end && end + added <= endOfSlab(end - 1) && isUsable(end + added);
    }

    /** Undoes a claim if no other one came after it. */
    final void unclaim(final long position, final long bytes) {
        next.compareAndSet(position + bytes, position);
    }

    /** Returns the position of the next record: in the next slab if it would straddle two slabs. */
    private long startOf(final long position, final long bytes) {
        if (position + bytes <= endOfSlab(position)) {
            return position;
        }
        final long start = nextSlab(position);
        if (start == smallStart) {
            throw new SpaceExhaustedException("expected at most " + smallStart + " bytes of records in a store");
        }
        return start;
    }

    /** Returns whether positions up to an end can be written. */
    private boolean isUsable(final long end) {
        return end > smallStart ? small != null : end <= limit;
    }

    /** Checks that a record of some bytes fits into a slab; throws if it does not. */
    public final void checkSize(final long bytes) {
        if (bytes > slabBytes - FIRST_RECORD) {
            throw new SpaceExhaustedException(
                "expected a record of at most " + (slabBytes - FIRST_RECORD) + " bytes, the limit of a slab, but was "
                    + bytes);
        }
    }

    /** Makes positions below {@code end} usable; {@code end} lies in the last slab or one behind it. */
    private void reach(final long end) {
        if (!isUsable(end)) {
            grow(end);
        }
    }

    private synchronized void grow(final long end) {
        if (isUsable(end)) {
            return; // by another thread meanwhile
        }
        if (end > smallStart) {
            small = grown(smallBytes, smallBytes);
            return;
        }
        final int last = (int) ((end - 1) >>> slabShift);
        final GrowingSlab[] present = slabs;
        final long used = ((end - 1) & slabMask) + 1;
        if (last == present.length) {
            // Others may still append small records to the end of the slab before, which must be usable then.
            if (last > 0 && !present[last - 1].growTo(slabBytes)) {
                throw exhausted(end);
            }
            final GrowingSlab[] more = Arrays.copyOf(present, last + 1);
            more[last] = grown(slabBytes, used);
            slabs = more;
        } else if (!present[last].growTo(used)) {
            throw exhausted(end);
        }
        main = slabs[0].slab(); // before the limit, which pointers into it follow
        // The charged part may reach beyond the slab's end, where the next one begins.
        limit = ((long) last << slabShift) + Math.min(slabs[last].limit(), slabBytes);
    }

    /** Returns a new slab of which a part is in use. */
    private GrowingSlab grown(final long bytes, final long used) {
        final GrowingSlab slab = new GrowingSlab(allocator, budget, bytes);
        try {
            if (!slab.growTo(used)) {
                throw exhausted(limit + used);
            }
            return slab;
        } catch (final Throwable e) {
            slab.close();
            throw e;
        }
    }

    private SpaceExhaustedException exhausted(final long end) {
        return new SpaceExhaustedException("records need " + (end - limit) + " more bytes, the budget has "
            + budget.remaining() + " left of " + budget.capacity());
    }

    /** Returns the machine address of a position, or 0 if this thread does not see its slab yet. */
    final long addressOf(final long position) {
        final Slab slab = main;
        if (Long.compareUnsigned(position, slabMask) <= 0 && slab != null) {
            return slab.address(position);
        }
        if (position >= smallStart) {
            final GrowingSlab first = small;
            return first == null || position >= MAX_POSITION ? 0 : first.slab().address(position - smallStart);
        }
        final GrowingSlab[] present = slabs;
        final long number = position >>> slabShift;
        return number < present.length ? present[(int) number].slab().address(position & slabMask) : 0;
    }

    /** Returns the slab of a record. */
    final Slab slab(final long pointer) {
        return slabOf(pointer << RecordLayout.POINTER_SHIFT);
    }

    final Slab slabOf(final long position) {
        return position <= slabMask ? main : otherSlab(position);
    }

    private Slab otherSlab(final long position) {
        return position >= smallStart ? small.slab() : slabs[(int) (position >>> slabShift)].slab();
    }

    /** Returns the offset of a record in its slab. */
    final long offset(final long pointer) {
        return pointer << RecordLayout.POINTER_SHIFT & slabMask;
    }
}
