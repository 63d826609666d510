/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

import io.nestling.offheap.BlockAllocator;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Figures about the parts of a trie.
 *
 * @param entryCount number of keys
 * @param keyBytes sum of the lengths of all keys
 * @param bytesUsed bytes of all nodes, of contents in slots and of the root
 * @param nodesByType number of nodes of each type
 * @param bytesByType bytes of the nodes of each type, contents in slots counted with the leaf or prefix node
 * @param keysByPathNodes at {@code n}, the number of keys whose lookup reads {@code n} nodes; leaves do not count
 */
record TrieStatistics(
    long entryCount, long keyBytes, long bytesUsed,
    Map<TrieNodeType, Long> nodesByType, Map<TrieNodeType, Long> bytesByType, long[] keysByPathNodes) {

    /** Returns the mean length of the keys in bytes, 0 if there are none. */
    double averageKeyLength() {
        return entryCount == 0 ? 0 : (double) keyBytes / entryCount;
    }

    /** Returns the mean number of nodes that the lookup of a key reads, 0 if there are no keys. */
    double averagePathNodes() {
        double sum = 0;
        for (int i = 0; i < keysByPathNodes.length; i++) {
            sum += (double) i * keysByPathNodes[i];
        }
        return entryCount == 0 ? 0 : sum / entryCount;
    }

    /** Returns the figures by name, for display: nodes and bytes by type, and the means. */
    Map<String, Object> figures() {
        final Map<String, Object> nodes = new LinkedHashMap<>();
        final Map<String, Object> bytes = new LinkedHashMap<>();
        nodesByType.forEach((type, count) -> nodes.put(type.toString(), count));
        bytesByType.forEach((type, sum) -> bytes.put(type.toString(), sum));
        final Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("nodes", nodes);
        figures.put("nodeBytes", bytes);
        figures.put("averageKeyLength", averageKeyLength());
        figures.put("averagePathNodes", averagePathNodes());
        return figures;
    }

    /** Counts the parts of a trie; exact if no writer works meanwhile. */
    static TrieStatistics of(final TrieNodes nodes) {
        final Map<TrieNodeType, Long> nodesByType = new EnumMap<>(TrieNodeType.class);
        final Map<TrieNodeType, Long> bytesByType = new EnumMap<>(TrieNodeType.class);
        long[] keysByPathNodes = new long[1];
        long entries = 0;
        long keyBytes = 0;
        long bytes = BlockAllocator.RESERVED_BYTES;
        final TrieNodeWalk walk = new TrieNodeWalk(nodes);
        for (TrieNodeWalk.Place place = walk.next(); place != null; place = walk.next()) {
            final TrieNodeType type = TrieNodeType.of(nodes, place.node());
            if (type.hasContent()) {
                entries++;
                // A prefix node holds its content itself.
                final int pathNodes = place.level() + (isLeaf(place.node()) ? 0 : 1);
                if (pathNodes >= keysByPathNodes.length) {
                    keysByPathNodes = Arrays.copyOf(keysByPathNodes, pathNodes + 1);
                }
                keysByPathNodes[pathNodes]++;
                keyBytes += place.depth();
            }
            final long nodeBytes = bytesOf(nodes, place.node(), type, walk.children());
            nodesByType.merge(type, 1L, Long::sum);
            bytesByType.merge(type, nodeBytes, Long::sum);
            bytes += nodeBytes;
        }
        return new TrieStatistics(entries, keyBytes, bytes, nodesByType, bytesByType, keysByPathNodes);
    }

    private static long bytesOf(
        final TrieNodes nodes, final int node, final TrieNodeType type, final ChildStack children) {
        if (isLeaf(node)) {
            return isInline(node) ? 0 : HALF_BYTES;
        }
        long bytes = InMemoryTrie.BLOCK_CLASSES[blockClass(node)];
        if (type == TrieNodeType.SPLIT || type == TrieNodeType.PREFIX_SPLIT) {
            int tails = children.tails();
            bytes += (long) BLOCK_BYTES * Integer.bitCount(tails);
            for (; tails != 0; tails >>>= SplitNodeLayout.TAILS) {
                bytes += (tails & (1 << SplitNodeLayout.TAILS) - 1) != 0 ? BLOCK_BYTES : 0; // a mid block
            }
        }
        return type.hasContent() && !isInline(nodes.prefixContent(node)) ? bytes + HALF_BYTES : bytes;
    }
}
