/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import static io.nestling.cocuckoo.RegionLayout.*;

import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.RetiredBlocks;
import io.nestling.offheap.Slab;

import java.util.stream.LongStream;

/**
 * Allocates blocks for regions and stashes. A block that no other thread ever saw is free at once ({@link #free}), any other one
 * when no thread can hold it any more ({@link #retire}). A block's kind is the size class of a region, or {@link #STASH}.
 * <h2>Thread safety</h2>
 * Any thread may call any method, {@code close} only when no other thread uses the arena.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Blocks in use, free and retired blocks never overlap; with what cutting or a lack of heap lost, they fill the slab up to
 * the position.</li>
 * <li>Free blocks and the memory behind the position suffice for all reserved stash blocks.</li>
 * </ol>
 */
final class RegionArena implements AutoCloseable {
    /** Kind of the blocks of a stash. */
    static final int STASH = SIZE_CLASSES;
    static final int KINDS = SIZE_CLASSES + 1;
    /** Bytes of a block of a stash. */
    static final int STASH_BYTES = 2 * LINE_BYTES;

    /** Offset of the first region in the slab. */
    static final int FIRST_REGION = MoveCounts.OFFSET + MoveCounts.BYTES;

    private final GrowingSlab growing;
    private final Slab slab;
    private final long maxBytes;
    private final int[] kindBytes = new int[KINDS];
    private final long[] freeHeads = new long[KINDS];
    private final int[] freeCounts = new int[KINDS];
    private final RetiredBlocks retired;
    private long position = FIRST_REGION;
    private long freeBytes;
    private long retiredBytes;
    private long lostBytes;
    private volatile long reserved;

    RegionArena(final GrowingSlab growing, final long maxBytes, final EpochReclaimer epochs) {
        this.maxBytes = Math.min(maxBytes, growing.slab().size());
        this.growing = growing;
        this.slab = growing.slab();
        this.retired = new RetiredBlocks(epochs, this::freeRetired);
        for (int sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++) {
            kindBytes[sizeClass] = regionBytes(sizeClass);
        }
        kindBytes[STASH] = STASH_BYTES;
    }

    Slab slab() {
        return slab;
    }

    // ---- taking ----

    /** Allocates a stash block of arbitrary content; returns {@link RegionLayout#NULL} if reservations leave none. */
    synchronized long allocateStash() {
        return allocateStash(reserved);
    }

    /**
     * Returns the number of a block for a region of a size class, or of a larger class if there is none; {@link
     * RegionLayout#NULL} if reservations leave no block. Larger blocks are not cut: their parts would be too small for most
     * regions for ever.
     */
    synchronized long allocateRegion(final int least, final int most) {
        for (int sizeClass = least; sizeClass <= most; sizeClass++) {
            final long block = allocate(sizeClass, reserved);
            if (block != NULL) {
                return RegionLayout.region(block, sizeClass);
            }
        }
        return NULL;
    }

    /** Allocates a stash block for a key with a reservation, which counts as put only afterwards. */
    synchronized long allocateReserved() {
        return reserved == 0 ? NULL : allocateStash(reserved - 1);
    }

    private long allocateStash(final long toKeep) {
        final long block = allocate(STASH, toKeep);
        return block == NULL ? cut(toKeep) : block;
    }

    private long allocate(final int kind, final long toKeep) {
        final int bytes = kindBytes[kind];
        final long available = stashBlocksAvailable(position);
        if (freeHeads[kind] != NULL && available - stashBlocks(bytes) >= toKeep) {
            return pop(kind);
        }
        if (growTo(position + bytes) && stashBlocksAvailable(position + bytes) >= toKeep
            || growTo(position + bytes + toKeep * STASH_BYTES)) {
            position += bytes;
            return position - bytes;
        }
        return NULL;
    }

    private boolean growTo(final long end) {
        return end <= maxBytes && growing.growTo(end);
    }

    /** Cuts a larger block into stash blocks and takes the first of them. */
    private long cut(final long toKeep) {
        if (stashBlocksAvailable(position) - 1 < toKeep) {
            return NULL;
        }
        for (int from = 0; from < SIZE_CLASSES; from++) {
            if (freeHeads[from] != NULL && kindBytes[from] > STASH_BYTES) {
                final long block = pop(from);
                final long end = block + kindBytes[from];
                long at = block + STASH_BYTES;
                for (; at + STASH_BYTES <= end; at += STASH_BYTES) {
                    push(at, STASH);
                }
                lostBytes += end - at;
                return block;
            }
        }
        return NULL;
    }

