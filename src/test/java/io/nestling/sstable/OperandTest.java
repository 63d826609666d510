/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntryView;
import io.nestling.index.LookupResult;
import io.nestling.index.MergeFailedException;
import io.nestling.index.ValueRules;
import io.nestling.index.VisibleCursor;
import io.nestling.memtable.CollectingSink;
import io.nestling.memtable.KeepVersions;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.ReadView;
import io.nestling.memtable.SequenceReservation;
import io.nestling.memtable.Snapshot;
import io.nestling.memtable.WriteBatch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Operands in memtables and tables. Planted faults that were seen here or by the models: operands that are combined across a
 * snapshot by a flush; a range tombstone between operands that a get, a merged read or a merge ignores; a recycled record
 * behind an operand; operands that a merge combines although a table beside has a version between them.
 */
class OperandTest {
    private static final byte[] KEY = bytes("key");
    private static final long ALL = TableEntryLayout.MAX_SEQUENCE;

    private boolean isBroken;
    private long time = 1_000;
    /** Appends; the value before is "-" if there is none. */
    private final ValueRules rules = ValueRules.DEFAULT.withClock(() -> time).withOperator((key, value, operands) -> {
        if (isBroken) {
            throw new ArithmeticException("broken");
        }
        final StringBuilder text = new StringBuilder(value == null ? "-" : text(value));
        operands.forEach(operand -> text.append(text(operand)));
        return bytes(text.toString());
    });

