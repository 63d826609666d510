/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.testing.ReferenceIndex;
import io.nestling.testing.Seeds;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An index that refuses a put although space was reserved: nothing has changed then, and other writes go on. */
class RefusedPutTest {
    private String refused = "";
    private boolean refusesReservations;

    /** Creates indexes of one writer that refuse a put, or reservations, on request. */
    private final class Factory implements IndexFactory {
        private final boolean ordered;

        Factory(final boolean ordered) {
            this.ordered = ordered;
        }

        @Override
        public PointIndex create(final IndexContext context) {
            final PointIndex index = (ordered ? ReferenceIndex.concurrentFactory() : HashIndex.factory()).create(context);
            final Class<?> type = ordered ? OrderedIndex.class : PointIndex.class;
            final Class<?>[] types = {type};
            return (PointIndex) Proxy.newProxyInstance(type.getClassLoader(), types, (proxy, method, arguments) -> {
                if (refused.equals(method.getName()) || refused.equals("any put") && method.getName().startsWith("put")) {
                    refused = "";
                    throw new SpaceExhaustedException("refused 1 key");
                }
                if (refusesReservations && method.getName().equals("reserve") && (int) arguments[0] > 0) {
                    throw new SpaceExhaustedException("refused to reserve");
                }
                try {
                    return method.invoke(index, arguments);
                } catch (final InvocationTargetException e) {
                    throw e.getCause();
                }
            });
        }

        @Override
        public String indexName() {
            return "refusing";
        }

        @Override
        public boolean ordered() {
            return ordered;
        }

        @Override
        public boolean storesKeys() {
            return false;
        }

        @Override
        public boolean concurrentWriters() {
            return false;
        }
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGoOnAfterAPutThatTheIndexRefuses(final boolean ordered) throws Exception {
        try (Memtable memtable = MemtableChecks.grown(Memtable.open(
            MemtableOptions.builder().index(new Factory(ordered)).shards(1).capacityBytes(4L << 20).build()))) {
            memtable.put(bytes("b"), bytes("1"));
            refused = "any put";
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(bytes("a"), bytes("lost")));
            refused = "any put";
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(bytes("b"), bytes("lost")));
            refused = "put"; // once the key turned out to be there
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(bytes("b"), bytes("lost")));
            assertTrue(memtable.isFull(), "its owner learns that it should be flushed");
            assertEquals(1, memtable.lastSequence(), "a refused put has claimed a number");
            assertNull(memtable.get(bytes("a")));
            assertArrayEquals(bytes("1"), memtable.get(bytes("b")));
            final long c = memtable.put(bytes("c"), bytes("2"));
            try (EntryCursor cursor = memtable.cursor()) {
                assertTrue(cursor.first());
                assertArrayEquals(bytes("b"), cursor.key());
                assertTrue(cursor.next());
                assertArrayEquals(bytes("c"), cursor.key());
                assertTrue(!cursor.next());
            }
            final long a = memtable.put(bytes("a"), bytes("3"));
            final long b = memtable.put(bytes("b"), bytes("4"));
            memtable.freeze();
            final CollectingSink sink = new CollectingSink();
            assertEquals(3, memtable.flush(sink).entries());
            assertEquals(List.of(CollectingSink.line(bytes("a"), a, EntryKind.VALUE, bytes("3")),
                CollectingSink.line(bytes("b"), b, EntryKind.VALUE, bytes("4")),
                CollectingSink.line(bytes("c"), c, EntryKind.VALUE, bytes("2"))), sink.lines());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReleaseWhatARefusedPutHasReserved(final boolean ordered) {
        try (Memtable memtable = Memtable.open(
            MemtableOptions.builder().index(new Factory(ordered)).shards(1).capacityBytes(64L << 20).build())) {
            memtable.put(bytes("b"), bytes("1"));
            final long reserved = memtable.stats().reservedBytes();
            refusesReservations = true;
            assertThrows(SpaceExhaustedException.class, () -> memtable.put(bytes("a"), new byte[8 << 20]));
            refusesReservations = false;
            assertTrue(memtable.isFull());
            assertTrue(memtable.stats().reservedBytes() <= reserved,
                () -> memtable.stats() + " after a refused put, not " + reserved);
            memtable.put(bytes("a"), bytes("2"));
            assertArrayEquals(bytes("2"), memtable.get(bytes("a")));
        }
    }

    /** A put expects a new key, finds it present, and has no room for links. Seen to fail with a record that stays. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = {"SKIP_LIST", "COCUCKOO"})
    void shouldTakeNoSpaceForAPutWhoseLinksDoNotFit(final IndexType index) {
        final Random random = Seeds.random("RefusedPutTest " + index);
        int refused = 0;
        for (int round = 0; round < 100 && refused < 3; round++) {
            try (Memtable memtable = Memtable.open(
                MemtableOptions.builder().index(index).shards(1).capacityBytes(1 << 20).maxEntryBytes(16).build())) {
                int keys = 0;
                while (keys < 200) { // more than a small shard has
                    assertNull(tryPut(memtable, key(keys++), 0));
                }
                final MemoryBudget budget = memtable.state().budget();
                final long taken = budget.remaining() - random.nextInt(64 << 10);
                assertTrue(budget.tryAcquire(taken));
                while (tryPut(memtable, key(keys), 50 + random.nextInt(200)) == null) {
                    keys++;
                }
                // The last key that was put was new. The first of these records that fits does so without links only.
                SpaceExhaustedException e = null;
                MemtableStats before = null;
                for (int length = 500; length >= 0 && (e == null || !isRefusedByLinks(e)); length--) {
                    before = memtable.stats();
                    e = tryPut(memtable, key(random.nextInt(keys)), length);
                }
                if (e != null && isRefusedByLinks(e)) {
                    refused++;
                    final MemtableStats after = memtable.stats();
                    assertEquals(before.recordBytes(), after.recordBytes());
                    assertEquals(before.versions(), after.versions());
                    final MemtableStats earlier = before;
                    // A table of the index may have grown by a bucket, which it keeps.
                    assertTrue(after.indexBytes() > earlier.indexBytes() || after.reservedBytes() <= earlier.reservedBytes(),
                        () -> "reserved by a refused put: before " + earlier + ", after " + after);
                }
                assertEquals(keys, memtable.stats().entries());
                budget.release(taken);
            }
        }
        assertTrue(refused > 0, "links always fitted");
    }

    private static boolean isRefusedByLinks(final SpaceExhaustedException e) {
        return Arrays.stream(e.getStackTrace()).anyMatch(at -> at.getMethodName().equals("addLinksAlone"));
    }

    private static byte[] key(final int number) {
        return new byte[] {1, (byte) (number >> 8), (byte) number};
    }

    /** Puts a key; returns the exception if it does not fit, else null. */
    private static SpaceExhaustedException tryPut(final Memtable memtable, final byte[] key, final int valueLength) {
        try {
            memtable.put(key, new byte[valueLength]);
            return null;
        } catch (final SpaceExhaustedException e) {
            return e;
        }
    }
}
