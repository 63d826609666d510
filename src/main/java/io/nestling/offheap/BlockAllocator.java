/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;

import java.util.Arrays;

/**
 * Allocates zeroed blocks of a few fixed sizes in one slab and reclaims them: at once if no reader ever saw
 * them ({@link #free}), or when the readers that may still hold them have left ({@link #retire}).
 * <h2>Thread safety</h2>
 * One writer at a time. Readers use the slab, never the allocator.
 * <h2>Invariants</h2>
 * <ol>
 * <li>The first {@link #RESERVED_BYTES} are never allocated, so that offset 0 denotes no block.</li>
 * <li>A block is aligned to its size, at most to 64 bytes.</li>
 * <li>Used, free and retired blocks never overlap and fill the slab up to the bump pointer.</li>
 * </ol>
 */
public final class BlockAllocator implements AutoCloseable {
    /** Bytes at the start of the slab that belong to the owner, for its root. */
    public static final int RESERVED_BYTES = 64;
    private static final int LINE_BYTES = 64;
    private static final int CLASS_MASK = 15;

    private final GrowingSlab growing;
    private final Slab slab;
    private final int[] classBytes;
    private final long[] freeHeads;
    private final long[] freeCounts;
    /* Free blocks of each class that the reservation counts on. */
    private final long[] reservedFree;
    private boolean reservesFree;
    private final RetiredBlocks retired;
    private long next = RESERVED_BYTES;
    private long reservedUntil;
    private long bytesFree;
    private long bytesRetired;

    /**
     * Creates an allocator with an empty slab, charged to the budget as it grows. Block sizes ascend and are powers of two from
     * 16; a block's class is its index there.
     */
    public BlockAllocator(
        final SlabAllocator allocator, final MemoryBudget budget, final EpochReclaimer epochs,
        final long maxBytes, final int... classBytes) {
        this.growing = new GrowingSlab(allocator, budget, maxBytes);
        this.slab = growing.slab();
        this.retired = new RetiredBlocks(epochs, this::freeRetired);
        this.classBytes = classBytes.clone();
        this.freeHeads = new long[classBytes.length];
        this.freeCounts = new long[classBytes.length];
        this.reservedFree = new long[classBytes.length];
        if (!growing.growTo(RESERVED_BYTES)) {
            growing.close();
            throw new SpaceExhaustedException("a slab begins with " + growing.stepEnd(RESERVED_BYTES) + " bytes, the budget has "
                + budget.remaining() + " left of " + budget.capacity());
        }
    }

    /** Returns the slab that the blocks lie in. */
    public Slab slab() {
        return slab;
    }

    /**
     * Makes space for a number of blocks of one class, or of smaller classes in place of them, to be allocated next; throws if
     * they do not fit.
     */
    public void requireSpace(final long blocks, final int sizeClass) {
        // One line more than the blocks take, for alignment.
        final long bytes = blocks * classBytes[sizeClass] + LINE_BYTES;
        if (next + bytes > growing.limit() && !growing.growTo(next + bytes)) {
            requireFree(blocks, sizeClass);
        }
    }

    /**
     * Reserves a number of blocks of one class, or of smaller classes in place of them. Replaces the reservation before: memory
     * that was charged for it and is not in use is released to the budget. If they do not fit, it throws, and the reservation
     * before is gone.
     */
    public void reserve(final long blocks, final int sizeClass) {
        if (reserveUntil(next + blocks * classBytes[sizeClass] + LINE_BYTES)) {
            return;
        }
        try {
            requireSpace(blocks, sizeClass);
        } catch (final SpaceExhaustedException e) {
            reservedUntil = next;
            throw e;
        }
    }

