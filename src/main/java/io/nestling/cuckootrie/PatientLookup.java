/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.index.PointIndex;
import io.nestling.memory.Backoff;
import io.nestling.memory.KeySource;

/**
 * Looks a key up whose path is so long that the writer changes one of its buckets in nearly every walk. It does not ask that the
 * path be unchanged at the end, only the node where the walk ended: what stands there while no operation is under way is part of
 * the trie, and the record of a leaf tells its name.
 * <h2>Thread safety</h2>
 * One thread. The writer may change the trie meanwhile; an answer is that of a moment between two of its operations
 * (cuckoo-trie-concurrency.md, claims 13 and 14).
 */
final class PatientLookup {
    /** What {@link #get} answers if the end of the path has changed: nothing is known. */
    static final long INTERRUPTED = -2;
    /** A lookup whose walk began anew more often than that is tried in this way. */
    static final int PATIENCE = 2;
    private static final int TRIES = 64;

    private final EntryProbe probe = new EntryProbe();
    private final StationProof proof = new StationProof();
    private final NodePath end = new NodePath();
    /* Of the name of the node read last. */
    private long hash;
    private int depth;
    private byte[] other = {};

    /** Returns the payload of a key, {@link PointIndex#NONE} if it is not there, or {@link #INTERRUPTED}. */
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

    /** Reads a node as a whole, in either of its buckets; false if it is in neither. */
    private boolean readNode(final NodeTable table, final int identity, final int mask) {
        for (int tries = 1; tries < TRIES; tries++) {
            if (probe.find(table, hash, identity, mask) && probe.isWhole(table)) {
                return true;
            }
            Backoff.pause(tries, table.failure()); // perhaps on its way from one to the other
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

    /** What follows from the node where the walk ended. */
    private long answer(
        final NodeTable table, final KeySource keys, final byte[] key, final int offset, final int length) {
        final long head = probe.head();
        final long tail = probe.tail();
        end.clear();
        end.add(probe.line(), probe.version());
        if (!isUsed(head)) {
            return depth == 0 && rested(table) ? PointIndex.NONE : INTERRUPTED;
        }
        final long below = proof.leafBelow(table, hash, head, tail, end); // of a leaf, its own payload
        if (below < 0 || !rested(table)) {
            return INTERRUPTED;
        }
        if (isLeaf(head) && keys.compareKey(below, key, offset, length) == 0) {
            return below;
        }
        final boolean absent = depth <= Symbols.count(length)
            && StationProof.sharePrefix(keys, below, key, offset, length, depth) && isOnlyDepth(table.hash(), keys, below);
        return absent ? PointIndex.NONE : INTERRUPTED;
    }

    /**
     * Returns whether a node of this hash above the leaf of a key can only be where the walk took it to be: names of different
     * lengths may have one hash, and the nodes that led there may have changed.
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

    /** Returns whether there was a moment between two operations at which the end of the walk was as it was read. */
    private boolean rested(final NodeTable table) {
        return table.operations().awaitRest() && end.isUnchanged(table);
    }
}
