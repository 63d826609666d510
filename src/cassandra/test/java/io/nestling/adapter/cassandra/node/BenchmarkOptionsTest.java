/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchmarkOptionsTest {
    @Test
    void shouldTakeSettingsAndMemtablesInAnyOrder() {
        final BenchmarkOptions options = new BenchmarkOptions("rows=1000", "nestling", "heap=512", "trie", "collector=serial");
        assertEquals(List.of("nestling", "trie"), options.memtables());
        assertEquals(1000, options.number("rows"));
        assertEquals(1, options.number("width"));
        assertTrue(options.node().jvm().containsAll(List.of("-Xmx512m", "-XX:+UseSerialGC")), options.node().jvm().toString());
        assertFalse(options.node().jvm().toString().contains("TieredStopAtLevel"), options.node().jvm().toString());
    }

    @Test
    void shouldMeasureAllMemtablesByDefault() {
        assertEquals(List.of("trie", "skiplist", "nestling"), new BenchmarkOptions().memtables().subList(0, 3));
    }

    @ParameterizedTest
    @CsvSource({
        "rows=0, 'rows is ''0'', which is no number from 1 to 999999999'",
        "rows=1e6, 'rows is ''1e6'', which is no number from 1 to 999999999'",
        "heap=, 'heap is '''', which is no number from 256 to 65536'",
        "heap=9999999999, 'heap is ''9999999999'', which is no number from 256 to 65536'",
        "heap=65537, 'heap is ''65537'', which is no number from 256 to 65536'",
        "width=70000, 'width is 70000, more than rows, 60000'",
        "colour=1, '''colour'' is none of allocation, collector, rows, width, value, rounds, '",
        "collector=zgc, 'collector is ''zgc'', which is none of g1, serial, parallel'",
        "60000, 'memtable is ''60000'', which is none of trie, skiplist, nestling, nestling_trie_off_heap, '"})
    void constructorThrowsIllegalArgumentExceptionWhenAnArgumentIsWrong(final String argument, final String message) {
        final String said = assertThrows(IllegalArgumentException.class, () -> new BenchmarkOptions(argument)).getMessage();
        assertTrue(said.startsWith(message), said);
    }

    @Test
    void constructorThrowsIllegalArgumentExceptionWhenAMemtableIsNamedTwice() {
        assertThrows(IllegalArgumentException.class, () -> new BenchmarkOptions("trie", "trie"));
    }
}
