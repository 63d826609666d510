/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.RangeTombstone;
import io.nestling.index.RangeTombstoneSet;
import io.nestling.index.Versions;
import io.nestling.offheap.Claim;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The newest versions in a memtable as of a sequence number, and the range tombstones up to it.
 * <h2>Thread safety</h2>
 * One thread at a time; others may write.
 */
final class MemtableVersions implements Versions, RangeTombstoneSet {
    private final MemtableState state;
    private final EntryCursor cursor;
    private long visible;
    private TombstoneWindow window;
    private boolean closed;

    /** Creates them as of a sequence number, which is read inside a guard. */
    MemtableVersions(final MemtableState state, final ShardSet shards, final LongSupplier sequence) {
        this.state = state;
        try {
            final boolean takesOperands = state.options().rules().operator() != null;
            final EntryCursor newest =
                shards.cursor(state, () -> openWindow(sequence.getAsLong()), ShardCursor.Content.VERSIONS);
            this.cursor = takesOperands ? new VersionChainCursor(state, shards, newest) : newest;
        } catch (final Throwable e) {
            if (window != null) {
                window.close();
            }
            throw e;
        }
    }

    private long openWindow(final long sequence) {
        visible = sequence;
        window = new TombstoneWindow(state.rangeTombstones(), sequence);
        return sequence;
    }

    @Override
    public EntryCursor cursor() {
        return cursor;
    }

    @Override
    public RangeTombstoneSet rangeTombstones() {
        return this;
    }

    @Override
    public long asOf() {
        return visible;
    }

    @Override
    public long newestCovering(final byte[] key, final int length, final long maxSequence) {
        if (maxSequence < visible) {
            throw new IllegalArgumentException(
                "expected a sequence number of at least " + visible + ", that of the state, but was " + maxSequence);
        }
        if (window.seesNone()) {
            return NONE;
        }
        final Claim guard = state.enter();
        try {
            checkOpen();
            final long covering = window.newestCovering(key, length);
            return covering == 0 ? NONE : covering;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public void forEach(final Consumer<RangeTombstone> action) {
        checkOpen();
        try (TombstoneWindow position = new TombstoneWindow(state.rangeTombstones(), visible)) {
            for (RangeTombstone tombstone = position.next(state); tombstone != null; tombstone = position.next(state)) {
                action.accept(tombstone);
            }
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the versions are closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        window.close();
        cursor.close();
    }
}
