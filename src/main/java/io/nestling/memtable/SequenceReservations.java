/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.offheap.RecordLayout;

/**
 * The reservations of one memtable that are not visible yet, in the order of their numbers. To the {@link SequenceGate} each of
 * them is one write: it is completed there when those before it are, so that no one waits for a slot.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. The monitor is taken under that of a {@link SequenceReservation}.
 */
final class SequenceReservations {
    private final SequenceGate gate;
    /* Linked from old to new. Changed by stores alone, so that an error leaves the list whole. */
    private SequenceReservation oldest;
    private SequenceReservation newest;
    private boolean sealed;

    SequenceReservations(final SequenceGate gate) {
        this.gate = gate;
    }

    /** Reserves numbers of a memtable that takes no others. */
    synchronized SequenceReservation open(final Memtable memtable, final int count) {
        if (sealed) {
            throw new FrozenException();
        }
        gate.checkNotPoisoned();
        final long first = gate.claimed() + 1; // all numbers are claimed here
        if (first > RecordLayout.MAX_SEQUENCE - count + 1) {
            throw new IllegalStateException(
                "expected sequence numbers up to " + RecordLayout.MAX_SEQUENCE + " but was " + count + " from " + first);
        }
        final SequenceReservation reservation = new SequenceReservation(memtable, this, first, count);
        gate.claim(count); // nothing can fail from here on
        if (oldest == null) {
            oldest = reservation;
        } else {
            newest.next = reservation;
        }
        newest = reservation;
        return reservation;
    }

    /** Makes a reservation that gets no more writes visible as soon as all before it are. */
    synchronized void complete(final SequenceReservation reservation) {
        // memtable-concurrency.md, claim 62
        reservation.isComplete = true;
        for (SequenceReservation next = oldest; next != null && next.isComplete && next.last() < gate.failedAt; next = oldest) {
            gate.complete(next.first(), next.last());
            oldest = next.next;
        }
    }

    void awaitVisible(final long last) {
        gate.await(last);
    }

    /** Gives back all unused numbers and reserves no more. The caller holds all locks, so that no write is under way. */
    void seal() {
        for (SequenceReservation open = sealed(); open != null; open = open.next) {
            open.close();
        }
    }

    private synchronized SequenceReservation sealed() {
        sealed = true;
        return oldest;
    }
}
