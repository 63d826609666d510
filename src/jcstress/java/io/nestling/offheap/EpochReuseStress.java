/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.jcstress.Blocks;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A block that is unlinked and used again when the epoch has moved twice: no reader under a guard sees it change.
 * <p>
 * Weakened: the block is used again one epoch early.
 */
final class EpochReuseStress {
    private static final int ABSENT = -1;
    private static final int WORDS = 15;
    private static final Blocks BLOCKS = new Blocks(128);
    private static final Slab SLAB = BLOCKS.slab();

    /** A pointer and the block that it leads to. */
    static class Block {
        final EpochReclaimer epochs = new EpochReclaimer();
        final long pointer = BLOCKS.next();

        Block() {
            SLAB.putLong(pointer, pointer + Long.BYTES);
            for (int i = 0; i < WORDS; i++) {
                SLAB.putLong(pointer + Long.BYTES + i * Long.BYTES, 1);
            }
        }

        /** Number of words that are as they were, or that there is no block. */
        final int read() {
            final int token = epochs.enter();
            final long block = SLAB.getLongAcquire(pointer);
            int words = block == 0 ? ABSENT : 0;
            for (int i = 0; block != 0 && i < WORDS; i++) {
                words += (int) SLAB.getLong(block + i * Long.BYTES);
            }
            epochs.exit(token);
            return words;
        }

        final long unlink() {
            SLAB.putLongRelease(pointer, 0);
            final long unlinkedIn = epochs.epochOfUnlinking();
            epochs.tryAdvance();
            return unlinkedIn;
        }

        final void reuse() {
            SLAB.clear(pointer + Long.BYTES, WORDS * Long.BYTES);
        }
    }

    /** As the product does it. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "15"}, expect = Expect.ACCEPTABLE, desc = "absent or whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "used again under a guard")
    public static class Kept extends Block {
        /** Reads the block. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }

        /** Unlinks it and uses it again. */
        @Actor
        public void writer() {
            final long unlinkedIn = unlink();
            epochs.tryAdvance();
            if (epochs.isQuiescent(unlinkedIn)) {
                reuse();
            }
        }
    }

    /** One epoch early. */
    @JCStressTest
    @State
    @Outcome(id = {"-1", "15"}, expect = Expect.ACCEPTABLE, desc = "absent or whole")
    @Outcome(id = "[0-9]|1[0-4]", expect = Expect.ACCEPTABLE_INTERESTING, desc = "used again under a guard")
    public static class Weakened extends Block {
        /** Reads the block. */
        @Actor
        public void reader(final I_Result r) {
            r.r1 = read();
        }

        /** Unlinks it and uses it again. */
        @Actor
        public void writer() {
            if (epochs.isQuiescent(unlink() - 1)) {
                reuse();
            }
        }
    }
}
