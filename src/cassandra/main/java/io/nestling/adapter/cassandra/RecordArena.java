/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import io.nestling.bytes.Varint;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.RetiredBlocks;
import io.nestling.offheap.SizeClasses;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;
import io.nestling.offheap.SlabBytes;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocates the memory of one shard in blocks of any size, which are reused once no reader can hold them.
 * <p> A pointer is the block's position divided by 8; pointer 0 is none. An <em>entry</em> is a block that a payload of an index
 * points to: eight bytes for the shard, then, if the index stores no keys, the length of the key and the key.
 * <p> Where the system refuses memory, blocks are arrays on the heap until the next slab is full: a write that Cassandra has
 * logged must not fail.
 * <h2>Thread safety</h2> One thread at a time allocates, frees and fills blocks. Any number of threads read blocks that were
 * published by a release store, while they hold a guard of the epochs.
 */
final class RecordArena implements KeySource, AutoCloseable {
    static final long NONE = 0;
    /** Offset of an entry's key. */
    static final int ENTRY_KEY_OFFSET = Long.BYTES;

    static final int POINTER_SHIFT = 3;
    private static final int SLAB_SHIFT = 30;
    private static final long SLAB_MASK = (1L << SLAB_SHIFT) - 1;
    /* Size of the largest block, which has its own slab. */
    static final int MAX_BLOCK_BYTES = 1 << SLAB_SHIFT;
    /* Pointers have 40 bits, see Records. */
    private static final int MAX_SLABS = 1 << Records.POINTER_BITS + POINTER_SHIFT - SLAB_SHIFT;
    /* Retired blocks are pointers with their class. */
    private static final int CLASS_BITS = 8;
    private static final int CLASS_MASK = (1 << CLASS_BITS) - 1;
    private static final long FIRST_POSITION = 64;
    private static final int LINE_BYTES = 64;
    private static final long MIN_SLAB_BYTES = 2L << 20;
    private static final long MIN_HEAP_SLAB_BYTES = 8L << 10;
    private static final long MAX_HEAP_SLAB_BYTES = 4L << 20;
    private static final long HEAP_CAPACITY_BYTES = 1L << 44;

    private final SlabAllocator allocator;
    private final MemoryBudget budget;
    private final MemoryBudget heapBudget = MemoryBudget.ofBytes(HEAP_CAPACITY_BYTES);
    private final RetiredBlocks retired;
    private final long[] freeHeads = new long[SizeClasses.CLASSES];
    private final long slabBytes;
    /* Slab number 1, which has most of the records; null before it is created. */
    private Slab main;
    private volatile GrowingSlab[] slabs;
    private long next = FIRST_POSITION;
    private long limit;
    /* Whether the last slab is on the heap. */
    private boolean onHeap;
    private final AtomicLong retiredRecords = new AtomicLong();

    RecordArena(
        final SlabAllocator allocator, final MemoryBudget budget, final EpochReclaimer epochs, final long slabBytes) {
        this.allocator = allocator;
        this.budget = budget;
        this.retired = new RetiredBlocks(epochs, block -> push(block >>> CLASS_BITS, (int) block & CLASS_MASK));
        this.slabBytes = slabBytes;
        this.slabs = new GrowingSlab[] {firstSlab()};
    }

    private void push(final long pointer, final int sizeClass) {
        slab(pointer).putLong(offset(pointer), freeHeads[sizeClass]);
        freeHeads[sizeClass] = pointer;
    }

    /**
     * Allocates a block with undefined content.
     *
     * @throws SpaceExhaustedException if there is no memory, or if the block would be larger than a slab can be
     */
    long allocate(final int bytes) {
        if (bytes > MAX_BLOCK_BYTES) {
            throw tooLarge(bytes);
        }
        final int sizeClass = SizeClasses.of(bytes);
        final long head = freeHeads[sizeClass];
        if (head != NONE) {
            freeHeads[sizeClass] = slab(head).getLong(offset(head));
            return head;
        }
        final int rounded = SizeClasses.bytes(sizeClass);
        final long position = next;
        if (position + rounded <= limit) {
            next = position + rounded;
            return position >>> POINTER_SHIFT;
        }
        return grow(rounded);
    }

