/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bytes.ByteComparison;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.KeyCorpus;
import io.nestling.testing.NettySlabs;
import io.nestling.testing.Seeds;
import io.netty.buffer.UnpooledByteBufAllocator;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records keep what is put into them, in slabs of any size. */
@Tag("bridge")
class RecordStoreTest {
    /** A thread for each task: the common pool may have one only. */
    private static final Executor THREADS = task -> new Thread(task).start();
    private static final int KIND = 1;
    private static final long MIB = 1 << 20;

    /** A record as it was written. */
    private record Written(long pointer, long sequence, int kind, long previous, byte[] key, byte[] value) {
    }

    static Stream<Arguments> slabSizes() {
        final List<Arguments> list = new ArrayList<>();
        for (final boolean netty : new boolean[] {false, true}) {
            for (final long bytes : new long[] {16 << 10, 24_000, 1 << 16, 100_032, MIB, 3 * MIB}) {
                list.add(Arguments.of(netty, bytes));
            }
        }
        return list.stream();
    }

    private static SlabAllocator allocator(final boolean netty) {
        return netty ? NettySlabs.of(UnpooledByteBufAllocator.DEFAULT) : SlabAllocator.direct();
    }

    @ParameterizedTest
    @MethodSource("slabSizes")
    void shouldKeepRecordsAcrossSlabs(final boolean netty, final long slabBytes) {
        final Random random = Seeds.random("RecordStoreTest " + netty + " " + slabBytes);
        final MemoryBudget budget = MemoryBudget.ofBytes(16 * MIB, 1000);
        final List<Written> all = new ArrayList<>();
        try (RecordStore store = new RecordStore(allocator(netty), budget, slabBytes)) {
            long previous = RecordLayout.NO_RECORD;
            for (int i = 0; i < 600; i++) {
                final Written written = append(store, random, (int) Math.min(9000, slabBytes / 2), i,
                    previous);
                all.add(written);
                previous = random.nextInt(3) == 0 ? RecordLayout.NO_RECORD : written.pointer;
            }
            assertTrue(store.bytesUsed() <= store.bytesReserved());
            assertEquals(budget.used(), store.bytesReserved());
            for (final Written written : all) {
                check(store, written);
            }
            for (int i = 1; i < all.size(); i++) {
                assertTrue(all.get(i).pointer > all.get(i - 1).pointer);
            }
        }
        assertEquals(0, budget.used());
    }

    private static Written append(
        final RecordStore store, final Random random, final int mostBytes, final long sequence,
        final long previous) {
        final byte[] value = new byte[random.nextInt(4) == 0
            ? random.nextInt(mostBytes) : random.nextInt(40)];
        random.nextBytes(value);
        final byte[] key = random.nextInt(3) == 0 ? null : new byte[random.nextInt(200)];
        final boolean hasPrevious = previous != RecordLayout.NO_RECORD;
        if (key != null) {
            random.nextBytes(key);
        }
        final int kind = random.nextInt(2);
        final long bytes = RecordLayout.recordBytes(
            hasPrevious ? RecordLayout.HAS_PREVIOUS : 0, key == null ? RecordLayout.NO_KEY : key.length, value.length);
        store.reserve(bytes, 0);
        final long reserved = store.bytesReserved();
        final long pointer = key == null
            ? store.append(0, kind, previous, value.length)
            : store.append(RecordLayout.versionWord(0, kind, hasPrevious, true), previous, key, 0, key.length,
                value.length);
        assertEquals(reserved, store.bytesReserved(), "space was reserved");
        putValue(store, pointer, value, random.nextInt(3));
        store.putSequence(pointer, sequence);
        return new Written(pointer, sequence, kind, previous, key, value);
    }

    private static void putValue(final RecordStore store, final long pointer, final byte[] value,
        final int how) {
        switch (how) {
            case 0:
                store.putValue(pointer, value, 0, value.length);
                break;
            case 1:
                final ByteBuffer direct = ByteBuffer.allocateDirect(value.length + 1).put(1, value);
                store.putValue(pointer, new UnsafeBuffer(direct), 1, value.length);
                break;
            default:
                final ByteBuffer view = store.valueView(pointer);
                assertEquals(value.length, view.remaining());
                view.put(value);
                break;
        }
    }

