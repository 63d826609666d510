/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import java.util.Arrays;

/**
 * Buckets of the nodes that a search passed, with their versions then.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class NodePath {
    private static final int SIZE = 32;
    private static final int MOST_KEPT = 256;

    private int size;
    private long[] line = new long[SIZE];
    private int[] version = new int[SIZE];

    void clear() {
        size = 0;
    }

    /** Frees the memory that a long path took. */
    void trim() {
        if (line.length > MOST_KEPT) {
            size = 0;
            line = new long[SIZE];
            version = new int[SIZE];
        }
    }

    /** Adds a bucket. */
    void add(final long newLine, final int newVersion) {
        if (size == line.length) {
            version = Arrays.copyOf(version, size * 2);
            line = Arrays.copyOf(line, size * 2);
        }
        line[size] = newLine;
        version[size] = newVersion;
        size++;
    }

    /** Returns whether all of them are unchanged. */
    boolean isUnchanged(final NodeTable table) {
        for (int i = 0; i < size; i++) {
            if (!EntryProbe.isUnchanged(table, line[i], version[i])) {
                return false;
            }
        }
        return true;
    }
}
