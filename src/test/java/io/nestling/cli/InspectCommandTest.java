/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

class InspectCommandTest {
    @TempDir
    private Path directory;

    private Outcome inspect(final String file, final List<String> lines, final String... options)
        throws IOException {
        final List<String> args = new ArrayList<>(List.of("inspect"));
        args.add(DataFiles.write(directory.resolve(file), lines).toString());
        args.addAll(List.of(options));
        final Outcome outcome = Outcome.of(args.toArray(new String[0]));
        assertEquals("", outcome.err());
        assertEquals(0, outcome.exitCode());
        return outcome;
    }

    @Test
    void shouldShowWhatTheIndexIsMadeOf() throws IOException {
        final String report = inspect("a.tsv", List.of("ab\t1", "ac\t2", "ab\t3", "\t")).text();
        for (final String line : List.of("index +trie", "keys +4", "distinct keys +3", "key bytes +6",
            "key bytes per key +1\\.50", "index bytes +[\\d,]+", "index bytes per key +[\\d,.]+",
            "nodes", "  leaf +\\d+", "node bytes", "  sparse +32")) {
            assertTrue(report.lines().anyMatch(text -> text.matches(line)), line + " in\n" + report);
        }
    }

    @Test
    void shouldGiveAHashTableNoMoreRoomThanItsKeysNeed() throws IOException {
        for (final String file : List.of("a.tsv", "a.tsv.gz")) {
            final String report = inspect(file, DataFiles.manyLines(20_000), "--index", "cuckoo_trie").text();
            assertTrue(report.lines().anyMatch(text -> text.matches("load factor +0\\.7[67]")), report);
        }
    }

    @Test
    void shouldShowSharesBesideThoseOfThePaper() throws IOException {
        final Outcome outcome = inspect("a.tsv", DataFiles.manyLines(20_000), "--index", "cocuckoo", "--json");
        final Map<?, ?> structure = (Map<?, ?>) JsonReader.object(outcome.text()).get("structure");
        final double load = (Double) structure.get("load");
        assertTrue(load > 0.4 && load <= 1, "load " + load);
        for (final String of : List.of("insertion", "subgraph")) {
            final Map<?, ?> shares = (Map<?, ?>) structure.get(of + "Percent");
            assertEquals(100, shares.values().stream().mapToDouble(share -> (Double) share).sum(), 0.001, of);
        }
        final Map<?, ?> counts = (Map<?, ?>) structure.get("insertionsByCase");
        final double all = counts.values().stream().mapToDouble(count -> (Double) count).sum();
        assertEquals(100 * (Double) counts.get("oneEmpty") / all,
            (Double) ((Map<?, ?>) structure.get("insertionPercent")).get("oneEmpty"), 0.001);
        assertEquals(25.673, ((Map<?, ?>) structure.get("insertionPercentInPaper")).get("twoEmpty"));
        assertEquals(44.25, ((Map<?, ?>) structure.get("subgraphPercentInPaper")).get("3"));
    }

    @Test
    void shouldPrintFiguresAsJson() throws IOException {
        final Outcome outcome = inspect("a.tsv.gz", DataFiles.manyLines(2_000), "--json", "--index", "trie");
        assertEquals(1, outcome.lines().size());
        final Map<?, ?> figures = JsonReader.object(outcome.text());
        assertEquals("trie", figures.get("index"));
        assertEquals(2_000.0, figures.get("keys"));
        assertEquals(2_000.0, figures.get("distinctKeys"));
        assertEquals(2_000.0 * "some/key-000000".length(), figures.get("keyBytes"));
        final double indexBytes = (Double) figures.get("indexBytes");
        assertEquals(indexBytes / 2_000, (Double) figures.get("indexBytesPerKey"), 0.001);
        final Map<?, ?> nodeBytes = (Map<?, ?>) ((Map<?, ?>) figures.get("structure")).get("nodeBytes");
        final double bytes = nodeBytes.values().stream().mapToDouble(value -> (Double) value).sum();
        assertTrue(bytes > 0 && bytes <= indexBytes, outcome.text());
    }

    @Test
    void shouldDumpTheStructure() throws IOException {
        assertEquals(List.of("chain " + hex("prefix/"), "  sparse 2", "    61 leaf 1", "    62 leaf 2"),
            inspect("a.txt", List.of("prefix/a", "prefix/b"), "--dump").lines().stream()
                .map(line -> line.replace("short chain", "chain")).toList());
        assertEquals(List.of(), inspect("empty.txt", List.of(), "--dump").lines());
    }

    private static String hex(final String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void shouldInspectAnEmptyFile() throws IOException {
        final Map<?, ?> figures = JsonReader.object(inspect("empty.tsv", List.of(), "--json").text());
        assertEquals(0.0, figures.get("keys"));
        assertEquals(0.0, figures.get("indexBytesPerKey"));
    }

    /** Remembers what it was given; its indexes do not store keys. */
    private static final class KeylessFactory implements IndexFactory {
        private KeySource keys;

        @Override
        public PointIndex create(final IndexContext context) {
            keys = context.keys();
            return IndexType.TRIE.create(context);
        }

        @Override
        public String indexName() {
            return "keyless";
        }

        @Override
        public boolean ordered() {
            return true;
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

    @Test
    void shouldKeepTheKeysForAnIndexThatDoesNot() {
        final KeylessFactory factory = new KeylessFactory();
        final List<String> keys = DataFiles.manyLines(500);
        try (IndexBuilder builder = new IndexBuilder(factory, 1 << 20)) {
            keys.forEach(key -> builder.add(key.getBytes(StandardCharsets.US_ASCII)));
            assertEquals(500, builder.keys());
            for (final String key : keys) {
                final byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
                final long payload = builder.index().get(bytes, 0, bytes.length);
                final byte[] kept = new byte[factory.keys.keyLength(payload)];
                factory.keys.copyKey(payload, kept, 0);
                assertArrayEquals(bytes, kept);
            }
        }
    }
}
