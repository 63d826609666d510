/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryArguments;
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.offheap.Claim;
import io.nestling.offheap.KeyScratch;
import org.agrona.DirectBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A sorted map from keys to values in off-heap memory, with versions, snapshots and tombstones. It takes writes until it is
 * frozen, is flushed in key order to a table file, and is closed.
 * <p>
 * Keys are byte strings of 0 to 65,535 bytes in unsigned lexicographic order, values byte strings of at most
 * 2^31 - 17 bytes. Each write has a sequence number; writes become visible in the order of these numbers, and
 * every read sees all writes up to one number and none above it. A null key or value is a {@link
 * NullPointerException}; a key or value that is too long is an {@link IllegalArgumentException}; a write that
 * does not fit is a {@link io.nestling.memory.SpaceExhaustedException} and changes nothing.
 * <h2>Errors</h2>
 * A virtual machine error, such as {@link StackOverflowError} or {@link OutOfMemoryError}, may end a write halfway. The write
 * is visible wholly or not at all. From then on every write throws {@link IllegalStateException} with that error as its cause,
 * and so does a read or scan that would have to wait for the broken write; other reads go on. {@link #flush} emits what is
 * visible, so that nothing is lost: flush, close and open another memtable. Nothing hangs, and no memory remains after {@link
 * #close}, which may be called again if it throws.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. Writers of one shard take turns, unless the index takes many writers: then only
 * batches exclude others. Readers take no lock and never delay a writer; but where there are range tombstones, opening and
 * closing a cursor takes one for a moment, and {@link #deleteRange} looks at each open cursor. If the index has no order,
 * cursors and flushes wait for each other while one of them sorts keys. After {@link #close} every method except {@code close}
 * throws {@link IllegalStateException}, and so do cursors when they read and a flush under way.
 * <p> Longer than 450 lines: half of them document the public methods.
 */
public final class Memtable extends ReadView implements AutoCloseable {
    private final MemtableState state;
    private final ShardSet shards;
    private final MemtableWriter writes;
    private final ListenerCalls listener;
    private final AtomicInteger owners = new AtomicInteger(1);
    private final Claim closing = new Claim();

    private Memtable(final MemtableState state, final ShardSet shards) {
        super(state, shards);
        this.state = state;
        this.shards = shards;
        this.listener = new ListenerCalls(this, state.options().listener());
        this.writes = new MemtableWriter(state, shards, listener);
    }

    /**
     * Opens an empty memtable.
     *
     * @param options its configuration
     * @return a new memtable, which the caller closes
     * @throws io.nestling.memory.SpaceExhaustedException if the system has no memory or address space for it
     */
    public static Memtable open(final MemtableOptions options) {
        Objects.requireNonNull(options, "options");
        final MemtableState state = new MemtableState(options);
        try {
            final Memtable memtable = new Memtable(state, ShardSet.open(state));
            if (state.share() != null) {
                state.share().setOwner(memtable, state.heap().emptyBytes());
            }
            OffHeap.opened(memtable);
            return memtable;
        } catch (final Throwable e) {
            state.slabs().close();
            if (state.share() != null) {
                state.share().leave();
            }
            throw e;
        }
    }

    // ---- writes ----

    /**
     * Sets the value of a key.
     *
     * @param key the key
     * @param value the value
     * @return sequence number of the write
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed; the caller freezes
     *     and flushes this memtable, opens another one and repeats the write there
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long put(final byte[] key, final byte[] value) {
        Limits.checkKey(key);
        Objects.requireNonNull(value, "value");
        Limits.checkValueLength(value.length);
        return state.awaitVisible(writes.write(EntryKind.VALUE, key, key.length, value, 0, value.length));
    }

    /**
     * Sets the value of a key. Both are parts of buffers; the value is copied once, into its record.
     *
     * @param key buffer that holds the key
     * @param keyOffset offset of the key in its buffer
     * @param keyLength length of the key in bytes
     * @param value buffer that holds the value
     * @param valueOffset offset of the value in its buffer
     * @param valueLength length of the value in bytes
     * @return sequence number of the write
     * @throws IndexOutOfBoundsException if a part is not within its buffer
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long put(
        final DirectBuffer key, final int keyOffset, final int keyLength,
        final DirectBuffer value, final int valueOffset, final int valueLength) {
        Objects.requireNonNull(value, "value");
        checkKeyPart(key, keyOffset, keyLength);
        EntryArguments.checkPart("value", valueOffset, valueLength, value.capacity());
        Limits.checkValueLength(valueLength);
        final KeyScratch scratch = KeyScratch.POOL.take();
        final long sequence;
        try {
            final byte[] copy = scratch.ofLength(keyLength);
            key.getBytes(keyOffset, copy, 0, keyLength);
            sequence = writes.write(EntryKind.VALUE, copy, keyLength, value, valueOffset, valueLength);
        } finally {
            scratch.release();
        }
        return state.awaitVisible(sequence);
    }

    /**
     * Sets the value of a key. Both are the bytes between position and limit of a buffer, which does not change. A buffer of
     * Netty's shows its bytes by {@code nioBuffer()}.
     *
     * @param key buffer with the key
     * @param value buffer with the value
     * @return sequence number of the write
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long put(final ByteBuffer key, final ByteBuffer value) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(value, "value");
        final int valueLength = value.remaining();
        Limits.checkKeyLength(key.remaining());
        Limits.checkValueLength(valueLength);
        final KeyScratch scratch = KeyScratch.POOL.take();
        final long sequence;
        try {
            sequence =
                writes.write(EntryKind.VALUE, copyKey(key, scratch), key.remaining(), value, value.position(), valueLength);
        } finally {
            scratch.release();
        }
        return state.awaitVisible(sequence);
    }

    /**
     * Sets the value of a key until it expires: from then on the key is deleted, as by a tombstone that hides it here and in
     * older data. {@link MemtableOptions.Builder#rules} has the clock. A flush passes an expired entry on as a tombstone.
     *
     * @param key the key
     * @param value the value
     * @param expiryMillis from when on the key is deleted, in milliseconds since the epoch, at least 0; it may have passed
     * @return sequence number of the write
     * @throws IllegalArgumentException if the expiry is negative
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long putExpiring(final byte[] key, final byte[] value, final long expiryMillis) {
        Limits.checkKey(key);
        Objects.requireNonNull(value, "value");
        Limits.checkValueLength(value.length);
        EntryArguments.checkExpiry(expiryMillis);
        state.expectExpiry();
        final ShardWriter.ExpiringValue expiring = new ShardWriter.ExpiringValue(value, expiryMillis);
        return state.awaitVisible(writes.write(EntryKind.EXPIRING, key, key.length, expiring, 0, value.length));
    }

    /**
     * Adds an operand for the value of a key, without reading it. Reads combine operands by the operator of {@link
     * MemtableOptions.Builder#rules}, back to the first value or deletion. A read takes as many steps as there are operands.
     *
     * @param key the key
     * @param operand the operand
     * @return sequence number of the write
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable has no merge operator, or is closed
     */
    public long merge(final byte[] key, final byte[] operand) {
        Limits.checkKey(key);
        Objects.requireNonNull(operand, "operand");
        Limits.checkValueLength(operand.length);
        state.expectOperands();
        return state.awaitVisible(writes.write(EntryKind.OPERAND, key, key.length, operand, 0, operand.length));
    }

    /**
     * Deletes a key, by a tombstone that hides it here and in older data.
     *
     * @param key the key, which may be absent
     * @return sequence number of the write
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long delete(final byte[] key) {
        Limits.checkKey(key);
        return state.awaitVisible(writes.write(EntryKind.TOMBSTONE, key, key.length, null, 0, 0));
    }

    /**
     * Deletes a key, which is a part of a buffer.
     *
     * @param key buffer that holds the key, which may be absent
     * @param keyOffset offset of the key in its buffer
     * @param keyLength length of the key in bytes
     * @return sequence number of the write
     * @throws IndexOutOfBoundsException if the key is not within its buffer
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long delete(final DirectBuffer key, final int keyOffset, final int keyLength) {
        checkKeyPart(key, keyOffset, keyLength);
        final KeyScratch scratch = KeyScratch.POOL.take();
        final long sequence;
        try {
            final byte[] copy = scratch.ofLength(keyLength);
            key.getBytes(keyOffset, copy, 0, keyLength);
            sequence = writes.write(EntryKind.TOMBSTONE, copy, keyLength, null, 0, 0);
        } finally {
            scratch.release();
        }
        return state.awaitVisible(sequence);
    }

    /**
     * Deletes a key, which is a part of an array.
     *
     * @param key array that holds the key, which may be absent
     * @param keyOffset offset of the key in its array
     * @param keyLength length of the key in bytes
     * @return sequence number of the write
     * @throws IndexOutOfBoundsException if the key is not within its array
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long delete(final byte[] key, final int keyOffset, final int keyLength) {
        return delete(part(key, keyOffset, keyLength));
    }

    /**
     * Deletes a key, which is the bytes between position and limit of a buffer. The buffer does not change.
     *
     * @param key buffer with the key, which may be absent
     * @return sequence number of the write
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long delete(final ByteBuffer key) {
        final KeyScratch scratch = KeyScratch.POOL.take();
        final long sequence;
        try {
            sequence = writes.write(EntryKind.TOMBSTONE, copyKey(key, scratch), key.remaining(), null, 0, 0);
        } finally {
            scratch.release();
        }
        return state.awaitVisible(sequence);
    }

    /**
     * Deletes all keys of a range, by one range tombstone that hides them here and in older data.
     *
     * @param fromInclusive first key of the range
     * @param toExclusive first key behind the range
     * @return sequence number of the write
     * @throws IllegalArgumentException if the range is empty
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long deleteRange(final byte[] fromInclusive, final byte[] toExclusive) {
        return write(new WriteBatch().deleteRange(fromInclusive, toExclusive));
    }

    /**
     * Deletes all keys at or above a key, by one range tombstone without end that hides them here and in older data.
     *
     * @param fromInclusive first key of the range; the empty key for all keys
     * @return sequence number of the write
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long deleteRangeFrom(final byte[] fromInclusive) {
        return write(new WriteBatch().deleteRangeFrom(fromInclusive));
    }

    /**
     * Applies the writes of a batch atomically: a reader sees all of them or none.
     *
     * @param batch the writes, which stay in the batch
     * @return sequence number of the last one; that of the last visible write if the batch is empty
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable is closed
     */
    public long write(final WriteBatch batch) {
        Objects.requireNonNull(batch, "batch");
        return writes.write(batch, SequenceForm.NEXT, null, BatchWriter.NEXT);
    }

    // ---- writes with sequence numbers of the caller's ----

    /**
     * Reserves consecutive sequence numbers, so that writes can be logged with their numbers first. {@link SequenceReservation}
     * has the rules. All writes of a memtable have reserved numbers, or given ones, or none.
     *
     * @param count how many, 1 to 16,777,216
     * @return the reservation, which the caller closes: until then no later write becomes visible
     * @throws IllegalArgumentException if the count is out of range
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable has taken other writes or is closed
     */
    public SequenceReservation reserveSequences(final int count) {
        Limits.checkReservation(count);
        state.checkOpen();
        takeOnly(SequenceForm.RESERVED);
        return state.reservations().open(this, count);
    }

    void write(final WriteBatch batch, final SequenceReservation reservation, final long firstSequence) {
        Objects.requireNonNull(batch, "batch");
        writes.write(batch, SequenceForm.RESERVED, reservation, firstSequence);
    }

    /**
     * Sets the value of a key by a write that has its number already, such as one that is read from a log. See {@link
     * #write(WriteBatch, long)}.
     *
     * @param key the key
     * @param value the value
     * @param sequence number of the write, above all before
     * @throws IllegalArgumentException if the number is not above all before
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable has taken other writes or is closed
     */
    public void put(final byte[] key, final byte[] value, final long sequence) {
        write(new WriteBatch().put(key, value), sequence);
    }

    /**
     * Deletes a key by a write that has its number already. See {@link #write(WriteBatch, long)}.
     *
     * @param key the key, which may be absent
     * @param sequence number of the write, above all before
     * @throws IllegalArgumentException if the number is not above all before
     * @throws io.nestling.memory.SpaceExhaustedException if the write does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable has taken other writes or is closed
     */
    public void delete(final byte[] key, final long sequence) {
        write(new WriteBatch().delete(key), sequence);
    }

    /**
     * Applies the writes of a batch, which have their numbers already, atomically. Numbers ascend from write to write, with gaps;
     * the first one is at least {@link MemtableOptions#firstSequence}. One thread writes so; several would take turns, and a
     * number that came late would be refused. All writes of a memtable have given numbers, or reserved ones, or none: once
     * a log is replayed, {@link MemtableOptions.Builder#firstSequence} has the next memtable go on behind {@link
     * #lastSequence}.
     *
     * @param batch the writes, which stay in the batch; if there are none, nothing is done
     * @param firstSequence number of the first one, above all before; the others take the numbers behind it
     * @throws IllegalArgumentException if the number is not above all before
     * @throws io.nestling.memory.SpaceExhaustedException if the batch does not fit; nothing has changed
     * @throws FrozenException if the memtable is frozen
     * @throws IllegalStateException if the memtable has taken other writes or is closed
     */
    public void write(final WriteBatch batch, final long firstSequence) {
        Objects.requireNonNull(batch, "batch");
        takeOnly(SequenceForm.GIVEN);
        writes.write(batch, SequenceForm.GIVEN, null, firstSequence);
    }

    /** Has the memtable take writes of one form only. */
    private void takeOnly(final SequenceForm form) {
        if (state.form() != form) {
            final Claim lock = state.lock(shards.locks(), true);
            try {
                state.setForm(form);
            } finally {
                lock.held = Claim.FREE;
            }
        }
    }

    // ---- states ----

    @Override
    long visibleSequence() {
        return state.gate().visible();
    }

    /**
     * Takes a snapshot of what is visible now.
     *
     * @return an open snapshot
     */
    public Snapshot snapshot() {
        state.checkOpen();
        return state.snapshots().open(state, shards);
    }

    /**
     * Returns the sequence number up to which all writes are visible. Some numbers belong to no write, since two threads may
     * claim one for the same write, and this may be one of them.
     *
     * @return the number; one less than the first sequence number if nothing was written
     */
    public long lastSequence() {
        state.checkOpen();
        return state.gate().visible();
    }

    /**
     * Returns whether the memtable should be replaced. As long as it is false, a put of an entry up to {@link
     * MemtableOptions#maxEntryBytes()} fits, on conditions that {@link MemtableOptions.Builder#maxEntryBytes} names.
     *
     * @return true once a write was refused for lack of space, or too little of the capacity is left: less than a 32nd to a 16th
     *     of it, or of the limit of a shared budget if that is lower, but at least 32 KiB and at most 4 MiB for each shard (a
     *     half more if the index has no order); or less than such an entry may take: twice its size, up to 192 KiB and up to a
     *     32nd of the capacity
     */
    public boolean isFull() {
        state.checkOpen();
        return hasNoRoom();
    }

    boolean hasNoRoom() {
        return state.isFull() || state.isTooFullToMove() && shards.isAnySmall();
    }

    /**
     * Returns the statistics of the memtable.
     *
     * @return numbers as of now
     */
    public MemtableStats stats() {
        final Claim guard = state.enter();
        try {
            return MemtableStats.of(state, shards);
        } finally {
            guard.held = Claim.FREE;
        }
    }

    // ---- the end ----

    /** Ends writing: waits for the writes under way, and refuses all later ones. Freezing twice does nothing. */
    public void freeze() {
        final FreezeEvent event = new FreezeEvent();
        event.begin();
        final Claim lock = state.lock(shards.locks(), true);
        try {
            state.checkOpen();
            if (state.isFrozen()) {
                return;
            }
            state.reservations().seal(); // before: a flush of a frozen memtable passes on all that is written
            state.freeze();
            event.end();
            if (event.shouldCommit()) {
                event.index = state.options().index().indexName();
                event.fill(stats(), state.gate().visible()); // close() waits for the locks
                event.commit();
            }
        } finally {
            lock.held = Claim.FREE;
        }
        listener.frozen();
    }

    /**
     * Emits what is visible now to a sink, in key order: the versions that {@link MemtableOptions#keepVersions()} selects, and
     * each range tombstone before the entries at or above its first key. The memtable does not change, so that
     * a flush can be repeated; other threads may read, write and flush meanwhile.
     *
     * @param sink receives the entries; it may call this memtable
     * @return the counts of what was emitted
     * @throws UncheckedIOException if the sink throws an {@link IOException}
     * @throws IllegalStateException if the memtable is closed, also during the flush
     */
    public FlushResult flush(final EntrySink sink) {
        Objects.requireNonNull(sink, "sink");
        state.checkOpen();
        final FlushEvent event = new FlushEvent();
        event.begin();
        final FlushResult result;
        try {
            result = new FlushTask(state, shards, sink).run();
            event.fill(result);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            event.end();
            if (event.shouldCommit()) {
                event.index = state.options().index().indexName();
                event.commit();
            }
        }
        listener.flushed(result);
        return result;
    }

    /**
     * Adds an owner, unless the last one has left. {@link #open} gives the memtable its first owner. A reader that is one may
     * keep cursors and snapshots open although others leave meanwhile.
     *
     * @return whether the caller is an owner now, and has to {@link #release} the memtable; false if it is or will be closed
     */
    public boolean tryRetain() {
        int count = owners.get();
        while (count > 0 && !state.isClosed() && !owners.compareAndSet(count, count + 1)) {
            count = owners.get();
        }
        return count > 0 && !state.isClosed();
    }

    /**
     * Gives up being an owner. The last one closes the memtable; if that throws, {@link #close} goes on.
     *
     * @throws IllegalStateException if all owners have left
     */
    public void release() {
        final int left = owners.getAndUpdate(count -> count == 0 ? 0 : count - 1) - 1;
        if (left < 0) {
            throw new IllegalStateException("expected an owner of the memtable but all have released it");
        }
        if (left == 0) {
            close();
        }
    }

    /**
     * Closes the memtable at once, whatever owners it has. Waits for the reads and writes under way and releases all off-heap
     * memory. Open cursors and snapshots do not delay it; a flush under way ends with an exception. Closing twice does nothing,
     * and a concurrent second close returns immediately. If it throws, it can be called again and goes on where it stopped.
     */
    @Override
    public void close() {
        if (!closing.tryHold(Claim.HELD)) {
            return;
        }
        boolean done = false;
        try {
            final Claim lock = state.lock(shards.locks(), true);
            try {
                state.reservations().seal();
                state.close();
            } finally {
                lock.held = Claim.FREE;
            }
            state.epochs().close();
            try {
                shards.close();
            } finally {
                state.rangeTombstones().close();
            }
            state.slabs().close();
            if (state.hasLost) {
                state.budget().releaseAll();
            }
            if (state.share() != null) {
                state.share().leave();
            }
            OffHeap.closed(this);
            done = true;
        } finally {
            if (!done) {
                state.hasLost = true; // a charge may be forgotten that was not released
                closing.held = Claim.FREE; // each step can be repeated
            }
        }
    }

    @Override
    public String toString() {
        final MemtableOptions options = state.options();
        return "memtable of " + options.shards() + " shards " + options.sharding() + " with index "
            + options.index().indexName()
            + (state.isClosed() ? ", closed" : state.isFrozen() ? ", frozen" : "");
    }
}
