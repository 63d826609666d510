/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.offheap.Backoff;
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
    private static final int TRIES = 64;

    private final EntryProbe probe = new EntryProbe();
    private final CheckpointValidator validator = new CheckpointValidator();
    private final NodePath end = new NodePath();
    /* Of the node read last. */
    private long hash;
    private int depth;
    private byte[] other = {};

    /** Returns the payload of a key, {@link PointIndex#NONE} if it is absent, or {@link #INTERRUPTED}. */
    long get(final NodeTable table, final KeySource keys, final byte[] key, final int offset, final int length) {
        final int count = Symbols.count(length);
        hash = table.hash().root();
        depth = 0;
        if (!readRoot(table)) {
            return INTERRUPTED;
        }
        while (isUsed(probe.head()) && !isLeaf(probe.head())) {
            final int identity;
            final int mask;
            if (type(probe.head()) == BITMAP) {
                final int code = depth <= count ? Symbols.codeAt(key, offset, length, depth, count) : 0;
                if (depth > count || (children(probe.tail()) & childBit(code)) == 0) {
                    break;
                }
                identity = code << SYMBOL_SHIFT | color(probe.head()) << PARENT_COLOR_SHIFT;
                mask = BY_PARENT_MASK;
                hash = table.hash().append(hash, code);
                depth++;
            } else {
                if (!hasLabels(key, offset, length)) {
                    break;
                }
                identity = JumpLabels.childIdentity(probe.head(), probe.tail());
                mask = BY_COLOR_MASK;
                hash = JumpLabels.childHash(table.hash(), hash, probe.head(), probe.tail());
                depth += labelCount(probe.tail());
            }
            if (!readNode(table, identity, mask)) {
                return INTERRUPTED;
            }
        }
        return answer(table, keys, key, offset, length);
    }

    private boolean readRoot(final NodeTable table) {
        int tries = 0;
        do {
            probe.root(table);
        } while (!probe.isWhole(table) && ++tries < TRIES);
        return tries < TRIES;
    }

    /** Reads a whole node, in either of its buckets; returns false if it is in neither. */
    private boolean readNode(final NodeTable table, final int identity, final int mask) {
        for (int tries = 1; tries < TRIES; tries++) {
            if (probe.find(table, hash, identity, mask) && probe.isWhole(table)) {
                return true;
            }
            Backoff.pause(tries, table.failure()); // it may be moving between its buckets
        }
        return false;
    }

    private boolean hasLabels(final byte[] key, final int offset, final int length) {
        final int count = Symbols.count(length);
        final int labels = labelCount(probe.tail());
        for (int i = 0; i < labels; i++) {
            if (depth + i >= count
                || label(probe.head(), probe.tail(), i) != Symbols.at(key, offset, length, depth + i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the result that follows from the node where the walk ended. */
    private long answer(
        final NodeTable table, final KeySource keys, final byte[] key, final int offset, final int length) {
        final long head = probe.head();
        final long tail = probe.tail();
        end.clear();
        end.add(probe.line(), probe.version());
        if (!isUsed(head)) {
            return depth == 0 && wasIdle(table) ? PointIndex.NONE : INTERRUPTED;
        }
        final long below = validator.leafBelow(table, hash, head, tail, end); // of a leaf, its own payload
        if (below < 0 || !wasIdle(table)) {
            return INTERRUPTED;
        }
        if (isLeaf(head) && keys.compareKey(below, key, offset, length) == 0) {
            return below;
        }
        final boolean absent = depth <= Symbols.count(length)
            && CheckpointValidator.sharePrefix(keys, below, key, offset, length, depth) && isOnlyDepth(table.hash(), keys, below);
        return absent ? PointIndex.NONE : INTERRUPTED;
    }

    /**
     * Returns whether a node of this hash above the leaf of a key can stand only at the depth that the walk assumed: names of
     * different lengths may share a hash, and the nodes that led there may have changed.
     */
    private boolean isOnlyDepth(final NameHash names, final KeySource keys, final long below) {
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
            if (name == hash && code == last && i + 1 != depth) {
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
