/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.EntryCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.VisibleCursor;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordLayout;
import io.nestling.testing.KeyCorpus;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Compares what a memtable answers with what {@link MemtableModel} says. */
public final class MemtableChecks {
    private static final byte FILLER = 0x5A;

    private MemtableChecks() {
    }

    /** Deletes the range of an operation, with or without end. */
    public static long deleteRange(final Memtable memtable, final WriteBatch.Operation operation) {
        return operation.toExclusive() == null ? memtable.deleteRangeFrom(operation.key())
            : memtable.deleteRange(operation.key(), operation.toExclusive());
    }

    /** Moves all shards of a memtable to its own index, as if they had many keys, and returns the memtable. */
    public static Memtable grown(final Memtable memtable) {
        for (int i = 0; i < memtable.shards().count(); i++) {
            final MemtableShard shard = memtable.shards().shard(i);
            final Claim claim = shard.lock().lock();
            try {
                shard.makeRoom(1_000, 0, 0, 0);
            } finally {
                claim.held = Claim.FREE;
            }
        }
        return memtable;
    }

    /** Compares all reads of one key, as of a snapshot or, if it is null, of now. */
    public static void point(
        final Memtable memtable, final MemtableModel model, final byte[] key, final Snapshot given) {
        if (given == null) {
            final byte[] expected = model.get(key, model.last());
            assertArrayEquals(expected, memtable.get(key), () -> "get " + KeyCorpus.text(key));
            buffer(memtable, key, expected);
            lookups(memtable, key, model.lookup(key, model.last()));
            try (Snapshot now = memtable.snapshot()) {
                assertEquals(model.last(), now.sequence());
                point(memtable, model, key, now);
            }
            return;
        }
        final long at = given.sequence();
        final MemtableModel.Version expected = model.entry(key, at);
        assertArrayEquals(expected == null ? null : expected.value(), given.get(key),
            () -> "get " + KeyCorpus.text(key) + " at " + at);
        lookups(given, key, model.lookup(key, at));
    }

