/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.PositionedCursor;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;

import java.util.Arrays;

/**
 * A cursor over the newest version of each key and, behind an operand, over the older ones back to the first that is none. Range
 * tombstones are not applied.
 * <h2>Thread safety</h2>
 * One thread; others may write, and the cursor does not see what they write.
 */
final class VersionChainCursor extends PositionedCursor {
    private static final int INITIAL_VERSIONS = 8;

    private final MemtableState state;
    private final ShardSet shards;
    private final EntryCursor newestVersions;
    private RecordStore records;
    private long[] chain = new long[INITIAL_VERSIONS];
    private long[] words = new long[INITIAL_VERSIONS];
    private int size;
    private int at;
    private int commonPrefix;

    /** Creates a cursor over a cursor over newest versions, which it closes. */
    VersionChainCursor(final MemtableState state, final ShardSet shards, final EntryCursor newestVersions) {
        this.state = state;
        this.shards = shards;
        this.newestVersions = newestVersions;
    }

    @Override
    public boolean first() {
        return arrive(newestVersions.first(), true);
    }

    @Override
    public boolean last() {
        return arrive(newestVersions.last(), false);
    }

    @Override
    public boolean seek(final byte[] key, final int offset, final int length) {
        return arrive(newestVersions.seek(key, offset, length), true);
    }

    @Override
    public boolean seekLowerThan(final byte[] key, final int offset, final int length) {
        return arrive(newestVersions.seekLowerThan(key, offset, length), false);
    }

    @Override
    public boolean next() {
        return step(1);
    }

    @Override
    public boolean previous() {
        return step(-1);
    }

    private boolean step(final int by) {
        state.checkOpen();
        if (!valid) {
            return false;
        }
        if (at + by >= 0 && at + by < size) {
            at += by;
            commonPrefix = newestVersions.keyLength();
            return true;
        }
        return arrive(by > 0 ? newestVersions.next() : newestVersions.previous(), by > 0);
    }

    /** Reads the versions of the key at the other cursor. */
    private boolean arrive(final boolean found, final boolean forward) {
        valid = false; // stays so if something throws
        if (!found) {
            return false;
        }
        final long payload = newestVersions.payload();
        records = shards.shard(ShardCursor.versionShard(payload)).records();
        size = 0;
        final Claim guard = state.enter();
        try {
            long record = ShardCursor.versionRecord(payload);
            add(record);
            while (OperandReader.isOperand(words[size - 1]) && records.previous(record) != RecordLayout.NO_RECORD) {
                record = records.previous(record);
                add(record);
            }
        } finally {
            guard.held = Claim.FREE;
        }
        at = forward ? 0 : size - 1;
        commonPrefix = newestVersions.commonPrefix();
        valid = true;
        return true;
    }

    private void add(final long record) {
        if (size == chain.length) {
            words = Arrays.copyOf(words, 2 * size);
            chain = Arrays.copyOf(chain, 2 * size);
        }
        words[size] = records.versionWord(record);
        chain[size++] = record;
    }

    private Claim enter() {
        checkValid();
        return state.enter();
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        return newestVersions.keyBuffer();
    }

    @Override
    public int keyLength() {
        checkValid();
        return newestVersions.keyLength();
    }

    @Override
    public int commonPrefix() {
        checkValid();
        return commonPrefix;
    }

    @Override
    public long sequence() {
        checkValid();
        return RecordLayout.sequence(words[at]);
    }

    @Override
    public EntryKind kind() {
        checkValid();
        return EntryKind.of(RecordLayout.kind(words[at]));
    }

    @Override
    public int valueLength() {
        final Claim guard = enter();
        try {
            return records.valueLength(chain[at]);
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        final Claim guard = enter();
        try {
            return records.copyValue(chain[at], destination, offset);
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public long expiry() {
        final Claim guard = enter();
        try {
            return records.expiry(chain[at]);
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public void close() {
        super.close();
        newestVersions.close();
    }
}
