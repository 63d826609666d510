/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts insertions by case, and removals.
 * <h2>Thread safety</h2>
 * Any thread.
 */
final class InsertionCounts {
    private static final InsertionCase[] CASES = InsertionCase.values();

    private final LongAdder[] byCase = new LongAdder[CASES.length];
    private final LongAdder removed = new LongAdder();

    InsertionCounts() {
        java.util.Arrays.setAll(byCase, i -> new LongAdder());
    }

    void count(final InsertionCase kind) {
        byCase[kind.ordinal()].increment();
    }

    void countRemoved() {
        removed.increment();
    }

    long entries() {
        long entries = -removed.sum();
        for (final InsertionCase kind : CASES) {
            if (kind.addsKey()) {
                entries += of(kind);
            }
        }
        return entries;
    }

    long of(final InsertionCase kind) {
        return byCase[kind.ordinal()].sum();
    }

    /** Insertions by case. */
    Map<String, Object> figures() {
        final Map<String, Object> figures = new LinkedHashMap<>();
        for (final InsertionCase kind : CASES) {
            figures.put(kind.figureName(), of(kind));
        }
        return figures;
    }
}
