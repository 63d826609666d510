/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.KeyBufferCursor;
import io.nestling.offheap.Claim;
import io.nestling.offheap.RecordLayout;

import java.util.Arrays;
import java.util.Objects;

/**
 * A cursor over one shard as of a sequence number, which shows one {@link Content}. The payload of a cursor over versions
 * locates the version's record.
 * <p>
 * The cursor takes entries out of the index in runs, which grow from one entry after a seek to {@link
 * EntryRun#MAX_ENTRIES}: their records are loaded together, and most steps only read the run. A run stays
 * correct, since the state as of a sequence number never changes. The cursor holds a guard of the epochs
 * only while it takes a run or copies a value, so that an open cursor delays neither the reclamation of memory nor
 * {@code close}.
 * <h2>Thread safety</h2>
 * One thread; others may write, and the cursor does not see what they write.
 * <h2>Invariants</h2>
 * <ol>
 * <li>The index's cursor is on the last entry of the run, or unpositioned if that was the last one of
 * all.</li>
 * <li>What the index's cursor remembers was unlinked, if at all, in epoch {@code positionedEpoch} or later, so that it is
 * intact while a guard is held that was entered in that epoch: once the epoch has moved on, the cursor seeks
 * its key again before it moves.</li>
 * <li>The key buffer holds the key of the entry {@code at} of the run.</li>
 * </ol>
 */
final class ShardCursor extends KeyBufferCursor {
    /* Payload of a cursor over versions: the record pointer, and above it the number of the shard. */
    private static final int VERSION_SHARD_SHIFT = 48;
    private static final long VERSION_RECORD_MASK = (1L << VERSION_SHARD_SHIFT) - 1;
    /* Entries that are added to the memtable's counters together: the next ones when a run ends, the rest on close. */
    private static final int COUNTED_TOGETHER = 128;
    /* Beside 2, a scan of 50 entries over a million keys runs at 1.15 to 1.25 of the speed: it waits for fewer runs. */
    private static final int RUN_GROWTH = 4;

    private final MemtableState state;
    private final MemtableShard shard;
    private final EntryCursor index;
    private final long visible;
    private final Content content;
    private final TombstoneWindow window;
    private final EntryRun run;
    private final long now;
    /* Value of the entry shown if that has operands and was asked for its value; else null. */
    private byte[] combined;
    private Claim guard;
    private long positionedEpoch;
    private boolean forward;
    private boolean exhausted;
    private int mostEntries;
    private int at = -1;
    private int hidden;
    private int shown;

    /** Selects the entries that a cursor shows. */
    enum Content {
        /** The newest visible version of each key, unless it is hidden: expired, or deleted by a tombstone or range tombstone. */
        VALUES,
        /** The same, and as a tombstone each key of the index that is hidden or has no visible version. */
        VALUES_AND_HIDDEN,
        /** The newest visible version of each key, deleted and expired ones included; range tombstones are not applied. */
        VERSIONS,
        /** The same entries, for a flush or an estimate: they do not count as scanned. */
        UNCOUNTED_VERSIONS;

        /** Returns whether the cursor shows what has expired as deleted, so that it needs the time. */
        boolean needsTime() {
            return this == VALUES || this == VALUES_AND_HIDDEN;
        }
    }

    /** Creates a cursor; the caller holds a guard. */
    ShardCursor(
        final MemtableState state, final MemtableShard shard, final long visible, final long now, final Content content) {
        this.state = state;
        this.shard = shard;
        this.index = shard.cursor(visible);
        this.visible = visible;
        this.content = content;
        this.now = now;
        this.run = new EntryRun(shard, now);
        this.window = new TombstoneWindow(state.rangeTombstones(), visible);
    }

    @Override
    public boolean first() {
        return position(true, false, null, 0, 0);
    }

    @Override
    public boolean last() {
        return position(false, false, null, 0, 0);
    }

