/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.bridge.BridgeReport;
import io.nestling.bridge.HugePages;
import io.nestling.bridge.NativeBridge;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.NettySlabs;
import io.nestling.testing.Seeds;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A slab keeps what is written, in every access mode, and refuses what lies outside or comes late. */
@Tag("bridge")
class SlabTest {
    /** A thread for each task: the common pool may have one only. */
    private static final Executor THREADS = task -> new Thread(task).start();
    private static final int SIZE = 1 << 16;
    private static final int STRIDE = 24;

    static Stream<SlabAllocator> allocators() {
        return Stream.of(
            SlabAllocator.direct(), NettySlabs.of(UnpooledByteBufAllocator.DEFAULT),
            NettySlabs.of(new PooledByteBufAllocator(true)));
    }

    @Test
    void shouldMapTheSameKindOfMemoryInAnInterruptedThread() {
        final long bytes = 64 * MemoryBudget.SLAB_BYTES;
        final BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
        final long before = direct.getMemoryUsed();
        Thread.currentThread().interrupt();
        try (Slab slab = SlabAllocator.direct().allocate(bytes)) {
            slab.putLong(bytes - Long.BYTES, 1);
            assertTrue(!Slab.isLazy() || direct.getMemoryUsed() - before < bytes, "a direct buffer in place of a mapping");
        } finally {
            assertTrue(Thread.interrupted(), "the interrupt status is kept");
        }
    }

    @Test
    void shouldMapAFileAgainWhenAnInterruptClosesIt() throws IOException {
        final AtomicInteger tries = new AtomicInteger();
        try {
            final int read = TemporaryFiles.map(channel -> {
                if (tries.getAndIncrement() < 2) {
                    Thread.currentThread().interrupt();
                }
                return channel.map(FileChannel.MapMode.PRIVATE, 0, SIZE).get(SIZE - 1);
            });
            assertEquals(0, read);
            assertEquals(3, tries.get());
        } finally {
            assertTrue(Thread.interrupted(), "the interrupt status is kept");
        }
    }

    private static Slab open(final SlabAllocator allocator) {
        final Slab slab = allocator.allocate(SIZE);
        if (!slab.zeroed()) {
            slab.clear(0, slab.size());
        }
        return slab;
    }

