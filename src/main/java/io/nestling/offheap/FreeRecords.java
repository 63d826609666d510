/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.util.Arrays;

/**
 * The memory of a store's retired records, which new records reuse. A free block takes the place of one record or of several
 * neighbours ({@link RecordLayout#FREE}); lists of them by {@link SizeClasses} hold those of 16 bytes and more. A record gets the
 * beginning of a block that is large enough, and the rest stays free.
 * <p>
 * Neighbours are joined by a walk over the whole store, when no block is large enough and a quarter of the store was freed since
 * the last one, or a 16th if the budget is exhausted. So each byte that is freed pays for at most 16 that are walked over.
 * <h2>Thread safety</h2>
 * One thread at a time, the store's only writer; any thread may call {@code bytes}.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Records and free blocks follow each other without a gap up to the end of each slab's records, also between any two stores
 * of this class: {@link RecordWalk} depends on it.</li>
 * </ol>
 */
final class FreeRecords {
    /** Greatest size of a free block. */
    static final long MAX_BYTES = 1L << 30;
    /* Bits of a retired record's pointer; those above hold its size. */
    private static final int POINTER_BITS = RecordLayout.PREVIOUS_BITS;
    /* A free block's next one in its list, behind its header. */
    private static final int NEXT_OFFSET = 8;
    private static final int MIN_LISTED_BYTES = 16;
    /* Blocks of the class that may be too small, of which the first that is not is taken. */
    private static final int MOST_TRIED = 8;
    /* Log2 of the part of the store to be freed between two walks, and where the write would be refused otherwise. */
    private static final int JOIN_SHIFT = 2;
    private static final int LAST_JOIN_SHIFT = 4;

    private final RecordStore store;
    private final RetiredBlocks retired;
    private final long[] heads = new long[SizeClasses.CLASSES];
    /* A bit for each class that has a block. */
    private final long[] present = new long[SizeClasses.CLASSES / Long.SIZE];
    private long freeBytes;
    private long retiredBytes;
    private long freedSinceJoin;
    /* Blocks for the next records, in their order; NO_RECORD for one that gets fresh memory. */
    private long[] reserved = new long[1];
    private int nextReserved;
    private int reservedCount;
    private final long[] only = new long[1];

    FreeRecords(final RecordStore store, final EpochReclaimer epochs) {
        this.store = store;
        this.retired = new RetiredBlocks(epochs, this::free);
    }

    /** Returns the bytes of free blocks and of retired records, exact while no thread writes. */
    long bytes() {
        return freeBytes + retiredBytes;
    }

    /** Retires a record that was just unlinked, given its size. */
    void retire(final long pointer, final long bytes) {
        retired.expect(1); // may fail, so before the count
        retiredBytes += bytes;
        // With its size, a multiple of 8 up to MAX_BYTES, so that the record need not be read again.
        retired.retire(bytes >>> RecordLayout.POINTER_SHIFT << POINTER_BITS | pointer, bytes);
    }

    /** Frees a record that was never published, given its size. */
    void discard(final long pointer, final long bytes) {
        freedSinceJoin += bytes;
        add(pointer, bytes);
    }

    private void free(final long retiredRecord) {
        final long bytes = retiredRecord >>> POINTER_BITS << RecordLayout.POINTER_SHIFT;
        retiredBytes -= bytes;
        freedSinceJoin += bytes;
        add(retiredRecord & (1L << POINTER_BITS) - 1, bytes);
    }

    // ---- reservation ----

    /** Ends a reservation: blocks that no record took are free again. */
    void release() {
        while (nextReserved < reservedCount) {
            final long block = reserved[nextReserved++];
            if (block != RecordLayout.NO_RECORD) {
                add(block, RecordWalk.bytesOf(store, block));
            }
        }
        nextReserved = 0;
        reservedCount = 0;
    }

    /** Makes room for the reservation of a number of records. */
    void expect(final int records) {
        if (records > reserved.length) {
            reserved = new long[Math.max(records, 2 * reserved.length)];
        }
    }

    /** Returns a list of the size of one record. */
    long[] only(final long bytes) {
        only[0] = bytes;
        return only;
    }

    /** Reserves a block for the record behind those reserved so far; returns false if that gets fresh memory. */
    boolean reserve(final long bytes) {
        long block = take(bytes);
        if (block == RecordLayout.NO_RECORD && joinAfter(JOIN_SHIFT)) {
            block = take(bytes);
        }
        reserved[reservedCount++] = block;
        return block != RecordLayout.NO_RECORD;
    }

    /** Returns whether there is a block for one record more. */
    boolean fits(final long bytes) {
        return bytes <= MAX_BYTES && (before(bytes) >= 0 || nextClass(within(bytes) + 1) >= 0);
    }

    /** Returns the block reserved for the next record, or {@link RecordLayout#NO_RECORD}. */
    long next() {
        return nextReserved == reservedCount ? RecordLayout.NO_RECORD : reserved[nextReserved++];
    }

    /** Frees what readers have just left, and joins free blocks unless that was done lately; returns false if nothing changes. */
    boolean gather() {
        final long before = freedSinceJoin;
        retired.reclaim();
        return joinAfter(LAST_JOIN_SHIFT) || freedSinceJoin > before;
    }

