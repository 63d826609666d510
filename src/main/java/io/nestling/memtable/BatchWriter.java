/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryKind;
import io.nestling.index.KeyBatch;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.WriteFailure;

import java.util.List;

/**
 * Writes batches. Under the locks of all shards that a batch touches, it
 * <ol>
 * <li>looks all keys of a shard up together, which also loads what the puts will read into the caches, or expects them to be
 * new, as those before were,</li>
 * <li>reserves all space, and appends the records of keys that were looked up: from here on nothing can fail for want of
 * space,</li>
 * <li>appends and puts the records of keys that are expected to be new; without numbers no reader sees them,</li>
 * <li>claims sequence numbers, unless the caller has given them,</li>
 * <li>puts the other records, numbers all, and publishes the last number, which makes the whole batch visible at once.</li>
 * </ol>
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. Locks are taken in the order of the shards, that of the range
 * tombstones last.
 */
final class BatchWriter {
    /** Keys whose puts are prefetched together. */
    private static final int KEYS_AT_ONCE = 32;
    /** In place of a first number: the writes take the next numbers. */
    static final long NEXT = 0;

    private final MemtableState state;
    private final ShardSet shards;
    private final SequenceGate gate;
    private final WriteFailure failure;

    BatchWriter(final MemtableState state, final ShardSet shards) {
        this.state = state;
        this.gate = state.gate();
        this.failure = state.failure();
        this.shards = shards;
    }

    /**
     * Writes a batch, whose numbers were reserved or begin at {@code given}, if that is not {@link #NEXT}. Waits until it is
     * visible, unless its numbers are reserved. Returns the sequence number of its last write.
     */
    long write(
        final WriteBatch batch, final SequenceForm form, final SequenceReservation reservation, final long given) {
        if (form != SequenceForm.GIVEN) {
            return writeAll(batch, form, reservation, given);
        }
        synchronized (this) { // from the look at the last number to the claim
            return writeAll(batch, form, null, given);
        }
    }

    private long writeAll(
        final WriteBatch batch, final SequenceForm form, final SequenceReservation reservation, final long given) {
        state.checkOpen();
        if (batch.size() == 0) {
            return state.gate().visible();
        }
        state.expect(batch);
        final BatchPlan plan = batch.plan();
        plan.assign(batch, shards);
        final long last;
        final List<ShardLock> locks = shards.locks(shard -> touches(plan, shard));
        final Claim lock = state.lock(locks, batch.ranges() > 0);
        try {
            state.checkWritable(form);
            if (form == SequenceForm.GIVEN) {
                Limits.checkSequence(given, gate.claimed(), batch.size());
            }
            last = reservation == null
                ? writeLocked(batch, plan, null, given) : writeReserved(batch, plan, reservation, given);
            MemtableShard recycling = null;
            try {
                for (int shard = 0; shard < shards.count(); shard++) {
                    recycling = shards.shard(shard);
                    recycling.recycle(plan);
                }
            } catch (final Throwable e) {
                if (recycling != null) {
                    recycling.recyclingError = e; // the batch has taken effect
                }
            }
        } finally {
            lock.held = Claim.FREE;
            plan.keys().clear();
        }
        return reservation == null ? state.awaitVisible(last) : last;
    }

    private long writeReserved(
        final WriteBatch batch, final BatchPlan plan, final SequenceReservation reservation, final long given) {
        final long first = reservation.first();
        checkRanges(batch, given);
        reservation.take(given, batch.size());
        try {
            return writeLocked(batch, plan, reservation, given);
        } catch (final Throwable e) {
            boolean givenBack = false;
            try {
                reservation.giveBack(given, batch.size());
                givenBack = true;
            } finally {
                if (!givenBack) {
                    failure.cause = e;
                    if (first < gate.failedAt) {
                        gate.failedAt = first; // else its numbers would never be complete
                    }
                }
            }
            throw e;
        }
    }

    /** Checks that the first range tombstone of a batch is newer than all before. */
    private void checkRanges(final WriteBatch batch, final long given) {
        final long last = state.rangeTombstones().newest().last;
        for (int i = 0; i < batch.size() && batch.ranges() > 0; i++) {
            if (batch.operation(i).kind() == EntryKind.RANGE_TOMBSTONE) {
                Limits.checkSequence(given + i, last, 1);
                return;
            }
        }
    }