    @Test
    void shouldTakeSmallPagesWhereAskedTo() {
        try (Slab slab = SlabAllocator.direct().allocate(2 * NativeBridge.HUGE_PAGE_BYTES)) {
            slab.useSmallPages(0, slab.size());
            for (long offset = 0; offset < slab.size(); offset += Long.BYTES) {
                slab.putLong(offset, offset);
            }
            assertEquals(slab.size() - Long.BYTES, slab.getLong(slab.size() - Long.BYTES));
            // Exact only where no neighbour is on huge pages; it never counts too few.
            final long address = slab.address(0);
            assumeTrue(address != 0 && BridgeReport.probe().hugePages(), "no huge pages to go without");
            assertTrue(HugePages.bytesOfMappings(address, slab.size()) < slab.size(), "all of it is on huge pages");
        }
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void shouldAgreeWithAnArray(final SlabAllocator allocator) {
        final Random random = Seeds.random("SlabTest " + allocator.getClass().getSimpleName());
        final ByteBuffer model = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        try (Slab slab = open(allocator)) {
            for (int i = 0; i < 20_000; i++) {
                write(slab, model, random);
                read(slab, model, random.nextInt(SIZE - STRIDE), random);
            }
            final byte[] whole = new byte[SIZE];
            slab.getBytes(0, whole, 0, SIZE);
            assertArrayEquals(model.array(), whole);
        }
    }

    private static void write(final Slab slab, final ByteBuffer model, final Random random) {
        final int at = random.nextInt(SIZE - STRIDE);
        final long value = random.nextLong();
        final int aligned = at & -Long.BYTES;
        switch (random.nextInt(15)) {
            case 0:
                slab.putByte(at, (byte) value);
                model.put(at, (byte) value);
                break;
            case 1:
                slab.putShort(at, (short) value);
                model.putShort(at, (short) value);
                break;
            case 2:
                slab.putInt(at, (int) value);
                model.putInt(at, (int) value);
                break;
            case 3:
                slab.putIntRelease(aligned, (int) value);
                model.putInt(aligned, (int) value);
                break;
            case 4:
                assertFalse(slab.compareAndSetInt(aligned, ~model.getInt(aligned), (int) value));
                assertTrue(slab.compareAndSetInt(aligned, model.getInt(aligned), (int) value));
                model.putInt(aligned, (int) value);
                break;
            case 5:
                slab.putLong(at, value);
                model.putLong(at, value);
                break;
            case 6:
                slab.putLongRelease(aligned, value);
                model.putLong(aligned, value);
                break;
            case 7:
                assertFalse(slab.compareAndSetLong(aligned, ~model.getLong(aligned), value));
                assertTrue(slab.compareAndSetLong(aligned, model.getLong(aligned), value));
                model.putLong(aligned, value);
                break;
            case 9:
                final int start = Math.min(at, SIZE - Slab.BLOCK_BYTES);
                slab.putSeries(start, value, at);
                for (int i = 0; i < 4; i++) {
                    model.putLong(start + i * Long.BYTES, value + (long) i * at);
                }
                break;
            case 8:
                final int length = random.nextInt(STRIDE + 1);
                slab.clear(at, length);
                Arrays.fill(model.array(), at, at + length, (byte) 0);
                break;
            default:
                writeBytes(slab, model, at, random);
                break;
        }
    }

    private static void writeBytes(final Slab slab, final ByteBuffer model, final int at,
        final Random random) {
        final byte[] bytes = new byte[random.nextInt(Math.min(500, SIZE - at))];
        random.nextBytes(bytes);
        final int skip = bytes.length / 3;
        final int length = bytes.length - skip;
        switch (random.nextInt(4)) {
            case 0:
                slab.putBytes(at, bytes, skip, length);
                break;
            case 1:
                slab.putBytes(at, new UnsafeBuffer(bytes), skip, length);
                break;
            case 2:
                slab.putBytes(at, new UnsafeBuffer(ByteBuffer.allocateDirect(bytes.length).put(0, bytes)),
                    skip, length);
                break;
            default:
                assertEquals(ByteOrder.LITTLE_ENDIAN, slab.view(at, length).order());
                slab.view(at, length).put(bytes, skip, length);
                break;
        }
        System.arraycopy(bytes, skip, model.array(), at, length);
    }

    private static void read(final Slab slab, final ByteBuffer model, final int at, final Random random) {
        final int aligned = at & -Long.BYTES;
        assertEquals(model.get(at), slab.getByte(at));
        assertEquals(model.getShort(at), slab.getShort(at));
        assertEquals(model.getInt(at), slab.getInt(at));
        assertEquals(model.getInt(aligned), slab.getIntAcquire(aligned));
        assertEquals(model.getLong(at), slab.getLong(at));
        assertEquals(model.getLong(aligned), slab.getLongAcquire(aligned));
        final int length = random.nextInt(STRIDE);
        final byte[] expected = Arrays.copyOfRange(model.array(), at, at + length);
        final byte[] copy = new byte[length + 2];
        slab.getBytes(at, copy, 1, length);
        assertArrayEquals(expected, Arrays.copyOfRange(copy, 1, length + 1));
        assertEquals(model.getShort(at) & 0xFFFF | model.getShort(at + 8) << 16, slab.getShortPair(at));
        final int blockBytes = Slab.BLOCK_BYTES + random.nextInt(3 * Slab.BLOCK_BYTES + 1);
        final int block = Math.min(at, SIZE - blockBytes);
        final byte[] blockCopy = new byte[blockBytes + 2];
        slab.getBlocks(block, blockCopy, 1, blockBytes);
        final ByteBuffer expectedBlock = ByteBuffer.allocate(blockBytes + 2);
        expectedBlock.put(1, model.array(), block, blockBytes);
        assertArrayEquals(expectedBlock.array(), blockCopy);
        for (final MutableDirectBuffer buffer : List.of(
            new UnsafeBuffer(new byte[length + 3]), new UnsafeBuffer(ByteBuffer.allocateDirect(length + 3)),
            new ExpandableArrayBuffer(1))) {
            slab.getBytes(at, buffer, 3, length);
            final byte[] read = new byte[length];
            buffer.getBytes(3, read);
            assertArrayEquals(expected, read);
        }
        final ByteBuffer view = slab.view(at, length);
        assertEquals(length, view.remaining());
        assertEquals(ByteBuffer.wrap(expected), view);
        slab.prefetch(at);
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void shouldRefuseWhatLiesOutside(final SlabAllocator allocator) {
        assumeTrue(Slab.CHECKS, "checks are off");
        try (Slab slab = open(allocator)) {
            final long end = slab.size();
            for (final Runnable access : List.<Runnable>of(
                () -> slab.getByte(-1), () -> slab.getByte(end), () -> slab.putByte(end, (byte) 1),
                () -> slab.getShort(end - 1), () -> slab.putShort(-1, (short) 1),
                () -> slab.getInt(end - 3), () -> slab.putInt(-4, 1), () -> slab.getIntAcquire(end),
                () -> slab.putIntRelease(end, 1), () -> slab.compareAndSetInt(-4, 1, 1),
                () -> slab.getLong(end - 7), () -> slab.putLong(1L << 40, 1), () -> slab.getLongAcquire(end),
                () -> slab.putLongRelease(-8, 1), () -> slab.compareAndSetLong(end, 1, 1),
                () -> slab.getBytes(end - 5, new byte[9], 0, 6),
                () -> slab.putBytes(end - 5, new byte[9], 0, 6),
                () -> slab.getBlocks(end - 31, new byte[32], 0, 32), () -> slab.getBlocks(-1, new byte[32], 0, 32),
                () -> slab.getBlocks(0, new byte[32], 1, 32), () -> slab.getBlocks(end - 99, new byte[128], 0, 100),
                () -> slab.getBlocks(end - 127, new byte[128], 0, 128), () -> slab.getBlocks(-8, new byte[128], 0, 128),
                () -> slab.getShortPair(end - 9), () -> slab.getShortPair(-1), () -> slab.putSeries(end - 31, 1, 1),
                () -> slab.putSeries(-1, 1, 1), () -> slab.matchInts(end - 44, 16, 1, 1), () -> slab.slotBits(end - 55, 1),
                () -> slab.slotBitsWithout(end - 55, 1, 7), () -> slab.getLongs(end - 15, new long[2], 2),
                () -> slab.putLongs(end - 15, new long[2], 2), () -> slab.getLongs(-8, new long[2], 1),
                () -> slab.getLongs(0, new long[2], 3), () -> slab.putLongs(0, new long[2], 3),
                () -> slab.getBytes(end - 5, new UnsafeBuffer(new byte[9]), 0, 6),
                () -> slab.putBytes(-1, new UnsafeBuffer(new byte[9]), 0, 6),
                () -> slab.view(end - 5, 6), () -> slab.clear(end - 8, 16), () -> slab.getInt(1L << 32))) {
                assertThrows(IndexOutOfBoundsException.class, access::run);
            }
            slab.putLong(end - 8, 7);
            assertEquals(7, slab.getLong(end - 8));
        }
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void shouldRefuseAccessAfterClose(final SlabAllocator allocator) {
        final Slab slab = open(allocator);
        slab.putLong(64, 1);
        slab.close();
        for (final Runnable access : List.<Runnable>of(
            () -> slab.getByte(64), () -> slab.getShort(64), () -> slab.getInt(64),
            () -> slab.getIntAcquire(64),
            () -> slab.getLong(64), () -> slab.getLongAcquire(64), () -> slab.putLong(64, 1),
            () -> slab.putIntRelease(64, 1), () -> slab.compareAndSetLong(64, 1, 1),
            () -> slab.getBytes(64, new byte[1], 0, 1), () -> slab.getBlocks(64, new byte[32], 0, 32),
            () -> slab.getShortPair(64), () -> slab.putSeries(64, 1, 1), () -> slab.putByte(0, (byte) 1), () -> slab.getByte(0),
            () -> slab.putShort(0, (short) 1), () -> slab.putInt(0, 1), () -> slab.matchSlots(0, 1, 0),
            () -> slab.view(64, 1), () -> slab.clear(64, 8))) {
            if (Slab.CHECKS) {
                assertThrows(IllegalStateException.class, access::run);
            } else {
                assertThrows(RuntimeException.class, access::run);
            }
        }
        if (Slab.CHECKS) {
            assertThrows(IllegalStateException.class, slab::close);
        } else {
            slab.close();
        }
    }

    @Test
    void shouldBeZeroedAndAlignedWhenMapped() {
        final long bytes = 5L << 20;
        try (Slab slab = SlabAllocator.direct().allocate(bytes)) {
            assertTrue(slab.zeroed());
            assertTrue(slab.size() >= bytes);
            assertEquals(0, slab.address(0) % MemoryBudget.SLAB_BYTES);
            for (long at = 0; at < bytes; at += Long.BYTES) {
                assertEquals(0, slab.getLong(at));
            }
            assertTrue(slab.address(0) == 0 || slab.address(100) == slab.address(0) + 100);
        }
    }

    @Test
    void shouldReserveMoreThanThereIsMemory() {
        final SlabAllocator direct = SlabAllocator.direct();
        assumeTrue(direct.lazy());
        try (Slab first = direct.allocate(Slab.MAX_BYTES >> 10); Slab second = direct.allocate(1L << 30)) {
            first.putLong(first.size() - 8, 1);
            second.putLong(second.size() - 8, 2);
            assertEquals(1, first.getLong(first.size() - 8));
            assertEquals(2, second.getLong(second.size() - 8));
        }
    }

    @Test
    void shouldTellOneThreadWhatAnotherHasReleased() throws Exception {
        try (Slab slab = open(SlabAllocator.direct())) {
            final int rounds = 200_000;
            final CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                for (int i = 1; i <= rounds; i++) {
                    slab.putLong(128 + (i & 255) * 8L, i);
                    slab.putIntRelease(64, i);
                }
            }, THREADS);
            int seen = 0;
            while (seen < rounds) {
                final int now = slab.getIntAcquire(64);
                assertTrue(now >= seen);
                assertTrue(now == 0 || slab.getLong(128 + (now & 255) * 8L) >= now);
                seen = now;
            }
            writer.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldBeTakenFromNettyAndGivenBack() {
        final UnpooledByteBufAllocator source = new UnpooledByteBufAllocator(true);
        final SlabAllocator allocator = NettySlabs.of(source);
        assertFalse(allocator.lazy());
        assertEquals(1L << 30, allocator.maxSlabBytes());
        final Slab slab = allocator.allocate(SIZE);
        assertFalse(slab.zeroed());
        assertEquals(SIZE, slab.size());
        assertTrue(source.metric().usedDirectMemory() >= SIZE);
        slab.close();
        assertEquals(0, source.metric().usedDirectMemory());
        assertThrows(SpaceExhaustedException.class, () -> allocator.allocate((1L << 30) + 1));
        assertThrows(NullPointerException.class, () -> NettySlabs.of(null));
    }

    @Test
    void allocateThrowsSpaceExhaustedWhenTheSizeIsOutOfRange() {
        final SlabAllocator direct = SlabAllocator.direct();
        assertEquals(Slab.MAX_BYTES, direct.maxSlabBytes());
        assertThrows(SpaceExhaustedException.class, () -> direct.allocate(Slab.MAX_BYTES + 1));
        assertThrows(SpaceExhaustedException.class, () -> direct.allocate(0));
        assertThrows(SpaceExhaustedException.class, () -> direct.allocate(-1));
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void shouldFindTheSlotsOfALineThatHaveANumber(final SlabAllocator allocator) {
        final Random random = Seeds.random("SlabTest.shouldFindTheSlotsOfALineThatHaveANumber");
        try (Slab slab = open(allocator)) {
            for (int i = 0; i < 2_000; i++) {
                final long line = random.nextInt(SIZE / 64) * 64L;
                final int ignored = i % 3 == 0 ? 0 : random.nextInt(Long.SIZE);
                final long number = i % 5 == 0 ? 0 : random.nextLong();
                int expected = 0;
                for (int slot = 0; slot < 4; slot++) {
                    // Equal, equal but for the ignored bits, or different in one bit that counts.
                    final int kind = random.nextInt(3);
                    final long noise = ignored == 0 ? 0 : random.nextLong() >>> Long.SIZE - ignored;
                    final long bit = 1L << ignored + random.nextInt(Long.SIZE - ignored);
                    slab.putLong(line + 16 * slot, number);
                    slab.putLong(line + 16 * slot + 8, kind == 0 ? number : kind == 1 ? number ^ noise : number ^ noise ^ bit);
                    expected |= kind == 2 ? 0 : 1 << slot;
                }
                final int bit = random.nextInt(Long.SIZE);
                int bits = 0;
                for (int slot = 0; slot < 4; slot++) {
                    final long first = random.nextLong();
                    slab.putLong(line + 16 * slot, first);
                    bits |= (int) (first >>> bit & 1) << slot;
                }
                assertEquals(bits, slab.slotBits(line, bit));
                assertEquals(slab.matchSlots(line, number, 0) == 0 ? bits : -1, slab.slotBitsWithout(line, bit, number));
                final long[] words = new long[9];
                slab.getLongs(line, words, 8);
                for (int k = 0; k < 9; k++) {
                    assertEquals(k == 8 ? 0 : slab.getLong(line + 8 * k), words[k]);
                }
                final long behind = line + 64 < SIZE ? slab.getLong(line + 64) : 0;
                slab.clear(line, 64);
                slab.putLongs(line, words, 8);
                for (int k = 0; k < 8; k++) {
                    assertEquals(words[k], slab.getLong(line + 8 * k));
                }
                assertEquals(behind, line + 64 < SIZE ? slab.getLong(line + 64) : 0);
                assertEquals(expected, slab.matchSlots(line, number, ignored), "slots with " + number + " but for " + ignored);
            }
            assertThrows(IndexOutOfBoundsException.class, () -> slab.matchSlots(slab.size() - 56, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> slab.matchSlots(-64, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> slab.slotBits(slab.size() - 48, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> slab.slotBits(-64, 0));
        }
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void shouldFindTheNumbersOfALineThatMatch(final SlabAllocator allocator) {
        final Random random = Seeds.random("SlabTest.shouldFindTheNumbersOfALineThatMatch");
        try (Slab slab = open(allocator)) {
            for (int i = 0; i < 2_000; i++) {
                final long line = random.nextInt(SIZE / 64) * 64L;
                final int stride = 4 + random.nextInt(17);
                final int mask = i % 3 == 0 ? -1 : random.nextInt() | 1 << random.nextInt(Integer.SIZE);
                final int number = i % 5 == 0 ? 0 : random.nextInt() & mask;
                int expected = 0;
                for (int k = 0; k < 4; k++) {
                    final boolean equal = random.nextBoolean();
                    slab.putInt(line + k * stride, number | random.nextInt() & ~mask);
                    if (!equal) {
                        final int bit = mask & -mask;
                        slab.putInt(line + k * stride, slab.getInt(line + k * stride) ^ bit);
                    }
                    expected |= equal ? 1 << k : 0;
                }
                assertEquals(expected, slab.matchInts(line, stride, number, mask), "every " + stride + " bytes, mask " + mask);
            }
            for (int k = 0; k < 4; k++) {
                slab.putInt(slab.size() - 16 + 4 * k, k);
            }
            assertEquals(1 << 3, slab.matchInts(slab.size() - 16, 4, 3, -1), "at the end of the slab");
            assertThrows(IndexOutOfBoundsException.class, () -> slab.matchInts(slab.size() - 12, 4, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> slab.matchInts(-64, 15, 0, 0));
        }
    }

    @Test
    void shouldFindTheCommonPrefix() {
        final Random random = Seeds.random("SlabTest prefixes");
        try (Slab slab = open(SlabAllocator.direct())) {
            for (int i = 0; i < 2000; i++) {
                final byte[] bytes = new byte[random.nextInt(60)];
                random.nextBytes(bytes);
                final int at = random.nextInt(1000);
                slab.putBytes(at, bytes, 0, bytes.length);
                final int changed = random.nextInt(60);
                final byte[] other = Arrays.copyOf(new byte[3], bytes.length + 3);
                System.arraycopy(bytes, 0, other, 3, bytes.length);
                if (changed < bytes.length) {
                    other[3 + changed] ^= (byte) (1 + random.nextInt(255));
                }
                assertEquals(
                    Math.min(changed, bytes.length),
                    SlabBytes.commonPrefix(slab, at, other, 3, bytes.length));
            }
        }
    }

    @Test
    void allocateThrowsSpaceExhaustedWithWhatToDoWhenThereIsTooLittleDirectMemory() {
        assumeTrue(Runtime.getRuntime().maxMemory() < 2L << 30, "direct memory may be as large as the heap");
        final SpaceExhaustedException e =
            assertThrows(SpaceExhaustedException.class, () -> SparseFileBuffer.allocate(Integer.MAX_VALUE, null));
        assertTrue(e.getMessage().startsWith(Integer.MAX_VALUE + " bytes can neither be mapped"), e.getMessage());
        assertTrue(e.getMessage().endsWith("on a disk, or a larger -XX:MaxDirectMemorySize"), e.getMessage());
    }

    @Test
    void shouldCopyBytesOfAnyLengthAndNoMore() {
        final Random random = Seeds.random("SlabTest copies");
        try (Slab slab = open(SlabAllocator.direct())) {
            for (int length = 0; length < 200; length++) {
                final byte[] bytes = new byte[length + 5];
                random.nextBytes(bytes);
                final byte[] around = new byte[length + 16];
                random.nextBytes(around);
                final int at = random.nextInt(1000);
                slab.putBytes(at, around, 0, around.length);
                SlabBytes.copyIn(slab, at + 7, bytes, 3, length);
                System.arraycopy(bytes, 3, around, 7, length);
                final byte[] read = new byte[around.length];
                slab.getBytes(at, read, 0, read.length);
                assertArrayEquals(around, read);

                final byte[] copied = new byte[length + 9];
                random.nextBytes(copied);
                final byte[] expected = copied.clone();
                System.arraycopy(bytes, 3, expected, 4, length);
                SlabBytes.copyOut(slab, at + 7, copied, 4, length);
                assertArrayEquals(expected, copied);
            }
        }
    }
}