    private static SpaceExhaustedException tooLarge(final int bytes) {
        return new SpaceExhaustedException("a record of " + bytes + " bytes is larger than " + MAX_BLOCK_BYTES + ", the limit");
    }

    private GrowingSlab firstSlab() {
        try {
            return new GrowingSlab(allocator, budget, SlabAllocator.SMALL_BYTES);
        } catch (final SpaceExhaustedException e) {
            onHeap = true;
            return heapSlab((int) FIRST_POSITION);
        }
    }

    private GrowingSlab newSlab(final int bytes) {
        long size = slabBytes;
        while (size < bytes) {
            size *= 2;
        }
        if (size > MAX_BLOCK_BYTES) {
            throw tooLarge(bytes); // positions beyond are those of the next slab
        }
        try {
            final GrowingSlab slab = mappedSlab(bytes, size);
            onHeap = false;
            return slab;
        } catch (final SpaceExhaustedException e) {
            onHeap = true;
            return heapSlab(bytes);
        }
    }

    /** Returns a slab on the heap; each is as large as those before it together, so that memory is soon asked for again. */
    private GrowingSlab heapSlab(final int bytes) {
        final long usual = Math.max(MIN_HEAP_SLAB_BYTES, Math.min(MAX_HEAP_SLAB_BYTES, heapBudget.used()));
        final GrowingSlab slab = new GrowingSlab(HeapSlabs.INSTANCE, heapBudget, Math.max(usual, bytes));
        slab.growTo(slab.slab().size());
        return slab;
    }

    /** Returns a slab of a size or, without the address space for that, a smaller one with space for a block. */
    private GrowingSlab mappedSlab(final int bytes, final long usual) {
        long size = usual;
        while (true) {
            try {
                return new GrowingSlab(allocator, budget, size);
            } catch (final SpaceExhaustedException e) {
                size /= 4;
                if (size < Math.max(bytes, MIN_SLAB_BYTES)) {
                    throw e;
                }
            }
        }
    }

    private long grow(final int bytes) {
        GrowingSlab[] present = slabs;
        int last = present.length - 1;
        long offset = next - ((long) last << SLAB_SHIFT);
        if (offset + bytes > present[last].slab().size()) {
            last++;
            if (last == MAX_SLABS) {
                throw new SpaceExhaustedException("records need more than " + MAX_SLABS + " slabs, the limit");
            }
            present = Arrays.copyOf(present, last + 1);
            present[last] = newSlab(bytes);
            main = present[1].slab();
            slabs = present;
            next = (long) last << SLAB_SHIFT; // even if growing it fails
            limit = next;
            offset = 0;
        }
        if (!present[last].growTo(offset + bytes)) {
            throw new SpaceExhaustedException(
                "records need " + bytes + " more bytes, " + budget.used() + " of " + budget.capacity() + " are in use");
        }
        final long start = (long) last << SLAB_SHIFT;
        limit = start + present[last].limit();
        next = start + offset + bytes;
        return start + offset >>> POINTER_SHIFT;
    }

    /** Returns whether new blocks are on the heap. */
    boolean isOnHeap() {
        return onHeap;
    }

    /** Returns the number of bytes on the heap; any thread may call it. */
    long heapBytes() {
        return heapBudget.used();
    }

    /** Retires a block that readers may still hold and that no new reader can find. */
    void retire(final long pointer, final int bytes) {
        retiredRecords.setRelease(retiredRecords.getPlain() + 1);
        retired.retire(pointer << CLASS_BITS | SizeClasses.of(bytes), bytes);
    }

    /** Returns the number of retired blocks; any thread may call it. */
    long retiredRecords() {
        return retiredRecords.get();
    }

    /** Frees a block that no reader could ever find. */
    void free(final long pointer, final int bytes) {
        push(pointer, SizeClasses.of(bytes));
    }

    // ---- content ----

    int getInt(final long pointer, final int at) {
        return slab(pointer).getInt(offset(pointer) + at);
    }

    void putInt(final long pointer, final int at, final int value) {
        slab(pointer).putInt(offset(pointer) + at, value);
    }

    long getLong(final long pointer, final int at) {
        return slab(pointer).getLong(offset(pointer) + at);
    }

    void putLong(final long pointer, final int at, final long value) {
        slab(pointer).putLong(offset(pointer) + at, value);
    }