    /** Joins free blocks if a part of the store was freed since the last time, given its log2; returns whether it did. */
    private boolean joinAfter(final int shift) {
        final boolean joins = freedSinceJoin > 0 && freedSinceJoin >= store.bytesClaimed() >>> shift;
        if (joins) {
            join();
        }
        return joins;
    }

    // ---- blocks ----

    private static int within(final long bytes) {
        final int sizeClass = SizeClasses.of((int) bytes);
        return SizeClasses.bytes(sizeClass) > bytes ? sizeClass - 1 : sizeClass;
    }

    private int nextClass(final int from) {
        for (int at = from; at < SizeClasses.CLASSES; at = (at | Long.SIZE - 1) + 1) {
            final long word = present[at >>> 6] >>> at;
            if (word != 0) {
                return at + Long.numberOfTrailingZeros(word);
            }
        }
        return -1;
    }

    private long linked(final long block) {
        return store.slab(block).getLong(store.offset(block) + NEXT_OFFSET);
    }

    private void link(final long block, final long next) {
        store.slab(block).putLong(store.offset(block) + NEXT_OFFSET, next);
    }

    private void putHeader(final long block, final long bytes, final int flag) {
        store.slab(block).putLong(store.offset(block), bytes << RecordLayout.SEQUENCE_SHIFT | RecordLayout.FREE | flag);
    }

    /** Makes a block free. */
    private void add(final long block, final long bytes) {
        putHeader(block, bytes, 0);
        freeBytes += bytes;
        if (bytes >= MIN_LISTED_BYTES) {
            final int sizeClass = within(bytes);
            link(block, heads[sizeClass]);
            heads[sizeClass] = block;
            present[sizeClass >>> 6] |= 1L << sizeClass;
        }
    }

    /**
     * Looks among the first blocks of the class for one that is large enough; returns the block before it in the list, or {@link
     * RecordLayout#NO_RECORD} for the first one, or -1 if there is none.
     */
    private long before(final long bytes) {
        long before = RecordLayout.NO_RECORD;
        long block = heads[within(bytes)];
        for (int tried = 0; block != RecordLayout.NO_RECORD && tried < MOST_TRIED; tried++) {
            if (RecordWalk.bytesOf(store, block) >= bytes) {
                return before;
            }
            before = block;
            block = linked(block);
        }
        return -1;
    }

    /** Takes a block of a size out of the lists; returns {@link RecordLayout#NO_RECORD} if there is none. */
    private long take(final long bytes) {
        if (bytes > MAX_BYTES) {
            return RecordLayout.NO_RECORD;
        }
        int sizeClass = within(bytes);
        long before = before(bytes);
        if (before < 0) {
            before = RecordLayout.NO_RECORD;
            sizeClass = nextClass(sizeClass + 1);
            if (sizeClass < 0) {
                return RecordLayout.NO_RECORD;
            }
        }
        final long block = before == RecordLayout.NO_RECORD ? heads[sizeClass] : linked(before);
        final long next = linked(block);
        if (before != RecordLayout.NO_RECORD) {
            link(before, next);
        } else {
            heads[sizeClass] = next;
            if (next == RecordLayout.NO_RECORD) {
                present[sizeClass >>> 6] &= ~(1L << sizeClass);
            }
        }
        final long size = RecordWalk.bytesOf(store, block);
        freeBytes -= size;
        if (size > bytes) {
            add(block + (bytes >>> RecordLayout.POINTER_SHIFT), size - bytes); // before the block is shortened
        }
        putHeader(block, bytes, RecordLayout.HAS_PREVIOUS);
        return block;
    }

    /** Joins free neighbours and makes the lists anew. */
    private void join() {
        Arrays.fill(heads, RecordLayout.NO_RECORD);
        Arrays.fill(present, 0);
        freeBytes = 0;
        freedSinceJoin = 0;
        final RecordWalk walk = new RecordWalk(store);
        long start = RecordLayout.NO_RECORD;
        long bytes = 0;
        for (long block = walk.nextBlock(); block != RecordLayout.NO_RECORD; block = walk.nextBlock()) {
            final boolean isFree = isFree(block);
            final long size = isFree ? RecordWalk.bytesOf(store, block) : 0;
            if (start != RecordLayout.NO_RECORD) {
                final boolean joins = isFree && bytes + size <= MAX_BYTES
                    && start + (bytes >>> RecordLayout.POINTER_SHIFT) == block && store.offset(block) != 0;
                if (joins) {
                    bytes += size;
                    continue;
                }
                add(start, bytes);
            }
            start = isFree ? block : RecordLayout.NO_RECORD;
            bytes = size;
        }
        if (start != RecordLayout.NO_RECORD) {
            add(start, bytes);
        }
    }

    /** Returns whether a block is free and not reserved. */
    private boolean isFree(final long block) {
        return ((int) store.versionWord(block) & (RecordLayout.KIND_MASK | RecordLayout.HAS_PREVIOUS)) == RecordLayout.FREE;
    }
}
