/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.ConcurrentIndex;
import io.nestling.index.EntryKind;
import io.nestling.memory.Claim;
import io.nestling.memory.RecordAppender;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.RecordStore;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.memory.VersionLinks;
import io.nestling.memory.WriteFailure;

/**
 * Writes to a shard beside other writers. A record is appended without a number, linked to the newest record
 * that was seen, and made the newest one if that still is it. Only then it gets its sequence number, so that
 * nothing can fail between the number and its publication, and so that numbers follow the order of the links.
 * <p>
 * Nobody links to a record without a number: whoever finds one gives it the number first, in place of a writer
 * that may not be running. Of two that do so at the same time, one has claimed a number in vain, which no write
 * has then.
 * <h2>Thread safety</h2>
 * The thread that has entered the shard's lock at the place which this writer belongs to.
 * <h2>Invariants</h2>
 * <ol>
 * <li>Only the newest record of a key may be without a number, and only while its writer has not left the
 * lock.</li>
 * <li>A record has a number above those of all records behind it.</li>
 * </ol>
 */
final class SharedWriter extends ShardWriter {
    private static final long UNNUMBERED = 0;
    /** Pauses in which a writer may number its record itself, before another one does. */
    private static final int PATIENCE = 100;
    /* Up to so many bytes of value the key is taken for a new one, which saves a lookup if it is, and costs a move if not. */
    private static final int MAX_MOVED_BYTES = 512;
    /* Whoever fills another block of records of this size sees to it that there is room for what comes next. */
    private static final int BLOCK_SHIFT = 10 - RecordLayout.POINTER_SHIFT;

    private final MemtableState state;
    private final MemtableShard shard;
    private final int place;
    private final ConcurrentIndex index;
    private final RecordStore records;
    private final VersionLinks links;
    private final KeyOrder order;
    private final RecordAppender appender;
    private final SequenceGate gate;
    private final WriteFailure failure;
    private long hash;

    /** Makes the writer for a place of the shard's lock. */
    SharedWriter(final MemtableState state, final MemtableShard shard, final int place) {
        super(shard.lock().slot(place));
        this.state = state;
        this.shard = shard;
        this.place = place;
        this.gate = state.gate();
        this.failure = state.failure();
        this.index = (ConcurrentIndex) shard.index();
        this.records = shard.records();
        this.links = shard.links();
        this.order = shard.order();
        this.appender = new RecordAppender(records, state.budget());
    }

    @Override
    long prepare(
        final EntryKind kind, final byte[] key, final int offset, final int length, final int valueLength) {
        state.checkWritable();
        hash = index.hash(key, offset, length);
        long newest = RecordLayout.NO_RECORD;
        if (order != null) {
            guard = state.enter(); // one for all steps, until the write ends
            newest = MemtableShard.recordOf(index.peek(hash, key, offset, length));
        } else if (valueLength > MAX_MOVED_BYTES) {
            newest = newest(key, offset, length);
        }
        final long word = shard.versionWord(kind, newest == RecordLayout.NO_RECORD ? 0 : links.flags(newest));
        final long bytes = shard.recordBytes(word, length, valueLength);
        try {
            final long record = appender.append(word, newest, key, offset, length, valueLength);
            if (record >>> BLOCK_SHIFT != record + (bytes >>> RecordLayout.POINTER_SHIFT) >>> BLOCK_SHIFT) {
                shard.reserveAhead(bytes);
            }
            return record;
        } catch (final SpaceExhaustedException e) {
            state.noteFull();
            throw e;
        } catch (final Throwable e) {
            failure.cause = e;
            throw e;
        }
    }

    /** Pointer of a key's newest record, or {@link RecordLayout#NO_RECORD}. */
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
        boolean noted = false;
        try {
            long seen = records.previous(record);
            if (seen == RecordLayout.NO_RECORD) {
                if (order != null) {
                    order.add(record, place);
                    noted = true;
                }
                seen = MemtableShard.recordOf(putIfAbsent(record, key, offset, length));
                if (seen == RecordLayout.NO_RECORD) {
                    shard.counters().countKey(place);
                } else {
                    record = appender.addLinks(record, links.flags(seen), noted); // whoever makes order may read what was noted
                }
            }
            if (seen != RecordLayout.NO_RECORD) {
                replace(seen, record, key, offset, length);
            }
            final long sequence = number(record);
            shard.counters().countWrites(place, 1, length + (long) valueLength);
            return sequence;
        } catch (final SpaceExhaustedException e) {
            state.noteFull();
            if (!noted) {
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
        long newest = seen;
        while (true) {
            awaitNumber(newest);
            if (order != null) {
                order.supersede(newest);
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
        final Claim left = guard; // which may keep memory from being used again
        guard = null;
        left.held = Claim.FREE;
        try {
            return index.putIfAbsent(key, offset, length, record);
        } finally {
            guard = state.enter();
        }
    }

    /** Returns when a record that is linked has its number; gives it one if its writer does not soon. */
    private void awaitNumber(final long record) {
        for (int pauses = 0; pauses < PATIENCE; pauses++) {
            if (RecordLayout.sequence(records.versionWordAcquire(record)) != UNNUMBERED) {
                return;
            }
            Thread.onSpinWait();
        }
        number(record);
    }

    /** Numbers a record that is linked, unless somebody else does, and returns its number. */
    private long number(final long record) {
        final long word = records.versionWordAcquire(record);
        if (RecordLayout.sequence(word) != UNNUMBERED) {
            return RecordLayout.sequence(word);
        }
        final long claimed = gate.claim(1);
        final boolean first;
        try {
            first = records.compareAndSetVersionWord(record, word, word | claimed << RecordLayout.SEQUENCE_SHIFT);
            gate.complete(claimed, claimed); // at once: until then it holds up all later ones
        } catch (final Throwable e) {
            failure.cause = e;
            if (claimed < gate.failedAt) {
                gate.failedAt = claimed;
            }
            throw e;
        }
        return first ? claimed : RecordLayout.sequence(records.versionWordAcquire(record));
    }

    /** Bytes of the records that hold nothing yet. */
    long bytesUnused() {
        return appender.bytesUnused();
    }
}
