/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

/**
 * A bitmap node as read, and its children that a walk has not visited.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class UnvisitedChildren {
    private long left;
    private long hash;
    private long hints;
    private int identity;
    private long line;
    private int version;

    /** Drops all children. */
    void clear() {
        left = 0;
    }

    /** Sets all children of a node. */
    void set(final long name, final long head, final long tail, final long nodeLine, final int nodeVersion) {
        left = children(tail);
        hash = name;
        hints = EntryLayout.hints(head, tail);
        identity = color(head) << PARENT_COLOR_SHIFT;
        line = nodeLine;
        version = nodeVersion;
    }

    /** Takes the remaining children of the next pending node. */
    void take(final PendingNodes pending) {
        left = pending.takeChildren();
        hash = pending.hash();
        hints = pending.hints();
        identity = pending.identity();
        line = pending.lineAbove();
        version = pending.versionAbove();
    }

    /** Returns the remaining children, as {@link EntryLayout#children}. */
    long left() {
        return left;
    }

    /** Removes all children but these. */
    void keep(final long children) {
        left = children;
    }

    /** Returns the hash of the node's name. */
    long hash() {
        return hash;
    }

    /** Returns the children that stand in their secondary buckets, as bits. */
    long hints() {
        return hints;
    }

    /** Returns what identifies a child, its symbol and bucket aside. */
    int identity() {
        return identity;
    }

    /** Returns the node's bucket. */
    long line() {
        return line;
    }

    /** Returns the version of the bucket before the node was read. */
    int version() {
        return version;
    }
}
