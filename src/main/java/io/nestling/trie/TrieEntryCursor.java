/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

import io.nestling.index.KeyBufferCursor;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabBytes;

import java.util.Arrays;
import java.util.Objects;

/**
 * Cursor over the keys and payloads of a trie: a depth-first walk that keeps its path and the bytes of the key. A node where the
 * path can branch is a level. The walk reads its children once, a window of transitions of a wide node at a time, requests them
 * together, and then takes them one by one ({@link ChildStack}).
 * <h2>Thread safety</h2>
 * One thread; a position holds within one guard.
 */
final class TrieEntryCursor extends KeyBufferCursor {
    private static final int INITIAL_LEVELS = 16;
    /* Child of a level: the content of a prefix node, or what continues that node. */
    private static final int AT_CONTENT = Integer.MIN_VALUE;
    private static final int BELOW_CONTENT = AT_CONTENT + 1;

    private final TrieNodes nodes;
    private final Slab slab;
    private final ChildStack children;
    private final PrefetchVector lines = new PrefetchVector();
    private Level[] path = new Level[INITIAL_LEVELS];
    private int levels;
    private int leaf;
    /* Whether it goes on behind where it stands: a seek alone reads one path. */
    private boolean walks;

    TrieEntryCursor(final TrieNodes nodes) {
        this.nodes = nodes;
        this.slab = nodes.slab();
        this.children = new ChildStack(nodes, ChildStack.WINDOW);
    }

    /** A node on the path with more than one continuation. */
    private static final class Level {
        int node;
        /* Bytes of the key above it. */
        int depth;
        /* Its children begin there on the stack, and those of its transitions from low to high are there. */
        int start;
        int low;
        int high;
        /* The child on the path. */
        int at;
    }

    @Override
    public boolean first() {
        restart(true);
        return descend(nodes.root(), true);
    }

    @Override
    public boolean last() {
        restart(true);
        return descend(nodes.root(), false);
    }

    @Override
    public boolean seek(final byte[] bytes, final int offset, final int length) {
        return goTo(bytes, offset, length, true);
    }

    /* Not a seek and a step back: a key put between the two would be taken for a lower one. */
    @Override
    public boolean seekLowerThan(final byte[] bytes, final int offset, final int length) {
        return goTo(bytes, offset, length, false);
    }