    private static long stashBlocks(final long bytes) {
        return bytes / STASH_BYTES;
    }

    /** Returns the number of stash blocks that free blocks and the charged memory from an offset on can give. */
    private long stashBlocksAvailable(final long from) {
        long blocks = stashBlocks(Math.min(growing.limit(), maxBytes) - from);
        for (int kind = 0; kind < KINDS; kind++) {
            blocks += freeCounts[kind] * stashBlocks(kindBytes[kind]);
        }
        return blocks;
    }

    // ---- reservations ----

    /**
     * Reserves a number of stash blocks in place of the earlier reservation, and returns surplus memory to the budget. If they do
     * not fit, it throws, and the earlier reservation is gone.
     */
    synchronized void reserve(final int blocks) {
        reserved = 0;
        if (stashBlocksAvailable(position) < blocks && !growTo(position + (long) blocks * STASH_BYTES)) {
            throw exhausted((long) blocks * STASH_BYTES);
        }
        reserved = blocks;
        growing.shrinkTo(position + (long) blocks * STASH_BYTES);
    }

    boolean hasReservations() {
        return reserved > 0;
    }

    /** Uses up one reserved block, if any. */
    void useReservation() {
        if (reserved > 0) {
            synchronized (this) {
                reserved = Math.max(0, reserved - 1);
            }
        }
    }

    /** Returns the exception for a number of bytes that do not fit. */
    synchronized SpaceExhaustedException exhausted(final long bytes) {
        return new SpaceExhaustedException(
            bytes + " bytes do not fit: " + growing.limit() + " of " + slab.size() + " bytes of the index are taken, " + freeBytes
                + " of them free, " + retiredBytes + " held for readers, " + reserved + " blocks reserved");
    }

    // ---- freeing ----

    /** Frees a block that no other thread was ever able to see. */
    synchronized void free(final long block, final int kind) {
        push(block, kind);
    }

    /** Retires a block that was just unlinked; it is reused when no thread holds it any more. */
    synchronized void retire(final long block, final int kind) {
        try {
            retired.expect(1);
        } catch (final OutOfMemoryError e) {
            // The block's content is elsewhere by now: the caller's operation has succeeded.
            lostBytes += kindBytes[kind];
            return;
        }
        retiredBytes += kindBytes[kind];
        retired.retire(block | kind, 0);
        retired.advance();
    }

    /** Frees retired blocks that no thread holds; returns whether there were any. The caller holds no guard. */
    synchronized boolean reclaim() {
        final long before = retiredBytes;
        if (before > 0) {
            retired.reclaim();
        }
        return retiredBytes < before;
    }

    private void freeRetired(final long entry) {
        final int kind = (int) entry & LINE_BYTES - 1;
        push(entry - kind, kind);
        retiredBytes -= kindBytes[kind];
    }

    private void push(final long block, final int kind) {
        slab.putLong(block, freeHeads[kind]);
        freeHeads[kind] = block;
        freeCounts[kind]++;
        freeBytes += kindBytes[kind];
    }

    private long pop(final int kind) {
        final long block = freeHeads[kind];
        freeHeads[kind] = slab.getLong(block);
        freeCounts[kind]--;
        freeBytes -= kindBytes[kind];
        return block;
    }

    // ---- figures ----

    /** Returns the number of bytes of blocks in use. */
    synchronized long bytesUsed() {
        return position - FIRST_REGION - freeBytes - retiredBytes - lostBytes;
    }

    synchronized long bytesFree() {
        return freeBytes;
    }

    synchronized long bytesRetired() {
        return retiredBytes;
    }

    int kindBytes(final int kind) {
        return kindBytes[kind];
    }

    /** Returns the offset behind the last block that was ever allocated. */
    synchronized long position() {
        return position;
    }

    /** Returns the free and retired blocks, each with its kind in its lowest bits, for verifiers. */
    synchronized long[] idleBlocks() {
        final LongStream.Builder idle = LongStream.builder();
        for (int kind = 0; kind < KINDS; kind++) {
            for (long block = freeHeads[kind]; block != NULL; block = slab.getLong(block)) {
                idle.add(block | kind);
            }
        }
        retired.forEach(idle);
        return idle.build().toArray();
    }

    synchronized long bytesLost() {
        return lostBytes;
    }

    @Override
    public synchronized void close() {
        growing.close();
    }
}
