/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BlockLayout.*;

import io.nestling.index.PositionedCursor;
import io.nestling.memory.Slab;
import io.nestling.memory.SlabBytes;

import java.util.Arrays;
import java.util.Objects;

/**
 * Cursor over the keys and payloads of a trie: a depth-first walk that keeps its path and the bytes of the key. Nodes where the
 * path can branch are levels on a stack in arrays; chains need no level.
 * <h2>Thread safety</h2>
 * One thread; a position holds within one guard.
 */
final class TrieEntryCursor extends PositionedCursor {
    private static final int INITIAL_LEVELS = 16;
    private static final int INITIAL_KEY_BYTES = 64;
    private static final int SCAN_MOVES = 64;
    /* Transition of a level: at the content of a prefix node, or in what continues that node. */
    private static final int AT_CONTENT = -2;
    private static final int BELOW_CONTENT = -1;

    private final TrieNodes nodes;
    private final Slab slab;
    private final LookAhead lookAhead;
    private int[] levelNode = new int[INITIAL_LEVELS];
    private int[] levelDepth = new int[INITIAL_LEVELS];
    private int[] levelTransition = new int[INITIAL_LEVELS];
    /* For a sparse node, the unpacked order of its children; its transition is the rank there. */
    private int[] levelOrder = new int[INITIAL_LEVELS];
    private int levels;
    private byte[] key = new byte[INITIAL_KEY_BYTES];
    private int keyLength;
    private int commonPrefix;
    private int leaf;
    /* Moves since the last seek, up to SCAN_MOVES, the number with which a scan from an end begins. */
    private int moves;

