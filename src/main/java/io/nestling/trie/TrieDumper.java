/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

import io.nestling.trie.view.TrieCursor;

import java.io.IOException;
import java.util.HexFormat;

/**
 * Writes a trie as text, one node a line, in key order:
 * <pre>
 * split 7
 *   61 short chain 6263
 *     leaf 5
 *   62 prefix chain 7879 content 7
 *     sparse 2
 *       00 leaf 8
 *       ff leaf 9
 * </pre>
 * A line is indented by the number of nodes above, at most {@link #MAX_INDENT}. First comes the transition that leads here from a
 * branching node; then the type; the transitions of a chain or the number of children; the payload. The text depends only on the
 * shape of the trie, not on the offsets of its blocks.
 */
final class TrieDumper {
    static final int MAX_INDENT = 40;
    private static final String INDENT = "  ";

    private final TrieNodes nodes;
    private final byte[] transitions = new byte[ChainNodeLayout.MAX_TRANSITIONS];

    TrieDumper(final TrieNodes nodes) {
        this.nodes = nodes;
    }

    void dump(final Appendable out) throws IOException {
        final TrieNodeWalk walk = new TrieNodeWalk(nodes);
        final StringBuilder line = new StringBuilder();
        for (TrieNodeWalk.Place place = walk.next(); place != null; place = walk.next()) {
            line.setLength(0);
            line.append(INDENT.repeat(Math.min(place.level(), MAX_INDENT)));
            if (place.transition() != TrieCursor.NO_TRANSITION) {
                line.append(HexFormat.of().toHexDigits((byte) place.transition())).append(' ');
            }
            describe(place.node(), walk.children().size(), line);
            out.append(line).append('\n');
        }
    }

    private void describe(final int node, final int children, final StringBuilder line) {
        final TrieNodeType type = TrieNodeType.of(nodes, node);
        line.append(type);
        if (type.isChain()) {
            final int length = nodes.chainLength(node);
            nodes.slab().getBytes(nodes.chainStart(node), transitions, 0, length);
            line.append(' ').append(HexFormat.of().formatHex(transitions, 0, length));
        } else if (type.isBranching()) {
            line.append(' ').append(children);
        }
        if (isLeaf(node)) {
            line.append(' ').append(nodes.payload(node));
        } else if (type.hasContent()) {
            line.append(" content ").append(nodes.payload(nodes.prefixContent(node)));
        }
    }
}
