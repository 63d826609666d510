/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cocuckoo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts insertions by case, and removals. Those of the most frequent case are not counted, which would take longer than they do:
 * they are what is left of the keys that are there.
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

    /** Counts an insertion of any case but {@link InsertionCase#SAME_NON}. */
    void count(final InsertionCase kind) {
        byCase[kind.ordinal()].increment();
    }

    void countRemoved() {
        removed.increment();
    }

    /** Insertions by case, of which so many keys are there. */
    Map<String, Object> figures(final long keys) {
        long left = keys + removed.sum();
        for (final InsertionCase kind : CASES) {
            left -= kind.addsKey() ? byCase[kind.ordinal()].sum() : 0;
        }
        final Map<String, Object> figures = new LinkedHashMap<>();
        for (final InsertionCase kind : CASES) {
            figures.put(kind.figureName(), kind == InsertionCase.SAME_NON ? left : byCase[kind.ordinal()].sum());
        }
        return figures;
    }
}
