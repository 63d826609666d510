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
import io.nestling.memtable.RangeTombstones.RangeTombstone;

import java.io.IOException;
import java.util.List;

/**
 * One flush: first counts what there is to pass on, if the shards' counters do not tell, then passes it on.
 * <p>
 * Both passes see the memtable as of the same sequence number and the same snapshots, so that writers may go
 * on meanwhile. No guard is held while the sink is at work.
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
    private final List<RangeTombstone> ranges;
    private final FlushView view = new FlushView();
    private long entries;
    private long bytes;
    private long tombstones;
    private long smallest = Long.MAX_VALUE;
    private long largest;

    FlushTask(final MemtableState state, final ShardSet shards, final EntrySink sink) {
        this.state = state;
        this.shards = shards;
        this.sink = sink;
        this.frozen = state.isFrozen(); // before the sequence number: then it is the last one
        final long[] states = state.snapshots().capture();
        this.visible = states[0];
        this.versions = new VersionFilter(state, shards, states);
        this.ranges = state.rangeTombstones().inOrder(visible);
    }

    FlushResult run() throws IOException {
        final long start = System.nanoTime();
        count();
        final long expectedEntries = entries;
        final long expectedBytes = bytes;
        sink.begin(entries, bytes, ranges.size());
        entries = 0;
        bytes = 0;
        emit();
        if (entries != expectedEntries || bytes != expectedBytes) {
            throw new AssertionError(
                expectedEntries + " entries of " + expectedBytes + " bytes were announced, " + entries
                + " of " + bytes
                    + " were there");
        }
        sink.end();
        return new FlushResult(
            entries, bytes, tombstones, ranges.size(), largest == 0 ? 0 : smallest, largest, visible,
            System.nanoTime() - start);
    }

    private void count() {
        if (countByCounters()) {
            return;
        }
        try (EntryCursor heads = shards.cursor(state, visible, true)) {
            for (boolean more = heads.first(); more; more = heads.next()) {
                final int picked = versions.pick(heads);
                for (int i = 0; i < picked; i++) {
                    countVersion(heads.keyLength(), i);
                }
            }
        }
    }

    private void countVersion(final int keyLength, final int version) {
        entries++;
        bytes += keyLength + (long) versions.valueLength(version);
    }

    /** When nothing changes any more and every version is passed on, the counters know. */
    private boolean countByCounters() {
        if (!frozen) {
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
        if (everyVersion && state.gate().isSound()) {
            entries = records;
            bytes = recordBytes;
            return true;
        }
        return false;
    }

    private void emit() throws IOException {
        int range = 0;
        int prefix = 0;
        try (EntryCursor heads = shards.cursor(state, visible, true)) {
            for (boolean more = heads.first(); more; more = heads.next()) {
                prefix = Math.min(prefix, heads.commonPrefix());
                range = emitRanges(range, heads);
                final int picked = versions.pick(heads);
                for (int i = 0; i < picked; i++) {
                    emitVersion(heads, i, prefix);
                    prefix = heads.keyLength();
                }
            }
        }
        emitRanges(range, null);
    }

    private void emitVersion(final EntryCursor heads, final int version,
        final int prefix) throws IOException {
        countVersion(heads.keyLength(), version);
        tombstones += versions.kind(version) == EntryKind.TOMBSTONE ? 1 : 0;
        noteSequence(versions.sequence(version));
        view.keyBuffer = heads.keyBuffer();
        view.keyLength = heads.keyLength();
        view.commonPrefix = prefix;
        view.version = version;
        sink.entry(view);
    }

    /**
     * Passes on the range tombstones from a given one that begin at or before a key; all of them if there is
     * no key.
     */
    private int emitRanges(final int first, final EntryCursor heads) throws IOException {
        int next = first;
        while (next < ranges.size() && (heads == null || beginsBefore(ranges.get(next), heads))) {
            final RangeTombstone tombstone = ranges.get(next++);
            noteSequence(tombstone.sequence());
            sink.rangeTombstone(tombstone.from().clone(), tombstone.to().clone(), tombstone.sequence());
        }
        return next;
    }

    private static boolean beginsBefore(final RangeTombstone tombstone, final EntryCursor heads) {
        final byte[] from = tombstone.from();
        return ByteComparison.compare(from, 0, from.length, heads.keyBuffer(), 0, heads.keyLength()) <= 0;
    }

    private void noteSequence(final long sequence) {
        smallest = Math.min(smallest, sequence);
        largest = Math.max(largest, sequence);
    }

    /** The entry that the sink is shown. */
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
    }
}
