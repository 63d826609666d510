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
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.LookupResult;
import io.nestling.index.ValueRules;
import io.nestling.index.Versions;
import io.nestling.index.VisibleCursor;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Entries that expire. Planted faults that were seen: an expired entry that a get, a run of a cursor or a flush shows; a clock
 * that each shard reads, or each entry.
 */
class ExpiryTest {
    private static final int KEYS = 300;
    private static final byte[] VALUE = bytes("value");

    private final AtomicLong time = new AtomicLong(1_000);

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static MemtableOptions.Builder options(final IndexType index, final LongSupplier clock) {
        return MemtableOptions.builder().index(index).shards(2).capacityBytes(8 << 20)
            .rules(ValueRules.DEFAULT.withClock(clock));
    }

    private Memtable open(final IndexType index) {
        return Memtable.open(options(index, time::get).build());
    }

    @ParameterizedTest
    @EnumSource(IndexType.class)
    void shouldDeleteWhatHasExpired(final IndexType index) {
        try (Memtable memtable = open(index)) {
            memtable.put(bytes("a"), bytes("older"));
            memtable.putExpiring(bytes("a"), VALUE, 1_001);
            memtable.putExpiring(bytes("b"), VALUE, 2_000);
            memtable.putExpiring(bytes("late"), VALUE, 1_000);
            memtable.putExpiring(bytes("c"), new byte[0], Long.MAX_VALUE);
            assertEquals(List.of("a", "b", "c"), shown(memtable));
            assertArrayEquals(VALUE, memtable.get(bytes("a")));
            assertNull(memtable.get(bytes("late")));
            assertEquals(LookupResult.tombstone(4), memtable.lookup(bytes("late")));
            try (Snapshot snapshot = memtable.snapshot(); EntryCursor before = memtable.cursor()) {
                time.set(1_001);
                assertNull(snapshot.get(bytes("a")));
                assertEquals(LookupResult.tombstone(2), memtable.lookup(bytes("a")));
                assertTrue(before.first());
                assertEquals("a", new String(before.key(), StandardCharsets.UTF_8)); // the cursor read the clock when it was made
                assertEquals(EntryKind.VALUE, before.kind());
            }
            assertEquals(List.of("b", "c"), shown(memtable));
            memtable.put(bytes("a"), bytes("again"));
            assertArrayEquals(bytes("again"), memtable.get(bytes("a")));
        }
    }

    private static List<String> shown(final Memtable memtable) {
        final java.util.ArrayList<String> keys = new java.util.ArrayList<>();
        try (EntryCursor cursor = memtable.cursor()) {
            cursor.forEach(entry -> keys.add(new String(entry.key(), StandardCharsets.UTF_8)));
        }
        return keys;
    }

    @Test
    void shouldShowExpiriesInVersionsAndFlushes() throws Exception {
        try (Memtable memtable = open(IndexType.TRIE)) {
            memtable.write(new WriteBatch().putExpiring(bytes("a"), VALUE, 1_500).putExpiring(bytes("b"), VALUE, 3_000)
                .put(bytes("c"), VALUE).delete(bytes("d")));
            time.set(2_000);
            try (Versions versions = memtable.versions(); EntryCursor cursor = versions.cursor()) {
                assertTrue(cursor.first());
                assertEquals(EntryKind.EXPIRING, cursor.kind());
                assertEquals(1_500, cursor.expiry());
                assertArrayEquals(VALUE, cursor.value());
                assertTrue(cursor.last());
                assertThrows(IllegalStateException.class, cursor::expiry);
            }
            memtable.freeze();
            final CollectingSink sink = new CollectingSink();
            final FlushResult result = memtable.flush(sink);
            assertEquals(2, result.tombstones());
            assertEquals(List.of(
                CollectingSink.line(bytes("a"), 1, EntryKind.TOMBSTONE, null),
                CollectingSink.line(bytes("b"), 2, EntryKind.EXPIRING, VALUE) + " until 3000",
                CollectingSink.line(bytes("c"), 3, EntryKind.VALUE, VALUE),
                CollectingSink.line(bytes("d"), 4, EntryKind.TOMBSTONE, null)), sink.lines());
        }
    }

