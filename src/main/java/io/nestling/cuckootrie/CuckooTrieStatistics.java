/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts the parts of a trie. Reads the whole trie.
 * <h2>Thread safety</h2>
 * No writer may work meanwhile.
 */
final class CuckooTrieStatistics {
    private long leaves;
    private long bitmaps;
    private long jumps;
    private long labels;
    private long primary;
    private long entries;
    private long depths;
    private long levels;
    private long children;

    private CuckooTrieStatistics() {
    }

    /**
     * Returns the figures by name: nodes by type, load of the table, buckets of entries, depths of leaves, and memory a key.
     */
    static Map<String, Object> figures(final NodeTable table) {
        final CuckooTrieStatistics counted = new CuckooTrieStatistics();
        final NodeWalk walk = new NodeWalk(table);
        while (walk.next()) {
            counted.count(walk);
        }
        return counted.figuresOf(table);
    }

    private void count(final NodeWalk walk) {
        final long head = walk.head();
        if (walk.depth() > 0) {
            entries++;
            primary += isSecondary(head) ? 0 : 1;
        }
        switch (type(head)) {
            case LEAF:
                leaves++;
                depths += walk.depth();
                levels += walk.level() + 1;
                break;
            case BITMAP:
                bitmaps++;
                children += Long.bitCount(children(walk.tail()));
                break;
            case JUMP:
                jumps++;
                labels += labelCount(walk.tail());
                break;
            default:
                throw new AssertionError("unknown type " + type(head));
        }
    }

    private Map<String, Object> figuresOf(final NodeTable table) {
        final long cells = table.buckets() * BucketLayout.CELLS;
        final Map<String, Object> nodes = new LinkedHashMap<>();
        nodes.put("leaf", leaves);
        nodes.put("bitmap", bitmaps);
        nodes.put("jump", jumps);
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("nodes", nodes);
        figures.put("buckets", table.buckets());
        figures.put("loadFactor", (double) entries / cells);
        figures.put("primaryShare", ratio(primary, entries));
        figures.put("entriesPerKey", ratio(entries, leaves));
        figures.put("bytesPerKey", ratio(BucketLayout.bucketOffset(table.buckets()), leaves));
        figures.put("averageLeafDepth", ratio(depths, leaves));
        figures.put("averagePathNodes", ratio(levels, leaves));
        figures.put("averageChildren", ratio(children, bitmaps));
        figures.put("averageLabels", ratio(labels, jumps));
        return figures;
    }

    private static double ratio(final long part, final long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }
}
