/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.ConcurrentIndex;
import io.nestling.index.EntryKind;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memtable.order.LazyKeySorter;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordAppender;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.VersionLinks;
import io.nestling.offheap.WriteFailure;

/**
 * Writes to a shard beside other writers. A record is appended without a sequence number, linked to the newest record seen,
 * and swung in by a CAS, which is repeated if that record is no longer the newest. It gets its number only after the CAS has
 * succeeded, so that nothing can fail between the number and its publication, and numbers follow the order of the links.
 * <p>
 * No writer links to a record without a number: it first numbers that record in place of its writer, which may not be
 * running. If two threads number a record at once, one of the two numbers is left unused.
 * <h2>Thread safety</h2>
 * One thread: the one that holds this writer's slot of the shard's lock.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Only the newest record of a key may be without a number, and only while its writer has not left the
 * lock.</li>
 * <li>A record has a number above those of all records behind it.</li>
 * </ol>
 */
final class SharedWriter extends ShardWriter {
    /** Spins that a writer gets to number its record, before another one does it. */
    private static final int NUMBERING_SPINS = 100;
    /* Crossing a block of this size triggers the next reservation. */
    private static final int BLOCK_SHIFT = 10 - RecordLayout.POINTER_SHIFT;

    private final MemtableState state;
    private final MemtableShard shard;
    private final int writerSlot;
    private final ConcurrentIndex index;
    private final VersionLinks links;
    private final LazyKeySorter sorter;
    private final RecordAppender appender;
    private final SequenceGate gate;
    private final WriteFailure failure;
    private long hash;

    /** Creates the writer for a writer slot of the shard's lock. */
    SharedWriter(final MemtableState state, final MemtableShard shard, final int writerSlot) {
        super(shard.lock().slot(writerSlot), shard.records());
        this.state = state;
        this.shard = shard;
        this.writerSlot = writerSlot;
        this.gate = state.gate();
        this.failure = state.failure();
        this.index = (ConcurrentIndex) shard.index();
        this.links = shard.links();
        this.sorter = shard.sorter();
        this.appender = new RecordAppender(records, state.budget());
    }

    @Override
    long prepare(
        final EntryKind kind, final byte[] key, final int offset, final int length, final int valueLength) {
        state.checkWritable();
        hash = index.hash(key, offset, length);
        long newest = RecordLayout.NO_RECORD;
        if (sorter != null) {
            guard = state.enter(); // one for all steps, until the write ends
            newest = MemtableShard.recordOf(index.tryGet(hash, key, offset, length));
        } else if (valueLength > MAX_MOVED_BYTES) {
            newest = newest(key, offset, length);
        }
        final long word = shard.versionWord(kind, newest == RecordLayout.NO_RECORD ? 0 : links.flags(newest));
        final long bytes = shard.recordBytes(word, length, valueLength);
        try {
            final long record = appender.append(word, newest, key, offset, length, valueLength);
            if (record >>> BLOCK_SHIFT != record + (bytes >>> RecordLayout.POINTER_SHIFT) >>> BLOCK_SHIFT) {
                shard.space().reserveAhead(bytes);
            }
            return record;
        } catch (final SpaceExhaustedException e) {
            state.markFull();
            throw e;
        } catch (final Throwable e) {
            failure.cause = e;
            throw e;
        }
    }

    /** Returns the pointer of a key's newest record, or {@link RecordLayout#NO_RECORD}. */
    private long newest(final byte[] key, final int offset, final int length) {
        final Claim own = state.enter();
        try {
            return shard.newest(key, offset, length);
        } finally {
            own.held = Claim.FREE;
        }
    }

    @Override
    long commit(
        final long prepared, final byte[] key, final int offset, final int length, final int valueLength) {
        long record = prepared;
        boolean logged = false;
        try {
            long seen = records.previous(record);
            if (seen == RecordLayout.NO_RECORD) {
                if (sorter != null) {
                    sorter.add(record, writerSlot);
                    logged = true;
                }
                seen = MemtableShard.recordOf(putIfAbsent(record, key, offset, length));
                if (seen == RecordLayout.NO_RECORD) {
                    shard.counters().countKey(writerSlot);
                } else {
                    record = appender.addLinks(record, links.flags(seen), logged); // a sort may read a logged record
                }
            }
            if (seen != RecordLayout.NO_RECORD) {
                replace(seen, record, key, offset, length);
            }
            final long sequence = number(record);
            shard.counters().countWrites(writerSlot, 1, length + (long) valueLength);
            return sequence;
        } catch (final SpaceExhaustedException e) {
            state.markFull();
            if (!logged) {
                appender.retract(record);
            }
            throw e;
        } catch (final Throwable e) {
            failure.cause = e;
            throw e;
        }
    }

    private void replace(
        final long seen, final long record, final byte[] key, final int offset, final int length) {
        // memtable-concurrency.md, claim 15
        long newest = seen;
        while (true) {
            awaitNumber(newest);
            if (sorter != null) {
                records.supersede(newest);
            }
            links.link(record, newest); // covered by the replacement's release
            if (index.replace(hash, key, offset, length, newest, record)) {
                return;
            }
            newest = newest(key, offset, length);
        }
    }

    private long putIfAbsent(final long record, final byte[] key, final int offset, final int length) {
        try {
            return index.putIfAbsent(hash, key, offset, length, record);
        } catch (final SpaceExhaustedException e) {
            if (guard == null) {
                throw e;
            }
        }
        final Claim left = guard; // may keep retired memory from being reclaimed
        guard = null;
        left.held = Claim.FREE;
        try {
            return index.putIfAbsent(key, offset, length, record);
        } finally {
            guard = state.enter();
        }
    }

    /** Waits a little for the number of a linked record, then numbers it. */
    private void awaitNumber(final long record) {
        for (int pauses = 0; pauses < NUMBERING_SPINS; pauses++) {
            if (RecordLayout.sequence(records.versionWordAcquire(record)) != RecordLayout.UNNUMBERED) {
                return;
            }
            Thread.onSpinWait();
        }
        number(record);
    }

    /** Numbers a linked record unless another thread does, and returns its number. */
    private long number(final long record) {
        // memtable-concurrency.md, claim 14
        final long word = records.versionWordAcquire(record);
        if (RecordLayout.sequence(word) != RecordLayout.UNNUMBERED) {
            return RecordLayout.sequence(word);
        }
        final long claimed = gate.claim(1);
        final boolean first;
        try {
            first = records.compareAndSetVersionWord(record, word, word | claimed << RecordLayout.SEQUENCE_SHIFT);
            gate.complete(claimed, claimed); // at once: until then it delays all later numbers
        } catch (final Throwable e) {
            failure.cause = e;
            if (claimed < gate.failedAt) {
                gate.failedAt = claimed;
            }
            throw e;
        }
        return first ? claimed : RecordLayout.sequence(records.versionWordAcquire(record));
    }

    /** Returns the bytes claimed from the record store that hold no record yet. */
    long bytesUnused() {
        return appender.bytesUnused();
    }
}
