/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.IndexFactory;
import io.nestling.index.LookupResult;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.Effort;
import io.nestling.testing.LimitedAllocator;
import io.nestling.testing.NettySlabs;
import io.nestling.testing.ReferenceIndex;
import io.nestling.testing.Seeds;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Memtables that fill up. */
class MemtableSpaceTest {
    private static final long MIB = 1 << 20;

    static Stream<Arguments> sizes() {
        final List<Arguments> list = new ArrayList<>();
        TestIndexes.all().forEach(index -> {
            for (final boolean netty : new boolean[] {false, true}) {
                for (int shards = 1; shards <= 4; shards += Effort.count(3, 1, 1)) {
                    for (final long mebibytes : new long[] {1, 4}) {
                        // In each build every pair of two settings, not every triple.
                        if (Effort.current() != Effort.QUICK || netty == (shards > 1 == mebibytes > 1)) {
                            list.add(Arguments.of(index, netty, shards, mebibytes));
                        }
                    }
                }
            }
        });
        TestIndexes.real().forEach(index -> {
            list.add(Arguments.of(index, false, 1, (long) Effort.count(16, 64, 64)));
            if (Effort.current() != Effort.QUICK) {
                list.add(Arguments.of(index, true, 3, 64L));
            }
        });
        return list.stream();
    }

    static Stream<IndexFactory> realIndexes() {
        return TestIndexes.real();
    }

