/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.BlockLayout.*;

import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

/**
 * Prefetches for a cursor: a pipeline that requests each node a few moves before the walk reads it, so that the lines that the
 * walk and the pipeline itself read have arrived.
 * <ul>
 * <li>When the walk takes a transition of a flat split node, the wide children at the next four transitions
 * advance by one stage each: the head of a split node; the lines, then the children of a broad one; the
 * lines, then the first children of a flat one.
 * <li>Narrow children of a flat split node are requested a window of transitions at a time, two windows
 * ahead; one window ahead those that are sparse have arrived and their children are requested.
 * </ul>
 * The blocks behind the head of a split node are not requested: such a node has few children, and reading its blocks ahead took
 * longer than it saved.
 * <h2>Thread safety</h2>
 * One thread, as its cursor.
 */
final class LookAhead {
    /** Transitions in one window: the pointers of a flat split node that share a line. */
    private static final int WINDOW_SHIFT = 4;
    private static final int WINDOW = 1 << WINDOW_SHIFT;
    private static final int WINDOWS = SplitNodeLayout.TRANSITIONS / WINDOW;
    private static final int LINE_BYTES = 64;
    /* Stages of a wide node, by the moves until the walk arrives. */
    private static final int HEAD = 4;
    private static final int FLAT_LINES = 2;
    private static final int FLAT_CHILDREN = 1;

    private final TrieNodes nodes;
    private final Slab slab;
    private final PrefetchVector lines = new PrefetchVector();
    private int aheadNode;
    private int aheadWindow;

    LookAhead(final TrieNodes nodes) {
        this.nodes = nodes;
        this.slab = nodes.slab();
    }

    /** Called when the walk enters a branching node at a transition. */
    void onEnter(final int node, final int transition, final boolean forward, final boolean longWalk) {
        if (type(node) == FLAT) {
            final int child = nodes.pointerAt(offset(node) + SplitNodeLayout.flatSlot(transition));
            onMove(node, transition, child, forward, longWalk);
        } else if (type(node) == BROAD) {
            requestBroadChildren(node);
            lines.request();
        }
    }

    /** Called when the walk moves to a child of a branching node that is not sparse. */
    void onMove(
        final int node, final int transition, final int child, final boolean forward, final boolean longWalk) {
        if (type(node) != FLAT) {
            return;
        }
        final int step = forward ? 1 : -1;
        final int window = transition >>> WINDOW_SHIFT;
        if (longWalk && isWide(child)) {
            requestSiblings(node, transition, step);
            lines.request();
        }
        if (node != aheadNode || window != aheadWindow) {
            moveWindow(node, window, step);
            lines.request();
        }
    }

    private void moveWindow(final int node, final int window, final int step) {
        if (node != aheadNode) {
            requestChildren(node, window + step);
            requestWindow(node, window);
        }
        aheadNode = node;
        aheadWindow = window;
        requestChildren(node, window + 2 * step);
        requestWindow(node, window + step);
    }

    private void requestSiblings(final int node, final int transition, final int step) {
        for (int stage = 1; stage <= HEAD; stage++) {
            final int at = transition + stage * step;
            if (at < 0 || at >= SplitNodeLayout.TRANSITIONS) {
                return;
            }
            final int child = nodes.pointerAt(offset(node) + SplitNodeLayout.flatSlot(at));
            if (child > NONE && type(child) == FLAT) {
                requestFlat(child, stage, step);
            } else if (child > NONE && type(child) == BROAD) {
                requestBroad(child, stage);
            } else if (stage == HEAD && child > NONE && type(child) == SPLIT) {
                lines.add(slab, offset(child));
            }
        }
    }

    private void requestFlat(final int flat, final int stage, final int step) {
        if (stage == FLAT_LINES) {
            for (int i = 0; i < FLAT_BYTES; i += LINE_BYTES) {
                lines.add(slab, offset(flat) + i);
            }
        } else if (stage == FLAT_CHILDREN) {
            requestChildren(flat, step > 0 ? 0 : WINDOWS - 1);
        }
    }

    private void requestBroad(final int broad, final int stage) {
        if (stage == HEAD) {
            lines.add(slab, offset(broad));
            lines.add(slab, offset(broad) + BroadNodeLayout.LINE_BYTES);
        } else if (stage == 2) {
            requestBroadChildren(broad);
        }
    }

    private void requestBroadChildren(final int broad) {
        final int count = BroadNodeLayout.count(slab, offset(broad));
        for (int i = 0; i < count; i++) {
            requestIfNarrow(slab.getIntAcquire(BroadNodeLayout.childSlot(offset(broad), i)));
        }
    }

    private void requestChildren(final int flat, final int window) {
        if (window >= 0 && window < WINDOWS) {
            requestAll(offset(flat) + SplitNodeLayout.flatSlot(window << WINDOW_SHIFT), WINDOW);
        }
    }

    private void requestWindow(final int flat, final int window) {
        if (window >= 0 && window < WINDOWS) {
            requestGrandchildren(offset(flat) + SplitNodeLayout.flatSlot(window << WINDOW_SHIFT), WINDOW);
        }
    }

    /** Requests the children of the sparse nodes behind an even number of consecutive pointers. */
    private void requestGrandchildren(final long slots, final int count) {
        for (int i = 0; i < count; i += 2) {
            final long pair = slab.getLongAcquire(slots + ((long) i << POINTER_SHIFT));
            requestIfSparse((int) pair);
            requestIfSparse((int) (pair >>> Integer.SIZE));
        }
    }

    private void requestIfSparse(final int child) {
        if (child > NONE && type(child) == SPARSE) {
            requestAll(offset(child) + SparseNodeLayout.CHILDREN_OFFSET, SparseNodeLayout.MAX_CHILDREN);
        }
    }

    private static boolean isWide(final int node) {
        return node > NONE && (type(node) == BROAD || type(node) == SPLIT || type(node) == FLAT);
    }

    /** Requests the narrow nodes behind an even number of consecutive pointers, read two at a time. */
    private void requestAll(final long slots, final int count) {
        for (int i = 0; i < count; i += 2) {
            final long pair = slab.getLongAcquire(slots + ((long) i << POINTER_SHIFT));
            if (pair != 0) {
                requestIfNarrow((int) pair);
                requestIfNarrow((int) (pair >>> Integer.SIZE));
            }
        }
    }

    private void requestIfNarrow(final int child) {
        if (child > NONE && type(child) != FLAT) {
            lines.add(slab, offset(child));
        }
    }
}
