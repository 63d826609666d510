/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import io.nestling.index.PointIndex;
import io.nestling.offheap.KeySource;

/**
 * Looks up a key whose path is so long that the writer changes one of its buckets during nearly every walk. It validates only the
 * node where the walk ended, not the path: what stands there while no operation is under way belongs to the trie, and the record
 * of a leaf tells its name.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile; an answer holds for a moment between two of its operations
 * (cuckoo-trie-concurrency.md, claims 13 and 14).
 */
final class ContendedLookup {
    /** Result of {@link #get}: the end of the path has changed, and nothing is known. */
    static final long INTERRUPTED = -2;
    /** A lookup that restarted more often continues here. */
    static final int MAX_RESTARTS = 2;

    private final Descent walk = new Descent();
    private final CheckpointValidator validator = new CheckpointValidator();
    private final NodePath end = new NodePath();
    private byte[] other = {};

    /** Returns the payload of a key, {@link PointIndex#NONE} if it is absent, or {@link #INTERRUPTED}. */
    long get(final NodeTable table, final KeySource keys, final byte[] key, final int offset, final int length) {
        final int stop = walk.run(table, key, offset, length, Descent.UNVALIDATED);
        final EntryProbe last = walk.end();
        final int depth = walk.depth();
        final int symbols = walk.keySymbols();
        walk.forgetKey();
        end.clear();
        end.add(last.line(), last.version());
        if (stop == Descent.EMPTY) {
            return wasIdle(table) ? PointIndex.NONE : INTERRUPTED;
        }
        final long below = validator.leafBelow(table, walk.hash(), last.head(), last.tail(), end); // of a leaf, its own payload
        if (below < 0 || !wasIdle(table)) {
            return INTERRUPTED;
        }
        if (stop == Descent.AT_LEAF && keys.compareKey(below, key, offset, length) == 0) {
            return below;
        }
        final boolean absent = depth <= symbols
            && CheckpointValidator.sharePrefix(keys, below, key, offset, length, depth) && isOnlyDepth(table.hash(), keys, below);
        return absent ? PointIndex.NONE : INTERRUPTED;
    }

    /**
     * Returns whether a node of this hash above the leaf of a key can stand only at the depth that the walk assumed: names of
     * different lengths may share a hash, and the nodes that led there may have changed.
     */
    private boolean isOnlyDepth(final NameHash names, final KeySource keys, final long below) {
        final int depth = walk.depth();
        final int length = keys.keyLength(below);
        if (other.length < length) {
            other = new byte[length];
        }
        keys.copyKey(below, other, 0);
        final int count = Symbols.count(length);
        final int last = depth == 0 ? 0 : Symbols.codeAt(other, 0, length, depth - 1, count);
        long name = names.root();
        for (int i = 0; i <= count; i++) {
            final int code = Symbols.codeAt(other, 0, length, i, count);
            name = names.append(name, code);
            if (name == walk.hash() && code == last && i + 1 != depth) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether there was a moment between two operations at which the end of the walk was as read. */
    private boolean wasIdle(final NodeTable table) {
        return table.operations().awaitIdle() && end.isUnchanged(table);
    }
}
