/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

/**
 * Iterates over the records of a store by their place, which unless memory was recycled is the order in which a single writer
 * appended them (not a {@link RecordAppender}). It ends before an unfinished record, since nothing was appended after it; an
 * unfinished one in recycled memory is still a free block.
 * <h2>Thread safety</h2>
 * One thread, while no thread appends.
 */
public final class RecordWalk {
    private final RecordStore store;
    private long record = RecordLayout.NO_RECORD;

    /** Creates a walk that is before the first record. */
    public RecordWalk(final RecordStore store) {
        this.store = store;
    }

    /** Moves to the next record and returns its pointer, or {@link RecordLayout#NO_RECORD} behind the last one. */
    public long next() {
        long block = nextBlock();
        while (block != RecordLayout.NO_RECORD && isFree(store.versionWord(block))) {
            block = nextBlock();
        }
        return block;
    }

    /** Moves to the next record or free block. */
    long nextBlock() {
        long position = record == RecordLayout.NO_RECORD ? store.firstRecord()
            : (record << RecordLayout.POINTER_SHIFT) + bytesOf(store, record);
        if (!isRecord(position)) {
            position = store.nextSlab(position - 1); // the next record did not fit into the slab
        }
        record = isRecord(position) ? position >>> RecordLayout.POINTER_SHIFT : RecordLayout.NO_RECORD;
        return record;
    }

    /** Returns whether a record with its version word is at a position, which is that of a record or behind one. */
    private boolean isRecord(final long position) {
        return store.isClaimed(position) && position + RecordLayout.ALIGNMENT <= store.endOfSlab(position)
            && store.slabOf(position).getLong(position & store.slabMask) != 0;
    }

    private static boolean isFree(final long versionWord) {
        return RecordLayout.kind(versionWord) == RecordLayout.FREE;
    }

    /** Returns the size of a record, with its padding, or of a free block, in bytes. */
    static long bytesOf(final RecordStore store, final long pointer) {
        final long word = store.versionWord(pointer);
        if (isFree(word)) {
            return RecordLayout.sequence(word);
        }
        final long end = store.valueOffset(pointer) - store.offset(pointer) + store.valueLength(pointer);
        return end + RecordLayout.ALIGNMENT - 1 & -RecordLayout.ALIGNMENT;
    }
}