    /**
     * Reserves blocks as {@link #reserve(long, int)}, and bytes for blocks of any class. These bytes are never reserved in free
     * blocks, of which none may be of the right class. Reserved free blocks are divided for smaller ones by {@link
     * #tryAllocate(int, int)}.
     */
    public void reserve(final long blocks, final int sizeClass, final long bytes) {
        if (reserveUntil(next + blocks * classBytes[sizeClass] + bytes + LINE_BYTES) || growing.growTo(reservedUntil)) {
            return;
        }
        reclaim();
        // One block more for each smaller class, of which a part may be left.
        final long wanted = blocks + sizeClass;
        final long free = Math.min(wanted, freeCounts[sizeClass]);
        final long fresh = (wanted - free) * classBytes[sizeClass] + bytes;
        reservedUntil = next;
        if (fresh > 0) {
            if (!growing.growTo(next + fresh + LINE_BYTES)) {
                throw exhausted(blocks + " blocks of " + classBytes[sizeClass] + " bytes and " + bytes + " bytes for others");
            }
            reservedUntil = next + fresh + LINE_BYTES;
        }
        reservedFree[sizeClass] = free;
        reservesFree = true;
    }

    /** Replaces the reservation by one of fresh memory; returns false if the slab has to grow for that. */
    private boolean reserveUntil(final long end) {
        if (reservesFree) {
            Arrays.fill(reservedFree, 0);
            reservesFree = false;
        }
        reservedUntil = end;
        if (end > growing.limit()) {
            return false;
        }
        growing.shrinkTo(end);
        return true;
    }

    /** Returns the offset of a new zeroed block if it fits beside the reservation, else 0. */
    public long tryAllocateUnreserved(final int sizeClass) {
        if (freeCounts[sizeClass] > reservedFree[sizeClass]) {
            return takeFree(sizeClass);
        }
        final long before = next;
        if (!growing.growTo(Math.max(reservedUntil, before) + classBytes[sizeClass] + LINE_BYTES)) {
            return 0;
        }
        final long block;
        if (isHalf(sizeClass)) {
            block = freeCounts[1] > reservedFree[1] ? takeFree(1) : bump(1);
            freeHalf(block);
        } else {
            block = bump(sizeClass);
        }
        reservedUntil += next - before;
        return block;
    }

    /**
     * Returns whether blocks of some bytes in all fit into fresh memory beside the reservation. The memory is charged but not
     * allocated.
     */
    public boolean hasUnreserved(final long bytes) {
        return growing.growTo(Math.max(reservedUntil, next) + bytes + LINE_BYTES);
    }

    private void requireFree(final long blocks, final int sizeClass) {
        reclaim();
        final long bumped = Math.max(0, (growing.limit() - next - LINE_BYTES) / classBytes[sizeClass]);
        if (freeCounts[sizeClass] + bumped < blocks) {
            throw exhausted(blocks + " blocks of " + classBytes[sizeClass] + " bytes");
        }
    }

    private SpaceExhaustedException exhausted(final String wanted) {
        return new SpaceExhaustedException(wanted + " do not fit: " + growing.limit() + " of " + slab.size()
            + " bytes of the index are taken, " + bytesFree + " of them free, " + bytesRetired + " held for readers");
    }

    private void reclaim() {
        if (bytesRetired > 0) {
            retired.reclaim();
        }
    }

    /**
     * Returns the offset of a new zeroed block. If it does not fit, throws, but never for blocks that {@link #requireSpace} has
     * made space for.
     */
    public long allocate(final int sizeClass) {
        final long block = tryAllocate(sizeClass);
        if (block == 0) {
            throw new SpaceExhaustedException(
                "no block of " + classBytes[sizeClass] + " bytes: " + growing.limit() + " of " + slab.size()
                    + " bytes of the index are taken");
        }
        return block;
    }

    /** Returns the offset of a new zeroed block if it fits, else 0. */
    public long tryAllocate(final int sizeClass) {
        if (freeCounts[sizeClass] > 0) {
            reservedFree[sizeClass] -= reservedFree[sizeClass] > 0 ? 1 : 0;
            return takeFree(sizeClass);
        }
        if (!isHalf(sizeClass)) {
            return bump(sizeClass);
        }
        final long pair = tryAllocate(1);
        freeHalf(pair);
        return pair;
    }