    @Override
    public boolean seek(final byte[] target, final int offset, final int length) {
        return position(true, false, Objects.requireNonNull(target, "target"), offset, length);
    }

    @Override
    public boolean seekLowerThan(final byte[] target, final int offset, final int length) {
        return position(false, false, Objects.requireNonNull(target, "target"), offset, length);
    }

    /**
     * Moves the index's cursor, inside a guard: from the key in the buffer, or to or before a target, or to an end if there is
     * no target. Frees the guard in any case: by stores, since a call may fail.
     */
    private boolean position(
        final boolean goForward, final boolean fromKey, final byte[] target, final int offset, final int length) {
        try {
            enterAnew();
            final boolean found;
            if (fromKey) {
                seekAgain();
                found = goForward ? index.next() : index.previous();
            } else if (target == null) {
                found = goForward ? index.first() : index.last();
            } else {
                found = goForward ? index.seek(target, offset, length) : index.seekLowerThan(target, offset, length);
            }
            return show(found, goForward, fromKey ? Integer.MAX_VALUE : 0);
        } finally {
            final Claim held = guard;
            if (held != null) {
                guard = null;
                held.held = Claim.FREE;
            }
        }
    }

    @Override
    public boolean next() {
        return step(true);
    }

    @Override
    public boolean previous() {
        return step(false);
    }

    private boolean step(final boolean goForward) {
        state.checkOpen();
        if (!valid) {
            return false;
        }
        if (goForward != forward) {
            return position(goForward, true, null, 0, 0);
        }
        if (take(Integer.MAX_VALUE)) {
            return true;
        }
        if (exhausted) {
            return false;
        }
        final int prefix = commonPrefix;
        try {
            guard = state.enter();
            return show(advance(), goForward, prefix);
        } finally {
            final Claim held = guard;
            if (held != null) {
                guard = null;
                held.held = Claim.FREE;
            }
        }
    }

    private void enterAnew() {
        checkOpen();
        valid = false; // stays so if something throws
        mostEntries = 1;
        guard = state.enter();
        // Read inside the guard, before the index: what the index shows from here on is unlinked in this epoch or later.
        positionedEpoch = state.epochs().epoch();
    }

    private void exit() {
        final Claim held = guard;
        if (held != null) {
            guard = null;
            held.held = Claim.FREE;
        }
    }

    /** Moves the index's cursor on from the last entry of the run, inside a guard that was just entered. */
    private boolean advance() {
        final long epoch = state.epochs().epoch();
        if (epoch != positionedEpoch) {
            positionedEpoch = epoch;
            seekAgain();
        }
        return forward ? index.next() : index.previous();
    }

    /** Positions the index's cursor on the key in the buffer, which is in the index. */
    private void seekAgain() {
        if (!index.seek(key, 0, keyLength)
            || !Arrays.equals(key, 0, keyLength, index.keyBuffer(), 0, index.keyLength())) {
            throw new AssertionError(
                "a key has gone from the index: " + Arrays.toString(Arrays.copyOf(key, keyLength)));
        }
    }

    /**
     * Takes runs out of the index, each inside a guard of its own, until one holds an entry to show.
     *
     * @param found whether the index's cursor is on the first entry of the run
     * @param prefix bytes that all keys since the last entry shown share with it
     */
    private boolean show(final boolean found, final boolean goForward, final int prefix) {
        forward = goForward;
        commonPrefix = prefix;
        boolean present = found;
        while (present) {
            fill();
            if (take(commonPrefix)) {
                return true;
            }
            exit();
            if (exhausted) {
                return false;
            }
            guard = state.enter();
            present = advance();
        }
        valid = false;
        return false;
    }

    /** Counts what was passed and shown of the run, unless the content is not counted, and clears it. */
    private void countRun() {
        if (content != Content.UNCOUNTED_VERSIONS) {
            final int values = run.valuesAmong(at + 1);
            shown += values;
            hidden += at + 1 - values;
        }
        at = -1;
        run.clear();
    }

