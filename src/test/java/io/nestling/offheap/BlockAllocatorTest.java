/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.NettySlabs;
import io.nestling.testing.Seeds;
import io.netty.buffer.UnpooledByteBufAllocator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Blocks never overlap, come zeroed, and come again only when no reader can hold them. */
@Tag("bridge")
class BlockAllocatorTest {
    private static final int STEPS = 6000;
    private static final int LINE_BYTES = 64;

    /** A block of the model, with the word that it is filled with. */
    private record Block(long offset, int sizeClass, long fill) {
    }

    private BlockAllocator blocks;
    private int[] classBytes;
    private EpochReclaimer epochs;
    private MemoryBudget budget;
    private Random random;
    /** Blocks in use, by offset. */
    private final TreeMap<Long, Block> used = new TreeMap<>();
    /** Retired blocks with the epoch in which they were. */
    private final Map<Block, Long> retired = new java.util.HashMap<>();

    static Stream<Arguments> configurations() {
        final List<Arguments> list = new ArrayList<>();
        for (final boolean netty : new boolean[] {false, true}) {
            for (final int[] classes : new int[][] {{16, 32, 1024}, {32, 64}, {64}, {64, 128},
                {16, 32, 64, 512}}) {
                list.add(Arguments.of(netty, classes));
            }
        }
        return list.stream();
    }

