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

import io.nestling.catalog.IndexType;
import io.nestling.index.BoundedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.IndexFactory;
import io.nestling.index.LookupResult;
import io.nestling.memory.MemorySource;
import io.nestling.offheap.RecordLayout;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What one does with a memtable, told as small stories. */
class MemtableScenarioTest {
    private static final String ALL_INDEXES = "io.nestling.memtable.TestIndexes#all";

    static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Memtable open(final IndexFactory index) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(3).capacityBytes(8 << 20).build());
    }

    private static Memtable open() {
        return open(StrictIndex.factory());
    }

    private static void assertValue(final String expected, final byte[] actual) {
        assertEquals(expected, actual == null ? null : new String(actual, StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldShowTheNewestValueOfAKey(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            assertEquals(0, memtable.lastSequence());
            assertNull(memtable.get(bytes("k")));
            assertEquals(1, memtable.put(bytes("k"), bytes("one")));
            assertEquals(2, memtable.put(bytes("k"), bytes("two")));
            assertValue("two", memtable.get(bytes("k")));
            assertEquals(3, memtable.delete(bytes("k")));
            assertNull(memtable.get(bytes("k")));
            assertEquals(4, memtable.put(bytes("k"), bytes("")));
            assertValue("", memtable.get(bytes("k")));
            assertEquals(4, memtable.lastSequence());
        }
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldOpenGrowAndFlushInAnInterruptedThread(final IndexFactory index) throws IOException {
        final CollectingSink sink = new CollectingSink();
        Thread.currentThread().interrupt();
        try (Memtable memtable = open(index)) {
            for (int i = 0; i < 10_000; i++) {
                memtable.put(bytes("key" + i), bytes("value" + i));
            }
            assertValue("value9999", memtable.get(bytes("key9999")));
            assertEquals(10_000, memtable.flush(sink).entries());
        } finally {
            assertTrue(Thread.interrupted(), "the interrupt status is kept");
        }
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldReadTheSameFromASnapshotWhateverIsWrittenLater(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            memtable.put(bytes("a"), bytes("1"));
            memtable.put(bytes("b"), bytes("1"));
            final Snapshot before = memtable.snapshot();
            memtable.put(bytes("a"), bytes("2"));
            memtable.delete(bytes("b"));
            memtable.put(bytes("c"), bytes("2"));
            assertValue("1", before.get(bytes("a")));
            assertValue("1", before.get(bytes("b")));
            assertNull(before.get(bytes("c")));
            assertEquals(LookupResult.ABSENT, before.lookup(bytes("c")));
            assertEquals(2, before.sequence());
            assertEquals(List.of("a=1", "b=1"), scan(before.cursor()));
            assertEquals(List.of("a=2", "c=2"), scan(memtable.cursor()));
            before.close();
            before.close();
            assertThrows(IllegalStateException.class, () -> before.get(bytes("a")));
        }
    }

    private static List<String> scan(final EntryCursor cursor) {
        final List<String> entries = new ArrayList<>();
        try (cursor) {
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                entries.add(new String(cursor.key(), StandardCharsets.UTF_8) + "="
                    + new String(cursor.value(), StandardCharsets.UTF_8));
            }
        }
        return entries;
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldTellADeletedKeyFromAnAbsentOne(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            memtable.put(bytes("a"), bytes("1"));
            memtable.delete(bytes("b"));
            memtable.deleteRange(bytes("m"), bytes("p"));
            memtable.put(bytes("n"), bytes("2"));
            try (Snapshot now = memtable.snapshot()) {
                assertEquals(LookupResult.value(1, bytes("1")), now.lookup(bytes("a")));
                assertEquals(LookupResult.tombstone(2), now.lookup(bytes("b")));
                assertEquals(LookupResult.ABSENT, now.lookup(bytes("c")));
                assertEquals(LookupResult.ABSENT, now.lookup(bytes("l")));
                assertEquals(LookupResult.tombstone(3), now.lookup(bytes("m")));
                assertEquals(LookupResult.value(4, bytes("2")), now.lookup(bytes("n")));
                assertEquals(LookupResult.tombstone(3), now.lookup(bytes("o")));
                assertEquals(LookupResult.ABSENT, now.lookup(bytes("p")));
            }
        }
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldApplyABatchInItsOrder(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            memtable.put(bytes("a"), bytes("old"));
            memtable.put(bytes("z"), bytes("old"));
            final WriteBatch batch = new WriteBatch()
                .put(bytes("a"), bytes("1"))
                .put(bytes("b"), bytes("1"))
                .delete(bytes("a"))
                .put(bytes("b"), bytes("2"))
                .deleteRange(bytes("b"), bytes("zz"))
                .put(bytes("c"), bytes("3"))
                .put(bytes("a"), bytes("4"));
            assertEquals(9, memtable.write(batch));
            assertEquals(List.of("a=4", "c=3"), scan(memtable.cursor()));
            assertEquals(9, memtable.lastSequence());
            batch.clear();
            assertEquals(9, memtable.write(batch));
            assertEquals(12, memtable.write(
                batch.put(bytes("a"), bytes("5")).delete(bytes("c")).put(bytes("d"), bytes("6"))));
            assertEquals(List.of("a=5", "d=6"), scan(memtable.cursor()));
            assertEquals(15, memtable.write(batch));
        }
    }

    @ParameterizedTest
    @MethodSource(ALL_INDEXES)
    void shouldFlushWhatOlderDataNeeds(final IndexFactory index) {
        try (Memtable memtable = open(index)) {
            memtable.put(bytes("b"), bytes("1"));
            memtable.put(bytes("b"), bytes("2"));
            memtable.put(bytes("d"), bytes("gone"));
            memtable.deleteRange(bytes("c"), bytes("e"));
            memtable.delete(bytes("a"));
            memtable.put(bytes("dd"), bytes("3"));
            memtable.freeze();
            memtable.freeze();
            for (int i = 0; i < 2; i++) {
                final CollectingSink sink = new CollectingSink();
                final FlushResult result = memtable.flush(sink);
                assertEquals(
                    List.of(
                        CollectingSink.line(bytes("a"), 5, EntryKind.TOMBSTONE, null),
                        CollectingSink.line(bytes("b"), 2, EntryKind.VALUE, bytes("2")),
                        CollectingSink.rangeLine(bytes("c"), bytes("e"), 4),
                        CollectingSink.line(bytes("dd"), 6, EntryKind.VALUE, bytes("3"))),
                    sink.lines());
                assertEquals(3, result.entries());
                assertEquals(6, result.bytes());
                assertEquals(1, result.tombstones());
                assertEquals(1, result.rangeTombstones());
                assertEquals(2, result.smallestSequence());
                assertEquals(6, result.largestSequence());
                assertEquals(6, result.visibleSequence());
                assertTrue(result.nanos() > 0);
            }
            assertValue("3", memtable.get(bytes("dd")));
        }
    }

    @Test
    void shouldFlushNothingFromAnEmptyMemtable() {
        try (Memtable memtable = open()) {
            final CollectingSink sink = new CollectingSink();
            final FlushResult result = memtable.flush(sink);
            assertEquals(2, sink.calls());
            assertEquals(0, result.entries());
            assertEquals(0, result.smallestSequence());
            assertEquals(0, result.largestSequence());
            assertFalse(memtable.cursor().first());
            assertEquals(0, memtable.getAll(new byte[0][], new byte[0][]));
        }
    }

    @Test
    void shouldContinueTheNumbersOfAnotherMemtable() {
        try (Memtable first = open()) {
            first.put(bytes("a"), bytes("1"));
            try (Memtable second = Memtable.open(MemtableOptions.builder().index(StrictIndex.factory())
                .firstSequence(first.lastSequence() + 1).capacityBytes(4 << 20).build())) {
                assertEquals(1, second.lastSequence());
                assertEquals(2, second.put(bytes("a"), bytes("2")));
            }
        }
    }

    @Test
    void shouldTakeKeysAndValuesUpToTheirLimits() {
        try (Memtable memtable = open()) {
            final byte[] longest = new byte[65_535];
            longest[65_534] = 1;
            memtable.put(longest, bytes("long"));
            memtable.put(new byte[0], new byte[100_000]);
            assertValue("long", memtable.get(longest));
            assertEquals(100_000, memtable.get(new byte[0]).length);
            final byte[] tooLong = new byte[65_536];
            for (final Runnable call : List.<Runnable>of(
                () -> memtable.put(tooLong, new byte[1]), () -> memtable.get(tooLong),
                () -> memtable.delete(tooLong),
                () -> memtable.deleteRange(new byte[0], tooLong),
                () -> new WriteBatch().put(tooLong, new byte[1]),
                () -> memtable.getAll(new byte[][] {tooLong}, new byte[1][]))) {
                final IllegalArgumentException e = assertThrows(IllegalArgumentException.class, call::run);
                assertTrue(e.getMessage().contains("65536") && e.getMessage().contains("65535"),
                    e.getMessage());
            }
            assertEquals(2, memtable.lastSequence());
        }
    }

    @Test
    void shouldNameTheArgumentThatIsNull() {
        try (Memtable memtable = open()) {
            final Snapshot snapshot = memtable.snapshot();
            assertNames("key", () -> memtable.put((byte[]) null, bytes("v")));
            assertNames("value", () -> memtable.put(bytes("k"), null));
            assertNames("key", () -> memtable.delete((byte[]) null));
            assertNames("fromInclusive", () -> memtable.deleteRange(null, bytes("v")));
            assertNames("toExclusive", () -> memtable.deleteRange(bytes("k"), null));
            assertNames("fromInclusive", () -> memtable.deleteRangeFrom(null));
            assertNames("batch", () -> memtable.write(null));
            assertNames("key", () -> memtable.get((byte[]) null));
            assertNames("key", () -> snapshot.get((ByteBuffer) null));
            assertNames("destination", () -> memtable.get(bytes("k"), null, 0));
            assertNames("key", () -> snapshot.lookup((byte[]) null));
            assertNames("keys", () -> memtable.getAll(null, new byte[0][]));
            assertNames("keys[1]", () -> memtable.getAll(new byte[][] {bytes("k"), null}, new byte[2][]));
            assertNames("values", () -> memtable.getAll(new byte[0][], null));
            assertNames("destination", () -> memtable.getAll(new byte[0][], null, new int[0], new int[0]));
            assertNames("offsets", () -> memtable.getAll(new byte[0][], new UnsafeBuffer(new byte[0]), null, new int[0]));
            assertNames("lengths", () -> memtable.getAll(new byte[0][], new UnsafeBuffer(new byte[0]), new int[0], null));
            assertNames("results", () -> memtable.lookupAll(new byte[0][], null));
            assertNames("destination", () -> memtable.lookup(bytes("k"), null, 0));
            assertNames("reader", () -> memtable.read(bytes("k"), null));
            assertNames("sink", () -> memtable.flush(null));
            assertNames("options", () -> Memtable.open(null));
            assertNames("key", () -> new WriteBatch().put(null, bytes("v")));
            assertNames("value", () -> new WriteBatch().put(bytes("k"), null));
            assertNames("key", () -> new WriteBatch().delete(null));
            assertEquals(0, memtable.lastSequence());
        }
    }

    @Test
    void shouldExpectOfABatchWhatTheOneBeforeMet() {
        try (Memtable memtable = Memtable.open(
            MemtableOptions.builder().index(IndexType.TRIE).shards(1).capacityBytes(8 << 20).build())) {
            final MemtableShard shard = memtable.shards().shard(0);
            memtable.write(new WriteBatch().put(bytes("a"), bytes("v")).put(bytes("b"), bytes("v")));
            memtable.write(new WriteBatch().put(bytes("a"), bytes("w")).put(bytes("b"), bytes("w")));
            assertTrue(shard.lastWasPresent, "after updates");
            memtable.write(new WriteBatch().put(bytes("e"), bytes("v")).put(bytes("f"), bytes("v")));
            assertFalse(shard.lastWasPresent, "after new keys that were looked up");
            memtable.write(new WriteBatch().put(bytes("g"), bytes("v")).put(bytes("h"), bytes("v")));
            assertFalse(shard.lastWasPresent, "after new keys that were expected");
            memtable.write(new WriteBatch().put(bytes("g"), bytes("w")).put(bytes("i"), bytes("v")).put(bytes("i"), bytes("w")));
            assertTrue(shard.lastWasPresent, "after a batch whose keys repeat");
            assertValue("w", memtable.get(bytes("i")));
        }
    }

    @Test
    void shouldTellTheSizeOfABatch() {
        final WriteBatch batch = new WriteBatch();
        assertEquals(0, batch.byteSize());
        batch.put(bytes("key"), bytes("value")).delete(bytes("gone")).deleteRange(bytes("a"), bytes("bc"));
        assertEquals(3 + 5 + 4 + 1 + 2, batch.byteSize());
        batch.clear();
        assertEquals(0, batch.byteSize());
    }

    @Test
    void shouldShowTheKeysOfAPrefix() {
        try (Memtable memtable = open()) {
            for (final String key : List.of("a", "b", "ba", "bzz", "c")) {
                memtable.put(bytes(key), bytes(key));
            }
            memtable.put(new byte[] {-1}, bytes("x"));
            memtable.put(new byte[] {-1, -1}, bytes("y"));
            assertEquals(List.of("b", "ba", "bzz"), values(memtable, bytes("b")));
            assertEquals(List.of("x", "y"), values(memtable, new byte[] {-1}));
            assertEquals(List.of("a", "b", "ba", "bzz", "c", "x", "y"), values(memtable, new byte[0]));
            memtable.delete(bytes("a"));
            memtable.delete(bytes("b"));
            try (EntryCursor cursor = memtable.cursor(1)) {
                assertThrows(IllegalStateException.class, () -> cursor.forEach(entry -> { }));
            }
        }
    }

    private static List<String> values(final Memtable memtable, final byte[] prefix) {
        final List<String> values = new ArrayList<>();
        try (EntryCursor cursor = BoundedCursor.ofPrefix(memtable.cursor(), prefix)) {
            cursor.forEach(entry -> values.add(new String(entry.value(), StandardCharsets.US_ASCII)));
        }
        return values;
    }

    private static void assertNames(final String name, final Runnable call) {
        assertEquals(name, assertThrows(NullPointerException.class, call::run).getMessage());
    }

    @Test
    void deleteRangeThrowsIllegalArgumentWhenTheRangeIsEmpty() {
        try (Memtable memtable = open()) {
            final IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> memtable.deleteRange(bytes("b"), bytes("a")));
            assertEquals("expected a range that is not empty but was [62] to [61]", e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> memtable.deleteRange(bytes("a"), bytes("a")));
            assertThrows(
                IllegalArgumentException.class,
                () -> new WriteBatch().deleteRange(new byte[100], new byte[0]));
            assertEquals(0, memtable.lastSequence());
        }
    }

    @Test
    void getAllThrowsIllegalArgumentWhenValuesAreTooFew() {
        try (Memtable memtable = open()) {
            final IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> memtable.getAll(new byte[3][1], new byte[2][]));
            assertEquals("expected an array of at least 3 elements, one for each key, but was 2", e.getMessage());
            final MutableDirectBuffer values = new ExpandableArrayBuffer();
            assertEquals(e.getMessage(), assertThrows(IllegalArgumentException.class,
                () -> memtable.getAll(new byte[3][1], values, new int[3], new int[2])).getMessage());
            assertEquals(e.getMessage(), assertThrows(IllegalArgumentException.class,
                () -> memtable.getAll(new byte[3][1], values, new int[2], new int[3])).getMessage());
        }
    }

    @Test
    void getAllThrowsIndexOutOfBoundsWhenTheBufferIsTooSmall() {
        try (Memtable memtable = open()) {
            memtable.put(bytes("a"), new byte[5]);
            memtable.put(bytes("b"), new byte[5]);
            final byte[][] keys = {bytes("a"), bytes("c"), bytes("b")};
            final int[] offsets = new int[3];
            final int[] lengths = new int[3];
            final IndexOutOfBoundsException e = assertThrows(IndexOutOfBoundsException.class,
                () -> memtable.getAll(keys, new UnsafeBuffer(new byte[9]), offsets, lengths));
            assertEquals("expected a buffer with room for 5 bytes at 5 but was one of 9 bytes", e.getMessage());
            assertEquals(2, memtable.getAll(keys, new UnsafeBuffer(new byte[10]), offsets, lengths));
            assertArrayEquals(new int[] {5, Memtable.NO_VALUE, 5}, lengths);
            assertEquals(5, offsets[0] + offsets[2]);
        }
    }

    @Test
    void writesThrowIllegalStateWhenFrozen() {
        try (Memtable memtable = open()) {
            memtable.put(bytes("k"), bytes("v"));
            memtable.freeze();
            for (final Runnable write : List.<Runnable>of(
                () -> memtable.put(bytes("k"), bytes("w")), () -> memtable.delete(bytes("k")),
                () -> memtable.deleteRange(bytes("a"), bytes("z")),
                () -> memtable.write(new WriteBatch().delete(bytes("k"))))) {
                final FrozenException e = assertThrows(FrozenException.class, write::run);
                assertEquals("memtable is frozen", e.getMessage());
            }
            assertEquals(1, memtable.write(new WriteBatch()));
            assertValue("v", memtable.get(bytes("k")));
            assertEquals(1, memtable.lastSequence());
            assertTrue(memtable.toString().endsWith(", frozen"), memtable.toString());
        }
    }

    @Test
    void shouldIterateABatch() {
        final WriteBatch batch = new WriteBatch().put(bytes("a"), bytes("1")).delete(bytes("b"))
            .deleteRange(bytes("c"), bytes("d")).deleteRangeFrom(bytes("ef"));
        assertEquals(4, batch.size());
        assertEquals(7, batch.byteSize());
        final Iterator<WriteBatch.Operation> iterator = batch.iterator();
        assertEquals(EntryKind.VALUE, iterator.next().kind());
        assertArrayEquals(bytes("b"), iterator.next().key());
        assertArrayEquals(bytes("d"), iterator.next().toExclusive());
        assertNull(iterator.next().toExclusive());
        assertFalse(iterator.hasNext());
        assertThrows(NoSuchElementException.class, iterator::next);
        batch.clear();
        assertEquals(0, batch.size());
        assertFalse(batch.iterator().hasNext());
    }

    @Test
    void shouldHaveDefaults() {
        final MemtableOptions options = MemtableOptions.builder().index(StrictIndex.factory()).build();
        assertEquals(1, options.shards());
        assertEquals(256L << 20, options.capacityBytes());
        assertEquals(KeepVersions.NEWEST, options.keepVersions());
        assertFalse(options.sharding().isByRanges());
        assertTrue(options.slabs().lazy());
        assertEquals(1, options.firstSequence());
        assertEquals("strict", options.index().indexName());
        assertEquals(3, MemtableOptions.builder().index(StrictIndex.factory())
            .sharding(Sharding.byRanges(bytes("b"), bytes("c"))).build().shards());
    }

    @Test
    void optionsThrowWhenTheyMakeNoSense() {
        final MemtableOptions.Builder builder = MemtableOptions.builder();
        assertTrue(assertThrows(IllegalStateException.class,
            builder::build).getMessage().contains("index(...)"));
        builder.index(StrictIndex.factory());
        assertThrows(IllegalArgumentException.class, () -> builder.shards(0));
        assertThrows(IllegalArgumentException.class, () -> builder.shards(1025));
        assertThrows(IllegalArgumentException.class, () -> builder.firstSequence(0));
        assertThrows(IllegalArgumentException.class, () -> builder.firstSequence(RecordLayout.MAX_SEQUENCE));
        assertThrows(NullPointerException.class, () -> builder.sharding(null));
        assertThrows(NullPointerException.class, () -> builder.memory(null));
        final MemorySource foreign = new MemorySource() {
            @Override
            public String toString() {
                return "a foreign one";
            }
        };
        assertEquals("expected a source of memory made by Nestling but was a foreign one",
            assertThrows(IllegalArgumentException.class, () -> builder.memory(foreign)).getMessage());
        assertThrows(NullPointerException.class, () -> builder.keepVersions(null));
        assertThrows(NullPointerException.class, () -> builder.index(null));
        builder.shards(2).capacityBytes((256 << 10) - 1);
        assertThrows(IllegalArgumentException.class, builder::build);
        builder.capacityBytes(256 << 10).build();
        builder.sharding(Sharding.byRanges(bytes("b"), bytes("c")));
        final IllegalArgumentException e = assertThrows(IllegalArgumentException.class, builder::build);
        assertEquals("expected shards 3, one for each range, but was 2", e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Sharding.byRanges(bytes("b"), bytes("b")));
        assertThrows(NullPointerException.class, () -> Sharding.byRanges(bytes("b"), null));
        assertThrows(IllegalArgumentException.class, () -> Sharding.byRanges(new byte[70_000]));
    }

    @Test
    void shouldCountWhatItHolds() {
        try (Memtable memtable = open()) {
            memtable.put(bytes("a"), bytes("1"));
            memtable.put(bytes("a"), bytes("2"));
            memtable.delete(bytes("b"));
            memtable.deleteRange(bytes("c"), bytes("d"));
            final Snapshot snapshot = memtable.snapshot();
            final MemtableStats stats = memtable.stats();
            assertEquals(2, stats.entries());
            assertEquals(3, stats.versions());
            assertEquals(1, stats.rangeTombstones());
            assertEquals(1, stats.snapshots());
            assertEquals(3, stats.shards().size());
            assertTrue(stats.indexBytes() > 0 && stats.recordBytes() > 0 && stats.rangeTombstoneBytes() > 0);
            assertTrue(stats.reservedBytes() <= stats.capacityBytes());
            assertEquals(8 << 20, stats.capacityBytes());
            assertThrows(UnsupportedOperationException.class, () -> stats.shards().clear());
            snapshot.close();
            assertEquals(0, memtable.stats().snapshots());
        }
    }
}