    private long writeLocked(
        final WriteBatch batch, final BatchPlan plan, final SequenceReservation reservation, final long given) {
        state.chargeFirst(); // a batch of range tombstones comes to no shard
        for (int shard = 0; shard < shards.count(); shard++) {
            if (touches(plan, shard)) {
                measure(batch, plan, shard, reservation == null ? NEXT : given);
            }
        }
        return apply(batch, plan, prepare(batch, plan), reservation, given);
    }

    private static boolean touches(final BatchPlan plan, final int shard) {
        return plan.start(shard) < plan.start(shard + 1);
    }

    /**
     * Makes room for a shard's part of the batch, decides whether its keys are looked up, and computes the sizes of the new
     * records. Behind a reserved first number there may be newer versions.
     */
    private void measure(final WriteBatch batch, final BatchPlan plan, final int number, final long reserved) {
        final MemtableShard shard = shards.shard(number);
        final int start = plan.start(number);
        final int end = plan.start(number + 1);
        long recordBytes = 0;
        long largest = 0;
        long valueBytes = 0;
        int longestValue = 0;
        for (int at = start; at < end; at++) {
            final WriteBatch.Operation operation = batch.operation(plan.operation(at));
            longestValue = Math.max(longestValue, operation.valueLength());
            final long bytes = MemtableShard.largestRecordBytes(operation.key().length, operation.valueLength());
            recordBytes += bytes;
            largest = Math.max(largest, bytes);
            valueBytes += operation.valueLength();
        }
        try {
            shard.makeRoom(end - start, recordBytes, largest, valueBytes);
        } catch (final SpaceExhaustedException e) {
            throw refused(batch, plan, number, e);
        }
        // In one stretch of fresh memory a record can get its links where it is: that cannot fail.
        plan.expectsNew()[number] =
            reserved == NEXT && shard.expectsNew(longestValue) && shard.records().isContiguous(recordBytes);
        if (plan.expectsNew()[number]) {
            expectNew(batch, plan, number);
        } else {
            lookUp(batch, plan, number, reserved);
        }
    }

    private void lookUp(final WriteBatch batch, final BatchPlan plan, final int number, final long reserved) {
        final MemtableShard shard = shards.shard(number);
        final int start = plan.start(number);
        final int end = plan.start(number + 1);
        plan.findEarlier(batch, shards.keyHash(), start, end);
        final KeyBatch keys = plan.keys();
        keys.clear();
        for (int at = start; at < end; at++) {
            final byte[] key = batch.operation(plan.operation(at)).key();
            keys.add(key, 0, key.length);
        }
        shard.index().getAll(keys, plan.payloads());
        int present = 0;
        for (int at = start; at < end; at++) {
            final long newest = MemtableShard.recordOf(plan.payloads()[at - start]);
            final long newer =
                reserved == NEXT ? RecordLayout.NO_RECORD : shard.oldestAbove(newest, reserved + plan.operation(at));
            final long previous = newer == RecordLayout.NO_RECORD ? newest : shard.records().previous(newer);
            final boolean hasPrevious = previous != RecordLayout.NO_RECORD || plan.earlier(at) >= 0;
            final WriteBatch.Operation operation = batch.operation(plan.operation(at));
            final int flags = (reserved == NEXT ? 0 : RecordLayout.HAS_PREVIOUS) // so that an older one can be inserted
                | (newer == RecordLayout.NO_RECORD ? 0 : RecordLayout.SUPERSEDED);
            present += hasPrevious ? 1 : 0;
            plan.newer()[at] = newer;
            plan.records()[at] = previous;
            plan.versionWords()[at] =
                shard.versionWord(operation.kind(), flags | (hasPrevious ? shard.linkFlags(previous + at) : 0));
            plan.recordBytes()[at] =
                shard.recordBytes(plan.versionWords()[at], operation.key().length, operation.valueLength());
        }
        shard.noteLast(2 * present > end - start);
    }

    /** Computes the sizes of the records of new keys, with room for links if some are there nevertheless. */
    private void expectNew(final WriteBatch batch, final BatchPlan plan, final int number) {
        final MemtableShard shard = shards.shard(number);
        plan.forgetEarlier(plan.start(number), plan.start(number + 1));
        for (int at = plan.start(number); at < plan.start(number + 1); at++) {
            final WriteBatch.Operation operation = batch.operation(plan.operation(at));
            plan.newer()[at] = RecordLayout.NO_RECORD;
            plan.records()[at] = RecordLayout.NO_RECORD;
            plan.versionWords()[at] = shard.versionWord(operation.kind(), 0);
            plan.recordBytes()[at] = shard.recordBytes(
                plan.versionWords()[at] | RecordLayout.HAS_PREVIOUS | RecordLayout.HAS_SKIP, operation.key().length,
                operation.valueLength());
        }
    }

