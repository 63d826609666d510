/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.Operands;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;

import java.util.Arrays;

/**
 * Picks the versions of a key that a flush emits, from new to old.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class VersionFilter implements AutoCloseable {
    private static final int INITIAL_VERSIONS = 8;

    private final MemtableState state;
    private final ShardSet shards;
    private final KeepVersions keep;
    private final long[] visibleSequences;
    private final long now;
    private final TombstoneWindow[] windows;
    private RecordStore records;
    private long[] pointers = new long[INITIAL_VERSIONS];
    private long[] words = new long[INITIAL_VERSIONS];
    private int[] lengths = new int[INITIAL_VERSIONS];
    /* Operands of picked versions, and what they are combined to; null for others, and where none is gathered. */
    private Operands[] gathered = {};
    private byte[][] combined = {};
    private int count;

    /**
     * Creates a filter, in the guard in which the sequence numbers were read: that of the flush, then those of older snapshots,
     * descending. What has expired by then is picked as a tombstone.
     */
    VersionFilter(final MemtableState state, final ShardSet shards, final long[] visibleSequences, final long now) {
        this.now = now;
        this.state = state;
        this.shards = shards;
        this.keep = state.options().keepVersions();
        this.visibleSequences =
            keep == KeepVersions.NEEDED_BY_SNAPSHOTS ? visibleSequences : Arrays.copyOf(visibleSequences, 1);
        this.windows = new TombstoneWindow[this.visibleSequences.length];
        try {
            for (int i = 0; i < windows.length; i++) {
                windows[i] = new TombstoneWindow(state.rangeTombstones(), this.visibleSequences[i]);
            }
        } catch (final Throwable e) {
            close();
            throw e;
        }
    }

    /** Picks versions of the key at a cursor over newest versions and returns how many it picked. */
    int pick(final EntryCursor newestVersions) {
        final MemtableShard shard = shards.shard(ShardCursor.versionShard(newestVersions.payload()));
        final long newest = ShardCursor.versionRecord(newestVersions.payload());
        records = shard.records();
        count = 0;
        if (gathered.length > 0) {
            gathered = new Operands[0];
            combined = new byte[0][];
        }
        final Claim guard = state.enter();
        try {
            if (keep == KeepVersions.ALL) {
                pickAll(newest);
            } else {
                pickVisible(newestVersions, shard, newest);
            }
        } finally {
            guard.held = Claim.FREE;
        }
        for (int i = 0; i < gathered.length; i++) {
            if (gathered[i] != null) {
                combined[i] = gathered[i].combine(newestVersions.key(), state.options().rules());
                lengths[i] = combined[i].length;
            }
        }
        return count;
    }

    private void pickAll(final long newest) {
        for (long record = newest; record != RecordLayout.NO_RECORD; record = records.previous(record)) {
            take(record);
        }
    }

    /** Takes the version visible at each sequence number, unless a range tombstone hides it there. */
    private void pickVisible(final EntryCursor newestVersions, final MemtableShard shard, final long newest) {
        long record = newest;
        long taken = RecordLayout.NO_RECORD;
        for (int i = 0; i < visibleSequences.length; i++) {
            record = shard.newestVisible(record, visibleSequences[i]);
            if (record == RecordLayout.NO_RECORD) {
                return;
            }
            final long word = records.versionWord(record);
            final long sequence = RecordLayout.sequence(word);
            final long covering = windows[i].newestCovering(newestVersions.keyBuffer(), newestVersions.keyLength());
            final long next = i + 1 < visibleSequences.length ? visibleSequences[i + 1] : -1;
            if (record != taken && covering <= sequence) {
                if (!OperandReader.isOperand(word)) {
                    take(record);
                } else if (sequence > next) {
                    takeOperands(shard, record, covering, next);
                } else {
                    continue; // the next snapshot sees it, too
                }
                taken = record;
            }
        }
    }

    /**
     * Takes an operand and what is behind it, down to what the next snapshot sees: as one value if the version that ends the
     * operands is there and cannot expire any more, else as they are.
     */
    private void takeOperands(final MemtableShard shard, final long newest, final long covering, final long next) {
        long end = newest; // the first version that is no operand to take
        while (end != RecordLayout.NO_RECORD && sequenceOf(end) > next && sequenceOf(end) >= covering
            && OperandReader.isOperand(records, end)) {
            end = records.previous(end);
        }
        final boolean isCovered = covering > 0 && (end == RecordLayout.NO_RECORD || sequenceOf(end) < covering);
        final boolean isSeen = !isCovered && end != RecordLayout.NO_RECORD && sequenceOf(end) <= next;
        final boolean expires = !isCovered && end != RecordLayout.NO_RECORD && !isSeen
            && EntryKind.of(RecordLayout.kind(records.versionWord(end))) == EntryKind.EXPIRING
            && MemtableShard.isAlive(records, end, records.versionWord(end), now);
        if (isCovered || end != RecordLayout.NO_RECORD && !isSeen && !expires) {
            take(newest);
            words[count - 1] = words[count - 1] & ~RecordLayout.KIND_MASK | EntryKind.VALUE.code();
            gathered = Arrays.copyOf(gathered, count);
            combined = Arrays.copyOf(combined, count);
            gathered[count - 1] = OperandReader.read(shard, newest, covering, now);
            return;
        }
        for (long record = newest; record != end; record = records.previous(record)) {
            take(record);
        }
        if (expires) {
            take(end);
        }
    }

    private long sequenceOf(final long record) {
        return RecordLayout.sequence(records.versionWord(record));
    }

    private void take(final long record) {
        if (count == pointers.length) {
            words = Arrays.copyOf(words, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
            pointers = Arrays.copyOf(pointers, count * 2);
        }
        pointers[count] = record;
        final long word = records.versionWord(record);
        final boolean isAlive = MemtableShard.isAlive(records, record, word, now);
        words[count] = isAlive ? word : word & ~RecordLayout.KIND_MASK | EntryKind.TOMBSTONE.code();
        lengths[count++] = isAlive ? records.valueLength(record) : 0;
    }

    long sequence(final int i) {
        return RecordLayout.sequence(words[i]);
    }

    EntryKind kind(final int i) {
        return EntryKind.of(RecordLayout.kind(words[i]));
    }

    int valueLength(final int i) {
        return lengths[i];
    }

    /** Returns the expiry of a picked version of kind {@link EntryKind#EXPIRING}. */
    long expiry(final int i) {
        final Claim guard = state.enter();
        try {
            return records.expiry(pointers[i]);
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public void close() {
        for (final TombstoneWindow window : windows) {
            if (window != null) {
                window.close();
            }
        }
    }

    /** Copies the value of a picked version and returns its length. */
    int copyValue(final int i, final byte[] destination, final int offset) {
        if (i < combined.length && combined[i] != null) {
            System.arraycopy(combined[i], 0, destination, offset, combined[i].length);
            return combined[i].length;
        }
        final Claim guard = state.enter();
        try {
            return records.copyValue(pointers[i], destination, offset);
        } finally {
            guard.held = Claim.FREE;
        }
    }
}