    TrieEntryCursor(final TrieNodes nodes) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.lookAhead = new LookAhead(nodes);
    }

    @Override
    public boolean first() {
        restart();
        final int root = nodes.root();
        return root == NONE ? stop() : descendFirst(root);
    }

    @Override
    public boolean last() {
        restart();
        final int root = nodes.root();
        return root == NONE ? stop() : descendLast(root);
    }

    @Override
    public boolean seek(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        restart();
        moves = 0;
        final boolean found = seekFrom(nodes.root(), bytes, offset, offset + length);
        commonPrefix = 0;
        return found;
    }

    private boolean seekFrom(final int root, final byte[] bytes, final int offset, final int end) {
        int node = root;
        int position = offset;
        while (node != NONE) {
            if (position == end) {
                return descendFirst(node);
            }
            if (isLeaf(node)) {
                return advance();
            }
            if (type(node) == PREFIX) {
                push(node, BELOW_CONTENT);
            }
            if (nodes.isChainLike(node)) {
                final int order = compareChain(node, bytes, position, end);
                if (order != 0) {
                    return order > 0 ? descendFirst(passChain(node)) : advance();
                }
                position += nodes.chainLength(node);
                node = passChain(node);
            } else if (nodes.isStandalonePrefix(node)) {
                node = nodes.pointerAt(nodes.chainChildSlot(node));
            } else {
                final int transition = bytes[position++] & 0xFF;
                final int child = branchFrom(node, transition);
                if (child == NONE) {
                    return advance();
                }
                if ((key[keyLength - 1] & 0xFF) > transition) {
                    return descendFirst(child);
                }
                node = child;
            }
        }
        return stop();
    }

    @Override
    public boolean seekLowerThan(final byte[] bytes, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        restart();
        moves = 0;
        final boolean found = seekDownFrom(nodes.root(), bytes, offset, offset + length);
        commonPrefix = 0;
        return found;
    }

    /* Not a seek and a step back: a key put between the two would be taken for a lower one. */
    private boolean seekDownFrom(final int root, final byte[] bytes, final int offset, final int end) {
        int node = root;
        int position = offset;
        while (node != NONE) {
            if (position == end) {
                return retreat();
            }
            if (isLeaf(node)) {
                return stand(node);
            }
            if (type(node) == PREFIX) {
                push(node, BELOW_CONTENT);
            }
            if (nodes.isChainLike(node)) {
                final int order = compareChain(node, bytes, position, end);
                if (order != 0) {
                    return order > 0 ? retreat() : descendLast(passChain(node));
                }
                position += nodes.chainLength(node);
                node = passChain(node);
            } else if (nodes.isStandalonePrefix(node)) {
                node = nodes.pointerAt(nodes.chainChildSlot(node));
            } else {
                final int transition = bytes[position++] & 0xFF;
                final int child = branchDownFrom(node, transition);
                if (child == NONE) {
                    return retreat();
                }
                if ((key[keyLength - 1] & 0xFF) < transition) {
                    return descendLast(child);
                }
                node = child;
            }
        }
        return stop();
    }

    /** Compares a chain with the rest of a key: 0 if the key continues behind the whole chain. */
    private int compareChain(final int chain, final byte[] bytes, final int position, final int end) {
        final int chainLength = nodes.chainLength(chain);
        final long start = nodes.chainStart(chain);
        final int matched =
            SlabBytes.commonPrefix(slab, start, bytes, position, Math.min(chainLength, end - position));
        if (matched == chainLength) {
            return 0;
        }
        return matched == end - position
            ? 1 : (slab.getByte(start + matched) & 0xFF) - (bytes[position + matched] & 0xFF);
    }

    @Override
    public boolean next() {
        if (!valid) {
            return false;
        }
        commonPrefix = keyLength;
        if (moves < SCAN_MOVES) {
            growLookAhead(true);
        }
        if (levels > 0 && levelTransition[levels - 1] == AT_CONTENT) {
            levelTransition[levels - 1] = BELOW_CONTENT;
            return descendBelowContent(levelNode[levels - 1], true);
        }
        return advance();
    }

    @Override
    public boolean previous() {
        if (!valid) {
            return false;
        }
        commonPrefix = keyLength;
        if (moves < SCAN_MOVES) {
            growLookAhead(false);
        }
        if (levels > 0 && levelTransition[levels - 1] == AT_CONTENT) {
            levels--;
        }
        return retreat();
    }

    /**
     * Counts a move after a seek. A seek alone reads one path. The first move requests what is beside it in a flat node; wide
     * nodes ahead are requested only on a long scan, since that reads more than a short one needs.
     */
    private void growLookAhead(final boolean forward) {
        moves++;
        final int level = levels - 1;
        final boolean turns = moves == 1 || moves == SCAN_MOVES;
        if (turns && level >= 0 && levelTransition[level] >= 0 && type(levelNode[level]) != SPARSE) {
            enterAhead(levelNode[level], levelTransition[level], forward);
        }
    }

    private void enterAhead(final int node, final int transition, final boolean forward) {
        if (moves == SCAN_MOVES || moves > 0 && type(node) != SPLIT) {
            lookAhead.onEnter(node, transition, forward, moves == SCAN_MOVES);
        }
    }

    /** Moves to the first entry behind everything below the top level's transition. */
    private boolean advance() {
        while (levels > 0) {
            backTo(levelDepth[levels - 1]);
            final int child = levelTransition[levels - 1] < 0 ? NONE : nextBranch();
            if (child != NONE) {
                return descendFirst(child);
            }
            levels--;
        }
        return stop();
    }

    /** Moves to the last entry before everything below the top level's transition. */
    private boolean retreat() {
        while (levels > 0) {
            final int level = levels - 1;
            backTo(levelDepth[level]);
            if (levelTransition[level] == BELOW_CONTENT) {
                levelTransition[level] = AT_CONTENT;
                return stand(nodes.prefixContent(levelNode[level]));
            }
            final int child = previousBranch();
            if (child != NONE) {
                return descendLast(child);
            }
            levels--;
        }
        return stop();
    }

    private boolean descendFirst(final int from) {
        int node = from;
        while (node > NONE) {
            final int type = type(node);
            if (ChainNodeLayout.isChain(type)) {
                node = passChain(node);
            } else if (type == PREFIX) {
                push(node, AT_CONTENT);
                return stand(nodes.prefixContent(node));
            } else {
                node = branchFrom(node, 0);
            }
        }
        return node == NONE ? advance() : stand(node); // NONE: removed meanwhile
    }

    private boolean descendLast(final int from) {
        int node = from;
        while (node > NONE) {
            final int type = type(node);
            if (ChainNodeLayout.isChain(type)) {
                node = passChain(node);
            } else if (type == PREFIX) {
                push(node, BELOW_CONTENT);
                return descendBelowContent(node, false);
            } else {
                node = lastBranch(node);
            }
        }
        return node == NONE ? retreat() : stand(node);
    }

    /** Enters what continues a prefix node, whose level is on the stack. */
    private boolean descendBelowContent(final int prefix, final boolean forward) {
        final int child;
        if (nodes.isChainLike(prefix)) {
            child = passChain(prefix);
        } else if (nodes.isStandalonePrefix(prefix)) {
            child = nodes.pointerAt(nodes.chainChildSlot(prefix));
        } else {
            child = forward ? branchFrom(prefix, 0) : lastBranch(prefix);
        }
        return forward ? descendFirst(child) : descendLast(child);
    }

    /**
     * Pushes a branching node at its first transition at or above a given one, appends that and returns the child there; {@code
     * NONE} if there is none.
     */
    private int branchFrom(final int node, final int from) {
        if (type(node) != SPARSE) {
            return enterWide(node, nodes.wideBranchFrom(node, from), true);
        }
        final long meta = nodes.sparseMeta(node);
        final int order = SparseNodeLayout.unpackOrder(meta);
        for (int rank = 0; rank < SparseNodeLayout.count(order); rank++) {
            if (SparseNodeLayout.transition(meta, SparseNodeLayout.indexAt(order, rank)) >= from) {
                return enterSparse(node, meta, order, rank);
            }
        }
        return NONE;
    }

    /** As {@link #branchFrom}, with the last transition at or below a given one. */
    private int branchDownFrom(final int node, final int from) {
        if (type(node) != SPARSE) {
            return enterWide(node, nodes.wideBranchDownFrom(node, from), false);
        }
        final long meta = nodes.sparseMeta(node);
        final int order = SparseNodeLayout.unpackOrder(meta);
        for (int rank = SparseNodeLayout.count(order) - 1; rank >= 0; rank--) {
            if (SparseNodeLayout.transition(meta, SparseNodeLayout.indexAt(order, rank)) <= from) {
                return enterSparse(node, meta, order, rank);
            }
        }
        return NONE;
    }

    private int lastBranch(final int node) {
        return branchDownFrom(node, SplitNodeLayout.TRANSITIONS - 1);
    }

    private int enterWide(final int node, final long branch, final boolean forward) {
        if (branch < 0) {
            return NONE;
        }
        final int transition = TrieNodes.branchTransition(branch);
        push(node, transition);
        append(transition);
        enterAhead(node, transition, forward);
        return TrieNodes.branchChild(branch);
    }

    private int enterSparse(final int node, final long meta, final int order, final int rank) {
        push(node, rank);
        levelOrder[levels - 1] = order;
        final int index = SparseNodeLayout.indexAt(order, rank);
        append(SparseNodeLayout.transition(meta, index));
        return nodes.pointerAt(nodes.sparseChildSlot(node, index));
    }

    /**
     * Moves the top level to its next transition, appends it and returns the child there, or {@code NONE}.
     */
    private int nextBranch() {
        final int level = levels - 1;
        final int node = levelNode[level];
        if (type(node) == SPARSE) {
            return sparseBranch(level, levelTransition[level] + 1);
        }
        return wideBranch(level, nodes.wideBranchFrom(node, levelTransition[level] + 1), true);
    }

    /**
     * Moves the top level to its previous transition, appends it and returns the child there, or {@code NONE}.
     */
    private int previousBranch() {
        final int level = levels - 1;
        final int node = levelNode[level];
        if (type(node) == SPARSE) {
            return sparseBranch(level, levelTransition[level] - 1);
        }
        return wideBranch(level, nodes.wideBranchDownFrom(node, levelTransition[level] - 1), false);
    }

    private int wideBranch(final int level, final long branch, final boolean forward) {
        if (branch < 0) {
            return NONE;
        }
        final int transition = TrieNodes.branchTransition(branch);
        final int child = TrieNodes.branchChild(branch);
        levelTransition[level] = transition;
        append(transition);
        if (moves > 0) {
            lookAhead.onMove(levelNode[level], transition, child, forward, moves == SCAN_MOVES);
        }
        return child;
    }

    private int sparseBranch(final int level, final int rank) {
        final int order = levelOrder[level];
        if (rank < 0 || rank >= SparseNodeLayout.count(order)) {
            return NONE;
        }
        // Children keep their index while the node lives: an order read earlier stays right, but may lack some.
        final int node = levelNode[level];
        final int index = SparseNodeLayout.indexAt(order, rank);
        levelTransition[level] = rank;
        append(SparseNodeLayout.transition(nodes.sparseMeta(node), index));
        return nodes.pointerAt(nodes.sparseChildSlot(node, index));
    }

    /** Appends the transitions of a chain-like node to the key and returns its child. */
    private int passChain(final int chain) {
        final int type = type(chain);
        if (type != SHORT_CHAIN_LOW && type != SHORT_CHAIN_HIGH) {
            return passLongChain(chain);
        }
        final long base = ChainNodeLayout.base(chain);
        final long childSlot = base + ChainNodeLayout.SHORT_CHILD_OFFSET;
        final int length =
            ChainNodeLayout.SHORT_CHILD_OFFSET - slab.getByte(base + ChainNodeLayout.START_OFFSET);
        if (length > Long.BYTES) {
            return passLongChain(chain);
        }
        reserveKey(length);
        SlabBytes.copyEndingAt(slab, childSlot, length, key, keyLength);
        keyLength += length;
        return nodes.pointerAt(childSlot);
    }

    private int passLongChain(final int chain) {
        final long start = nodes.chainStart(chain);
        final long childSlot = nodes.chainChildSlot(chain);
        final int length = (int) (childSlot - start);
        reserveKey(length);
        slab.getBytes(start, key, keyLength, length);
        keyLength += length;
        return nodes.pointerAt(childSlot);
    }

    private void append(final int transition) {
        reserveKey(1);
        key[keyLength++] = (byte) transition;
    }

    private void reserveKey(final int more) {
        // A word more than the key needs, so that a short chain can be copied as one word.
        if (keyLength + more + Long.BYTES > key.length) {
            key = Arrays.copyOf(key, Math.max(key.length * 2, keyLength + more + Long.BYTES));
        }
    }

    private void push(final int node, final int transition) {
        if (levels == levelNode.length) {
            levelDepth = Arrays.copyOf(levelDepth, levels * 2);
            levelTransition = Arrays.copyOf(levelTransition, levels * 2);
            levelOrder = Arrays.copyOf(levelOrder, levels * 2);
            levelNode = Arrays.copyOf(levelNode, levels * 2);
        }
        levelNode[levels] = node;
        levelDepth[levels] = keyLength;
        levelTransition[levels++] = transition;
    }

    private void backTo(final int depth) {
        keyLength = depth;
        commonPrefix = Math.min(commonPrefix, depth);
    }

    private void restart() {
        moves = SCAN_MOVES;
        levels = 0;
        keyLength = 0;
        commonPrefix = 0;
    }

    private boolean stand(final int content) {
        leaf = content;
        valid = true;
        return true;
    }

    private boolean stop() {
        levels = 0;
        valid = false;
        return false;
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        return key;
    }

    @Override
    public int keyLength() {
        checkValid();
        return keyLength;
    }

    @Override
    public int commonPrefix() {
        checkValid();
        return commonPrefix;
    }

    @Override
    public long payload() {
        checkValid();
        return nodes.payload(leaf);
    }

    @Override
    public void close() {
        stop();
    }
}
