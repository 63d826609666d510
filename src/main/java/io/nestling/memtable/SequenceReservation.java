/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import java.util.BitSet;

/**
 * Consecutive sequence numbers that are reserved for writes to come, so that these can be logged with their numbers first.
 * Each number is used once, in any order, or given back by {@link #close}.
 * <ul>
 * <li><b>Visibility.</b> The writes of a reservation become visible together, when all its numbers are used or it is closed, and
 * all earlier reservations are, too. Until then no later number becomes visible: a reservation that stays open holds up all later
 * ones, and keeps replaced records from being recycled. Its own thread does not see its writes before that either. A write that
 * waits for memory of a {@link io.nestling.memory.SharedBudget} holds up all later ones meanwhile; and what that budget calls in
 * a thread with an open reservation must not wait for writes of the same memtable.</li>
 * <li><b>Order.</b> Writes of one key may come in any order: the version with the greatest number is the newest one. A late one
 * steps along all versions of its key with greater numbers that are not visible. A range
 * deletion has to come behind those with lower numbers: one with a number below that of an earlier range deletion is refused.
 * Callers that delete ranges hold a lock of their own from the reservation to the write.</li>
 * <li><b>Gaps.</b> A number that was given back belongs to no write. Numbers of a closed reservation cannot be used any more.
 * </li>
 * <li><b>Failure.</b> A refused write has changed nothing, and its number can be used again or given back. If it was logged, the
 * log holds a write that has not happened: it is written to the next memtable, with a number of that one, and logged again. An
 * error that ends a write halfway ends all writes of the memtable (see {@link Memtable}); then neither its reservation nor a
 * later one becomes visible, unless they were before.</li>
 * <li><b>Freeze and close.</b> {@link Memtable#freeze} and {@link Memtable#close} wait for writes under way and give back all
 * other numbers: what was written before is visible then, and a flush passes it on; later writes are refused. They do not wait
 * for open reservations.</li>
 * </ul>
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. The same number is never used twice.
 */
public final class SequenceReservation implements AutoCloseable {
    private final Memtable memtable;
    private final SequenceReservations reservations;
    private final long first;
    private final int count;
    /* Under the monitor, by distance from the first number: those used, also by writes under way. */
    private final BitSet used = new BitSet();
    private int usedCount;
    private int underWay;
    private boolean closed;
    /** The next later one; under the monitor of {@link SequenceReservations}. */
    SequenceReservation next;
    /** True if no write with its numbers will come; under the same monitor. */
    boolean isComplete;

    SequenceReservation(final Memtable memtable, final SequenceReservations reservations, final long first, final int count) {
        this.memtable = memtable;
        this.reservations = reservations;
        this.first = first;
        this.count = count;
    }

    /**
     * Returns the first number.
     *
     * @return the least reserved number
     */
    public long first() {
        return first;
    }

    /**
     * Returns the last number.
     *
     * @return the greatest reserved number
     */
    public long last() {
        return first + count - 1;
    }

    /**
     * Sets the value of a key as {@link Memtable#put(byte[], byte[])} does, without waiting until it is visible.
     *
     * @param key the key
     * @param value the value
     * @param sequence a reserved number that was not used
     * @throws IllegalArgumentException if the number is not one of this reservation
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the number was used or given back, or the memtable is closed
     */
    public void put(final byte[] key, final byte[] value, final long sequence) {
        write(new WriteBatch().put(key, value), sequence);
    }

    /**
     * Sets the value of a key until it expires as {@link Memtable#putExpiring(byte[], byte[], long)} does, without waiting until
     * it is visible.
     *
     * @param key the key
     * @param value the value
     * @param expiryMillis from when on the key is deleted, in milliseconds since the epoch, at least 0
     * @param sequence a reserved number that was not used
     * @throws IllegalArgumentException if the number is not one of this reservation, or the expiry is negative
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the number was used or given back, or the memtable is closed
     */
    public void putExpiring(final byte[] key, final byte[] value, final long expiryMillis, final long sequence) {
        write(new WriteBatch().putExpiring(key, value, expiryMillis), sequence);
    }

