/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import static io.nestling.mlpindex.MlpNodeLayout.*;

/**
 * Visits every reachable node, parents first, in key order; checks that each child has a node (invariants 2 and 3 of {@link
 * MlpVerifier}).
 * <h2>Thread safety</h2>
 * No writer may work meanwhile.
 */
final class NodeVisit {
    private final BucketTable table;
    private final FlatLevels flat;
    private final Visitor visitor;

    NodeVisit(final Lookup lookup, final Visitor visitor) {
        this.table = lookup.table();
        this.flat = lookup.flat();
        this.visitor = visitor;
    }

    void run() {
        final long[] bits = new long[ChildMap.WORDS];
        for (int pair = flat.nextPair(0, true); pair >= 0; pair = flat.nextPair(pair + 1, true)) {
            flat.copyBits(pair, bits);
            visitChildren(bits, (long) pair << Long.SIZE - 2 * Byte.SIZE, FIRST_LEVEL - 1, 0);
        }
    }

    private void visitChildren(final long[] bits, final long prefix, final int length, final int depth) {
        for (int child = ChildMap.ceiling(bits, 0); child >= 0; child = ChildMap.ceiling(bits, child + 1)) {
            final Node node = new Node();
            final long word = KeyWord.extend(prefix, length, child);
            if (!table.find(word, length + 1, node)) {
                throw new IllegalStateException("invariant " + (depth == 0 ? 2 : 3) + ": no node at level " + (length + 1)
                    + " of word " + Long.toHexString(word));
            }
            visitor.visit(node, depth);
            if (!isLeaf(node.meta)) {
                final long[] children = new long[ChildMap.WORDS];
                node.copyBits(children, 0);
                visitChildren(children, KeyWord.prefix(node.key, fullKeyLen(node.meta)), fullKeyLen(node.meta), depth + 1);
            }
        }
    }

    /** Receives nodes. */
    interface Visitor {
        /** Visits a node with a number of inner nodes above it, the flat levels aside. */
        void visit(Node node, int depth);
    }
}
