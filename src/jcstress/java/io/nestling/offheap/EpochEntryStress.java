/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A reader that enters a guard while the epoch moves: it never stays behind by two epochs.
 * <p>
 * Weakened: the reader takes its guard by a release store instead of a CAS, so that it may look at the epoch a second time before
 * others see the guard.
 */
final class EpochEntryStress {
    /** As EpochReclaimer with one guard, but for the store that takes it. */
    private static final class LooseEpochs {
        private final AtomicLong epoch = new AtomicLong(2);
        private final AtomicInteger guard = new AtomicInteger(Claim.FREE);

        void enter() {
            long current;
            do {
                current = epoch.get();
                guard.lazySet(word(current));
            } while (epoch.get() != current);
        }

        boolean tryAdvance() {
            final long current = epoch.get();
            return guard.get() != word(current + 1) && epoch.compareAndSet(current, current + 1);
        }

        private static int word(final long epoch) {
            return Claim.HELD + ((int) epoch & 1);
        }
    }

    private EpochEntryStress() {
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"2, 3", "3, 3", "3, 4", "4, 4"}, expect = Expect.ACCEPTABLE, desc = "at most one epoch behind")
    @Outcome(expect = Expect.FORBIDDEN, desc = "two epochs behind")
    public static class Kept {
        final EpochReclaimer epochs = new EpochReclaimer();

        /** Enters and tells an epoch that is not older than its own. */
        @Actor
        public void reader(final II_Result r) {
            epochs.enter();
            r.r1 = (int) epochs.epoch();
        }

        /** Moves the epoch twice, if it can. */
        @Actor
        public void mover(final II_Result r) {
            epochs.tryAdvance();
            epochs.tryAdvance();
            r.r2 = (int) epochs.epoch();
        }
    }

    /** With a release store. */
    @JCStressTest
    @State
    @Outcome(id = {"2, 3", "3, 3", "3, 4", "4, 4"}, expect = Expect.ACCEPTABLE, desc = "at most one epoch behind")
    @Outcome(id = "2, 4", expect = Expect.ACCEPTABLE_INTERESTING, desc = "two epochs behind")
    public static class Weakened {
        private final LooseEpochs epochs = new LooseEpochs();

        /** Enters and tells an epoch that is not older than its own. */
        @Actor
        public void reader(final II_Result r) {
            epochs.enter();
            r.r1 = (int) epochs.epoch.get();
        }

        /** Moves the epoch twice, if it can. */
        @Actor
        public void mover(final II_Result r) {
            epochs.tryAdvance();
            epochs.tryAdvance();
            r.r2 = (int) epochs.epoch.get();
        }
    }
}
