/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import io.nestling.bytes.LoweredLimit;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Epoch-based reclamation: determines when no reader can hold memory that was unlinked from a structure.
 * <p> A reader holds a guard that is marked with the epoch in which it entered. The epoch moves from {@code e} to {@code e + 1}
 * only when no reader of {@code e - 1} is left, so that what was unlinked in epoch {@code e} is free once the
 * epoch is {@code e + 2} ({@link #isQuiescent}). Readers never wait; a reader that stays inside delays the reuse of
 * memory and nothing else.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. A guard may be left by another thread than the one that entered.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Guards are held in the current epoch and the one before, never in an older one.</li>
 * <li>After {@link #close} no guard can be entered.</li>
 * </ol>
 */
public final class EpochReclaimer {
    /** Guards over which threads are spread, so that few of them meet. */
    private static final int SPREAD_GUARDS = LoweredLimit.powerOfTwo("memory.guards", 32, 1);

    /*
     * Replaced by a longer array that begins with the same guards when two threads meet at a guard, until there are enough to
     * spread threads over, and later if all are held. Its length is a power of two.
     */
    private volatile Claim[] guards = Claim.array(1);
    private final AtomicLong epoch = new AtomicLong(2);
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Creates a reclaimer without readers. */
    public EpochReclaimer() {
    }

    /**
     * Enters a guard and returns its number: what this thread finds from now on is not reclaimed until {@link #exit}. Throws if
     * closed.
     */
    public int enter() {
        // synchronization.md, claim 1
        while (true) {
            final Claim[] present = guards;
            final int preferred = preferredGuard(present);
            final int most = present.length < SPREAD_GUARDS ? 1 : present.length;
            for (int i = 0; i < most; i++) {
                final int number = preferred + i & present.length - 1;
                if (tryEnter(present[number])) {
                    return number;
                }
            }
            grow(present);
        }
    }

    /** Leaves the guard with a number that {@link #enter} returned. */
    public void exit(final int number) {
        guards[number].held = Claim.FREE;
    }

    /**
     * Enters a guard as {@link #enter} and returns it. The caller leaves it by a store, which cannot fail: {@code guard.held =
     * Claim.FREE}.
     */
    public Claim guard() {
        final int number = enter();
        return guards[number]; // read after the array may have been replaced by a longer one
    }

    /** Returns the number of the guard that the calling thread tries first. */
    @SuppressWarnings("deprecation") // Thread.getId is what JDK 17 has; any spread over the guards will do
    private static int preferredGuard(final Claim[] present) {
        return (int) Thread.currentThread().getId() & present.length - 1;
    }

    /** Takes a guard in the current epoch, unless it is held. */
    private boolean tryEnter(final Claim guard) {
        boolean inside = false;
        while (!inside) {
            final long current = epoch.get();
            if (!guard.tryHold(word(current))) {
                return false;
            }
            try {
                // The CAS is a full fence. If the epoch has not moved, a thread that moves it later sees this guard held.
                inside = epoch.get() == current && !closed.get();
            } finally {
                if (!inside) {
                    guard.held = Claim.FREE;
                }
            }
            if (!inside && closed.get()) {
                throw new IllegalStateException("closed");
            }
        }
        return true;
    }

    /** Returns the word of a guard that was entered in an epoch. */
    private static int word(final long epoch) {
        return Claim.HELD + ((int) epoch & 1);
    }

    private synchronized void grow(final Claim[] seen) {
        if (guards == seen) {
            final Claim[] more = Claim.array(2 * seen.length);
            System.arraycopy(seen, 0, more, 0, seen.length);
            guards = more;
        }
    }

    /** Returns the current epoch, which never decreases. */
    public long epoch() {
        return epoch.get();
    }

    /**
     * Returns the epoch with which to tag what the calling thread has just unlinked. The unlinking store becomes visible to all
     * before the epoch is read: a reader that enters in a later epoch does not find what was unlinked.
     */
    public long epochOfUnlinking() {
        VarHandle.fullFence();
        return epoch.get();
    }

    /** Returns whether what was unlinked in an epoch, of {@link #epochOfUnlinking}, may be reused, as no reader can hold it. */
    public boolean isQuiescent(final long unlinkedIn) {
        // synchronization.md, claim 2
        return epoch.get() >= unlinkedIn + 2;
    }

    /** Moves to the next epoch if the readers of the last one have left; returns whether it moved. */
    public boolean tryAdvance() {
        final long current = epoch.get();
        return !isHeld(word(current + 1)) && epoch.compareAndSet(current, current + 1);
    }

    /**
     * Keeps new readers out and waits until all have left; returns false if it was closed before. May be called again, also after
     * it has thrown.
     */
    public boolean close() {
        // synchronization.md, claim 4
        final boolean first = closed.compareAndSet(false, true);
        for (int pauses = 0; isHeld(word(0)) || isHeld(word(1)); pauses++) {
            Backoff.pause(pauses);
        }
        return first;
    }

    /** Returns whether {@link #close} was called, so that no guard can be entered. */
    public boolean isClosed() {
        return closed.get();
    }

    /** Returns whether a guard has this word. Readers that enter meanwhile are in the current epoch, and see it move. */
    private boolean isHeld(final int word) {
        for (final Claim guard : guards) {
            if (guard.held == word) {
                return true;
            }
        }
        return false;
    }
}