    private static void check(final RecordStore store, final Written written) {
        final long pointer = written.pointer;
        store.prefetch(pointer);
        final long word = store.versionWord(pointer);
        assertEquals(written.sequence, RecordLayout.sequence(word));
        assertEquals(written.kind, RecordLayout.kind(word));
        assertEquals(written.previous, store.previous(pointer));
        assertEquals(written.value.length, store.valueLength(pointer));
        final byte[] value = new byte[written.value.length + 1];
        assertEquals(written.value.length, store.copyValue(pointer, value, 1));
        assertArrayEquals(written.value, Arrays.copyOfRange(value, 1, value.length));
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(1);
        assertEquals(written.value.length, store.copyValue(pointer, buffer, 3));
        assertEquals(0, ByteComparison.compare(
            written.value, 0, written.value.length, buffer.byteArray(), 3, written.value.length));
        if (written.key == null) {
            assertThrows(IllegalStateException.class, () -> store.keyLength(pointer));
            return;
        }
        assertEquals(written.key.length, store.keyLength(pointer));
        final byte[] key = new byte[written.key.length + 2];
        assertEquals(written.key.length, store.copyKey(pointer, key, 2));
        assertArrayEquals(written.key, Arrays.copyOfRange(key, 2, key.length));
        final byte[] justFits = new byte[written.key.length];
        assertEquals(written.key.length, store.copyKeyIfFits(pointer, justFits));
        assertArrayEquals(written.key, justFits);
        if (written.key.length > 0) {
            final byte[] tooShort = new byte[written.key.length - 1];
            assertEquals(written.key.length, store.copyKeyIfFits(pointer, tooShort));
            assertArrayEquals(new byte[written.key.length - 1], tooShort, "left as it was");
        }
        assertEquals(0, store.compareKey(pointer, key, 2, written.key.length));
    }