    /** Prepares all of a batch, or nothing if there is no space; returns the range tombstones, or null. */
    private RangeTombstones.Change prepare(final WriteBatch batch, final BatchPlan plan) {
        try {
            final RangeTombstones.Change ranges = batch.ranges() > 0 ? state.rangeTombstones().change() : null;
            try {
                prepare(batch, plan, ranges);
            } catch (final SpaceExhaustedException e) {
                abandon(plan, ranges);
                throw e;
            }
            return ranges;
        } catch (final SpaceExhaustedException e) {
            throw e;
        } catch (final Throwable e) {
            failure.cause = e;
            state.hasLost = true;
            throw e;
        }
    }

    /** Reserves all space, adds the range tombstones and appends the records. */
    private void prepare(final WriteBatch batch, final BatchPlan plan, final RangeTombstones.Change ranges) {
        for (int number = 0; number < shards.count(); number++) {
            if (touches(plan, number)) {
                reserveShard(batch, plan, number);
            }
        }
        if (ranges != null) {
            for (int i = 0; i < batch.size(); i++) {
                final WriteBatch.Operation operation = batch.operation(i);
                if (operation.kind() == EntryKind.RANGE_TOMBSTONE) {
                    ranges.add(operation.key(), operation.toExclusive(), i);
                }
            }
            ranges.prepare();
        }
        for (int number = 0; number < shards.count(); number++) {
            if (touches(plan, number) && !plan.expectsNew()[number]) {
                append(batch, plan, number);
            }
        }
    }

    /** Releases the reservations of a batch that did not fit. */
    private void abandon(final BatchPlan plan, final RangeTombstones.Change ranges) {
        state.markFull();
        if (ranges != null) {
            ranges.abandon();
        }
        for (int number = 0; number < shards.count(); number++) {
            if (touches(plan, number)) {
                shards.shard(number).space().release();
            }
        }
    }

    private void reserveShard(final WriteBatch batch, final BatchPlan plan, final int number) {
        final MemtableShard shard = shards.shard(number);
        final int start = plan.start(number);
        final int end = plan.start(number + 1);
        long keyBytes = 0;
        int newKeys = 0;
        for (int at = start; at < end; at++) {
            final int keyLength = batch.operation(plan.operation(at)).key().length;
            keyBytes += keyLength;
            newKeys += plan.earlier(at) < 0 && plan.records()[at] == RecordLayout.NO_RECORD ? 1 : 0;
            shard.space().update(keyLength, plan.recordBytes()[at]);
        }
        try {
            shard.space().reserve(plan.recordBytes(), start, end, keyBytes, newKeys);
        } catch (final SpaceExhaustedException e) {
            throw refused(batch, plan, number, e);
        }
    }

    /** Returns what says which part of a batch does not fit; the reason says into what. */
    private SpaceExhaustedException refused(
        final WriteBatch batch, final BatchPlan plan, final int number, final SpaceExhaustedException reason) {
        return new SpaceExhaustedException("expected a batch that fits but was one of " + batch.size() + " writes, of which "
            + (plan.start(number + 1) - plan.start(number)) + " go to shard " + number + " of " + shards.count() + ": "
            + reason.getMessage());
    }

    private void append(final WriteBatch batch, final BatchPlan plan, final int number) {
        final MemtableShard shard = shards.shard(number);
        final long[] records = plan.records();
        for (int at = plan.start(number); at < plan.start(number + 1); at++) {
            final WriteBatch.Operation operation = batch.operation(plan.operation(at));
            final long previous = plan.earlier(at) >= 0 ? records[plan.earlier(at)] : records[at];
            records[at] = append(shard, operation, plan.versionWords()[at], previous);
        }
    }

    private static long append(
        final MemtableShard shard, final WriteBatch.Operation operation, final long versionWord, final long previous) {
        final byte[] key = operation.key();
        final long record = shard.append(versionWord, previous, key, 0, key.length, operation.valueLength());
        operation.putInto(shard.records(), record);
        return record;
    }