    long getLongAcquire(final long pointer) {
        return slab(pointer).getLongAcquire(offset(pointer));
    }

    void putLongRelease(final long pointer, final long value) {
        slab(pointer).putLongRelease(offset(pointer), value);
    }

    void putBytes(final long pointer, final int at, final byte[] source, final int offset, final int length) {
        slab(pointer).putBytes(offset(pointer) + at, source, offset, length);
    }

    void getBytes(final long pointer, final int at, final byte[] destination, final int offset, final int length) {
        SlabBytes.copyOut(slab(pointer), offset(pointer) + at, destination, offset, length);
    }

    /** Prefetches the first two lines of a block. */
    void prefetch(final long pointer) {
        final Slab slab = slab(pointer);
        final long offset = offset(pointer);
        slab.prefetch(offset);
        slab.prefetch(Math.min(offset + LINE_BYTES, slab.size() - 1));
    }

    // ---- entries ----

    /** Returns the size of a key in an entry. */
    static int keyBytes(final int keyLength) {
        return Varint.length(keyLength) + keyLength;
    }

    /** Writes the key of an entry that is not published yet. */
    void putKey(final long entry, final byte[] key, final int length) {
        final Slab slab = slab(entry);
        long at = offset(entry) + ENTRY_KEY_OFFSET;
        int rest = length;
        while (rest > 0x7F) {
            slab.putByte(at++, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        slab.putByte(at++, (byte) rest);
        slab.putBytes(at, key, 0, length);
    }

    @Override
    public int keyLength(final long payload) {
        final Slab slab = slab(payload);
        final long at = offset(payload) + ENTRY_KEY_OFFSET;
        int read = slab.getByte(at);
        int length = read & 0x7F;
        for (int i = 1; read < 0; i++) {
            read = slab.getByte(at + i);
            length |= (read & 0x7F) << 7 * i;
        }
        return length;
    }

    private static long keyStart(final long offset, final int length) {
        return offset + ENTRY_KEY_OFFSET + (length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : 3);
    }

    @Override
    public int copyKey(final long payload, final byte[] destination, final int offset) {
        final int length = keyLength(payload);
        SlabBytes.copyOut(slab(payload), keyStart(offset(payload), length), destination, offset, length);
        return length;
    }

    @Override
    public int compareKey(final long payload, final byte[] key, final int offset, final int length) {
        final Slab slab = slab(payload);
        final int own = keyLength(payload);
        final long start = keyStart(offset(payload), own);
        final int shared = Math.min(own, length);
        final int mismatch = SlabBytes.commonPrefix(slab, start, key, offset, shared);
        return mismatch == shared
            ? own - length : (slab.getByte(start + mismatch) & 0xFF) - (key[offset + mismatch] & 0xFF);
    }

    @Override
    public long keyWord(final long payload, final int from) {
        final Slab slab = slab(payload);
        final int length = keyLength(payload);
        final long start = keyStart(offset(payload), length) + from;
        final int rest = length - from;
        if (rest >= Long.BYTES) {
            return Long.reverseBytes(slab.getLong(start));
        }
        long word = 0;
        for (int i = 0; i < rest; i++) {
            word |= (slab.getByte(start + i) & 0xFFL) << (Long.BYTES - 1 - i << 3);
        }
        return word;
    }

    /** Returns the address of an entry, or 0 if a racy payload points to a slab that this thread does not see yet. */
    @Override
    public long address(final long payload) {
        final int number = number(payload);
        final Slab slab = main;
        if (number == 1 && slab != null) {
            return slab.address(offset(payload));
        }
        final GrowingSlab[] present = slabs;
        return number < present.length ? present[number].slab().address(offset(payload)) : 0;
    }

    /** Frees all memory. The caller ensures that it is no longer used. */
    @Override
    public void close() {
        for (final GrowingSlab slab : slabs) {
            slab.close();
        }
    }

    private Slab slab(final long pointer) {
        final int number = number(pointer);
        return number == 1 ? main : slabs[number].slab();
    }

    private static int number(final long pointer) {
        return (int) (pointer >>> SLAB_SHIFT - POINTER_SHIFT);
    }

    private static long offset(final long pointer) {
        return pointer << POINTER_SHIFT & SLAB_MASK;
    }
}
