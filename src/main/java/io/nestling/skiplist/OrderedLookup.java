/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.NodeLayout.*;

import io.nestling.index.PointIndex;

/**
 * Looks a key up by its order: in the directory and from there on in the list, or from the head.
 * <h2>Thread safety</h2>
 * Any number of threads, under guards.
 */
final class OrderedLookup {
    private static final long ASTRAY = -2;

    private OrderedLookup() {
    }

    /** Payload of a key, or {@link PointIndex#NONE}. */
    static long get(final Nodes nodes, final byte[] key, final int offset, final int length) {
        final Directory directory = nodes.directories().current();
        if (directory != null) {
            final long payload = getBy(nodes, directory, key, offset, length);
            if (payload >= PointIndex.NONE) {
                return payload;
            }
        }
        return descend(nodes, null, key, offset, length, 0);
    }

    /** Looks a key up by the directory; {@link #ASTRAY} if that leads nowhere. */
    private static long getBy(
        final Nodes nodes, final Directory directory, final byte[] key, final int offset, final int length) {
        final long floor = directory.floor(nodes, key, offset, length);
        if (floor == Directory.NOWHERE) {
            return ASTRAY;
        }
        directory.request(floor, nodes);
        final long near = directory.narrow(floor, nodes, key, offset, length);
        final int at = Directory.entry(near);
        final int node = directory.node(at);
        final long payload = nodes.payload(node);
        if (payload < 0) {
            return ASTRAY;
        }
        if (Directory.isOwn(near)) {
            return payload;
        }
        nodes.prefetchBelow(node, Directory.LEVEL);
        return descend(nodes, directory, key, offset, length, near);
    }

    /**
     * Looks a key up from a node on.
     *
     * @param directory where the search begins, at a node before the key that was found alive; null for the head
     * @param near the directory's answer, which says where that is, and what the key shares with the two nodes; 0 for the head
     */
    private static long descend(
        final Nodes nodes, final Directory directory, final byte[] key, final int offset, final int length, final long near) {
        int node = directory == null ? HEAD : directory.node(Directory.entry(near));
        int bound = directory == null ? NULL : directory.node(Directory.entry(near) + 1);
        int low = Directory.sharedBefore(near);
        int high = Directory.sharedBehind(near);
        int walk = directory == null ? Integer.MAX_VALUE : Directory.MAX_WALK;
        for (int level = directory == null ? nodes.height() - 1 : Directory.LEVEL; level >= 0; level--) {
            int next = nodes.next(node, level);
            while (next != bound) {
                if (next == NULL) {
                    bound = NULL;
                    high = 0;
                    break;
                }
                final long comparison =
                    nodes.compare(next, key, offset, length, nodes.sharedBetween(bound, low, high));
                final int order = Nodes.order(comparison);
                if (order == Nodes.LESS) {
                    if (level == Directory.LEVEL && --walk < 0) {
                        return ASTRAY;
                    }
                    if (nodes.payload(next) >= 0) {
                        node = next;
                        low = Nodes.shared(comparison);
                        nodes.prefetchBelow(node, level);
                    }
                    next = nodes.next(next, level);
                    continue;
                }
                if (order == Nodes.EQUAL) {
                    final long payload = nodes.payload(next);
                    if (payload >= 0) {
                        return payload;
                    }
                }
                bound = next;
                high = Nodes.shared(comparison);
            }
        }
        return PointIndex.NONE;
    }
}