    /** Numbers and publishes the batch; returns its last sequence number. */
    private long apply(
        final WriteBatch batch, final BatchPlan plan, final RangeTombstones.Change ranges,
        final SequenceReservation reservation, final long given) {
        long claimed = SequenceGate.NO_FAILURE;
        try {
            for (int number = 0; number < shards.count(); number++) {
                if (touches(plan, number) && plan.expectsNew()[number]) {
                    putNew(batch, plan, number);
                }
            }
            // Of a given number all from the last one on, so that the gap becomes visible with the batch.
            claimed = reservation != null ? reservation.first()
                : gate.claim(given == NEXT ? batch.size() : given + batch.size() - 1 - gate.claimed());
            final long first = given == NEXT ? claimed : given;
            for (int number = 0; number < shards.count(); number++) {
                if (touches(plan, number)) { // the lock of no other shard is held
                    applyShard(batch, plan, number, first);
                }
            }
            if (ranges != null) {
                ranges.publish(first);
            }
            final long last = first + batch.size() - 1;
            if (reservation == null) {
                gate.complete(claimed, last);
            } else {
                reservation.complete(batch.size());
            }
            return last;
        } catch (final Throwable e) {
            failure.cause = e;
            if (claimed < gate.failedAt) {
                gate.failedAt = claimed;
            }
            throw e;
        }
    }

    /**
     * Puts records of keys that are expected to be new, in one walk of the index each, before they have numbers: readers pass
     * them over. One whose key is there gets its links before.
     */
    private void putNew(final WriteBatch batch, final BatchPlan plan, final int number) {
        // memtable-concurrency.md, claim 2
        final MemtableShard shard = shards.shard(number);
        final int start = plan.start(number);
        final int end = plan.start(number + 1);
        int present = 0;
        for (int at = start; at < end; at++) {
            if ((at - start & KEYS_AT_ONCE - 1) == 0) {
                prefetchNew(batch, plan, number, at);
            }
            final WriteBatch.Operation operation = batch.operation(plan.operation(at));
            final byte[] key = operation.key();
            long record = append(shard, operation, plan.versionWords()[at], RecordLayout.NO_RECORD);
            final long newest = shard.publishIfNew(record, key, 0, key.length);
            if (newest != RecordLayout.NO_RECORD) {
                present++;
                record = shard.link(record, newest);
                shard.publish(record, key, 0, key.length);
            }
            plan.records()[at] = record;
        }
        shard.noteLast(2 * present > end - start);
    }

    private void applyShard(
        final WriteBatch batch, final BatchPlan plan, final int number, final long first) {
        final MemtableShard shard = shards.shard(number);
        long keyBytes = 0;
        long valueBytes = 0;
        for (int at = plan.start(number); at < plan.start(number + 1); at++) {
            if (!plan.expectsNew()[number] && (at - plan.start(number) & KEYS_AT_ONCE - 1) == 0) {
                prefetchNew(batch, plan, number, at);
            }
            final WriteBatch.Operation operation = batch.operation(plan.operation(at));
            final byte[] key = operation.key();
            final long sequence = first + plan.operation(at);
            if (plan.expectsNew()[number]) {
                shard.records().putSequence(plan.records()[at], sequence);
            } else if (plan.newer()[at] == RecordLayout.NO_RECORD) {
                shard.publish(plan.records()[at], key, 0, key.length);
                shard.records().putSequence(plan.records()[at], sequence);
            } else {
                shard.insert(plan.records()[at], plan.newer()[at], sequence);
            }
            keyBytes += key.length;
            valueBytes += operation.valueLength();
        }
        shard.counters().countWrites(
            MemtableShard.SINGLE_WRITER_ROW, plan.start(number + 1) - plan.start(number), keyBytes + valueBytes);
    }

    /** Prefetches the cache lines that the next puts of new keys will touch. */
    private void prefetchNew(final WriteBatch batch, final BatchPlan plan, final int number, final int from) {
        final MemtableShard shard = shards.shard(number);
        final KeyBatch keys = plan.keys();
        keys.clear();
        for (int at = from; at < Math.min(from + KEYS_AT_ONCE, plan.start(number + 1)); at++) {
            if (plan.expectsNew()[number] || plan.earlier(at) < 0 && plan.newer()[at] == RecordLayout.NO_RECORD
                && shard.records().previous(plan.records()[at]) == RecordLayout.NO_RECORD) {
                final byte[] key = batch.operation(plan.operation(at)).key();
                keys.add(key, 0, key.length);
            }
        }
        if (keys.size() > 1) {
            shard.index().prefetchAll(keys);
        }
    }
}
