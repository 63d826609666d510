/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import java.util.LinkedHashMap;
import java.util.Map;

/** Figures about the parts of an index. */
final class MlpStatistics implements NodeVisit.Visitor {
    private static final String[] INNER_NAMES = {"", "nodesOf6", "nodesOf16", "nodesOf256"};

    private final MlpIndex index;
    private final long[] inner = new long[INNER_NAMES.length];
    private final long[] kinds = new long[MlpDumper.KINDS.length];
    private long runEntries;

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
        if (!isLeaf(node.meta)) {
            inner[cells(node.meta)]++;
            return;
        }
        kinds[kind(node.meta)]++;
        if (kind(node.meta) == RUN) {
            runEntries += index.lookup().leaves().runs().size(MlpNodeLayout.payload(node.meta));
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
            leaves.put(MlpDumper.KINDS[i], kinds[i]);
        }
        figures.put("leaves", leaves);
        final Map<String, Object> levels = new LinkedHashMap<>();
        for (int level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
            if (index.writer().counts().leaves(level) > 0) {
                levels.put(Integer.toString(level), index.writer().counts().leaves(level));
            }
        }
        figures.put("leavesByLevel", levels);
        figures.put("blockBytes", index.blocks().bytesUsed());
        figures.put("keysInRuns", runEntries);
        return figures;
    }
}