    @Test
    void shouldReadTheClockOnceAnOperation() throws Exception {
        final AtomicLong ticks = new AtomicLong(); // each reading finds a later time
        final Memtable memtable = Memtable.open(options(IndexType.WORMHOLE, ticks::incrementAndGet).build());
        try (memtable) {
            memtable.put(bytes("x"), VALUE);
            memtable.get(bytes("x"));
            memtable.cursor().close();
            assertEquals(0, ticks.get(), "nothing expires");
            memtable.delete(bytes("x"));
            final byte[][] keys = new byte[KEYS][];
            for (int i = 0; i < KEYS; i++) {
                keys[i] = bytes("key" + (100 + i));
                memtable.putExpiring(keys[i], VALUE, i % 2 == 0 ? 1_000_000 : 1_001);
            }
            ticks.set(999);
            assertEquals(KEYS, memtable.getAll(keys, new byte[KEYS][]));
            assertEquals(1_000, ticks.get());
            ticks.set(999);
            assertEquals(KEYS, shown(memtable).size());
            assertEquals(1_000, ticks.get());
            ticks.set(999);
            try (EntryCursor cursor = memtable.cursor(10)) {
                assertTrue(cursor.last());
                assertTrue(cursor.first());
                assertTrue(cursor.next());
            }
            assertEquals(1_000, ticks.get());
            ticks.set(999);
            assertEquals(1, memtable.flush(new CollectingSink()).tombstones());
            assertEquals(1_000, ticks.get());
            ticks.set(999);
            memtable.lookup(keys[1]);
            assertEquals(1_000, ticks.get());
            final ValueRules rules = memtable.state().options().rules();
            try (VisibleCursor cursor = VisibleCursor.of(List.of(memtable.versions()), Long.MAX_VALUE, rules)) {
                int found = 0;
                for (boolean more = cursor.first(); more; more = cursor.next()) {
                    found++;
                }
                assertEquals(KEYS / 2, found);
            }
            assertEquals(1_001, ticks.get());
        }
    }

    @Test
    void shouldRefuseWhatIsNoExpiry() {
        try (Memtable memtable = open(IndexType.SKIP_LIST)) {
            final String message =
                assertThrows(IllegalArgumentException.class, () -> memtable.putExpiring(bytes("a"), VALUE, -1)).getMessage();
            assertEquals("expected an expiry of at least 0 milliseconds since the epoch but was -1", message);
            final WriteBatch batch = new WriteBatch();
            assertThrows(IllegalArgumentException.class, () -> batch.putExpiring(bytes("a"), VALUE, Long.MIN_VALUE));
            assertEquals(0, batch.size());
            assertThrows(NullPointerException.class, () -> memtable.putExpiring(bytes("a"), null, 1));
            assertEquals(0, memtable.lastSequence());
        }
    }

    @Test
    void shouldTakeNumbersOfTheCallers() {
        try (Memtable memtable = open(IndexType.MLP_INDEX); Memtable replay = open(IndexType.MLP_INDEX)) {
            try (SequenceReservation numbers = memtable.reserveSequences(2)) {
                numbers.putExpiring(bytes("a"), VALUE, 900, 2);
                numbers.put(bytes("a"), bytes("older"), 1);
                numbers.awaitVisible();
            }
            assertEquals(LookupResult.tombstone(2), memtable.lookup(bytes("a")));
            replay.write(new WriteBatch().putExpiring(bytes("a"), VALUE, 1_100), 7);
            assertEquals(LookupResult.value(7, VALUE), replay.lookup(bytes("a")));
        }
    }

    @Test
    void shouldStayUsableIfTheClockThrows() {
        final LongSupplier broken = () -> {
            if (time.get() == 0) {
                throw new IllegalStateException("no clock");
            }
            return time.get();
        };
        try (Memtable memtable = Memtable.open(options(IndexType.TRIE, broken).build())) {
            memtable.putExpiring(bytes("a"), VALUE, 2_000);
            time.set(0);
            assertThrows(IllegalStateException.class, () -> memtable.get(bytes("a")));
            assertThrows(IllegalStateException.class, memtable::cursor);
            assertThrows(IllegalStateException.class, () -> memtable.flush(new CollectingSink()));
            memtable.deleteRange(bytes("x"), bytes("y"));
            time.set(1_999);
            assertArrayEquals(VALUE, memtable.get(bytes("a")));
            assertFalse(memtable.isFull());
        }
    }
}
