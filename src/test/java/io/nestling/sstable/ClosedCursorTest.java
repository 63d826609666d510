/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.BoundedCursor;
import io.nestling.index.ClosedCursor;
import io.nestling.index.EntryCursor;
import io.nestling.index.ValueRules;
import io.nestling.index.Versions;
import io.nestling.index.VisibleCursor;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.Sharding;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cursors of memtables and tables after their own close. */
class ClosedCursorTest {
    private static final int KEYS = 60;

    @TempDir
    Path directory;

    private static MemtableOptions.Builder options(final IndexType index, final boolean takesOperands) {
        final ValueRules rules = new ValueRules(ValueRules.DEFAULT.clock(), takesOperands ? TestTables.RULES.operator() : null);
        return MemtableOptions.builder().index(index).capacityBytes(16 << 20).rules(rules);
    }

    private static void fill(final Memtable memtable) {
        for (int i = 0; i < KEYS; i++) {
            memtable.put(new byte[] {(byte) i}, new byte[i]);
        }
        memtable.delete(new byte[] {(byte) (KEYS / 2)});
        memtable.deleteRange(new byte[] {40}, new byte[] {42});
    }

    private static void check(final Supplier<EntryCursor> cursors) {
        ClosedCursor.closeAndCheck(cursors.get());
        for (final Consumer<EntryCursor> moves : List.<Consumer<EntryCursor>>of(
            cursor -> assertTrue(cursor.first()), cursor -> assertTrue(cursor.last()),
            cursor -> assertTrue(cursor.first() && cursor.next() && cursor.next() && cursor.previous()),
            cursor -> assertFalse(cursor.last() && cursor.next()))) {
            final EntryCursor cursor = cursors.get();
            moves.accept(cursor);
            ClosedCursor.closeAndCheck(cursor);
        }
    }

    private static EntryCursor cursorOf(final Versions versions) {
        return versions.cursor();
    }

    @ParameterizedTest
    @EnumSource(IndexType.class)
    void cursorsOfMemtablesStayOnNoEntry(final IndexType index) {
        for (final MemtableOptions options : List.of(
            options(index, false).shards(1).build(), options(index, false).shards(3).build(),
            options(index, true).shards(1).build(),
            options(index, true).shards(3).sharding(Sharding.byRanges(new byte[] {20}, new byte[] {33})).build())) {
            try (Memtable memtable = Memtable.open(options)) {
                fill(memtable);
                check(memtable::cursor);
                check(() -> memtable.cursor(5));
                check(() -> BoundedCursor.of(memtable.cursor(5), new byte[] {3}, new byte[] {44}));
                check(() -> cursorOf(memtable.versions()));
                check(() -> VisibleCursor.of(List.of(memtable.versions(), memtable.versions()), Long.MAX_VALUE));
            }
        }
    }

    @Test
    void cursorThatStoppedAtItsLimitHasNoContinuation() {
        try (Memtable memtable = Memtable.open(options(IndexType.TRIE, false).shards(2).build())) {
            for (int i = 0; i < KEYS; i++) {
                memtable.delete(new byte[] {(byte) i});
            }
            for (final EntryCursor cursor : List.of(
                memtable.cursor(3), BoundedCursor.of(memtable.cursor(3), new byte[] {3}, new byte[] {44}))) {
                assertFalse(cursor.first());
                assertTrue(cursor.isIncomplete());
                ClosedCursor.closeAndCheck(cursor);
            }
        }
    }

    @Test
    void cursorsOfTablesStayOnNoEntry() throws IOException {
        for (int table = 1; table <= 2; table++) {
            try (Memtable memtable = Memtable.open(options(IndexType.TRIE, false).firstSequence(1_000L * table).build());
                SstableWriter writer = SstableWriter.create(TableSet.path(directory, table), TestTables.SMALL_BLOCKS)) {
                fill(memtable);
                memtable.flush(writer);
            }
        }
        try (TableSet tables = TableSet.open(directory); SstableReader table = SstableReader.open(TableSet.path(directory, 1))) {
            check(tables::scan);
            check(() -> tables.scan(5));
            check(table::cursor);
            check(() -> cursorOf(table.versions()));
            final List<Versions> versions = new ArrayList<>(tables.versions());
            assertEquals(2, versions.size());
            check(() -> VisibleCursor.withHidden(tables.versions(), Long.MAX_VALUE));
        }
    }
}
