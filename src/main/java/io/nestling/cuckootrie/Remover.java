/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.TOP_DEPTH;
import static io.nestling.cuckootrie.EntryLayout.*;

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
final class Remover {
    private final NodeTable table;
    private final NameHash names;
    private final Relocator relocator;
    private final KeySource keys;
    private final Descent descent;
    private final EntryProbe probe = new EntryProbe();
    private final JumpLabels newJump = new JumpLabels();
    /* Number of the name of three symbols that begins as the key and ends with symbol 0. */
    private int topName;

    Remover(final NodeTable table, final Relocator relocator, final KeySource keys, final Descent descent) {
        this.table = table;
        this.names = table.hash();
        this.relocator = relocator;
        this.keys = keys;
        this.descent = descent;
    }

    /** Removes a key and returns its payload, or {@link PointIndex#NONE}. */
    long remove(final byte[] key, final int offset, final int length) {
        relocator.writeDeferredHint();
        try {
            final int stop = descent.run(table, key, offset, length);
            if (stop != Descent.AT_LEAF || descent.compareLeaf(keys) != 0) {
                return PointIndex.NONE;
            }
            final long payload = descent.end().payload();
            topName = descent.depth() >= TOP_DEPTH ? Symbols.topName(key, offset, length, FIRST_CODE) : 0;
            if (descent.path().levels() == 0) {
                relocator.writeRoot(0, 0);
            } else {
                removeFromParent(descent.path().levels() - 1);
            }
            relocator.shrink();
            return payload;
        } finally {
            descent.forgetKey();
        }
    }

    private void removeFromParent(final int level) {
        final long parent = descent.path().head(level);
        final int leafCode = code(descent.end().head());
        final long rest = children(descent.path().tail(level)) & ~childBit(leafCode);
        forgetTop(descent.depth(), leafCode);
        unmarkCheckpoint(descent.hash(), descent.end().head(), descent.depth());
        if ((rest & rest - 1) != 0) {
            final long hints = hints(parent, descent.path().tail(level)) & rest;
            rewrite(level, bitmapHead(hints), bitmapTail(rest, hints));
            relocator.clear(descent.hash(), descent.end().head(), descent.depth());
            return;
        }
        final int code = lowestCode(rest);
        final long siblingHash = names.append(descent.path().hash(level), code);
        if (!probe.byParent(table, siblingHash, code, color(parent))) {
            throw new IllegalStateException("a bitmap node's child is missing at depth " + descent.depth());
        }
        if (isLeaf(probe.head())) {
            collapse(level, siblingHash);
        } else {
            joinChain(level, siblingHash);
        }
        relocator.clear(descent.hash(), descent.end().head(), descent.depth());
    }

    /** The one leaf left below a bitmap node replaces it, or the jump nodes above it. */
    private void collapse(final int level, final long siblingHash) {
        final long sibling = probe.head();
        final long payload = payload(sibling, probe.tail());
        int suffix = suffixAfter(code(sibling), suffix(sibling));
        int top = level;
        while (top > 0 && type(descent.path().head(top - 1)) == JUMP) {
            top--;
            final long jump = descent.path().head(top);
            final long tail = descent.path().tail(top);
            for (int i = labelCount(tail) - 1; i >= 0; i--) {
                suffix = suffixAfter(label(jump, tail, i) + FIRST_CODE, suffix);
            }
        }
        forgetTop(descent.depth(), code(sibling));
        for (int i = level; i > top; i--) {
            forgetTop(descent.path().depth(i), code(descent.path().head(i)));
            unmarkCheckpoint(descent.path().hash(i), descent.path().head(i), descent.path().depth(i));
        }
        rewrite(top, leafHead(suffix, payload), leafTail(payload));
        relocator.clear(siblingHash, sibling, descent.depth());
        for (int i = level; i > top; i--) {
            clear(i);
        }
    }

    /** A jump node replaces a bitmap node with one inner child, joined with jump nodes above and below. */
    private void joinChain(final int level, final long siblingHash) {
        final long sibling = probe.head();
        final long siblingTail = probe.tail();
        final int depth = descent.depth();
        final boolean joinsBelow = type(sibling) == JUMP && !endsJumps(depth);
        int top = level;
        newJump.clear();
        if (level > 0 && type(descent.path().head(level - 1)) == JUMP && !endsJumps(descent.path().depth(level))) {
            top--;
            final long tail = descent.path().tail(top);
            newJump.addAll(descent.path().head(top), tail, 0, labelCount(tail));
        }
        newJump.add(code(sibling) - FIRST_CODE);
        if (joinsBelow) {
            newJump.addAll(sibling, siblingTail, 0, labelCount(siblingTail));
            forgetTop(depth, code(sibling));
            unmarkCheckpoint(siblingHash, sibling, depth);
        }
        if (top < level) {
            forgetTop(descent.path().depth(level), code(descent.path().head(level)));
            unmarkCheckpoint(descent.path().hash(level), descent.path().head(level), descent.path().depth(level));
        }
        rewrite(top, newJump.head(), newJump.tail(joinsBelow ? childColor(siblingTail) : color(sibling)));
        if (joinsBelow) {
            relocator.clear(siblingHash, sibling, depth);
        } else {
            relocator.recolorParent(siblingHash, sibling, depth, NO_PARENT_COLOR);
        }
        if (top < level) {
            clear(level);
        }
    }

    /** Removes the top color before an entry goes out of reach, so that no reader begins there. */
    private void forgetTop(final int depth, final int code) {
        if (depth == TOP_DEPTH && code >= FIRST_CODE) {
            table.putTopColor(topName + code - FIRST_CODE, 0);
        }
    }

    /** As {@link #forgetTop}, for a checkpoint. */
    private void unmarkCheckpoint(final long hash, final long head, final int depth) {
        if (mayBeCheckpoint(head, depth)) {
            relocator.unmarkCheckpoint(hash, head, depth);
        }
    }

    private void rewrite(final int level, final long body, final long tail) {
        relocator.rewrite(
            descent.path().hash(level), descent.path().head(level), descent.path().depth(level), body, tail);
    }

    private void clear(final int level) {
        relocator.clear(descent.path().hash(level), descent.path().head(level), descent.path().depth(level));
    }
}