    private void addCounts() {
        state.scans().add(hidden, shown);
        hidden = 0;
        shown = 0;
    }

    private void fill() {
        countRun();
        if (hidden + shown >= COUNTED_TOGETHER) {
            addCounts();
        }
        boolean present = true;
        while (true) {
            run.add(index, window.newestCovering(index.keyBuffer(), index.keyLength()));
            if (run.isFull(mostEntries)) {
                break;
            }
            present = forward ? index.next() : index.previous();
            if (!present) {
                break;
            }
        }
        exhausted = !present;
        mostEntries = Math.min(RUN_GROWTH * mostEntries, EntryRun.MAX_ENTRIES);
        run.resolve(visible);
    }

    /** Moves to the next entry to show in the run; returns false if there is none. Needs no guard. */
    private boolean take(final int prefixSoFar) {
        int prefix = prefixSoFar;
        combined = null;
        valid = false; // stays so if something throws
        while (at + 1 < run.size()) {
            at++;
            keyLength = run.keyLength(at);
            if (keyLength > key.length) {
                key = Arrays.copyOf(key, Math.max(keyLength, 2 * key.length));
            }
            run.copySuffix(at, key);
            prefix = Math.min(prefix, run.prefix(at));
            if (isShown()) {
                commonPrefix = prefix;
                valid = true;
                return true;
            }
        }
        commonPrefix = prefix;
        return false;
    }

    private boolean isShown() {
        return content == Content.VALUES ? run.isValue(at)
            : content == Content.VALUES_AND_HIDDEN || run.record(at) != RecordLayout.NO_RECORD;
    }

    @Override
    public long payload() {
        checkValid();
        return content == Content.UNCOUNTED_VERSIONS || content == Content.VERSIONS
            ? (long) shard.number() << VERSION_SHARD_SHIFT | run.record(at) : super.payload();
    }

    /** Returns the number of the shard in the payload of a cursor over versions. */
    static int versionShard(final long payload) {
        return (int) (payload >>> VERSION_SHARD_SHIFT);
    }

    /** Returns the pointer of the record in the payload of a cursor over versions. */
    static long versionRecord(final long payload) {
        return payload & VERSION_RECORD_MASK;
    }

    @Override
    public int valueLength() {
        checkValid();
        return isCombined() ? combined().length : run.valueLength(at);
    }

    private boolean isCombined() {
        return OperandReader.isOperand(run.versionWord(at)) && content.needsTime() && run.isValue(at);
    }

    private byte[] combined() {
        if (combined == null) {
            final Claim held = state.enter();
            try {
                combined = OperandReader.combine(
                    shard, run.record(at), key, keyLength, window.newestCovering(key, keyLength), now);
            } finally {
                held.held = Claim.FREE;
            }
        }
        return combined;
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        checkValid();
        if (isCombined()) {
            Objects.checkFromIndexSize(offset, combined().length, destination.length);
            System.arraycopy(combined, 0, destination, offset, combined.length);
            return combined.length;
        }
        final Claim guard = state.enter();
        try {
            return shard.records().copyValue(run.record(at), destination, offset);
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public long sequence() {
        checkValid();
        return RecordLayout.sequence(run.versionWord(at));
    }

    @Override
    public EntryKind kind() {
        checkValid();
        return content == Content.VALUES || content == Content.VALUES_AND_HIDDEN
            ? run.isValue(at) ? EntryKind.VALUE : EntryKind.TOMBSTONE
            : EntryKind.of(RecordLayout.kind(run.versionWord(at)));
    }

    @Override
    public long expiry() {
        checkValid();
        final Claim guard = state.enter();
        try {
            return shard.records().expiry(run.record(at));
        } finally {
            guard.held = Claim.FREE;
        }
    }

    @Override
    public void close() {
        super.close();
        window.close();
        index.close();
        countRun();
        addCounts();
    }
}
