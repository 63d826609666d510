/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexFactory;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import io.nestling.testing.StressThreads;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of sequence numbers that the caller reserves or gives. */
class SequenceReservationTest {
    private static final int WRITERS = 4;
    private static final int HOT_KEYS = 3;
    private static final int VERSIONS = 100;

    private static Memtable open() {
        return open(IndexType.TRIE, 1 << 20);
    }

    private static Memtable open(final IndexFactory index, final long capacityBytes) {
        return Memtable.open(
            MemtableOptions.builder().index(index).shards(1).capacityBytes(capacityBytes).firstSequence(10).build());
    }

    static List<IndexFactory> indexes() {
        return TestIndexes.all().toList();
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(final byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static String get(final ReadView view, final String key) {
        return text(view.get(bytes(key)));
    }

    private static void message(final Exception e, final String... parts) {
        for (final String part : parts) {
            assertTrue(e.getMessage().contains(part), e.getMessage());
        }
    }

    // ---- visibility, gaps, order ----

    @Test
    void shouldShowAReservationWhenAllItsNumbersAreUsed() {
        try (Memtable memtable = open()) {
            final SequenceReservation numbers = memtable.reserveSequences(3);
            assertEquals(10, numbers.first());
            assertEquals(12, numbers.last());
            numbers.put(bytes("a"), bytes("12"), 12);
            numbers.put(bytes("b"), bytes("10"), 10);
            assertEquals(9, memtable.lastSequence());
            assertNull(get(memtable, "a"));
            numbers.delete(bytes("b"), 11);
            assertEquals(12, memtable.lastSequence());
            assertEquals("12", get(memtable, "a"));
            assertNull(get(memtable, "b"));
            numbers.awaitVisible();
            numbers.close();
            assertEquals(12, memtable.lastSequence());
        }
    }

    @Test
    void shouldShowNothingBehindAnOpenReservation() throws Exception {
        try (Memtable memtable = open()) {
            final SequenceReservation early = memtable.reserveSequences(2);
            final SequenceReservation late = memtable.reserveSequences(1);
            late.put(bytes("a"), bytes("late"), late.first());
            assertNull(get(memtable, "a"));
            final CompletableFuture<Void> waiting =
                CompletableFuture.runAsync(late::awaitVisible, task -> new Thread(task).start());
            assertThrows(java.util.concurrent.TimeoutException.class, () -> waiting.get(20, TimeUnit.MILLISECONDS));
            early.put(bytes("a"), bytes("early"), early.last());
            assertFalse(waiting.isDone());
            early.close();
            waiting.get(10, TimeUnit.SECONDS);
            assertEquals(12, memtable.lastSequence());
            assertEquals("late", get(memtable, "a"));
        }
    }

    @Test
    void shouldNeverWaitToCloseAReservationHoweverManyAreOpen() {
        try (Memtable memtable = open()) {
            final List<SequenceReservation> open = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                open.add(memtable.reserveSequences(256)); // as many as the gate has slots
            }
            Collections.reverse(open);
            for (final SequenceReservation one : open) {
                assertEquals(9, memtable.lastSequence());
                one.put(bytes("k"), bytes("" + one.first()), one.first());
                one.close();
            }
            assertEquals(9 + 256_000, memtable.lastSequence());
            assertEquals("" + (10 + 256 * 999), get(memtable, "k"));
        }
    }

    @ParameterizedTest
    @MethodSource("indexes")
    void shouldSortVersionsByNumberWhateverTheOrderOfTheWrites(final IndexFactory index) {
        final Random random = Seeds.random("SequenceReservationTest order " + index.indexName());
        for (final KeepVersions keep : KeepVersions.values()) {
            try (Memtable memtable = Memtable.open(
                MemtableOptions.builder().index(index).shards(1).capacityBytes(4 << 20).keepVersions(keep).build())) {
                final List<Long> order = new ArrayList<>();
                for (long i = 1; i <= VERSIONS; i++) { // a long chain, so that skip words lead over late versions
                    order.add(i);
                }
                Collections.shuffle(order, random);
                final SequenceReservation[] numbers = new SequenceReservation[VERSIONS];
                for (int i = 0; i < numbers.length; i++) {
                    numbers[i] = memtable.reserveSequences(1);
                }
                for (final long number : order.subList(0, VERSIONS / 2)) {
                    numbers[(int) number - 1].put(bytes("k"), bytes("" + number), number);
                }
                if (random.nextBoolean()) {
                    MemtableChecks.grown(memtable);
                }
                for (final long number : order.subList(VERSIONS / 2, VERSIONS)) {
                    numbers[(int) number - 1].put(bytes("k"), bytes("" + number), number);
                }
                try (Snapshot last = memtable.snapshot()) {
                    assertEquals(VERSIONS, last.sequence());
                    assertEquals("" + VERSIONS, get(last, "k"));
                    final List<String> emitted = flushed(memtable);
                    assertEquals(keep == KeepVersions.ALL ? VERSIONS : 1, emitted.size());
                    for (int i = 0; i < emitted.size(); i++) {
                        assertTrue(emitted.get(i).contains(" @" + (VERSIONS - i) + " "), emitted.get(i));
                    }
                }
            }
        }
    }

    /** A late version of a key is behind a newer one, and the only one that an old snapshot sees. */
    @ParameterizedTest
    @MethodSource("indexes")
    void shouldReadALateVersionAtItsNumber(final IndexFactory index) {
        try (Memtable memtable = open(index, 4 << 20)) {
            final SequenceReservation[] numbers = new SequenceReservation[3];
            for (int i = 0; i < 3; i++) {
                numbers[i] = memtable.reserveSequences(1);
            }
            numbers[2].put(bytes("k"), bytes("12"), 12);
            try (EntryCursor sorting = memtable.cursor()) { // what has no order sorts the key now
                assertFalse(sorting.first());
            }
            MemtableChecks.grown(memtable);
            numbers[1].put(bytes("k"), bytes("11"), 11);
            assertNull(get(memtable, "k"));
            numbers[0].close();
            try (Snapshot all = memtable.snapshot()) {
                assertEquals(12, all.sequence());
                assertEquals("12", get(all, "k"));
            }
            final SequenceReservation late = memtable.reserveSequences(1);
            final SequenceReservation gap = memtable.reserveSequences(1);
            final SequenceReservation newest = memtable.reserveSequences(1);
            newest.put(bytes("k"), bytes("15"), 15);
            late.put(bytes("k"), bytes("13"), 13);
            try (Snapshot between = memtable.snapshot(); EntryCursor cursor = memtable.cursor()) {
                gap.close();
                assertEquals(13, between.sequence());
                assertEquals("13", get(between, "k"));
                assertTrue(cursor.first());
                assertEquals("13", text(cursor.value()));
                assertEquals("15", get(memtable, "k"));
            }
        }
    }

    @Test
    void deleteRangeThrowsWhenALaterOneCameBefore() {
        try (Memtable memtable = open()) {
            final SequenceReservation early = memtable.reserveSequences(1);
            final SequenceReservation late = memtable.reserveSequences(1);
            late.deleteRange(bytes("a"), bytes("c"), 11);
            message(assertThrows(IllegalArgumentException.class, () -> early.deleteRange(bytes("b"), bytes("d"), 10)),
                "above 11", "from 10");
            early.put(bytes("b"), bytes("hidden"), 10); // the number is free yet
            assertEquals(11, memtable.lastSequence());
            assertNull(get(memtable, "b"));
        }
    }

    // ---- numbers that are refused ----

    @Test
    void putThrowsWhenANumberIsNotFree() {
        try (Memtable memtable = open()) {
            for (final int count : new int[] {0, -1, (1 << 24) + 1}) {
                message(assertThrows(IllegalArgumentException.class, () -> memtable.reserveSequences(count)),
                    "1 to 16777216", " " + count);
            }
            final SequenceReservation numbers = memtable.reserveSequences(4);
            for (final long number : new long[] {9, 14, Long.MIN_VALUE, Long.MAX_VALUE}) {
                message(assertThrows(IllegalArgumentException.class, () -> numbers.put(bytes("a"), bytes("b"), number)),
                    "from 10 to 13", " " + number);
            }
            final WriteBatch three = new WriteBatch().put(bytes("a"), bytes("1")).put(bytes("b"), bytes("2")).delete(bytes("c"));
            assertThrows(IllegalArgumentException.class, () -> numbers.write(three, 12));
            numbers.write(new WriteBatch(), 99);
            numbers.write(three, 10);
            message(assertThrows(IllegalStateException.class, () -> numbers.write(three, 11)), "unused", " 11");
            message(assertThrows(IllegalStateException.class, () -> numbers.delete(bytes("a"), 12)), " 12");
            numbers.close();
            message(assertThrows(IllegalStateException.class, () -> numbers.put(bytes("a"), bytes("b"), 13)), "10 to 13");
            assertEquals(13, memtable.lastSequence());
            assertEquals(3, memtable.stats().versions());
        }
    }

    @Test
    void writeThrowsWhenFormsAreMixed() {
        final byte[] key = bytes("k");
        try (Memtable memtable = open()) {
            memtable.put(key, key);
            message(assertThrows(IllegalStateException.class, () -> memtable.reserveSequences(1)),
                "without a number", "reserved numbers");
            message(assertThrows(IllegalStateException.class, () -> memtable.put(key, key, 100)),
                "without a number", "given numbers");
            memtable.put(key, key);
        }
        try (Memtable memtable = open()) {
            memtable.reserveSequences(1).close();
            assertThrows(IllegalStateException.class, () -> memtable.put(key, key));
            assertThrows(IllegalStateException.class, () -> memtable.delete(key));
            assertThrows(IllegalStateException.class, () -> memtable.write(new WriteBatch().put(key, key)));
            assertThrows(IllegalStateException.class, () -> memtable.deleteRange(key, bytes("l")));
            message(assertThrows(IllegalStateException.class, () -> memtable.delete(key, 100)),
                "reserved numbers", "given numbers");
            memtable.reserveSequences(1).put(key, key, 11);
            assertEquals(1, memtable.stats().versions());
        }
        try (Memtable memtable = open()) {
            memtable.put(key, key, 17);
            message(assertThrows(IllegalStateException.class, () -> memtable.put(key, key)), "given numbers", "without a number");
            assertThrows(IllegalStateException.class, () -> memtable.reserveSequences(1));
            memtable.delete(key, 18);
            assertEquals(18, memtable.lastSequence());
        }
    }

    @Test
    void shouldTakeGivenNumbersThatAscend() {
        try (Memtable memtable = open()) {
            message(assertThrows(IllegalArgumentException.class, () -> memtable.put(bytes("a"), bytes("0"), 9)),
                "above 9", "from 9");
            memtable.put(bytes("a"), bytes("1"), 20);
            assertEquals(20, memtable.lastSequence());
            memtable.write(new WriteBatch().put(bytes("a"), bytes("2")).deleteRange(bytes("b"), bytes("c")), 3_000_000_000L);
            assertEquals(3_000_000_001L, memtable.lastSequence());
            message(assertThrows(IllegalArgumentException.class, () -> memtable.put(bytes("a"), bytes("3"), 3_000_000_001L)),
                "above 3000000001", "from 3000000001");
            assertThrows(IllegalArgumentException.class, () -> memtable.delete(bytes("a"), -1));
            assertThrows(IllegalArgumentException.class, () -> memtable.delete(bytes("a"), 1L << 56));
            memtable.write(new WriteBatch(), 1);
            assertEquals("2", get(memtable, "a"));
            assertEquals(List.of("range [62] to [63] @3000000001"),
                flushed(memtable).stream().filter(line -> line.startsWith("range")).toList());
        }
    }

    private static List<String> flushed(final Memtable memtable) {
        final CollectingSink sink = new CollectingSink();
        memtable.flush(sink);
        return sink.lines();
    }

    // ---- freeze, close, failure ----

    @Test
    void shouldGiveOpenNumbersBackWhenFrozen() {
        try (Memtable memtable = open()) {
            final SequenceReservation open = memtable.reserveSequences(3);
            final SequenceReservation unused = memtable.reserveSequences(1);
            final SequenceReservation late = memtable.reserveSequences(1);
            open.put(bytes("a"), bytes("1"), 11);
            late.put(bytes("b"), bytes("2"), 14);
            memtable.freeze();
            assertEquals(14, memtable.lastSequence());
            assertEquals("1", get(memtable, "a"));
            assertThrows(FrozenException.class, () -> open.put(bytes("c"), bytes("3"), 12));
            assertThrows(FrozenException.class, () -> memtable.reserveSequences(1));
            assertEquals(2, flushed(memtable).size());
            unused.awaitVisible();
            late.awaitVisible();
            open.close();
        }
    }

    @Test
    void shouldCloseBesideOpenReservations() throws Exception {
        final Memtable memtable = open();
        final SequenceReservation early = memtable.reserveSequences(1);
        final SequenceReservation late = memtable.reserveSequences(1);
        final CompletableFuture<Void> waiting = CompletableFuture.runAsync(late::awaitVisible, task -> new Thread(task).start());
        memtable.close();
        waiting.get(10, TimeUnit.SECONDS);
        message(assertThrows(IllegalStateException.class, () -> early.put(bytes("a"), bytes("1"), 10)), "closed");
        message(assertThrows(IllegalStateException.class, () -> memtable.reserveSequences(1)), "closed");
        early.close();
        MemtableChecks.allGivenBack(memtable);
    }

    @Test
    void shouldLetANumberBeUsedAgainWhenItsWriteDoesNotFit() {
        try (Memtable memtable = open()) {
            final SequenceReservation numbers = memtable.reserveSequences(2);
            assertThrows(SpaceExhaustedException.class, () -> numbers.put(bytes("a"), new byte[1 << 20], 10));
            assertTrue(memtable.isFull());
            numbers.put(bytes("a"), bytes("small"), 10);
            assertThrows(SpaceExhaustedException.class, () -> numbers.put(bytes("b"), new byte[1 << 20], 11));
            numbers.close();
            assertEquals(11, memtable.lastSequence());
            assertEquals("small", get(memtable, "a"));
        }
        try (Memtable memtable = open()) {
            memtable.put(bytes("a"), bytes("1"), 10);
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(bytes("a"), new byte[1 << 20], 11));
            assertEquals(10, memtable.lastSequence());
            memtable.put(bytes("a"), bytes("2"), 11);
        }
    }

