/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.offheap.Slab;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts the parts of a {@link Wormhole}. Reads all leaves and nodes.
 * <h2>Thread safety</h2>
 * No writer may work meanwhile.
 */
final class WormholeStatistics {
    private final Leaves leaves;
    private final Slab slab;
    private final MetaTrieHashTable table;
    private final MetaNodes nodes;
    private long leafCount;
    private long entries;
    private long displaced;
    private long unindexed;
    private long anchorBytes;
    private int longestAnchor;
    private long anchorBlockBytes;
    private long payloadBlockBytes;
    private final long[] nodesByClass = new long[WormholeNodeLayout.MAX_CLASS + 1];
    private long tokens;
    private long depths;
    private long links;

    WormholeStatistics(final Leaves leaves, final MetaTrieHashTable table, final MetaNodes nodes) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.table = table;
        this.nodes = nodes;
    }

    /** Returns the figures by name, in the order of their display. */
    Map<String, Object> figures() {
        for (int leaf = slab.getInt(TableLayout.FIRST_LEAF_OFFSET); leaf != 0; leaf = leaves.next(offset(leaf))) {
            countLeaf(offset(leaf));
        }
        countNode(slab.getLong(TableLayout.ROOT_OFFSET));
        for (long bucket = 0; bucket < table.buckets(); bucket++) {
            for (final long item : table.chain(table.offsetOf(bucket))) {
                countNode(item);
            }
            links += table.links(table.offsetOf(bucket)).length;
        }
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("leaves", leafFigures());
        figures.put("anchors", anchorFigures());
        figures.put("nodes", nodeFigures());
        figures.put("table", tableFigures());
        return figures;
    }

    private void countLeaf(final long leaf) {
        final long state = leaves.state(leaf);
        leafCount++;
        entries += count(state);
        unindexed += (state & UNINDEXED) != 0 ? 1 : 0;
        final int length = Anchor.length(slab, leaf);
        anchorBytes += length;
        longestAnchor = Math.max(longestAnchor, length);
        anchorBlockBytes += Anchor.needsBlock(length) ? WormholeBlockClasses.bytes(Anchor.blockClass(length)) : 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            final long word = slab.getLong(leaf + slotOffset(slot));
            if ((word & PRESENT) != 0) {
                displaced += homeLine(word) != slot >> LINE_SLOTS_SHIFT ? 1 : 0;
                payloadBlockBytes += (word & IN_BLOCK) != 0 ? WormholeBlockClasses.bytes(WormholeBlockClasses.PAYLOAD) : 0;
            }
        }
    }

    private void countNode(final long item) {
        final int sizeClass = TableLayout.sizeClass(item);
        nodesByClass[sizeClass]++;
        tokens += nodes.count(TableLayout.target(item), sizeClass);
        depths += nodes.depth(TableLayout.target(item));
    }

    private Map<String, Object> leafFigures() {
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("count", leafCount);
        figures.put("entries", entries);
        figures.put("entriesPerLeaf", (double) entries / leafCount);
        figures.put("displacedShare", (double) displaced / Math.max(1, entries));
        figures.put("unindexed", unindexed);
        figures.put("bytes", leafCount * LEAF_BYTES);
        figures.put("payloadBlockBytes", payloadBlockBytes);
        return figures;
    }

    private Map<String, Object> anchorFigures() {
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("averageBytes", (double) anchorBytes / leafCount);
        figures.put("longestBytes", longestAnchor);
        figures.put("blockBytes", anchorBlockBytes);
        return figures;
    }

    private Map<String, Object> nodeFigures() {
        final Map<String, Object> figures = new LinkedHashMap<>();
        long count = 0;
        long bytes = 0;
        for (int i = 0; i < nodesByClass.length; i++) {
            count += nodesByClass[i];
            bytes += nodesByClass[i] * WormholeBlockClasses.bytes(i);
        }
        figures.put("count", count);
        for (int i = 0; i < nodesByClass.length; i++) {
            figures.put("upTo" + WormholeNodeLayout.capacity(i) + "Tokens", nodesByClass[i]);
        }
        figures.put("tokensPerNode", (double) tokens / count);
        figures.put("averageDepth", (double) depths / count);
        figures.put("bytes", bytes);
        return figures;
    }

    private Map<String, Object> tableFigures() {
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("buckets", table.buckets());
        figures.put("itemsPerBucket", (double) table.items() / table.buckets());
        figures.put("links", links);
        figures.put("bytes", (long) table.segments().length * WormholeBlockClasses.bytes(WormholeBlockClasses.SEGMENT)
            + (links << TableLayout.BUCKET_SHIFT));
        return figures;
    }
}
