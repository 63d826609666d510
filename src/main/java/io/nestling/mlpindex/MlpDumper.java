/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.StringJoiner;

/** Writes the nodes as text: bucket and cell, prefix, content. */
final class MlpDumper {
    /** Names of the kinds of leaves. */
    static final String[] KINDS = {"exact", "single", "run", "boxed"};
    private static final String INDENT = "  ";

    private final MlpIndex index;

    MlpDumper(final MlpIndex index) {
        this.index = index;
    }

    void dump(final Appendable out) throws IOException {
        final BucketTable table = index.lookup().table();
        out.append("table of ").append(Long.toString(table.buckets())).append(" buckets, ")
            .append(Long.toString(index.writer().cellsUsed())).append(" cells in use\n");
        try {
            new NodeVisit(index.lookup(), (node, depth) -> {
                try {
                    out.append(INDENT.repeat(depth)).append(line(node)).append('\n');
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            }).run();
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private String line(final Node node) {
        final String where = "[" + bucketAt(node.at) + "." + cellAt(node.at) + "] ";
        final String hex = String.format(Locale.ROOT, "%016x", node.key);
        final String prefix = hex.substring(0, 2 * level(node.meta));
        if (isLeaf(node.meta)) {
            return where + prefix + "|" + hex.substring(2 * level(node.meta)) + " " + KINDS[kind(node.meta)] + " "
                + content(node.meta);
        }
        final long[] bits = new long[ChildMap.WORDS];
        node.copyBits(bits, 0);
        final StringJoiner children = new StringJoiner(" ");
        for (int child = ChildMap.ceiling(bits, 0); child >= 0; child = ChildMap.ceiling(bits, child + 1)) {
            children.add(String.format(Locale.ROOT, "%02x", child));
        }
        return where + prefix + "|" + hex.substring(2 * level(node.meta), 2 * fullKeyLen(node.meta))
            + " node of " + cells(node.meta) + (cells(node.meta) == 1 ? " cell: " : " cells: ") + children;
    }

    private String content(final long meta) {
        final LeafReader leaves = index.lookup().leaves();
        final long payload = MlpNodeLayout.payload(meta);
        if (kind(meta) == RUN) {
            return "of " + leaves.runs().size(payload) + " keys";
        }
        return Long.toString(kind(meta) == BOXED ? leaves.unbox(payload) : payload);
    }
}
