/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class FiguresTest {
    @Test
    void shouldWriteBytesInTheLargestUnit() {
        assertEquals("0 bytes", Figures.bytes(0));
        assertEquals("1023 bytes", Figures.bytes(1023));
        assertEquals("1 KiB", Figures.bytes(1024));
        assertEquals("1.5 KiB", Figures.bytes(1536));
        assertEquals("512 MiB", Figures.bytes(512L << 20));
        assertEquals("8192 PiB", Figures.bytes(Long.MAX_VALUE));
    }

    @Test
    void shouldCount() {
        assertEquals("0 keys", Figures.countOf(0, "key", "keys"));
        assertEquals("1 key", Figures.countOf(1, "key", "keys"));
        assertEquals("1,234,567 keys", Figures.countOf(1_234_567, "key", "keys"));
    }

    @Test
    void shouldDivideByZero() {
        assertEquals(0, Figures.per(5, 0));
        assertEquals(2.5, Figures.per(5, 2));
        assertEquals(2.333, Figures.rounded(Figures.per(7, 3), 3));
    }

    @Test
    void shouldReportNestedFigures() {
        final Map<String, Object> leaf = new LinkedHashMap<>();
        leaf.put("count", 12_345L);
        leaf.put("bytes", 0);
        final Map<String, Object> nodes = new LinkedHashMap<>();
        nodes.put("leaf", leaf);
        nodes.put("flat split", 2);
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("index", "trie");
        figures.put("nodes", nodes);
        figures.put("nodesPerLookup", 3.14159);
        figures.put("levels", List.of(1, 2));
        assertEquals(List.of(
            "index             trie",
            "nodes",
            "  leaf            count 12,345, bytes 0",
            "  flat split      2",
            "nodes per lookup  3.14",
            "levels            [1, 2]"), Figures.report(figures));
        assertEquals(List.of(), Figures.report(Map.of()));
    }
}