    /**
     * Adds an operand for the value of a key as {@link Memtable#merge} does, without waiting until it is visible.
     *
     * @param key the key
     * @param operand the operand
     * @param sequence a reserved number that was not used
     * @throws IllegalArgumentException if the number is not one of this reservation
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the number was used or given back, or the memtable has no merge operator, or is closed
     */
    public void merge(final byte[] key, final byte[] operand, final long sequence) {
        write(new WriteBatch().merge(key, operand), sequence);
    }

    /**
     * Deletes a key as {@link Memtable#delete(byte[])} does, without waiting until that is visible.
     *
     * @param key the key, which may be absent
     * @param sequence a reserved number that was not used
     * @throws IllegalArgumentException if the number is not one of this reservation
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the number was used or given back, or the memtable is closed
     */
    public void delete(final byte[] key, final long sequence) {
        write(new WriteBatch().delete(key), sequence);
    }

    /**
     * Deletes all keys of a range as {@link Memtable#deleteRange} does, without waiting until that is visible.
     *
     * @param fromInclusive first key of the range
     * @param toExclusive first key behind the range
     * @param sequence a reserved number that was not used, above those of all range deletions before
     * @throws IllegalArgumentException if the range is empty, or the number is not one of this reservation, or too low
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the number was used or given back, or the memtable is closed
     */
    public void deleteRange(final byte[] fromInclusive, final byte[] toExclusive, final long sequence) {
        write(new WriteBatch().deleteRange(fromInclusive, toExclusive), sequence);
    }

    /**
     * Deletes all keys at or above a key as {@link Memtable#deleteRangeFrom} does, without waiting until that is visible.
     *
     * @param fromInclusive first key of the range, which has no end
     * @param sequence a reserved number that was not used, above those of all range deletions before
     * @throws IllegalArgumentException if the number is not one of this reservation, or too low
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the number was used or given back, or the memtable is closed
     */
    public void deleteRangeFrom(final byte[] fromInclusive, final long sequence) {
        write(new WriteBatch().deleteRangeFrom(fromInclusive), sequence);
    }

    /**
     * Applies the writes of a batch as {@link Memtable#write(WriteBatch)} does, without waiting until they are visible.
     *
     * @param batch the writes, which stay in the batch; if there are none, nothing is done
     * @param firstSequence number of the first one; the others take the numbers behind it
     * @throws IllegalArgumentException if a number is not one of this reservation, or a range deletion's number is too low
     * @throws io.nestling.memory.SpaceExhaustedException if the batch does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if a number was used or given back, or the memtable is closed
     */
    public void write(final WriteBatch batch, final long firstSequence) {
        memtable.write(batch, this, firstSequence);
    }

    /** Gives back the numbers that were not used. Does not wait, also not for writes under way. Closing twice does nothing. */
    @Override
    public synchronized void close() {
        closed = true;
        settle();
    }

    /**
     * Gives back the numbers that were not used, and waits until all writes of this reservation are visible: until earlier
     * reservations have no unused number either.
     *
     * @throws IllegalStateException if this or an earlier write has failed halfway, so that it will never be visible
     */
    public void awaitVisible() {
        close();
        reservations.awaitVisible(last());
    }

    /** Takes numbers for a write. The caller holds the locks of what it writes to. */
    synchronized void take(final long sequence, final int numbers) {
        if (sequence < first || sequence > last() - numbers + 1) {
            throw new IllegalArgumentException(
                "expected sequence numbers from " + first + " to " + last() + " but was " + numbers + " from " + sequence);
        }
        final int from = (int) (sequence - first);
        final int taken = used.nextSetBit(from);
        if (taken >= 0 && taken < from + numbers) {
            throw new IllegalStateException("expected an unused sequence number but was " + (first + taken));
        }
        if (closed) {
            throw new IllegalStateException("expected an open reservation but " + first + " to " + last() + " was closed");
        }
        used.set(from, from + numbers);
        underWay++;
    }

    /** Returns the numbers of a write that was refused. */
    synchronized void giveBack(final long sequence, final int numbers) {
        final int from = (int) (sequence - first);
        used.clear(from, from + numbers);
        underWay--;
        settle();
    }

    /** Completes a write, which has been applied. */
    synchronized void complete(final int numbers) {
        usedCount += numbers;
        underWay--;
        settle();
    }

    private void settle() {
        if (underWay == 0 && (closed || usedCount == count)) {
            reservations.complete(this);
        }
    }
}
