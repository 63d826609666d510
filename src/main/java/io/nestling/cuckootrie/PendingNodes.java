/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.EntryLayout.*;

import java.util.Arrays;

/**
 * What a cursor has not visited yet, in the direction in which it moves: a stack of inner nodes with the
 * children that are left, and single nodes. The top is what comes next.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class PendingNodes {
    private static final int SIZE = 64;
    private static final long SINGLE = -1;

    private int size;
    /* Children that are left, or SINGLE. */
    private long[] rest = new long[SIZE];
    private long[] hash = new long[SIZE];
    /* Children placed in their secondary buckets; of a single node its mask. */
    private long[] hints = new long[SIZE];
    /* Color of the node above as its children name it; of a single node its identity. */
    private int[] identity = new int[SIZE];
    /* Bucket of the node above and its version. */
    private long[] line = new long[SIZE];
    private int[] version = new int[SIZE];

    private long takenHash;
    private int takenIdentity;
    private int takenMask;
    private long takenLine;
    private int takenVersion;

    void clear() {
        size = 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    private int add(final long newRest, final long newHash) {
        if (size == rest.length) {
            rest = Arrays.copyOf(rest, size * 2);
            hash = Arrays.copyOf(hash, size * 2);
            hints = Arrays.copyOf(hints, size * 2);
            identity = Arrays.copyOf(identity, size * 2);
            line = Arrays.copyOf(line, size * 2);
            version = Arrays.copyOf(version, size * 2);
        }
        rest[size] = newRest;
        hash[size] = newHash;
        return size++;
    }

    /** Adds some children of a bitmap node. */
    void addChildren(
        final long children, final long nodeHash, final long head, final long tail, final long nodeLine,
        final int nodeVersion) {
        if (children != 0) {
            final int i = add(children, nodeHash);
            hints[i] = EntryLayout.hints(head, tail);
            identity[i] = color(head) << PARENT_COLOR_SHIFT;
            line[i] = nodeLine;
            version[i] = nodeVersion;
        }
    }

    /** Adds the child of a jump node. */
    void addJumpChild(
        final NameHash names, final long nodeHash, final long head, final long tail, final long nodeLine,
        final int nodeVersion) {
        addSingle(JumpLabels.childHash(names, nodeHash, head, tail), JumpLabels.childIdentity(head, tail),
            BY_COLOR_MASK, nodeLine, nodeVersion);
    }

    private void addSingle(
        final long nodeHash, final int nodeIdentity, final int mask, final long nodeLine, final int nodeVersion) {
        final int i = add(SINGLE, nodeHash);
        hints[i] = mask;
        identity[i] = nodeIdentity;
        line[i] = nodeLine;
        version[i] = nodeVersion;
    }

    /** Takes what comes next; what it is tell {@link #hash} and so on. */
    void take(final NameHash names, final boolean forward) {
        final int top = size - 1;
        final long left = rest[top];
        takenLine = line[top];
        takenVersion = version[top];
        if (left == SINGLE) {
            size--;
            takenHash = hash[top];
            takenIdentity = identity[top];
            takenMask = (int) hints[top];
            return;
        }
        final int code = forward ? lowestCode(left) : highestCode(left);
        final long bit = childBit(code);
        if (left == bit) {
            size--;
        } else {
            rest[top] = left & ~bit;
        }
        takenHash = names.append(hash[top], code);
        takenIdentity = identity[top] | code << SYMBOL_SHIFT | ((hints[top] & bit) == 0 ? 0 : SECONDARY);
        takenMask = BY_PARENT_MASK;
    }

    /** Hash of the name of the node taken last. */
    long hash() {
        return takenHash;
    }

    /** What identifies it, with {@link EntryLayout#SECONDARY} if it was placed there. */
    int identity() {
        return takenIdentity;
    }

    /** {@link EntryLayout#BY_PARENT_MASK} or {@link EntryLayout#BY_COLOR_MASK}. */
    int mask() {
        return takenMask;
    }

    /** Bucket of the node above. */
    long lineAbove() {
        return takenLine;
    }

    /** Version that this had when the node above was read. */
    int versionAbove() {
        return takenVersion;
    }
}
