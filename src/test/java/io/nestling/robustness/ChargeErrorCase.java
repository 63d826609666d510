/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.index.IndexContext;
import io.nestling.index.small.SmallIndex;
import io.nestling.memory.BudgetShare;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SharedBudget;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.GrowingSlab;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.SlabAllocator;

import java.util.List;

/**
 * What grows and shrinks under a budget that is part of a shared one, and an error in that. Loaded by {@link ErrorInjector}.
 * <p>
 * Afterwards the structures can be closed, and both budgets have given back exactly what they gave.
 */
final class ChargeErrorCase {
    /** The calls that an error is thrown in. */
    static final List<String> CALLS = List.of("slab", "pointers");
    private static final long BYTES = 1 << 20;

    private final SharedBudget<Object> shared = SharedBudget.builder(4 * BYTES, owner -> { }).build();
    private final BudgetShare<Object> share = shared.join();
    private final MemoryBudget budget = MemoryBudget.ofBytes(BYTES, 2, share);
    private final GrowingSlab slab = new GrowingSlab(SlabAllocator.direct(), budget, 2 * BYTES);
    private final KeySource keys = new RecordStore(SlabAllocator.direct(), budget, BYTES);
    private final SmallIndex pointers =
        new SmallIndex(new IndexContext(SlabAllocator.direct(), budget, new EpochReclaimer(), keys, BYTES));

    /** Runs a case; see {@link ErrorCase#run}. */
    static long run(final String index, final String call, final int variant, final long point) {
        return new ChargeErrorCase().run(call, point);
    }

    private long run(final String call, final long point) {
        if (point > 0) {
            ErrorPoint.armAt(point);
        } else {
            ErrorPoint.armBelow((int) -point);
        }
        Throwable error = null;
        try {
            if (call.equals("slab")) {
                changeSlab();
            } else {
                changePointers();
            }
        } catch (final Throwable e) {
            error = e;
        }
        final long passed = ErrorPoint.disarm();
        slab.close();
        pointers.close();
        check("bytes stay charged", budget.used(), error);
        check("bytes of the shared budget stay charged", shared.used(), error);
        share.leave();
        check("bytes of the shared budget stay charged behind its end", shared.used(), error);
        return passed;
    }

    private void changeSlab() {
        slab.growTo(1);
        slab.growTo(50_000);
        slab.shrinkTo(20_000);
        slab.growTo(300_000);
        slab.growTo(2 * BYTES); // more than there is
        slab.shrinkTo(0);
        slab.growTo(100_000);
        slab.close();
    }

    private void changePointers() {
        pointers.reserve(5, 0);
        pointers.reserve(100, 0);
        pointers.reserve(7, 0);
        pointers.reserve(50, 0);
        pointers.close();
    }

    private static void check(final String what, final long bytes, final Throwable error) {
        if (bytes != 0) {
            throw new AssertionError(bytes + " " + what, error);
        }
    }
}