    private void open(final boolean netty, final long budgetBytes, final long slabBytes,
        final int... classes) {
        classBytes = classes;
        epochs = new EpochReclaimer();
        budget = MemoryBudget.ofBytes(budgetBytes);
        blocks = new BlockAllocator(
            netty ? NettySlabs.of(UnpooledByteBufAllocator.DEFAULT) : SlabAllocator.direct(), budget,
            epochs,
            slabBytes, classes);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void shouldAgreeWithTheModel(final boolean netty, final int[] classes) {
        random = Seeds.random("BlockAllocatorTest " + netty + " " + java.util.Arrays.toString(classes));
        open(netty, 1 << 20, 1 << 20, classes);
        int token = -1;
        for (int step = 0; step < STEPS; step++) {
            final int choice = random.nextInt(100);
            if (choice < 45) {
                allocate();
            } else if (choice < 60) {
                free();
            } else if (choice < 90) {
                retire();
            } else if (choice < 94) {
                token = changeGuard(token);
            } else if (choice < 97) {
                epochs.tryAdvance();
            } else {
                checkRequiredSpace();
            }
            checkSums();
        }
        used.values().forEach(this::checkFill);
        checkFreeBlocks();
        blocks.close();
        blocks.close();
        assertEquals(0, budget.used());
    }

    private int changeGuard(final int token) {
        if (token >= 0) {
            epochs.exit(token);
            return -1;
        }
        return epochs.enter();
    }

    private void allocate() {
        final int sizeClass = random.nextInt(classBytes.length);
        final long offset = blocks.tryAllocate(sizeClass);
        if (offset == 0) {
            assertThrows(SpaceExhaustedException.class, () -> blocks.allocate(sizeClass));
            return;
        }
        take(offset, sizeClass);
    }

    /** Checks a new block and fills it. */
    private void take(final long offset, final int sizeClass) {
        final int bytes = classBytes[sizeClass];
        assertTrue(offset >= BlockAllocator.RESERVED_BYTES);
        assertEquals(0, offset % Math.min(bytes, LINE_BYTES), "alignment");
        assertTrue(offset + bytes <= blocks.bytesReserved());
        checkFreeOf(used.lowerEntry(offset + bytes), offset);
        for (final Map.Entry<Block, Long> waiting : retired.entrySet()) {
            final Block block = waiting.getKey();
            if (block.offset < offset + bytes && offset < block.offset + classBytes[block.sizeClass]) {
                assertTrue(epochs.isQuiescent(waiting.getValue()),
                    "a block that readers may hold came again");
            }
        }
        retired.keySet().removeIf(
            block -> block.offset < offset + bytes && offset < block.offset + classBytes[block.sizeClass]);
        for (int i = 0; i < bytes; i += Long.BYTES) {
            assertEquals(0, blocks.slab().getLong(offset + i), "not zeroed");
        }
        final Block block = new Block(offset, sizeClass, random.nextLong());
        for (int i = 0; i < bytes; i += Long.BYTES) {
            blocks.slab().putLong(offset + i, block.fill);
        }
        used.put(offset, block);
    }

    private void checkFreeOf(final Map.Entry<Long, Block> below, final long offset) {
        if (below != null) {
            final Block block = below.getValue();
            assertTrue(block.offset + classBytes[block.sizeClass] <= offset, "blocks overlap");
        }
    }

    private Block takeOut() {
        if (used.isEmpty()) {
            return null;
        }
        final Long at = used.ceilingKey((long) (random.nextDouble() * used.lastKey()));
        final Block block = used.remove(at);
        checkFill(block);
        return block;
    }

    private void checkFill(final Block block) {
        for (int i = 0; i < classBytes[block.sizeClass]; i += Long.BYTES) {
            assertEquals(block.fill, blocks.slab().getLong(block.offset + i), "overwritten");
        }
    }

    private void free() {
        final Block block = takeOut();
        if (block != null) {
            blocks.free(block.offset, block.sizeClass);
        }
    }

    private void retire() {
        final Block block = takeOut();
        if (block != null) {
            final long epoch = epochs.epoch();
            blocks.retire(block.offset, block.sizeClass);
            retired.put(block, epoch);
        }
        for (final Map.Entry<Block, Long> waiting : retired.entrySet()) {
            if (!epochs.isQuiescent(waiting.getValue())) {
                checkFill(waiting.getKey());
            }
        }
    }

    /** What {@code requireSpace} makes space for can be allocated, of the class or in smaller blocks. */
    private void checkRequiredSpace() {
        final int sizeClass = random.nextInt(classBytes.length);
        final int count = random.nextInt(20);
        try {
            blocks.requireSpace(count, sizeClass);
        } catch (final SpaceExhaustedException e) {
            assertTrue(e.getMessage().contains(count + " blocks"), e.getMessage());
            return;
        }
        for (int i = 0; i < count; i++) {
            final long offset = blocks.allocate(sizeClass);
            take(offset, sizeClass);
        }
    }

    private void checkSums() {
        final long inUse = used.values().stream().mapToLong(block -> classBytes[block.sizeClass]).sum();
        assertEquals(inUse + BlockAllocator.RESERVED_BYTES, blocks.bytesUsed());
        assertEquals(budget.used(), blocks.bytesReserved());
        assertTrue(blocks.bytesUsed() + blocks.bytesFree() + blocks.bytesRetired() <= blocks.bytesReserved());
    }

    private void checkFreeBlocks() {
        long bytes = 0;
        final TreeMap<Long, Block> all = new TreeMap<>(used);
        for (int sizeClass = 0; sizeClass < classBytes.length; sizeClass++) {
            for (final long offset : blocks.freeBlocks(sizeClass)) {
                checkFreeOf(all.lowerEntry(offset + classBytes[sizeClass]), offset);
                all.put(offset, new Block(offset, sizeClass, 0));
                bytes += classBytes[sizeClass];
            }
        }
        assertEquals(blocks.bytesFree(), bytes);
    }

    @Test
    void shouldUseEveryBlockAgainOnceReadersHaveLeft() {
        open(false, 64 << 10, 64 << 10, 32, 64);
        final List<Long> all = new ArrayList<>();
        for (long block = blocks.tryAllocate(1); block != 0; block = blocks.tryAllocate(1)) {
            all.add(block);
        }
        assertEquals((64 << 10) / 64 - 1, all.size());
        final int token = epochs.enter();
        all.forEach(block -> blocks.retire(block, 1));
        assertEquals(all.size() * 64L, blocks.bytesRetired());
        final SpaceExhaustedException e =
            assertThrows(SpaceExhaustedException.class, () -> blocks.requireSpace(1, 1));
        assertTrue(e.getMessage().contains(all.size() * 64L + " held for readers"), e.getMessage());
        assertEquals(0, blocks.tryAllocate(1));
        epochs.exit(token);
        blocks.requireSpace(all.size(), 1);
        for (int i = 0; i < all.size(); i++) {
            assertTrue(all.contains(blocks.allocate(1)));
        }
        assertThrows(SpaceExhaustedException.class, () -> blocks.requireSpace(1, 1));
        blocks.close();
    }

    @Test
    void shouldCutASmallBlockFromALargerOne() {
        open(false, 1 << 20, 1 << 20, 16, 32);
        final long first = blocks.allocate(0);
        final long second = blocks.allocate(0);
        assertEquals(first + 16, second);
        assertEquals(0, first % 32);
        assertNotEquals(second, blocks.allocate(1));
        assertEquals(0, blocks.bytesFree());
        blocks.close();
    }

    /** Opens an allocator of which all memory is in free blocks of the last class; returns their number. */
    private int openWithFreeBlocks(final int... classes) {
        open(false, 64 << 10, 64 << 10, classes);
        final int sizeClass = classes.length - 1;
        final List<Long> all = new ArrayList<>();
        for (long block = blocks.tryAllocate(sizeClass); block != 0; block = blocks.tryAllocate(sizeClass)) {
            all.add(block);
        }
        while (blocks.tryAllocate(0) != 0) {
            assertTrue(blocks.bytesUsed() > 0); // what is left behind the last block
        }
        all.forEach(block -> blocks.free(block, sizeClass));
        return all.size();
    }

    @Test
    void tryAllocateUnreservedLeavesReservedFreeBlocksAlone() {
        final int free = openWithFreeBlocks(16, 32, 1024);
        blocks.reserve(free - 4, 2, 0); // and two for what may be left of blocks of the smaller classes
        assertTrue(blocks.tryAllocateUnreserved(2) != 0);
        assertTrue(blocks.tryAllocateUnreserved(2) != 0);
        assertEquals(0, blocks.tryAllocateUnreserved(2), "the others are reserved");
        assertEquals(0, blocks.tryAllocateUnreserved(0));
        for (int i = 0; i < free - 2; i++) {
            assertTrue(blocks.tryAllocate(2) != 0);
        }
        assertEquals(0, blocks.tryAllocate(2));
        blocks.close();
    }

    @Test
    void shouldDivideAFreeBlockForSmallerOnesAndKeepThePartsOfAPromisedOne() {
        final int free = openWithFreeBlocks(16, 32, 64, 1024);
        blocks.reserve(free - 3, 3, 0);
        final long first = blocks.tryAllocate(1, 3);
        assertTrue(first != 0);
        assertEquals(0, first % 32);
        assertEquals(0, blocks.tryAllocateUnreserved(1), "the other parts are reserved, too");
        for (int i = 1; i < 1024 / 32; i++) {
            final long part = blocks.tryAllocate(1, 3);
            assertTrue(part > first && part < first + 1024, "another part");
        }
        final long other = blocks.tryAllocate(1, 3);
        assertTrue(other < first || other >= first + 1024, "the next one is divided");
        blocks.reserve(0, 3, 0);
        assertTrue(blocks.tryAllocateUnreserved(1) != 0, "nothing is reserved any more");
        assertTrue(blocks.tryAllocate(0, 3) != 0);
        blocks.close();
    }

    @Test
    void shouldPromiseNoFreeBlocksForOthersOfAnyClass() {
        final int free = openWithFreeBlocks(16, 32, 1024);
        blocks.reserve(free - 2, 2, 0);
        final SpaceExhaustedException e =
            assertThrows(SpaceExhaustedException.class, () -> blocks.reserve(1, 2, 512));
        assertTrue(e.getMessage().contains("1 blocks of 1024 bytes and 512 bytes for others"), e.getMessage());
        assertThrows(SpaceExhaustedException.class, () -> blocks.reserve(free - 1, 2, 0));
        blocks.close();
    }

    @Test
    void shouldPromiseFreeBlocksBesideMemoryThatWasNeverInUse() {
        open(false, 64 << 10, 64 << 10, 16, 32, 1024);
        final List<Long> some = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            some.add(blocks.allocate(2));
        }
        some.forEach(block -> blocks.free(block, 2));
        assertThrows(SpaceExhaustedException.class, () -> blocks.reserve(40, 2, 22 << 10));
        blocks.reserve(38, 2, 22 << 10);
        for (int i = 0; i < 38 * 64; i++) {
            assertTrue(blocks.tryAllocate(0, 2) != 0);
        }
        for (int i = 0; i < 22; i++) {
            assertTrue(blocks.tryAllocate(2) != 0);
        }
        blocks.close();
    }

    @Test
    void shouldLeaveSpaceForOthersWhenTheBudgetIsShared() {
        open(false, 1 << 20, 8 << 20, 64, 128);
        assertTrue(budget.tryAcquire(budget.remaining() - budget.step()));
        blocks.requireSpace(budget.step() / 64, 0);
        final SpaceExhaustedException e = assertThrows(
            SpaceExhaustedException.class, () -> blocks.requireSpace(3 * budget.step() / 64, 0));
        assertTrue(e.getMessage().contains("blocks of 64 bytes do not fit"), e.getMessage());
        assertEquals(0, budget.remaining());
        blocks.close();
    }

    @Test
    void newAllocatorThrowsSpaceExhaustedWhenTheBudgetIsEmpty() {
        final MemoryBudget empty = MemoryBudget.ofBytes(100);
        final KeepingAllocator slabs = new KeepingAllocator(SlabAllocator.direct());
        assertThrows(SpaceExhaustedException.class,
            () -> new BlockAllocator(slabs, empty, new EpochReclaimer(), 1 << 20, 64));
        assertEquals(0, empty.used());
        assertEquals(1, slabs.count());
        assertThrows(IllegalStateException.class, () -> slabs.slab(0).getInt(0));
    }
}