    @Test
    void shouldCompareKeysAsByteStrings() {
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(64 * MIB),
            64 * MIB)) {
            final List<byte[]> keys = new ArrayList<>();
            KeyCorpus.all().forEach(
                corpus -> keys.addAll(corpus.keys().subList(0, Math.min(60, corpus.keys().size()))));
            final List<Long> pointers = new ArrayList<>();
            for (final byte[] key : keys) {
                pointers.add(store.append(
                    RecordLayout.versionWord(1, KIND, false, true), RecordLayout.NO_RECORD, key, 0,
                    key.length, 0));
            }
            for (int i = 0; i < keys.size(); i++) {
                for (int j = 0; j < keys.size(); j += 1 + i % 7) {
                    assertEquals(
                        Integer.signum(ByteComparison.compare(keys.get(i), keys.get(j))),
                        Integer.signum(store.compareKey(pointers.get(i), keys.get(j), 0,
                        keys.get(j).length)));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("slabSizes")
    void shouldPromiseSpaceForAListOfRecordsExactly(final boolean netty, final long slabBytes) {
        final Random random = Seeds.random("RecordStoreTest lists " + netty + " " + slabBytes);
        try (RecordStore store = new RecordStore(allocator(netty), MemoryBudget.ofBytes(64 * MIB, 1000),
            slabBytes)) {
            for (int round = 0; round < 20; round++) {
                final long[] sizes = new long[2 + random.nextInt(20)];
                for (int i = 0; i < sizes.length; i++) {
                    sizes[i] = RecordLayout.recordBytes(
                        0, RecordLayout.NO_KEY, random.nextInt((int) Math.min(20_000, slabBytes - 64)));
                }
                final long spare = sizes[sizes.length - 1];
                store.reserve(sizes, 1, sizes.length - 1, spare);
                final long reserved = store.bytesReserved();
                for (int i = 1; i < sizes.length; i++) {
                    final long before = store.bytesUsed();
                    store.append(1, KIND, RecordLayout.NO_RECORD, valueLength(sizes[i]));
                    assertTrue(store.bytesUsed() >= before + sizes[i]);
                }
                assertEquals(reserved, store.bytesReserved(), "space was reserved");
            }
        }
    }

    /** A length with which a record has a size. */
    private static int valueLength(final long recordBytes) {
        int length = (int) recordBytes - RecordLayout.PREVIOUS_OFFSET - 1;
        while (RecordLayout.recordBytes(0, RecordLayout.NO_KEY, length) > recordBytes) {
            length--;
        }
        return length;
    }

    @Test
    void reserveThrowsSpaceExhaustedWhenTheBudgetIsTooSmall() {
        final MemoryBudget budget = MemoryBudget.ofBytes(100_000, 2);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, MIB)) {
            store.reserve(50_000, 0);
            final SpaceExhaustedException e =
                assertThrows(SpaceExhaustedException.class, () -> store.reserve(90_000, 90_000));
            assertTrue(e.getMessage().contains("of 100000"), e.getMessage());
            assertThrows(SpaceExhaustedException.class, () -> store.append(1, KIND, 0, 120_000));
            store.append(1, KIND, 0, 49_900);
            final SpaceExhaustedException large =
                assertThrows(SpaceExhaustedException.class, () -> store.reserve(2 * MIB, 0));
            assertTrue(large.getMessage().contains(String.valueOf(MIB - 32)), large.getMessage());
            final long used = store.bytesUsed();
            assertThrows(SpaceExhaustedException.class, () -> store.append(1, KIND, 0, 3 * (int) MIB));
            assertEquals(used, store.bytesUsed());
        }
        assertEquals(0, budget.used());
    }

    @Test
    void shouldNotTakeTheWholeBudgetForTwoLargeRecords() {
        final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, 2 * MIB)) {
            store.reserve(2 * MIB - 64, 2 * MIB - 64);
            assertTrue(budget.used() <= 4 * MIB, budget.used() + " bytes taken");
        }
    }

    @Test
    void shouldKeepRecordsInSlabsSmallerThanTheStepOfTheBudget() {
        final MemoryBudget budget = MemoryBudget.ofBytes(64 * MIB);
        assertEquals(2 * MIB, budget.step());
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, 1 << 16)) {
            final Random random = Seeds.random("RecordStoreTest small slabs");
            final List<Written> all = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                all.add(append(store, random, 6000, i, RecordLayout.NO_RECORD));
            }
            assertTrue(store.bytesUsed() > 2 << 16, store.bytesUsed() + " bytes");
            all.forEach(written -> check(store, written));
        }
    }

    @Test
    void copyValueThrowsIndexOutOfBoundsWhenItDoesNotFit() {
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(MIB), MIB)) {
            final long pointer = store.append(1, KIND, RecordLayout.NO_RECORD, 5);
            store.putValue(pointer, "value".getBytes(StandardCharsets.UTF_8), 0, 5);
            assertThrows(IndexOutOfBoundsException.class, () -> store.copyValue(pointer, new byte[7], 3));
            assertThrows(IndexOutOfBoundsException.class, () -> store.copyValue(pointer, new byte[7], -1));
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[7]);
            final IndexOutOfBoundsException e =
                assertThrows(IndexOutOfBoundsException.class, () -> store.copyValue(pointer, buffer, 3));
            assertTrue(e.getMessage().contains("5 bytes") && e.getMessage().contains("7"), e.getMessage());
            assertArrayEquals(new byte[7], buffer.byteArray());
        }
    }

    @ParameterizedTest
    @MethodSource("slabSizes")
    void shouldTakeRecordsOfManyThreads(final boolean netty, final long slabBytes) throws Exception {
        final MemoryBudget budget = MemoryBudget.ofBytes(32 * MIB, 1000);
        try (RecordStore store = new RecordStore(allocator(netty), budget, slabBytes)) {
            final List<List<Written>> written = new ArrayList<>();
            final CompletableFuture<?>[] all = new CompletableFuture<?>[3];
            for (int thread = 0; thread < all.length; thread++) {
                final List<Written> own = new ArrayList<>();
                written.add(own);
                final Random random = new Random(thread);
                all[thread] = CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 3000; i++) {
                        final byte[] value = new byte[random.nextInt(i % 100 == 0 ? 12_000 : 60)];
                        random.nextBytes(value);
                        final long pointer = store.append(i, KIND, RecordLayout.NO_RECORD, value.length);
                        store.putValue(pointer, value, 0, value.length);
                        own.add(new Written(pointer, i, KIND, RecordLayout.NO_RECORD, null, value));
                    }
                }, THREADS);
            }
            CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
            for (final List<Written> own : written) {
                own.forEach(record -> check(store, record));
            }
            assertEquals(budget.used(), store.bytesReserved());
        }
        assertEquals(0, budget.used());
    }

    @Test
    void shouldKeepValuesOfEightBytesAsNumbers() {
        final byte[] key = {1, 2, 3};
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(1 << 20), 1 << 20)) {
            final long word = RecordLayout.versionWord(1, 1, false, true);
            final long first = store.appendLong(word, key, 0, key.length, 0x0102_0304_0506_0708L);
            final long second = store.appendLong(word, key, 1, 0, -2);
            final long third = store.appendLong(word, new byte[200], 10, 190, 3);
            assertEquals(3, store.valueAsLong(third));
            assertEquals(190, store.keyLength(third));
            assertEquals(Long.BYTES, store.valueLength(third));
            assertEquals(word, store.versionWord(third));
            assertEquals(0, store.keyLength(second));
            final long longest = store.appendLong(word, new byte[65_535], 0, 65_535, Long.MIN_VALUE);
            assertEquals(Long.MIN_VALUE, store.valueAsLong(longest));
            final long bytes = store.bytesUsed();
            for (final long other : new long[] {word & ~RecordLayout.HAS_KEY, word | RecordLayout.HAS_PREVIOUS}) {
                assertThrows(IllegalArgumentException.class, () -> store.appendLong(other, key, 0, key.length, 1));
            }
            assertEquals(bytes, store.bytesUsed());
            assertEquals(0x0102_0304_0506_0708L, store.valueAsLong(first));
            assertEquals(-2, store.valueAsLong(second));
            final byte[] value = new byte[Long.BYTES];
            assertEquals(Long.BYTES, store.copyValue(first, value, 0));
            assertArrayEquals(new byte[] {8, 7, 6, 5, 4, 3, 2, 1}, value);
            assertEquals(0, store.compareKey(first, key, 0, key.length));
        }
    }

    @Test
    void shouldCloseTwice() {
        final MemoryBudget budget = MemoryBudget.ofBytes(MIB);
        final RecordStore store = new RecordStore(SlabAllocator.direct(), budget, MIB);
        final long pointer = store.append(1, KIND, RecordLayout.NO_RECORD, 5);
        assertTrue(budget.used() > 0);
        store.close();
        store.close();
        assertEquals(0, budget.used());
        assertThrows(RuntimeException.class, () -> store.versionWord(pointer));
    }

    @Test
    void shouldSpeakOfPlacesOnlyWhereThereAreAddresses() {
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(MIB), MIB)) {
            final long first = store.append(1, KIND, RecordLayout.NO_RECORD, 5);
            final long second = store.append(1, KIND, RecordLayout.NO_RECORD, 5);
            final long distance = store.address(second) - store.address(first);
            assertTrue(distance == 16 || store.address(first) == 0 && store.address(second) == 0);
        }
    }

    /** Divides, reuses and joins the memory of recycled records, and can walk over all of it at any time. */
    @Test
    void shouldReuseTheMemoryOfRecycledRecords() {
        final Random random = Seeds.random("RecordStoreTest recycled");
        final MemoryBudget budget = MemoryBudget.ofBytes(MIB);
        final EpochReclaimer epochs = new EpochReclaimer();
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), budget, MIB, 8 << 10)) {
            final long[] newest = new long[30];
            final byte[][] values = new byte[newest.length][];
            final VersionLinks links = new VersionLinks(store, false, 0);
            long sequence = 0;
            int moved = 0;
            for (int i = 0; i < 20_000; i++) {
                final int at = random.nextInt(newest.length);
                final byte[] value = new byte[random.nextInt(random.nextInt(20) == 0 ? 9_000 : 300)];
                random.nextBytes(value);
                final boolean linksLater = newest[at] != 0 && random.nextInt(3) == 0;
                final long word = RecordLayout.versionWord(++sequence, 1, newest[at] != 0 && !linksLater, false);
                store.reserve(RecordLayout.recordBytes(word, RecordLayout.NO_KEY, value.length), 0);
                if (random.nextInt(100) == 0) {
                    store.trim(); // gives the reserved block back
                }
                long record = store.append(sequence, 1, linksLater ? RecordLayout.NO_RECORD : newest[at], value.length);
                store.putValue(record, value, 0, value.length);
                if (linksLater) {
                    final long linked = store.addLinksAlone(record, RecordLayout.HAS_PREVIOUS);
                    links.link(linked, newest[at]);
                    moved += linked == record ? 0 : 1;
                    record = linked;
                }
                newest[at] = record;
                values[at] = value;
                if (store.previous(record) != RecordLayout.NO_RECORD) {
                    assertTrue(store.recyclePrevious(record, epochs));
                    assertEquals(RecordLayout.NO_RECORD, links.older(record, 0));
                }
                if (i % 1_000 == 0) {
                    check(store, newest, values);
                }
            }
            check(store, newest, values);
            assertTrue(moved > 1_000, moved + " records moved");
            assertTrue(store.bytesUsed() < 300_000, store.bytesUsed() + " bytes in use");
            assertTrue(store.bytesReserved() <= MIB);
        }
        assertEquals(0, budget.used());
    }

    /** In fresh memory, which is left as it was, or in recycled memory. Each is seen to fail without its part of the code. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakeARecordBackWhoseLinksDoNotFit(final boolean recycles) {
        final EpochReclaimer epochs = new EpochReclaimer();
        final byte[] value = new byte[100];
        Arrays.fill(value, (byte) 0xFF);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(MIB), 16 * MIB)) {
            long newest = store.append(1, KIND, RecordLayout.NO_RECORD, value.length);
            for (int i = 2; recycles && i < 10; i++) {
                newest = updated(store, newest, i, epochs);
            }
            final long bytes = RecordLayout.recordBytes(0, RecordLayout.NO_KEY, value.length);
            final long end = recycles ? MIB : MIB - bytes;
            long last = 0;
            while ((last << RecordLayout.POINTER_SHIFT) + 32 <= end) {
                last = store.append(1, KIND, RecordLayout.NO_RECORD, 0); // 16 bytes, without a reservation fresh ones
            }
            final long used = store.bytesUsed();
            store.reserve(bytes, 0);
            final long record = store.append(0, KIND, RecordLayout.NO_RECORD, value.length);
            assertEquals(recycles, record < last);
            store.putValue(record, value, 0, value.length);
            assertThrows(SpaceExhaustedException.class,
                () -> store.addLinksAlone(record, RecordLayout.HAS_PREVIOUS | RecordLayout.HAS_SKIP));
            assertEquals(used, store.bytesUsed());
            store.reserve(bytes, 0);
            checkIsUnused(store, store.claimAlone(bytes), recycles ? 0 : bytes);
        }
    }

    /** Checks that a walk ends before a claimed record, and that bytes of it are zero. */
    private static void checkIsUnused(final RecordStore store, final long position, final long bytes) {
        final RecordWalk walk = new RecordWalk(store);
        for (long record = walk.next(); record != RecordLayout.NO_RECORD; record = walk.next()) {
            assertTrue(record << RecordLayout.POINTER_SHIFT != position);
        }
        for (long at = 0; at < bytes; at += Long.BYTES) {
            assertEquals(0, store.slabOf(position).getLong((position & store.slabMask) + at), "byte " + at);
        }
    }

    /** Records that do not fit, beside updates that free memory. Seen to take minutes with a walk for each. */
    @Test
    void shouldNotWalkOverTheStoreForEachRecordThatDoesNotFit() {
        final EpochReclaimer epochs = new EpochReclaimer();
        final long bytes = RecordLayout.recordBytes(RecordLayout.HAS_PREVIOUS, RecordLayout.NO_KEY, 1);
        try (RecordStore store = new RecordStore(SlabAllocator.direct(), MemoryBudget.ofBytes(4 * MIB), 16 * MIB)) {
            long newest = store.append(1, 1, RecordLayout.NO_RECORD, 1);
            for (int i = 2; i < 10; i++) {
                newest = updated(store, newest, i, epochs);
            }
            assertThrows(SpaceExhaustedException.class, () -> {
                while (true) {
                    store.append(1, 1, RecordLayout.NO_RECORD, 0);
                }
            });
            final long start = System.nanoTime();
            for (int i = 10; i < 10_000; i++) {
                assertThrows(SpaceExhaustedException.class, () -> store.reserve(1_000, 0));
                store.reserve(bytes, 0);
                newest = updated(store, newest, i, epochs);
            }
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(5));
        }
    }

    private static long updated(final RecordStore store, final long newest, final long sequence, final EpochReclaimer epochs) {
        final long record = store.append(sequence, 1, newest, 1);
        store.recyclePrevious(record, epochs);
        return record;
    }

    private static void check(final RecordStore store, final long[] newest, final byte[][] values) {
        final RecordWalk walk = new RecordWalk(store);
        final Set<Long> found = new HashSet<>();
        for (long record = walk.next(); record != RecordLayout.NO_RECORD; record = walk.next()) {
            found.add(record);
        }
        for (int i = 0; i < newest.length; i++) {
            if (newest[i] != RecordLayout.NO_RECORD) {
                assertTrue(found.contains(newest[i]));
                final byte[] value = new byte[values[i].length];
                assertEquals(value.length, store.copyValue(newest[i], value, 0));
                assertArrayEquals(values[i], value);
            }
        }
    }
}