    // ---- many writers ----

    private static byte[] hotKey(final long number) {
        return ByteBuffer.allocate(9).put((byte) 'k').putLong(number % HOT_KEYS).array();
    }

    /** Of each seven numbers one is given back. */
    private static boolean isUsed(final long sequence) {
        return sequence % 7 != 0;
    }

    /** The number of the write of a key that is read at a number; 0 for none. */
    private static long expected(final long key, final long visible) {
        long sequence = visible;
        while (sequence >= 10 && (sequence % HOT_KEYS != key || !isUsed(sequence))) {
            sequence--;
        }
        return sequence >= 10 ? sequence : 0;
    }

    private static long number(final byte[] value) {
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    /** Key and value follow from the number, so that each reader knows what to find at its own. */
    @ParameterizedTest
    @MethodSource("indexes")
    void shouldShowExactlyTheWritesUpToANumberBesideManyWriters(final IndexFactory index) throws Exception {
        final long seed = Seeds.seed("SequenceReservationTest writers " + index.indexName());
        final int rounds = Effort.count(8, 300, 20_000);
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(index).shards(1 + (int) (seed & 1))
            .capacityBytes(16 << 20).firstSequence(10).build())) {
            final StressThreads threads = new StressThreads();
            final AtomicLongArray writing = new AtomicLongArray(1);
            for (int i = 0; i < WRITERS; i++) {
                final Random random = new Random(seed + i);
                writing.incrementAndGet(0);
                threads.start("writer " + i, () -> {
                    for (int round = 0; round < rounds && threads.goOn(); round++) {
                        write(memtable, random);
                    }
                    writing.decrementAndGet(0);
                });
            }
            threads.start("reader", () -> {
                long before = 0;
                while (writing.get(0) > 0 && threads.goOn()) {
                    before = read(memtable, before);
                }
            });
            threads.join();
            read(memtable, 0);
            memtable.freeze();
            assertEquals(HOT_KEYS, flushed(memtable).size());
            MemtableChecks.verifyIndexes(memtable);
        }
    }

    private static void write(final Memtable memtable, final Random random) {
        final List<SequenceReservation> open = new ArrayList<>();
        final List<Runnable> writes = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            final SequenceReservation numbers = memtable.reserveSequences(1 + random.nextInt(4));
            open.add(numbers);
            for (long number = numbers.first(); number <= numbers.last(); number++) {
                final long one = number;
                final byte[] value = ByteBuffer.allocate(Long.BYTES + random.nextInt(50)).putLong(one).array();
                if (isUsed(one)) {
                    writes.add(() -> numbers.put(hotKey(one), value, one));
                }
            }
        }
        Collections.shuffle(writes, random);
        for (final Runnable write : writes) {
            write.run();
            if (random.nextInt(4) == 0) {
                Thread.yield();
            }
        }
        Collections.shuffle(open, random);
        open.forEach(SequenceReservation::close);
        open.get(0).awaitVisible();
        assertTrue(memtable.lastSequence() >= open.get(0).last());
    }

    private static long read(final Memtable memtable, final long before) {
        try (Snapshot snapshot = memtable.snapshot(); EntryCursor cursor = snapshot.cursor()) {
            final long visible = snapshot.sequence();
            assertTrue(visible >= before, visible + " after " + before);
            for (int key = 0; key < HOT_KEYS; key++) {
                assertEquals(expected(key, visible), number(snapshot.get(hotKey(key))));
                assertTrue(number(memtable.get(hotKey(key))) >= expected(key, visible));
            }
            int shown = 0;
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                assertEquals(expected(cursor.key()[8], visible), number(cursor.value()));
                shown++;
            }
            int present = 0;
            for (int key = 0; key < HOT_KEYS; key++) {
                present += expected(key, visible) == 0 ? 0 : 1;
            }
            assertEquals(present, shown);
            return visible;
        }
    }

    /** Threads that share one reservation use each number once. */
    @Test
    void shouldLetThreadsShareAReservation() throws Exception {
        try (Memtable memtable = open(IndexType.SKIP_LIST, 4 << 20)) {
            final SequenceReservation numbers = memtable.reserveSequences(400);
            final AtomicLong used = new AtomicLong();
            final StressThreads threads = new StressThreads();
            for (int i = 0; i < WRITERS; i++) {
                threads.start("writer " + i, () -> {
                    for (long number = numbers.first(); number <= numbers.last(); number++) {
                        try {
                            numbers.put(hotKey(number), ByteBuffer.allocate(8).putLong(number).array(), number);
                            used.incrementAndGet();
                        } catch (final IllegalStateException e) {
                            message(e, "unused", " " + number);
                        }
                    }
                });
            }
            threads.join();
            assertEquals(400, used.get());
            assertEquals(numbers.last(), memtable.lastSequence());
            assertEquals(400, memtable.stats().versions());
        }
    }

    // ---- recycling ----

    /** Replaced records are recycled as of what readers see, while numbers come late all the time. */
    @ParameterizedTest
    @MethodSource("io.nestling.memtable.RecyclingTest#locked")
    void shouldRecycleWhatNobodyReadsAndKeepWhatLateNumbersMayShow(final IndexFactory index) {
        final Random random = Seeds.random("SequenceReservationTest recycling " + index.indexName());
        try (Memtable memtable = open(index, 1 << 19)) { // half of what is written
            final byte[] value = new byte[100];
            final List<SequenceReservation> open = new ArrayList<>();
            final List<Snapshot> snapshots = new ArrayList<>();
            for (int i = 0; i < 8_000; i++) {
                open.add(memtable.reserveSequences(1));
                if (open.size() > 5) {
                    final SequenceReservation late = open.remove(random.nextInt(open.size()));
                    if (isUsed(late.first())) {
                        ByteBuffer.wrap(value).putLong(late.first());
                        late.put(hotKey(late.first()), value, late.first());
                    }
                    late.close();
                }
                if (i % 1_000 == 0) {
                    snapshots.add(memtable.snapshot());
                }
                if (i % 10 == 0) {
                    final Snapshot old = snapshots.get(random.nextInt(snapshots.size()));
                    for (int key = 0; key < HOT_KEYS; key++) {
                        assertEquals(expected(key, old.sequence()), number(old.get(hotKey(key))));
                        assertEquals(expected(key, memtable.lastSequence()), number(memtable.get(hotKey(key))));
                    }
                }
            }
            final MemtableStats stats = memtable.stats();
            assertTrue(stats.recycledVersions() > 5_000, stats.toString());
            assertEquals(0, stats.recyclingErrors());
            snapshots.forEach(Snapshot::close);
        }
    }
}