    /**
     * Returns the offset of a new zeroed block if it fits, else 0: if need be one that readers have just left, or a part of a
     * free block of a larger class, which is divided. Reserved blocks of that class are divided first, as fresh memory may be
     * reserved for blocks that cannot come from there. With the same class in place of a larger one, none is divided.
     */
    public long tryAllocate(final int sizeClass, final int larger) {
        if (freeCounts[sizeClass] == 0 && reservedFree[larger] > 0) {
            return divide(sizeClass, larger);
        }
        final long block = tryAllocate(sizeClass);
        if (block != 0) {
            return block;
        }
        if (freeCounts[larger] == 0) {
            reclaim();
        }
        if (freeCounts[sizeClass] > 0) {
            return tryAllocate(sizeClass);
        }
        return freeCounts[larger] > 0 ? divide(sizeClass, larger) : 0;
    }

    /** Divides a free block; its parts are reserved if it was. */
    private long divide(final int sizeClass, final int larger) {
        final boolean reserved = reservedFree[larger] > 0;
        final long block = tryAllocate(larger);
        final int bytes = classBytes[sizeClass];
        for (int at = bytes; at < classBytes[larger]; at += bytes) {
            free(block + at, sizeClass);
            reservedFree[sizeClass] += reserved ? 1 : 0;
        }
        return block;
    }

    private long takeFree(final int sizeClass) {
        final int bytes = classBytes[sizeClass];
        final long head = freeHeads[sizeClass];
        freeHeads[sizeClass] = slab.getLong(head);
        freeCounts[sizeClass]--;
        bytesFree -= bytes;
        slab.clear(head, bytes);
        return head;
    }

    /** Returns whether blocks are halves of blocks of the next class, which keeps the bump pointer aligned. */
    private boolean isHalf(final int sizeClass) {
        return sizeClass == 0 && classBytes[0] < LINE_BYTES;
    }

    private void freeHalf(final long pair) {
        if (pair != 0) {
            free(pair + classBytes[0], 0);
        }
    }

    private long bump(final int sizeClass) {
        final int bytes = classBytes[sizeClass];
        final int alignment = Math.min(bytes, LINE_BYTES);
        long block = next;
        if ((block & (alignment - 1)) != 0) {
            block += classBytes[1] - (block & (classBytes[1] - 1)) & (classBytes[1] - 1);
            if ((block & (alignment - 1)) != 0) {
                if (!growing.growTo(block + classBytes[1] + bytes)) {
                    return 0;
                }
                next = block + classBytes[1];
                free(block, 1);
                block = next;
            }
        }
        if (!growing.growTo(block + bytes)) {
            return 0;
        }
        next = block + bytes;
        return block;
    }

    /** Frees a block that no reader could ever see. */
    public void free(final long block, final int sizeClass) {
        slab.putLong(block, freeHeads[sizeClass]);
        freeHeads[sizeClass] = block;
        freeCounts[sizeClass]++;
        bytesFree += classBytes[sizeClass];
    }

    /** Retires a block that was just unlinked, to be reused when no reader holds it any more. */
    public void retire(final long block, final int sizeClass) {
        retired.expect(1); // may fail, so before the count
        bytesRetired += classBytes[sizeClass];
        retired.retire(block | sizeClass, 0);
    }

    /** Makes room on the heap for a number of blocks that will be retired soon, so that retiring them cannot fail. */
    public void expectRetired(final int count) {
        retired.expect(count);
    }

    private void freeRetired(final long entry) {
        final int sizeClass = (int) entry & CLASS_MASK;
        free(entry & ~CLASS_MASK, sizeClass);
        bytesRetired -= classBytes[sizeClass];
    }

    /** Returns the bytes of blocks in use, with the {@link #RESERVED_BYTES}. */
    public long bytesUsed() {
        return next - bytesFree - bytesRetired;
    }

    /** Returns the bytes of free blocks. */
    public long bytesFree() {
        return bytesFree;
    }

    /** Returns the bytes of retired blocks. */
    public long bytesRetired() {
        return bytesRetired;
    }

    /** Returns the bytes charged to the budget. */
    public long bytesReserved() {
        return growing.limit();
    }

    /** Returns the offsets of all free blocks of a class, for verifiers. */
    public long[] freeBlocks(final int sizeClass) {
        final long[] blocks = new long[(int) freeCounts[sizeClass]];
        long block = freeHeads[sizeClass];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = block;
            block = slab.getLong(block);
        }
        return blocks;
    }

    /** Releases the slab; closing twice does nothing. */
    @Override
    public void close() {
        growing.close();
    }
}