    /** Goes to the first key at or above a bound, or to the last one below it. */
    private boolean goTo(final byte[] bytes, final int offset, final int length, final boolean forward) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        restart(false);
        final int end = offset + length;
        int node = nodes.root();
        int position = offset;
        while (node != NONE) {
            if (position == end) {
                return forward ? descend(node, true) : goOn(false);
            }
            if (isLeaf(node)) {
                return forward ? goOn(true) : stand(node);
            }
            if (type(node) == PREFIX) {
                push(node).at = BELOW_CONTENT;
            }
            if (nodes.isChainLike(node)) {
                final int order = compareChain(node, bytes, position, end);
                if (order != 0) {
                    return order > 0 == forward ? descend(passChain(node), forward) : goOn(forward);
                }
                position += nodes.chainLength(node);
                node = passChain(node);
            } else if (nodes.isStandalonePrefix(node)) {
                node = nodes.pointerAt(nodes.chainChildSlot(node));
            } else {
                final int transition = bytes[position++] & 0xFF;
                node = enterNear(node, transition, forward);
                if (node == NONE) {
                    return goOn(forward);
                }
                if ((key[keyLength - 1] & 0xFF) != transition) {
                    return descend(node, forward);
                }
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
        return move(true);
    }

    @Override
    public boolean previous() {
        return move(false);
    }

    private boolean move(final boolean forward) {
        if (!valid) {
            return false;
        }
        valid = false; // stays so if something throws
        commonPrefix = keyLength;
        if (levels == 0) {
            return stop();
        }
        final Level top = path[levels - 1];
        if (!walks) {
            walks = true;
            children.prefetch(lines, forward ? Math.max(top.at, top.start) : top.start, children.size());
        }
        if (top.at == AT_CONTENT) {
            if (forward) {
                top.at = BELOW_CONTENT;
                return descendBelowContent(top.node, true);
            }
            levels--;
        }
        return goOn(forward);
    }

    /** Goes to the first entry behind everything below the path, or to the last one before it. */
    private boolean goOn(final boolean forward) {
        while (levels > 0) {
            final Level top = path[levels - 1];
            if (top.at != BELOW_CONTENT) {
                final int child = step(top, forward);
                if (child != NONE) {
                    return descend(child, forward);
                }
            } else if (!forward) {
                backTo(top.depth);
                top.at = AT_CONTENT;
                return stand(nodes.prefixContent(top.node));
            }
            levels--;
        }
        return stop();
    }

    /** Goes to the first entry below a node, or to the last one. */
    private boolean descend(final int from, final boolean forward) {
        int node = from;
        while (node > NONE) {
            final int type = type(node);
            if (ChainNodeLayout.isChain(type)) {
                node = passChain(node);
            } else if (type != PREFIX) {
                node = enter(node, forward);
            } else if (forward) {
                push(node).at = AT_CONTENT;
                return stand(nodes.prefixContent(node));
            } else {
                push(node).at = BELOW_CONTENT;
                return descendBelowContent(node, false);
            }
        }
        return node == NONE ? goOn(forward) : stand(node); // none: removed meanwhile, or an empty trie
    }

    /** Enters what continues a prefix node, whose level is on the path. */
    private boolean descendBelowContent(final int prefix, final boolean forward) {
        return descend(
            nodes.isChainLike(prefix) ? passChain(prefix)
                : nodes.isStandalonePrefix(prefix) ? nodes.pointerAt(nodes.chainChildSlot(prefix))
                : enter(prefix, forward),
            forward);
    }

    /** Puts a branching node on the path and returns its first or last child; or {@code NONE} if it has none. */
    private int enter(final int node, final boolean forward) {
        return enterFrom(push(node), forward ? 0 : SplitNodeLayout.TRANSITIONS, forward);
    }

    /** The same with the child at a transition, or else the first one behind it or the last one before it. */
    private int enterNear(final int node, final int transition, final boolean forward) {
        final Level level = push(node);
        final int child = nodes.child(node, transition);
        if (child == NONE) {
            return enterFrom(level, forward ? transition : transition + 1, forward);
        }
        level.low = transition;
        level.high = transition;
        level.at = level.start;
        children.add(transition, child);
        append(transition);
        return child;
    }

    /** Returns a new level's first child from a transition on, or its last one before it; drops the level if there is none. */
    private int enterFrom(final Level level, final int transition, final boolean forward) {
        level.low = transition;
        level.high = transition - 1;
        if (load(level, forward)) {
            return take(level);
        }
        levels--;
        return NONE;
    }

    /** Moves a level to its next or previous child and returns it; {@code NONE} if there is none. */
    private int step(final Level level, final boolean forward) {
        level.at += forward ? 1 : -1;
        return level.at >= level.start && level.at < children.size() || load(level, forward) ? take(level) : NONE;
    }

    private int take(final Level level) {
        backTo(level.depth);
        append(children.transition(level.at));
        return children.child(level.at);
    }

    /** Reads more children of the topmost level; returns whether there are any. */
    private boolean load(final Level level, final boolean forward) {
        children.cut(level.start);
        while (forward ? level.high < ChildStack.LAST_TRANSITION : level.low > 0) {
            if (forward) {
                level.low = level.high + 1;
                level.high = children.addWindow(level.node, level.low, true);
            } else {
                level.high = level.low - 1;
                level.low = children.addWindow(level.node, level.high, false);
            }
            if (children.size() > level.start) {
                level.at = forward ? level.start : children.size() - 1;
                if (walks) {
                    children.prefetch(lines, level.start, children.size());
                }
                return true;
            }
        }
        return false;
    }

    /** Appends the transitions of a chain-like node to the key and returns its child. */
    private int passChain(final int chain) {
        final long childSlot = nodes.chainChildSlot(chain);
        final int length = (int) (childSlot - nodes.chainStart(chain));
        reserveKey(length);
        if (length <= Long.BYTES) {
            SlabBytes.copyEndingAt(slab, childSlot, length, key, keyLength);
        } else {
            slab.getBytes(childSlot - length, key, keyLength, length);
        }
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

    private Level push(final int node) {
        if (levels == path.length) {
            path = Arrays.copyOf(path, 2 * levels);
        }
        if (path[levels] == null) {
            path[levels] = new Level();
        }
        final Level level = path[levels++];
        level.node = node;
        level.depth = keyLength;
        level.start = children.size();
        return level;
    }

    private void backTo(final int depth) {
        keyLength = depth;
        commonPrefix = Math.min(commonPrefix, depth);
    }

    private void restart(final boolean walksOn) {
        checkOpen();
        valid = false;
        walks = walksOn;
        levels = 0;
        children.cut(0);
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
    public long payload() {
        checkValid();
        return nodes.payload(leaf);
    }
}
