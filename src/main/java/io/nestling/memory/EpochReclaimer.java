/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Epochs that tell when memory that was unlinked from a structure can no longer be held by any reader.
 * <p> A reader is counted in the epoch in which it entered. The epoch moves from {@code e} to {@code e + 1}
 * only when no reader of {@code e - 1} is left, so that what was unlinked in epoch {@code e} is free once the
 * epoch is {@code e + 2} ({@link #isQuiescent}). Readers never wait; a reader that stays inside keeps memory
 * from being reused and nothing else.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. A guard may be left by another thread than the one that entered.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Guards are held in the current epoch and the one before, never in an older one.</li>
 * <li>After {@link #close} no guard can be entered.</li>
 * </ol>
 */
public final class EpochReclaimer {
    private static final int STRIPES = 32;
    private static final int STRIDE_SHIFT = 4;
    private static final int PARITY_SHIFT = 3;

    /*
     * One 128-byte row a stripe, so that two stripes never share a line (nor a pair of lines that are fetched
     * together): the count of readers that entered in even epochs, and 64 bytes on that of odd epochs. One row more at either
     * end: the array's length stands before the first, and other objects behind the last.
     */
    private final AtomicLongArray readers = new AtomicLongArray(STRIPES + 2 << STRIDE_SHIFT);
    private final AtomicLong epoch = new AtomicLong(2);
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Makes a reclaimer without readers. */
    public EpochReclaimer() {
    }

    /**
     * Enters a guard: what this thread finds from now on stays in place until {@link #exit}.
     *
     * @return token for {@link #exit}
     * @throws IllegalStateException if closed
     */
    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has; any spread over the stripes will do
    public int enter() {
        final int stripe = 1 + (int) (Thread.currentThread().getId() & (STRIPES - 1)) << STRIDE_SHIFT;
        while (true) {
            final long current = epoch.get();
            final int token = stripe + ((int) (current & 1) << PARITY_SHIFT);
            readers.getAndIncrement(token);
            // The increment is a full fence. If the epoch has not moved,
            // whoever moves it later sees this reader counted.
            if (epoch.get() == current) {
                if (closed.get()) {
                    readers.getAndDecrement(token);
                    throw new IllegalStateException("closed");
                }
                return token;
            }
            readers.getAndDecrement(token);
        }
    }

    /**
     * Leaves a guard.
     *
     * @param token what {@link #enter} returned
     */
    public void exit(final int token) {
        readers.getAndDecrement(token);
    }

    /**
     * The current epoch.
     *
     * @return a number that only grows
     */
    public long epoch() {
        return epoch.get();
    }

    /**
     * The epoch to tag something with that the calling thread has just unlinked. The unlinking store is made visible to
     * all before the epoch is read: whoever enters in a later epoch does not find what was unlinked.
     *
     * @return the current epoch
     */
    public long epochOfUnlinking() {
        VarHandle.fullFence();
        return epoch.get();
    }

    /**
     * Tells whether what was unlinked in an epoch may be used again.
     *
     * @param unlinkedIn the epoch read after the unlinking
     * @return true if no reader can hold it
     */
    public boolean isQuiescent(final long unlinkedIn) {
        return epoch.get() >= unlinkedIn + 2;
    }

    /**
     * Moves to the next epoch if the readers of the last one have left.
     *
     * @return whether it moved
     */
    public boolean tryAdvance() {
        final long current = epoch.get();
        return !hasReaders((int) ((current + 1) & 1)) && epoch.compareAndSet(current, current + 1);
    }

    /**
     * Lets no reader in any more and waits until all have left.
     *
     * @return false if it was closed before
     */
    public boolean close() {
        if (!closed.compareAndSet(false, true)) {
            return false;
        }
        int spins = 0;
        while (hasReaders(0) || hasReaders(1)) {
            if (++spins < 1000) {
                Thread.onSpinWait();
            } else {
                java.util.concurrent.locks.LockSupport.parkNanos(50_000L);
            }
        }
        return true;
    }

    /**
     * Tells whether {@link #close} was called.
     *
     * @return true if no guard can be entered
     */
    public boolean isClosed() {
        return closed.get();
    }

    private boolean hasReaders(final int parity) {
        // A reader never moves between stripes,
        // so that one pass that sees only zeroes saw a moment without old readers.
        for (int stripe = 1; stripe <= STRIPES; stripe++) {
            if (readers.get((stripe << STRIDE_SHIFT) + (parity << PARITY_SHIFT)) != 0) {
                return true;
            }
        }
        return false;
    }
}