    /** Compares what the forms of a lookup say. */
    private static void lookups(final ReadView view, final byte[] key, final LookupResult expected) {
        assertEquals(expected, view.lookup(key), () -> "lookup " + KeyCorpus.text(key) + " in " + view);
        final byte[] value = expected.value();
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[value == null ? 2 : value.length + 2]);
        final int length = view.lookup(key, buffer, 1);
        final ValueReader reader = (bytes, sequence) -> {
            final byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            assertArrayEquals(value, copy);
            assertEquals(expected.sequence(), sequence);
        };
        assertEquals(expected.kind(), view.read(key, reader));
        if (value == null) {
            assertEquals(switch (expected.kind()) {
                case TOMBSTONE -> ReadView.DELETED;
                case OPERANDS -> ReadView.OPERANDS;
                default -> ReadView.ABSENT;
            }, length);
        } else {
            assertEquals(value.length, length);
            assertArrayEquals(value, Arrays.copyOfRange(buffer.byteArray(), 1, 1 + length));
        }
    }

    /** What a closed buffer throws when it is read. */
    static final class ClosedBufferException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Returns a buffer that shows its size and cannot be read. */
    static UnsafeBuffer closedBuffer(final byte[] bytes) {
        return new UnsafeBuffer(bytes) {
            @Override
            public void getBytes(final int index, final ByteBuffer destination, final int offset, final int length) {
                throw new ClosedBufferException();
            }

            @Override
            public long getLong(final int index, final ByteOrder order) {
                throw new ClosedBufferException();
            }

            @Override
            public byte getByte(final int index) {
                throw new ClosedBufferException();
            }
        };
    }

    private static void buffer(final Memtable memtable, final byte[] key, final byte[] expected) {
        final int length = expected == null ? Memtable.NO_VALUE : expected.length;
        final byte[] bytes = new byte[Math.max(0, length) + 2];
        Arrays.fill(bytes, FILLER);
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        if (length > 0) {
            assertThrows(IndexOutOfBoundsException.class, () -> memtable.get(key, buffer, 3));
        }
        assertEquals(length, memtable.get(key, buffer, 1));
        assertEquals(FILLER, bytes[0]);
        assertEquals(FILLER, bytes[bytes.length - 1]);
        if (length > 0) {
            assertArrayEquals(expected, Arrays.copyOfRange(bytes, 1, 1 + length));
        }
    }

    /** Compares a lookup of many keys. */
    public static void all(
        final Memtable memtable, final MemtableModel model, final byte[][] keys, final int placesToSpare) {
        final byte[][] values = new byte[keys.length + placesToSpare][];
        final LookupResult[] results = new LookupResult[values.length];
        int expectedHits = 0;
        int expectedValues = 0;
        final int hits = memtable.getAll(keys, values);
        final int found = memtable.lookupAll(keys, results);
        final MutableDirectBuffer copies = new ExpandableArrayBuffer(1);
        final int[] offsets = new int[values.length];
        final int[] lengths = new int[values.length];
        final int copied = memtable.getAll(keys, copies, offsets, lengths);
        for (int i = 0; i < keys.length; i++) {
            final byte[] key = keys[i];
            final byte[] expected = model.get(key, model.last());
            expectedHits += expected == null ? 0 : 1;
            expectedValues += model.lookup(key, model.last()).kind() == LookupResult.Kind.VALUE ? 1 : 0;
            assertArrayEquals(expected, values[i], () -> "getAll " + KeyCorpus.text(key));
            assertEquals(model.lookup(key, model.last()), results[i], () -> "lookupAll " + KeyCorpus.text(key));
            assertEquals(expected == null ? Memtable.NO_VALUE : expected.length, lengths[i]);
            if (expected != null) {
                final byte[] copy = new byte[lengths[i]];
                copies.getBytes(offsets[i], copy);
                assertArrayEquals(expected, copy, () -> "getAll to a buffer " + KeyCorpus.text(key));
            }
        }
        assertEquals(expectedHits, hits);
        assertEquals(expectedHits, copied);
        assertEquals(expectedValues, found);
    }

    /** Opens a cursor over a snapshot or, if it is null, over now: some with a limit of hidden entries, some over versions. */
    public static EntryCursor cursor(final Memtable memtable, final Snapshot given, final Random random) {
        final ReadView view = given == null ? memtable : given;
        if (random.nextBoolean()) {
            return view.cursor();
        }
        if (random.nextBoolean()) {
            return VisibleCursor.of(
                List.of(view.versions()), RecordLayout.MAX_SEQUENCE, memtable.state().options().rules());
        }
        final int limit = 1 + random.nextInt(1 + random.nextInt(40));
        return view.cursor(limit);
    }

    /** Compares what a flush passes on, after one that fails at a random call. Returns what the model says. */
    public static MemtableModel.Flushed flush(
        final Memtable memtable, final MemtableModel model, final KeepVersions keep, final List<Snapshot> snapshots,
        final Random random) {
        final MemtableModel.Flushed flushed = model.flush(
            keep, model.last(), snapshots.stream().map(Snapshot::sequence).toList());
        final List<String> expected = flushed.lines();
        final int calls = expected.size() + 2;
        final int failing = random.nextInt(calls);
        final UncheckedIOException failure = assertThrows(
            UncheckedIOException.class, () -> memtable.flush(new CollectingSink(failing)));
        assertTrue(failure.getMessage().contains("call " + failing), failure.getMessage());
        final CollectingSink sink = new CollectingSink();
        final FlushResult result = memtable.flush(sink);
        assertEquals(String.join("\n", expected), String.join("\n", sink.lines()));
        assertEquals(calls, sink.calls());
        result(flushed, model.last(), result);
        return flushed;
    }

    /** Compares what a flush says about itself. */
    public static void result(
        final MemtableModel.Flushed expected, final long visible, final FlushResult result) {
        assertEquals(expected.entries().size(), result.entries());
        assertEquals(expected.ranges().size(), result.rangeTombstones());
        assertEquals(visible, result.visibleSequence());
        assertEquals(expected.entries().stream().filter(entry -> entry.value() == null).count(), result.tombstones());
        assertEquals(
            expected.entries().stream().mapToLong(
                entry -> entry.key().length + (entry.value() == null ? 0 : entry.value().length)).sum(),
            result.bytes());
        final long[] sequences = expected.sequences();
        assertEquals(sequences.length == 0 ? 0 : sequences[0], result.smallestSequence());
        assertEquals(sequences.length == 0 ? 0 : sequences[sequences.length - 1], result.largestSequence());
    }

    /** Compares the statistics. */
    public static void stats(final Memtable memtable, final MemtableModel model, final int snapshots) {
        final MemtableStats stats = memtable.stats();
        assertEquals(model.keys(), stats.entries());
        assertEquals(model.versions(), stats.versions());
        assertEquals(model.ranges(), stats.rangeTombstones());
        assertEquals(snapshots, stats.snapshots());
        assertEquals(stats.reservedBytes(),
            stats.indexBytes() + stats.recordBytes() + stats.rangeTombstoneBytes() + stats.idleBytes());
        assertEquals(stats.versions(),
            stats.shards().stream().mapToLong(MemtableStats.ShardStats::writes).sum());
        assertTrue(stats.idleBytes() >= 0, stats.toString());
    }

    /** Verifies the indexes of all shards. */
    public static void verifyIndexes(final Memtable memtable) {
        for (int i = 0; i < memtable.shards().count(); i++) {
            memtable.shards().shard(i).index().verify();
        }
    }

    /** Lets the epochs move on, so that cursors seek anew and memory is used again. */
    public static void advanceEpoch(final Memtable memtable) {
        memtable.state().epochs().tryAdvance();
    }

    /** Checks that a closed memtable has given all its bytes back. */
    public static void allGivenBack(final Memtable memtable) {
        assertEquals(0, memtable.state().budget().used(), "bytes were not given back");
    }
}
