/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.ByteComparison;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.index.RangeTombstone;
import io.nestling.offheap.Claim;

import java.io.IOException;

/**
 * One flush: counts (unless the shards' counters suffice), then emits.
 * <p>
 * Both passes see the memtable as of the same sequence number and the same snapshots, so that writers may go
 * on meanwhile. No guard is held while the sink runs.
 * <h2>Thread safety</h2>
 * One thread. Any number of flushes may run at the same time.
 */
final class FlushTask {
    private final MemtableState state;
    private final ShardSet shards;
    private final EntrySink sink;
    private final boolean frozen;
    private final long visible;
    private final VersionFilter versions;
    private final TombstoneWindow ranges;
    private final FlushView view = new FlushView();
    private long entries;
    private long bytes;
    private long tombstones;
    private long rangeTombstones;
    /* The range tombstone to emit next; null behind the last. */
    private RangeTombstone next;
    private KeySample.Collector sample;
    private long smallest = Long.MAX_VALUE;
    private long largest;

    FlushTask(final MemtableState state, final ShardSet shards, final EntrySink sink) {
        this.state = state;
        this.shards = shards;
        this.sink = sink;
        this.frozen = state.isFrozen(); // before the sequence number: then it is the last one
        final Claim guard = state.enter();
        try {
            final long[] visibleSequences = state.snapshots().capture();
            this.visible = visibleSequences[0];
            this.ranges = new TombstoneWindow(state.rangeTombstones(), visible);
            try {
                this.versions = new VersionFilter(state, shards, visibleSequences, state.now());
            } catch (final Throwable e) {
                ranges.close();
                throw e;
            }
        } finally {
            guard.held = Claim.FREE;
        }
    }

    FlushResult run() throws IOException {
        try (versions; ranges) {
            return emitAll();
        }
    }

    private FlushResult emitAll() throws IOException {
        final long start = System.nanoTime();
        count();
        final long expectedEntries = entries;
        final long expectedBytes = bytes;
        final long expectedRanges = rangeTombstones;
        sink.begin(entries, bytes, rangeTombstones);
        entries = 0;
        bytes = 0;
        rangeTombstones = 0;
        sample = new KeySample.Collector(expectedEntries);
        emit();
        if (entries != expectedEntries || bytes != expectedBytes || rangeTombstones != expectedRanges) {
            throw new AssertionError("expected " + expectedEntries + " entries of " + expectedBytes + " bytes and "
                + expectedRanges + " range tombstones, as announced, but was " + entries + " of " + bytes + " and "
                + rangeTombstones + (state.mayChange() ? ": does the merge operator answer the same each time?" : ""));
        }
        sink.end();
        return new FlushResult(
            entries, bytes, tombstones, rangeTombstones, largest == 0 ? 0 : smallest, largest, visible,
            System.nanoTime() - start, sample.sample());
    }

    private void count() {
        try (TombstoneWindow window = new TombstoneWindow(state.rangeTombstones(), visible)) {
            while (window.next(state) != null) {
                rangeTombstones++;
            }
        }
        if (countByCounters()) {
            return;
        }
        try (EntryCursor newestVersions = shards.cursor(state, () -> visible, ShardCursor.Content.UNCOUNTED_VERSIONS)) {
            for (boolean more = newestVersions.first(); more; more = newestVersions.next()) {
                final int picked = versions.pick(newestVersions);
                for (int i = 0; i < picked; i++) {
                    countVersion(newestVersions.keyLength(), i);
                }
            }
        }
    }

    private void countVersion(final int keyLength, final int version) {
        entries++;
        bytes += keyLength + (long) versions.valueLength(version);
    }

    /** Takes the counts from the shards' counters if nothing changes any more and every version is emitted. */
    private boolean countByCounters() {
        if (!frozen || state.mayChange()) {
            return false;
        }
        long keys = 0;
        long records = 0;
        long recordBytes = 0;
        for (int i = 0; i < shards.count(); i++) {
            final ShardCounters counters = shards.shard(i).counters();
            keys += counters.keys();
            records += counters.versions();
            recordBytes += counters.versionBytes();
        }
        final boolean everyVersion = state.options().keepVersions() == KeepVersions.ALL
            || keys == records && state.rangeTombstones().isEmpty();
        if (everyVersion && !state.gate().isPoisoned()) {
            entries = records;
            bytes = recordBytes;
            return true;
        }
        return false;
    }

    private void emit() throws IOException {
        int prefix = 0;
        next = ranges.next(state);
        try (EntryCursor newestVersions = shards.cursor(state, () -> visible, ShardCursor.Content.UNCOUNTED_VERSIONS)) {
            for (boolean more = newestVersions.first(); more; more = newestVersions.next()) {
                prefix = Math.min(prefix, newestVersions.commonPrefix());
                emitRanges(newestVersions);
                final int picked = versions.pick(newestVersions);
                for (int i = 0; i < picked; i++) {
                    emitVersion(newestVersions, i, prefix);
                    prefix = newestVersions.keyLength();
                }
            }
        }
        emitRanges(null);
    }

    private void emitVersion(final EntryCursor newestVersions, final int version, final int prefix) throws IOException {
        countVersion(newestVersions.keyLength(), version);
        if (sample.wants(entries)) {
            sample.add(newestVersions.keyBuffer(), newestVersions.keyLength());
        }
        tombstones += versions.kind(version).isValue() ? 0 : 1;
        updateSequenceBounds(versions.sequence(version));
        view.keyBuffer = newestVersions.keyBuffer();
        view.keyLength = newestVersions.keyLength();
        view.commonPrefix = prefix;
        view.version = version;
        sink.entry(view);
    }

    /** Emits the next range tombstones that begin at or before the cursor's key, or all of them without a cursor. */
    private void emitRanges(final EntryCursor newestVersions) throws IOException {
        while (next != null && (newestVersions == null || ByteComparison.compare(next.fromInclusive(), 0,
            next.fromInclusive().length, newestVersions.keyBuffer(), 0, newestVersions.keyLength()) <= 0)) {
            rangeTombstones++;
            updateSequenceBounds(next.sequence());
            sink.rangeTombstone(next.fromInclusive(), next.toExclusive(), next.sequence());
            next = ranges.next(state);
        }
    }

    private void updateSequenceBounds(final long sequence) {
        smallest = Math.min(smallest, sequence);
        largest = Math.max(largest, sequence);
    }

    /** The entry as the sink sees it. */
    private final class FlushView implements EntryView {
        private byte[] keyBuffer;
        private int keyLength;
        private int commonPrefix;
        private int version;

        @Override
        public byte[] keyBuffer() {
            return keyBuffer;
        }

        @Override
        public int keyLength() {
            return keyLength;
        }

        @Override
        public int commonPrefix() {
            return commonPrefix;
        }

        @Override
        public int valueLength() {
            return versions.valueLength(version);
        }

        @Override
        public int copyValue(final byte[] destination, final int offset) {
            return versions.copyValue(version, destination, offset);
        }

        @Override
        public long sequence() {
            return versions.sequence(version);
        }

        @Override
        public EntryKind kind() {
            return versions.kind(version);
        }

        @Override
        public long expiry() {
            return versions.expiry(version);
        }
    }
}