    @TempDir
    private Path directory;

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(final byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void shouldNotGatherTheOperandsOfAMergeWithoutOperator() throws IOException {
        final int count = 1_000;
        final byte[] operand = new byte[100_000];
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            final Path path = live.nextTable();
            try (SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults())) {
                writer.begin(count + 2, Long.MAX_VALUE, 0);
                for (int i = 0; i < count; i++) {
                    writer.entry(TestEntry.operand(KEY, count + 2 - i, operand));
                }
                writer.entry(TestEntry.value(KEY, 2, bytes("v")));
                writer.entry(TestEntry.value(KEY, 1, bytes("hidden")));
                writer.end();
            }
            live.add(path);
            final long before = heapBytes();
            final long[] grown = new long[1];
            try (TableSet tables = live.acquire()) {
                live.merge(tables.readers(), MergeOptions.defaults(), read -> {
                    if (read > 60_000_000 && grown[0] == 0) {
                        grown[0] = heapBytes() - before;
                    }
                });
            }
            assertTrue(grown[0] != 0 && grown[0] < 30_000_000, grown[0] + " bytes after 60 MB of operands");
            try (TableSet tables = live.acquire()) {
                assertEquals(count + 1, tables.readers().get(0).entryCount());
                assertEquals(1 + count * operand.length, tables.lookup(KEY, ALL, rules.withOperator((key, value, operands) ->
                    new byte[value.length + operands.size() * operands.get(0).length])).value().length);
            }
        }
    }

    private static long heapBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void shouldGiveTheOperatorAKeyOfItsOwn() throws IOException {
        final ValueRules changing = rules.withOperator((key, value, operands) -> {
            key[0]++;
            return value;
        });
        final byte[] key = KEY.clone();
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            for (final TestEntry entry : List.of(TestEntry.value(KEY, 1, bytes("v")), TestEntry.operand(KEY, 2, bytes("o")))) {
                final Path path = live.nextTable();
                TestTables.write(path, SstableOptions.defaults(), List.of(entry));
                live.add(path);
            }
            try (TableSet tables = live.acquire()) {
                assertEquals("v", text(tables.lookup(key, ALL, changing).value()));
                assertArrayEquals(KEY, key);
                live.merge(tables.readers(), MergeOptions.defaults().withRules(changing), read -> { });
            }
            try (TableSet tables = live.acquire()) {
                assertEquals("v", text(tables.get(KEY)));
            }
        }
    }

    private Memtable open(final IndexType index, final KeepVersions keep) {
        return Memtable.open(MemtableOptions.builder().index(index).shards(1).capacityBytes(8 << 20).keepVersions(keep)
            .rules(rules).build());
    }

    private static List<String> flushed(final Memtable memtable) {
        final CollectingSink sink = new CollectingSink();
        memtable.flush(sink);
        return sink.lines();
    }

    private static String line(final long sequence, final EntryKind kind, final String value) {
        return CollectingSink.line(KEY, sequence, kind, value == null ? null : bytes(value));
    }

    @ParameterizedTest
    @EnumSource(IndexType.class)
    void shouldCombineBackToTheFirstValueOrDeletion(final IndexType index) {
        try (Memtable memtable = open(index, KeepVersions.NEWEST)) {
            memtable.merge(KEY, bytes("a"));
            assertEquals("-a", text(memtable.get(KEY)));
            assertEquals(LookupResult.operands(1, List.of(bytes("a"))), memtable.lookup(KEY));
            assertEquals(ReadView.OPERANDS, memtable.lookup(KEY, new UnsafeBuffer(new byte[9]), 0));
            assertEquals(2, memtable.get(KEY, new UnsafeBuffer(new byte[9]), 0));
            assertThrows(IndexOutOfBoundsException.class, () -> memtable.get(KEY, new UnsafeBuffer(new byte[2]), 1));
            memtable.put(KEY, bytes("v"));
            memtable.write(new WriteBatch().merge(KEY, bytes("b")).merge(KEY, bytes("c")));
            assertEquals(LookupResult.value(4, bytes("vbc")), memtable.lookup(KEY));
            memtable.putExpiring(KEY, bytes("gone"), 1_000);
            memtable.merge(KEY, bytes("d"));
            assertEquals("-d", text(memtable.get(KEY)));
            memtable.delete(KEY);
            memtable.merge(KEY, bytes("e"));
            memtable.deleteRangeFrom(bytes("k"));
            assertNull(memtable.get(KEY));
            memtable.merge(KEY, bytes("f"));
            assertEquals(LookupResult.value(10, bytes("-f")), memtable.lookup(KEY), "a range tombstone ends the search");
            assertEquals(List.of("range [6b] to null @9"), flushed(memtable).subList(0, 1).stream().map(
                line -> line.replaceAll("range .* to .* @", "range [6b] to null @")).toList());
            assertEquals(line(10, EntryKind.VALUE, "-f"), flushed(memtable).get(1));
        }
    }

    @Test
    void shouldKeepWhatOperandsNeedWhileRecordsAreRecycled() {
        try (Memtable memtable = open(IndexType.TRIE, KeepVersions.NEWEST)) {
            final StringBuilder expected = new StringBuilder("v");
            memtable.put(KEY, bytes("v"));
            for (int i = 0; i < 2_000; i++) {
                memtable.merge(KEY, bytes("" + i % 10));
                expected.append(i % 10);
            }
            assertEquals(expected.toString(), text(memtable.get(KEY)));
            for (int i = 0; i < 2_000; i++) {
                memtable.put(KEY, bytes("w"));
            }
            assertTrue(memtable.stats().recycledVersions() > 3_000, "replaced operands are recycled");
            memtable.merge(KEY, bytes("!"));
            assertEquals("w!", text(memtable.get(KEY)));
        }
    }

    @Test
    void shouldNotCombineAcrossASnapshot() {
        try (Memtable memtable = open(IndexType.WORMHOLE, KeepVersions.NEEDED_BY_SNAPSHOTS)) {
            memtable.put(KEY, bytes("v"));
            memtable.merge(KEY, bytes("a"));
            memtable.merge(KEY, bytes("b"));
            try (Snapshot snapshot = memtable.snapshot()) {
                memtable.merge(KEY, bytes("c"));
                memtable.merge(KEY, bytes("d"));
                assertEquals("vab", text(snapshot.get(KEY)));
                assertEquals(List.of(line(5, EntryKind.OPERAND, "d"), line(4, EntryKind.OPERAND, "c"),
                    line(3, EntryKind.VALUE, "vab")), flushed(memtable));
            }
            assertEquals(List.of(line(5, EntryKind.VALUE, "vabcd")), flushed(memtable));
        }
    }

    @Test
    void shouldKeepOperandsOverAValueThatMayExpire() {
        try (Memtable memtable = open(IndexType.TRIE, KeepVersions.NEWEST)) {
            memtable.putExpiring(KEY, bytes("v"), 1_001);
            memtable.merge(KEY, bytes("a"));
            assertEquals("va", text(memtable.get(KEY)));
            assertEquals(List.of(line(2, EntryKind.OPERAND, "a"), line(1, EntryKind.EXPIRING, "v") + " until 1001"),
                flushed(memtable));
        }
    }

    @Test
    void shouldFailOnlyTheReadOrFlushWhoseOperatorThrows() {
        try (Memtable memtable = open(IndexType.TRIE, KeepVersions.NEWEST)) {
            memtable.put(KEY, bytes("v"));
            memtable.merge(KEY, bytes("a"));
            memtable.put(bytes("other"), bytes("o"));
            isBroken = true;
            final byte[][] keys = {KEY};
            final List<Runnable> reads = List.of(() -> memtable.get(KEY), () -> memtable.lookup(KEY),
                () -> memtable.getAll(keys, new byte[1][]), () -> memtable.flush(new CollectingSink()),
                () -> memtable.cursor().forEach(EntryView::value),
                () -> VisibleCursor.of(List.of(memtable.versions()), ALL, rules).forEach(EntryView::value));
            for (final Runnable read : reads) {
                final MergeFailedException e = assertThrows(MergeFailedException.class, read::run);
                assertEquals("cannot combine the operands of key [6b6579]: the merge operator threw "
                    + "java.lang.ArithmeticException: broken", e.getMessage());
            }
            assertEquals("o", text(memtable.get(bytes("other"))));
            memtable.merge(KEY, bytes("b"));
            isBroken = false;
            assertEquals("vab", text(memtable.get(KEY)));
            assertEquals(2, flushed(memtable).size());
        }
    }

    @Test
    void shouldRefuseOperandsWithoutAnOperator() {
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).shards(1).build())) {
            for (final Runnable write : List.<Runnable>of(() -> memtable.merge(KEY, KEY),
                () -> memtable.write(new WriteBatch().put(KEY, KEY).merge(KEY, KEY)))) {
                final String message = assertThrows(IllegalStateException.class, write::run).getMessage();
                assertEquals("expected a memtable whose rules have a merge operator but was one without: "
                    + "set it by MemtableOptions.Builder.rules", message);
            }
            assertEquals(0, memtable.lastSequence());
        }
        final ValueRules none = ValueRules.DEFAULT.withOperator((key, value, operands) -> null);
        assertTrue(assertThrows(MergeFailedException.class, () -> none.combine(KEY, null, List.of(KEY)))
            .getMessage().endsWith("the merge operator returned null"));
    }

    // ---- tables ----

    /** Adds a table with what a memtable emits, whose numbers begin with one. */
    private void table(final LiveTableSet live, final long first, final WriteBatch batch) throws IOException {
        final Path path = live.nextTable();
        try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(IndexType.TRIE).shards(1).capacityBytes(4 << 20)
            .rules(rules).firstSequence(first).build());
            SstableWriter writer = SstableWriter.create(path, SstableOptions.defaults())) {
            memtable.write(batch);
            memtable.flush(writer);
        }
        live.add(path);
    }

    private List<String> versions(final LiveTableSet live) throws IOException {
        final List<String> lines = new ArrayList<>();
        try (TableSet tables = live.acquire()) {
            for (final SstableReader reader : tables.readers()) {
                reader.verify();
                try (EntryCursor cursor = reader.cursor()) {
                    cursor.forEach(entry ->
                        lines.add(text(entry.key()) + "@" + entry.sequence() + " " + entry.kind() + " " + text(entry.value())));
                }
            }
        }
        return lines;
    }

    private String get(final LiveTableSet live) throws IOException {
        try (TableSet tables = live.acquire()) {
            final LookupResult found = tables.lookup(KEY, ALL, rules).overNothing(KEY, rules);
            try (VisibleCursor cursor = VisibleCursor.of(tables.versions(), ALL, rules)) {
                assertTrue(cursor.seek(KEY));
                assertEquals(text(found.value()), text(cursor.value()));
                assertTrue(cursor.seekLowerThan(bytes("keys")));
                assertEquals(text(found.value()), text(cursor.value()));
            }
            return text(found.value());
        }
    }

    private static void merge(final LiveTableSet live, final MergeOptions options, final int... numbers) throws IOException {
        try (TableSet tables = live.acquire()) {
            final List<SstableReader> inputs = new ArrayList<>();
            for (final int number : numbers) {
                inputs.add(tables.readers().get(number));
            }
            live.merge(inputs, options, bytes -> { });
        }
    }

    @Test
    void shouldLetALookupGoOnIntoOlderData() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory); Memtable memtable = open(IndexType.TRIE, KeepVersions.NEWEST)) {
            table(live, 1, new WriteBatch().put(KEY, bytes("v")));
            table(live, 5, new WriteBatch().merge(KEY, bytes("a")).merge(KEY, bytes("b")));
            assertEquals("vab", get(live));
            try (SequenceReservation numbers = memtable.reserveSequences(20)) {
                numbers.merge(KEY, bytes("c"), 10);
                numbers.awaitVisible();
            }
            try (TableSet tables = live.acquire()) {
                assertThrows(MergeFailedException.class, () -> tables.get(KEY));
                assertEquals(LookupResult.operands(6, List.of(bytes("a"), bytes("b"))),
                    tables.readers().get(0).lookup(KEY));
                final LookupResult found = LookupResult.ABSENT.over(KEY, memtable.lookup(KEY), rules);
                assertEquals(LookupResult.value(10, bytes("vabc")), found.over(KEY, tables.lookup(KEY, ALL, rules), rules));
                assertEquals(LookupResult.value(10, bytes("-c")), found.overNothing(KEY, rules));
                assertEquals(LookupResult.value(10, bytes("-c")), found.over(KEY, LookupResult.tombstone(3), rules));
                assertEquals(LookupResult.operands(10, List.of(KEY, bytes("c"))),
                    found.over(KEY, LookupResult.operands(2, List.of(KEY)), rules));
            }
        }
    }

    @Test
    void shouldCombineInMergesWhereNothingComesBetween() throws IOException {
        final MergeOptions options = MergeOptions.defaults().withRules(rules);
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            table(live, 1, new WriteBatch().put(KEY, bytes("v")));
            table(live, 3, new WriteBatch().put(bytes("a"), KEY).deleteRange(bytes("k"), bytes("l")).put(bytes("z"), KEY));
            table(live, 7, new WriteBatch().merge(KEY, bytes("a")));
            table(live, 9, new WriteBatch().merge(KEY, bytes("b")));
            assertEquals("-ab", get(live));
            merge(live, options, 0, 3); // the range tombstone lies between
            assertEquals("-ab", get(live));
            merge(live, options.withSnapshotFloor(8), 0, 1, 2);
            assertEquals(List.of("a@3 VALUE key", "key@9 OPERAND b", "key@7 VALUE -a", "z@5 VALUE key"), versions(live));
            merge(live, MergeOptions.defaults(), 0);
            assertEquals("-ab", get(live));
            merge(live, options, 0);
            assertEquals(List.of("a@3 VALUE key", "key@9 VALUE -ab", "z@5 VALUE key"), versions(live));
        }
    }

    @Test
    void shouldNotCombineOverARangeTombstoneBesideTheInputs() throws IOException {
        final MergeOptions options = MergeOptions.defaults().withRules(rules);
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            table(live, 1, new WriteBatch().put(KEY, bytes("v")));
            table(live, 3, new WriteBatch().put(bytes("a"), KEY).deleteRange(bytes("k"), bytes("l")));
            table(live, 9, new WriteBatch().merge(KEY, bytes("b")));
            merge(live, options, 0, 2);
            assertEquals("-b", get(live));
            merge(live, options, 0, 1);
            assertEquals(List.of("a@3 VALUE key", "key@9 VALUE -b"), versions(live));
        }
    }

    @Test
    void shouldNotCombineOverAValueThatMayExpireInAMerge() throws IOException {
        final MergeOptions options = MergeOptions.defaults().withRules(rules);
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            table(live, 1, new WriteBatch().putExpiring(KEY, bytes("v"), 1_500));
            table(live, 3, new WriteBatch().merge(KEY, bytes("b")));
            merge(live, options, 0, 1);
            assertEquals(List.of("key@3 OPERAND b", "key@1 EXPIRING v"), versions(live));
            assertEquals("vb", get(live));
            time = 1_500;
            assertEquals("-b", get(live));
            merge(live, options, 0);
            assertEquals(List.of("key@3 VALUE -b"), versions(live));
        }
    }

    @Test
    void shouldKeepOperandsWithoutAnOperatorAndFailWithOneThatThrows() throws IOException {
        try (LiveTableSet live = LiveTableSet.open(directory)) {
            table(live, 1, new WriteBatch().put(KEY, bytes("v")).put(bytes("x"), KEY));
            table(live, 4, new WriteBatch().merge(KEY, bytes("a")).merge(KEY, new byte[70_000]));
            merge(live, MergeOptions.defaults(), 0, 1);
            final List<String> kept = versions(live);
            assertEquals(4, kept.size());
            assertTrue(kept.get(0).startsWith("key@5 OPERAND"), kept.get(0));
            assertEquals("key@1 VALUE v", kept.get(2));
            isBroken = true;
            assertTrue(assertThrows(MergeFailedException.class, () -> merge(live, MergeOptions.defaults().withRules(rules), 0))
                .getMessage().contains("[6b6579]"));
            assertEquals(kept, versions(live));
            isBroken = false;
            assertEquals(70_002, get(live).length());
            merge(live, MergeOptions.defaults().withRules(rules), 0);
            assertEquals(2, versions(live).size());
            assertArrayEquals(new byte[] {'v', 'a', 0}, java.util.Arrays.copyOf(bytes(get(live)), 3));
        }
    }
}
