/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.wormhole;

import static io.nestling.wormhole.LeafLayout.*;

import io.nestling.bytes.KeyHash;
import io.nestling.index.PointIndex;
import io.nestling.offheap.Slab;

import java.io.IOException;
import java.util.Locale;

/**
 * Writes a {@link Wormhole} as text: leaves in order, each below those nodes of its anchor's prefixes that no leaf before has.
 * <h2>Thread safety</h2>
 * No writer may work meanwhile.
 */
final class WormholeDumper {
    private final Leaves leaves;
    private final Slab slab;
    private final MetaTrieHashTable table;
    private final MetaNodes nodes;
    private final PrefixHasher hasher;
    private final byte[] anchor = new byte[PointIndex.MAX_KEY_BYTES];

    WormholeDumper(final Leaves leaves, final MetaTrieHashTable table, final MetaNodes nodes, final KeyHash keyHash) {
        this.leaves = leaves;
        this.slab = leaves.slab();
        this.table = table;
        this.nodes = nodes;
        this.hasher = new PrefixHasher(keyHash);
    }

    void dump(final Appendable out) throws IOException {
        int previous = 0;
        for (int leaf = slab.getInt(TableLayout.FIRST_LEAF_OFFSET); leaf != 0; leaf = leaves.next(offset(leaf))) {
            final int length = Anchor.copy(slab, offset(leaf), anchor);
            final int shown = previous == 0
                ? -1 : Anchor.commonPrefix(slab, offset(previous), anchor, 0, length);
            if (previous == 0) {
                dumpNode(slab.getLong(TableLayout.ROOT_OFFSET), 0, out);
            }
            hasher.reset(anchor, 0, length);
            for (int depth = Math.max(1, shown); depth <= length; depth++) {
                final long item = table.findExact(hasher.hash(depth), anchor, 0, depth);
                // A node that an earlier leaf has shown belongs to a proper prefix of that leaf's anchor.
                final boolean isNew = depth > shown || Anchor.length(slab, offset(previous)) == depth;
                if (item != 0 && isNew) {
                    dumpNode(item, depth, out);
                }
            }
            dumpLeaf(offset(leaf), length, out);
            previous = leaf;
        }
    }

    private void dumpNode(final long item, final int depth, final Appendable out) throws IOException {
        final long node = TableLayout.target(item);
        final int sizeClass = TableLayout.sizeClass(item);
        out.append("node ").append(text(depth)).append(nodes.isTerminal(node) ? " anchor" : "")
            .append(" floor ").append(name(nodes.floor(node)));
        for (int i = 0; i < nodes.count(node, sizeClass); i++) {
            out.append(' ').append(text((byte) nodes.token(node, sizeClass, i))).append(':')
                .append(name(nodes.leaf(node, sizeClass, i)));
        }
        out.append('\n');
    }

    private void dumpLeaf(final long leaf, final int anchorLength, final Appendable out) throws IOException {
        final long state = leaves.state(leaf);
        out.append("leaf ").append(name(reference(leaf))).append(" anchor ").append(text(anchorLength))
            .append(" entries ").append(Integer.toString(count(state)))
            .append((state & UNINDEXED) != 0 ? " unindexed" : "").append('\n');
    }

    private static String name(final int reference) {
        return Integer.toUnsignedString(reference);
    }

    private String text(final int length) {
        final StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < length; i++) {
            text.append(text(anchor[i]));
        }
        return text.append('"').toString();
    }

    private static String text(final byte token) {
        return token > ' ' && token < 0x7F && token != '"' && token != '\\'
            ? Character.toString((char) token) : String.format(Locale.ROOT, "\\x%02x", token);
    }
}