    /** Half a MiB a shard: 24,700 to 40,000 entries of 58 bytes, of which an index may waste little on what it begins with. */
    @ParameterizedTest
    @MethodSource("realIndexes")
    void shouldHoldManyKeysInSmallShards(final IndexFactory index) {
        final Random random = Seeds.random("MemtableSpaceTest small shards " + index);
        try (Memtable memtable = Memtable.open(
            MemtableOptions.builder().index(index).shards(8).capacityBytes(4 * MIB).build())) {
            final byte[] key = new byte[8];
            final byte[] value = new byte[50];
            int count = 0;
            for (; !memtable.isFull(); count++) {
                random.nextBytes(key);
                memtable.put(key, value);
            }
            assertTrue(count > 23_000, count + " entries");
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldBeFullBeforeAWriteIsRefused(
        final IndexFactory index, final boolean netty, final int shards, final long mebibytes) {
        final Random random = Seeds.random("MemtableSpaceTest " + index + " " + netty + " " + shards + " "
            + mebibytes);
        final UnpooledByteBufAllocator source = new UnpooledByteBufAllocator(true);
        final SlabAllocator allocator = netty ? NettySlabs.of(source) : SlabAllocator.direct();
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(index).shards(shards)
            .capacityBytes(mebibytes * MIB).memory(allocator).build())) {
            final int valueBytes = mebibytes > 4 ? 2000 : 100;
            final byte[] key = new byte[8];
            assertFalse(memtable.isFull(), "full when empty");
            long count = 0;
            while (!memtable.isFull()) {
                random.nextBytes(key);
                memtable.put(key, new byte[random.nextInt(valueBytes)]);
                count++;
            }
            final MemtableStats stats = memtable.stats();
            assertTrue(stats.reservedBytes() <= stats.capacityBytes(), stats.toString());
            assertEquals(count, stats.versions());
            // Unless slabs are taken at once, and half of them by the index, little of the space is left when
            // it is full. Without order in the index, one slab more has to be able to grow by a step.
            final double used = (double) (stats.indexBytes() + stats.recordBytes()) / stats.capacityBytes();
            final double least = netty ? 0.4 : index.ordered() ? 0.55 : 0.45;
            assertTrue(used > least, used + " used: " + stats);
            final CollectingSink sink = new CollectingSink();
            memtable.freeze();
            assertEquals(stats.entries(), memtable.flush(sink).entries());
        }
        assertEquals(0, source.metric().usedDirectMemory());
    }

    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#all")
    void shouldBeAsItWasWhenAWriteDoesNotFit(final IndexFactory index) {
        final Random random = Seeds.random("MemtableSpaceTest refused " + index);
        final MemtableModel model = new MemtableModel(1);
        final WriteBatch batch = new WriteBatch();
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(index).shards(2)
            .capacityBytes(1 << 20).keepVersions(KeepVersions.ALL).build())) {
            int refused = 0;
            while (refused < 60) {
                batch.clear();
                final int size = random.nextInt(4) == 0 ? 30 : 1;
                for (int i = 0; i < size; i++) {
                    addWrite(batch, random);
                }
                final long last = memtable.lastSequence();
                try {
                    assertEquals(last + size, memtable.write(batch));
                    batch.forEach(model::apply);
                } catch (final SpaceExhaustedException e) {
                    refused++;
                    assertTrue(memtable.isFull());
                    assertEquals(last, memtable.lastSequence());
                    checkAbsent(memtable, model, batch);
                }
            }
            final CollectingSink sink = new CollectingSink();
            memtable.flush(sink);
            assertEquals(model.flush(KeepVersions.ALL, model.last(), List.of()).lines(), sink.lines());
            assertEquals(model.versions(), memtable.stats().versions());
        }
    }

    private static void addWrite(final WriteBatch batch, final Random random) {
        final byte[] key = ByteBuffer.allocate(4).putInt(random.nextInt(100_000)).array();
        switch (random.nextInt(12)) {
            case 0:
                batch.delete(key);
                break;
            case 1:
                batch.deleteRange(key, ByteBuffer.allocate(4).putInt(200_000 + random.nextInt(9)).array());
                break;
            default:
                batch.put(key, new byte[random.nextInt(5000)]);
                break;
        }
    }

    private static void checkAbsent(final Memtable memtable, final MemtableModel model,
        final WriteBatch refused) {
        for (final WriteBatch.Operation operation : refused) {
            assertArrayEquals(model.get(operation.key(), model.last()), memtable.get(operation.key()));
        }
    }

    /** Whoever wants no limit names the greatest number. */
    @Test
    void shouldTakeAnyCapacity() {
        for (final long capacity : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE - (4L << 20), 1L << 62}) {
            TestIndexes.real().forEach(index -> {
                final MemtableOptions options = MemtableOptions.builder().index(index).shards(2).capacityBytes(capacity).build();
                try (Memtable memtable = Memtable.open(options)) {
                    memtable.put(new byte[] {1}, new byte[] {2});
                    assertArrayEquals(new byte[] {2}, memtable.get(new byte[] {1}), index + ", " + capacity);
                    assertFalse(memtable.isFull(), index + ", " + capacity);
                }
            });
        }
    }

    @Test
    void shouldRefuseAValueThatFitsNowhere() {
        try (Memtable memtable = Memtable.open(
            MemtableOptions.builder().index(ReferenceIndex.concurrentFactory())
            .shards(2).capacityBytes(1 << 20).build())) {
            final byte[] key = {1};
            memtable.put(key, new byte[10]);
            final SpaceExhaustedException e = assertThrows(
                SpaceExhaustedException.class, () -> memtable.put(key, new byte[2 << 20]));
            final String most = String.valueOf((1 << 20) - 32);
            assertTrue(e.getMessage().contains(most), e.getMessage());
            assertEquals(1, memtable.put(new byte[] {2}, new byte[10]) - 1);
            assertEquals(10, memtable.get(key).length);
            assertTrue(memtable.isFull());
        }
    }

    @Test
    void shouldChargeRangeTombstonesAndRefuseThemWhenFull() {
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(StrictIndex.factory())
            .shards(1).capacityBytes(256 << 10).build())) {
            int count = 0;
            while (!memtable.isFull()) {
                final byte[] from = ByteBuffer.allocate(4).putInt(2 * count++).array();
                memtable.deleteRange(from, ByteBuffer.allocate(4).putInt(2 * count - 1).array());
            }
            assertTrue(count > 100, count + " range tombstones");
            assertTrue(memtable.stats().rangeTombstoneBytes() > 100L * count);
            final WriteBatch batch = new WriteBatch();
            for (int i = 0; i < 20_000; i++) {
                batch.deleteRange(new byte[] {5}, new byte[] {6});
            }
            final long charged = memtable.stats().rangeTombstoneBytes();
            assertThrows(SpaceExhaustedException.class, () -> memtable.write(batch));
            assertEquals(charged, memtable.stats().rangeTombstoneBytes());
            assertEquals(count, memtable.lastSequence());
            assertNull(memtable.get(new byte[] {5}));
            try (Snapshot now = memtable.snapshot()) {
                assertEquals(LookupResult.ABSENT, now.lookup(new byte[] {5}));
            }
        }
    }

    /** Ranges that lie around each other were refused late, by the heap, and the memtable took no write any more. */
    @Test
    void shouldTakeOtherWritesWhenThereIsNoSpaceForRangeTombstones() throws Exception {
        TestIndexes.real().limit(Effort.count(2, 100, 100)).forEach(index -> {
            final MemtableOptions options = MemtableOptions.builder().index(index).shards(2).capacityBytes(1 << 20).build();
            try (Memtable memtable = Memtable.open(options)) {
                final byte[] from = {5};
                memtable.put(from, new byte[] {1});
                assertThrows(SpaceExhaustedException.class, () -> {
                    while (true) {
                        memtable.deleteRange(from, new byte[] {5, (byte) memtable.lastSequence()});
                    }
                });
                final long ranges = memtable.stats().rangeTombstones();
                assertTrue(ranges > 1000, index + ": " + ranges);
                assertEquals(ranges + 1, memtable.lastSequence(), "the one that was refused has changed nothing");
                assertNull(memtable.get(from));
                memtable.delete(from);
                memtable.put(from, new byte[] {2});
                assertArrayEquals(new byte[] {2}, memtable.get(from));
                final FlushResult result = memtable.flush(new CollectingSink());
                assertEquals(ranges, result.rangeTombstones());
                assertEquals(1, result.entries());
            }
        });
    }

    /** Their slab is the memtable's: its size does not depend on the number of shards. */
    @Test
    void shouldTakeAsManyRangeTombstonesHoweverManyShards() {
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(StrictIndex.factory()).shards(16)
            .capacityBytes(64 << 20).memory(NettySlabs.of(UnpooledByteBufAllocator.DEFAULT)).build())) {
            for (int i = 0; i < 20_000; i++) {
                memtable.deleteRange(
                    ByteBuffer.allocate(4).putInt(2 * i).array(), ByteBuffer.allocate(4).putInt(2 * i + 1).array());
            }
            assertFalse(memtable.isFull());
        }
    }

    @Test
    void shouldFillSlabsOfAPooledAllocatorAndReleaseThem() {
        final PooledByteBufAllocator source = new PooledByteBufAllocator(true);
        try (Memtable memtable = Memtable.open(
            MemtableOptions.builder().index(ReferenceIndex.concurrentFactory())
            .shards(2).capacityBytes(16 << 20).memory(NettySlabs.of(source)).build())) {
            for (int i = 0; !memtable.isFull(); i++) {
                memtable.put(ByteBuffer.allocate(4).putInt(i).array(), new byte[100_000]);
            }
            assertTrue(memtable.stats().recordBytes() > 12 << 20, memtable.stats().toString());
        }
        assertEquals(0, source.metric().directArenas().stream().mapToLong(
            arena -> arena.numActiveAllocations()).sum());
    }

    /** A shard that has just moved has no slab of full size yet: the largest record begins in its first one, or nowhere. */
    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#real")
    void shouldRefuseTheLargestRecordsOfAShardThatHasJustMoved(final IndexFactory index) {
        for (int more = 0; more < 80; more += 8) {
            try (Memtable memtable = Memtable.open(
                MemtableOptions.builder().index(index).shards(1).capacityBytes(MIB).build())) {
                for (int i = 0; i < 130; i++) {
                    memtable.put(new byte[] {(byte) i, 1}, new byte[] {1});
                }
                final byte[] value = new byte[(int) MIB - 80 + more];
                assertThrows(SpaceExhaustedException.class, () -> memtable.put(new byte[] {7}, value));
                memtable.put(new byte[] {8}, new byte[] {1});
                assertEquals(1, memtable.get(new byte[] {8}).length);
            }
        }
    }

    /** The first slab of a shard that holds no more keys is not enough for its index, nor are the first few of that. */
    @ParameterizedTest
    @MethodSource("io.nestling.memtable.TestIndexes#real")
    void shouldStayWholeWhenAShardCannotGrow(final IndexFactory index) {
        final UnpooledByteBufAllocator source = new UnpooledByteBufAllocator(true);
        for (int slabs = 2; slabs <= 6; slabs++) {
            final LimitedAllocator failing = new LimitedAllocator(NettySlabs.of(source), slabs);
            try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(index).shards(2)
                .capacityBytes(4 * MIB).memory(failing).build())) {
                final List<byte[]> keys = new ArrayList<>();
                while (!memtable.isFull() && keys.size() < 10_000) {
                    final byte[] key = ("key " + keys.size()).getBytes(StandardCharsets.UTF_8);
                    try {
                        memtable.put(key, key);
                        keys.add(key);
                    } catch (final SpaceExhaustedException e) {
                        assertTrue(memtable.isFull());
                        assertNull(memtable.get(key));
                    }
                }
                assertTrue(keys.size() > 50, keys.size() + " keys with " + slabs + " slabs");
                for (final byte[] key : keys) {
                    assertArrayEquals(key, memtable.get(key));
                }
                final byte[] large = new byte[8 << 10];
                if (slabs == 2) {
                    assertThrows(SpaceExhaustedException.class, () -> memtable.put(keys.get(0), large));
                    assertArrayEquals(keys.get(0), memtable.get(keys.get(0)));
                }
                memtable.freeze();
                assertEquals(keys.size(), memtable.flush(new CollectingSink()).entries());
            }
            assertEquals(0, source.metric().usedDirectMemory());
        }
    }
}
