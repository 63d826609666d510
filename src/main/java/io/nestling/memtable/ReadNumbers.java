/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.Arrays;

/**
 * The sequence numbers at which a memtable may be read from some moment on. All guards are younger than an earlier moment: these
 * are the numbers read at then, those read at now, and all above the number visible then.
 * <h2>Thread safety</h2>
 * Immutable.
 */
final class ReadNumbers {
    private final long allAbove;
    private final long[] sequences;

    /**
     * Creates the readers: those above the visible number of some moment (-1 if there was none), and the numbers read at then and
     * now.
     */
    ReadNumbers(final long allAbove, final long[] before, final long[] now) {
        this.allAbove = allAbove;
        this.sequences = Arrays.copyOf(before, before.length + now.length);
        System.arraycopy(now, 0, sequences, before.length, now.length);
        Arrays.sort(sequences);
    }

    /** Returns whether a reader may be at a number or above it, and below an end. */
    boolean mayRead(final long sequence, final long end) {
        if (end > allAbove) {
            return true;
        }
        final int at = Arrays.binarySearch(sequences, sequence);
        return at >= 0 || ~at < sequences.length && sequences[~at] < end;
    }
}
