/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import java.io.IOException;

/**
 * Writes the nodes as text, one a line in key order, each below its parent.
 * <p>
 * A line is indented by the number of nodes above, at most {@link #MAX_INDENT}. First comes the symbol that leads here from a
 * bitmap node, {@code end} for the end of the key; then the type; the number of children, the labels, or the suffix and the
 * payload. The text depends only on the shape of the trie, not on where its entries stand.
 */
final class CuckooTrieDumper {
    static final int MAX_INDENT = 40;
    private static final String INDENT = "  ";

    private final NodeTable table;

    CuckooTrieDumper(final NodeTable table) {
        this.table = table;
    }

    void dump(final Appendable out) throws IOException {
        final NodeWalk walk = new NodeWalk(table);
        final StringBuilder line = new StringBuilder();
        while (walk.next()) {
            line.setLength(0);
            line.append(INDENT.repeat(Math.min(walk.level(), MAX_INDENT)));
            if (walk.depth() > 0 && walk.expectedParentColor() != NO_PARENT_COLOR) {
                appendCode(line, walk.code(walk.depth() - 1)).append(' ');
            }
            describe(walk.head(), walk.tail(), line);
            out.append(line).append('\n');
        }
    }

    private static StringBuilder appendCode(final StringBuilder line, final int code) {
        return code == END_CODE ? line.append("end") : line.append(code - FIRST_CODE);
    }

    private static void describe(final long head, final long tail, final StringBuilder line) {
        switch (type(head)) {
            case LEAF:
                line.append("leaf ").append(payload(head, tail));
                describeSuffix(suffix(head), line);
                break;
            case BITMAP:
                line.append("bitmap ").append(Long.bitCount(children(tail)));
                break;
            case JUMP:
                line.append("jump");
                for (int i = 0; i < labelCount(tail); i++) {
                    line.append(i == 0 ? ' ' : '.').append(label(head, tail, i));
                }
                break;
            default:
                throw new AssertionError("unknown type " + type(head));
        }
    }

    private static void describeSuffix(final int suffix, final StringBuilder line) {
        char before = ' ';
        for (int i = 0; i < suffixCount(suffix); i++) {
            line.append(before).append(suffixSymbol(suffix, i));
            before = '.';
        }
        if (suffixEnds(suffix)) {
            line.append(before).append("end");
        }
    }
}
