/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

/**
 * A bitmap node as it was read, and those of its children that a walk has not come to.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class Family {
    private long left;
    private long hash;
    private long hints;
    private int identity;
    private long line;
    private int version;

    /** Drops what is left. */
    void clear() {
        left = 0;
    }

    /** Takes all children of a node. */
    void set(final long name, final long head, final long tail, final long nodeLine, final int nodeVersion) {
        left = children(tail);
        hash = name;
        hints = EntryLayout.hints(head, tail);
        identity = color(head) << PARENT_COLOR_SHIFT;
        line = nodeLine;
        version = nodeVersion;
    }

    /** Takes what is left of a node's children. */
    void take(final PendingNodes pending) {
        left = pending.takeChildren();
        hash = pending.hash();
        hints = pending.hints();
        identity = pending.identity();
        line = pending.lineAbove();
        version = pending.versionAbove();
    }

    /** Returns the children that are left, as {@link EntryLayout#children} has them. */
    long left() {
        return left;
    }

    /** Takes children away. */
    void keep(final long children) {
        left = children;
    }

    /** Returns the hash of the node's name. */
    long hash() {
        return hash;
    }

    /** Which children were placed in their secondary buckets. */
    long hints() {
        return hints;
    }

    /** What identifies a child beside its symbol and its place. */
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
