/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.NodeLayout.*;

import java.util.LinkedHashMap;
import java.util.Map;

/** Figures about the parts of an index. */
final class MlpStatistics implements NodeVisit.Visitor {
    private static final String[] INNER_NAMES = {"", "nodesOf6", "nodesOf16", "nodesOf256"};
    private static final String[] KIND_NAMES = {"exact", "single", "run", "boxed"};

    private final MlpIndex index;
    private final long[] inner = new long[INNER_NAMES.length];
    private final long[] kinds = new long[KIND_NAMES.length];
    private final long[] leafLevels = new long[LAST_LEVEL + 1];
    private final long[] innerLevels = new long[LAST_LEVEL + 1];
    private long runEntries;
    private long longestRun;

    private MlpStatistics(final MlpIndex index) {
        this.index = index;
    }

    static MlpStatistics of(final MlpIndex index) {
        final MlpStatistics statistics = new MlpStatistics(index);
        new NodeVisit(index.lookup(), statistics).run();
        return statistics;
    }

    @Override
    public void visit(final Node node, final int depth) {
        if (!node.isLeaf()) {
            inner[node.cells()]++;
            innerLevels[node.level()]++;
            return;
        }
        kinds[kind(node.meta)]++;
        leafLevels[node.level()]++;
        if (kind(node.meta) == RUN) {
            final long size = index.lookup().leaves().runs().size(NodeLayout.payload(node.meta));
            runEntries += size;
            longestRun = Math.max(longestRun, size);
        }
    }

    Map<String, Object> figures() {
        final long buckets = index.lookup().table().buckets();
        final long cells = index.writer().cellsUsed();
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("entries", index.entryCount());
        figures.put("bytesUsed", index.bytesUsed());
        figures.put("bytesPerKey", index.entryCount() == 0 ? 0 : (double) index.bytesUsed() / index.entryCount());
        figures.put("buckets", buckets);
        figures.put("load", (double) cells / (buckets * CELLS));
        figures.put("relocations", index.writer().relocations());
        final Map<String, Object> nodes = new LinkedHashMap<>();
        for (int i = 1; i < inner.length; i++) {
            nodes.put(INNER_NAMES[i], inner[i]);
        }
        figures.put("nodes", nodes);
        final Map<String, Object> leaves = new LinkedHashMap<>();
        for (int i = 0; i < kinds.length; i++) {
            leaves.put(KIND_NAMES[i], kinds[i]);
        }
        figures.put("leaves", leaves);
        figures.put("leavesByLevel", byLevel(leafLevels));
        figures.put("nodesByLevel", byLevel(innerLevels));
        figures.put("flatBitmaps", (long) index.lookup().flat().bitmapCount());
        figures.put("blockBytes", index.blocks().bytesUsed());
        figures.put("keysInRuns", runEntries);
        figures.put("longestRun", longestRun);
        return figures;
    }

    private static Map<String, Object> byLevel(final long[] counts) {
        final Map<String, Object> levels = new LinkedHashMap<>();
        for (int level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
            if (counts[level] > 0) {
                levels.put(Integer.toString(level), counts[level]);
            }
        }
        return levels;
    }
}
