/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.TOP_DEPTH;
import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;

/**
 * Removes keys. One entry is rewritten in its cell, which removes the key for all readers: the leaf's parent, or the topmost node
 * whose subtree keeps a single leaf, which becomes that leaf. Then the entries that nothing names any more are cleared.
 * <h2>Thread safety</h2>
 * The writer only.
 * <p>
 * Section 4.5 of the paper.
 */
final class CuckooTrieRemover {
    private final NodeTable table;
    private final Relocator relocator;
    private final KeySource keys;
    private final Descent descent;
    private final EntryProbe probe = new EntryProbe();
    private final JumpLabels newJump = new JumpLabels();
    private final InnerPath path;
    /* Number of the name of three symbols that begins as the key and ends with symbol 0. */
    private int topName;

    CuckooTrieRemover(final NodeTable table, final Relocator relocator, final KeySource keys, final Descent descent) {
        this.table = table;
        this.relocator = relocator;
        this.keys = keys;
        this.descent = descent;
        this.path = descent.path();
    }

    /** Removes a key and returns its payload, or {@link PointIndex#NONE}. */
    long remove(final byte[] key, final int offset, final int length) {
        // cuckoo-trie-concurrency.md, claim 7
        relocator.writeDeferredHint();
        try {
            final int stop = descent.run(table, key, offset, length, Descent.FROM_ROOT);
            if (stop != Descent.AT_LEAF || descent.compareLeaf(keys) != 0) {
                return PointIndex.NONE;
            }
            final long payload = descent.end().payload();
            topName = descent.depth() >= TOP_DEPTH ? Symbols.topName(key, offset, length, FIRST_CODE) : 0;
            if (path.levels() == 0) {
                relocator.writeRoot(0, 0);
            } else {
                removeFromParent(path.levels() - 1);
            }
            relocator.shrink();
            return payload;
        } finally {
            descent.forgetKey();
        }
    }

    private void removeFromParent(final int level) {
        final InnerPath.Node parent = path.at(level);
        final long leaf = descent.end().head();
        final long rest = children(parent.tail) & ~childBit(code(leaf));
        close(descent.hash(), leaf, descent.depth());
        if ((rest & rest - 1) != 0) {
            final long hints = hints(parent.head, parent.tail) & rest;
            rewrite(parent, bitmapHead(hints), bitmapTail(rest, hints));
        } else {
            final int code = lowestCode(rest);
            final long siblingHash = table.hash().append(parent.hash, code);
            if (!probe.byParent(table, siblingHash, code, color(parent.head))) {
                throw new IllegalStateException("a bitmap node's child is missing at depth " + descent.depth());
            }
            if (isLeaf(probe.head())) {
                collapse(level, siblingHash);
            } else {
                joinChain(level, siblingHash);
            }
        }
        relocator.clear(descent.hash(), leaf, descent.depth());
    }

    /** The one leaf left below a bitmap node replaces it, or the jump nodes above it. */
    private void collapse(final int level, final long siblingHash) {
        final long sibling = probe.head();
        final long payload = probe.payload();
        int suffix = suffixAfter(code(sibling), suffix(sibling));
        int top = level;
        while (top > 0 && type(path.at(top - 1).head) == JUMP) {
            final InnerPath.Node jump = path.at(--top);
            for (int i = labelCount(jump.tail) - 1; i >= 0; i--) {
                suffix = suffixAfter(label(jump.head, jump.tail, i) + FIRST_CODE, suffix);
            }
        }
        forgetTop(descent.depth(), code(sibling));
        for (int i = level; i > top; i--) {
            close(path.at(i).hash, path.at(i).head, path.at(i).depth);
        }
        rewrite(path.at(top), leafHead(suffix, payload), leafTail(payload));
        relocator.clear(siblingHash, sibling, descent.depth());
        for (int i = level; i > top; i--) {
            relocator.clear(path.at(i).hash, path.at(i).head, path.at(i).depth);
        }
    }

    /** A jump node replaces a bitmap node with one inner child, joined with jump nodes above and below. */
    private void joinChain(final int level, final long siblingHash) {
        final long sibling = probe.head();
        final long siblingTail = probe.tail();
        final int depth = descent.depth();
        final boolean joinsBelow = type(sibling) == JUMP && !endsJumps(depth);
        final InnerPath.Node node = path.at(level);
        final boolean joinsAbove = level > 0 && type(path.at(level - 1).head) == JUMP && !endsJumps(node.depth);
        final InnerPath.Node top = joinsAbove ? path.at(level - 1) : node;
        newJump.clear();
        if (joinsAbove) {
            newJump.addAll(top.head, top.tail, 0, labelCount(top.tail));
            close(node.hash, node.head, node.depth);
        }
        newJump.add(code(sibling) - FIRST_CODE);
        if (joinsBelow) {
            newJump.addAll(sibling, siblingTail, 0, labelCount(siblingTail));
            close(siblingHash, sibling, depth);
        }
        rewrite(top, newJump.head(), newJump.tail(joinsBelow ? childColor(siblingTail) : color(sibling)));
        if (joinsBelow) {
            relocator.clear(siblingHash, sibling, depth);
        } else {
            relocator.recolorParent(siblingHash, sibling, depth, NO_PARENT_COLOR);
        }
        if (joinsAbove) {
            relocator.clear(node.hash, node.head, node.depth);
        }
    }

    /** Removes top color and checkpoint mark of a node before it goes out of reach, so that no reader begins there. */
    private void close(final long hash, final long head, final int depth) {
        forgetTop(depth, code(head));
        if (mayBeCheckpoint(head, depth)) {
            relocator.unmarkCheckpoint(hash, head, depth);
        }
    }

    private void forgetTop(final int depth, final int code) {
        if (depth == TOP_DEPTH && code >= FIRST_CODE) {
            table.putTopColor(topName + code - FIRST_CODE, 0);
        }
    }

    private void rewrite(final InnerPath.Node node, final long body, final long tail) {
        relocator.rewrite(node.hash, node.head, node.depth, body, tail);
    }
}
