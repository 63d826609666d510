/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.memory.Claim;
import io.nestling.memory.RecordLayout;
import io.nestling.memory.RecordStore;

import java.util.Arrays;

/**
 * Picks the versions of a key that a flush passes on, from new to old.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class VersionFilter {
    private static final int INITIAL_VERSIONS = 8;

    private final MemtableState state;
    private final ShardSet shards;
    private final KeepVersions keep;
    private final long[] states;
    private final TombstoneWindow[] windows;
    private RecordStore records;
    private long[] pointers = new long[INITIAL_VERSIONS];
    private long[] words = new long[INITIAL_VERSIONS];
    private int[] lengths = new int[INITIAL_VERSIONS];
    private int count;

    /**
     * Makes a filter.
     *
     * @param states the sequence number of the flush and then those of the snapshots below it, descending
     */
    VersionFilter(final MemtableState state, final ShardSet shards, final long[] states) {
        this.state = state;
        this.shards = shards;
        this.keep = state.options().keepVersions();
        this.states = keep == KeepVersions.NEEDED_BY_SNAPSHOTS ? states : Arrays.copyOf(states, 1);
        this.windows = new TombstoneWindow[this.states.length];
        for (int i = 0; i < windows.length; i++) {
            windows[i] = new TombstoneWindow(state.rangeTombstones(), this.states[i]);
        }
    }

    /** Picks the versions of the key under a cursor of heads and returns how many there are. */
    int pick(final EntryCursor heads) {
        final MemtableShard shard = shards.shard(ShardCursor.headShard(heads.payload()));
        final long head = ShardCursor.headRecord(heads.payload());
        records = shard.records();
        count = 0;
        final Claim token = state.enter();
        try {
            if (keep == KeepVersions.ALL) {
                pickAll(head);
            } else {
                pickSeen(heads, shard, head);
            }
        } finally {
            token.held = Claim.FREE;
        }
        return count;
    }

    private void pickAll(final long head) {
        for (long record = head; record != RecordLayout.NO_RECORD; record = records.previous(record)) {
            take(record);
        }
    }

    /** For each state, takes the version that is seen in it, unless a range tombstone hides it there. */
    private void pickSeen(final EntryCursor heads, final MemtableShard shard, final long head) {
        long record = head;
        long taken = RecordLayout.NO_RECORD;
        for (int i = 0; i < states.length; i++) {
            record = shard.visible(record, states[i]);
            if (record == RecordLayout.NO_RECORD) {
                return;
            }
            final long sequence = RecordLayout.sequence(records.versionWord(record));
            final long covering = windows[i].newestCovering(heads.keyBuffer(), heads.keyLength());
            if (record != taken && covering <= sequence) {
                take(record);
                taken = record;
            }
        }
    }

    private void take(final long record) {
        if (count == pointers.length) {
            words = Arrays.copyOf(words, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
            pointers = Arrays.copyOf(pointers, count * 2);
        }
        pointers[count] = record;
        words[count] = records.versionWord(record);
        lengths[count++] = records.valueLength(record);
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

    /** Copies the value of a picked version and returns its length. */
    int copyValue(final int i, final byte[] destination, final int offset) {
        final Claim token = state.enter();
        try {
            return records.copyValue(pointers[i], destination, offset);
        } finally {
            token.held = Claim.FREE;
        }
    }
}
