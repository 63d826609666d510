/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import java.util.Arrays;

/**
 * The inner nodes that a walk passed, topmost first, including the one where it ended unless that is a leaf.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class InnerPath {
    private static final int LEVELS = 32;

    private int levels;
    private long[] hash = new long[LEVELS];
    private long[] head = new long[LEVELS];
    private long[] tail = new long[LEVELS];
    private long[] line = new long[LEVELS];
    private int[] version = new int[LEVELS];
    private int[] depth = new int[LEVELS];

    void clear() {
        levels = 0;
    }

    /** Adds a node and where it was found. */
    void add(final long nodeHash, final int nodeDepth, final EntryProbe at) {
        if (levels == hash.length) {
            final int size = levels * 2;
            head = Arrays.copyOf(head, size);
            tail = Arrays.copyOf(tail, size);
            line = Arrays.copyOf(line, size);
            version = Arrays.copyOf(version, size);
            depth = Arrays.copyOf(depth, size);
            hash = Arrays.copyOf(hash, size);
        }
        hash[levels] = nodeHash;
        head[levels] = at.head();
        tail[levels] = at.tail();
        line[levels] = at.line();
        version[levels] = at.version();
        depth[levels++] = nodeDepth;
    }

    /** Returns the number of nodes. */
    int levels() {
        return levels;
    }

    long hash(final int level) {
        return hash[level];
    }

    long head(final int level) {
        return head[level];
    }

    long tail(final int level) {
        return tail[level];
    }

    long line(final int level) {
        return line[level];
    }

    int version(final int level) {
        return version[level];
    }

    int depth(final int level) {
        return depth[level];
    }
}
