/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryCursor;
import io.nestling.index.EntryKind;
import io.nestling.index.PositionedCursor;
import io.nestling.memory.Claim;
import io.nestling.memory.RecordLayout;

import java.util.Arrays;

/**
 * A cursor over one shard as of a sequence number. As a cursor of entries it shows the newest visible version
 * of each key and leaves out what is deleted; as a cursor of heads it shows every key that has a visible
 * version, and its payload says where that version is.
 * <p>
 * Entries are taken out of the index in runs, which grow from one entry after a seek to {@link
 * EntryRun#MAX_ENTRIES}: their records come from memory together, and most steps only look at the run. What
 * is in a run stays right, since the state as of a sequence number never changes. A guard of the epochs is
 * held only while a run is taken or a value copied, so that a cursor that somebody keeps open holds up
 * neither the reuse of memory nor {@code close}.
 * <h2>Thread safety</h2>
 * One thread; writers may be at work, and what they write is not seen.
 * <h2>Invariants</h2>
 * <ol>
 * <li>The index's cursor stands on the last entry of the run, or nowhere if that was the last one of
 * all.</li>
 * <li>What it remembers was unlinked, if at all, in epoch {@code positionedEpoch} or later, so that it is
 * intact while a guard is held that was entered in that epoch: once the epoch has moved on, the cursor seeks
 * its key again before it moves.</li>
 * <li>The key buffer holds the key of the entry {@code at} of the run.</li>
 * </ol>
 */
final class ShardCursor extends PositionedCursor {
    private static final int INITIAL_KEY_BYTES = 64;
    /* The payload of a head: record pointer, and the number of the shard above it. */
    private static final int HEAD_SHARD_SHIFT = 48;
    private static final long HEAD_RECORD_MASK = (1L << HEAD_SHARD_SHIFT) - 1;

    private final MemtableState state;
    private final MemtableShard shard;
    private final EntryCursor index;
    private final long visible;
    private final boolean heads;
    private final TombstoneWindow window;
    private final EntryRun run;
    private Claim guard;
    private long positionedEpoch;
    private boolean forward;
    private boolean exhausted;
    private int mostEntries;
    private int at;
    private byte[] key = new byte[INITIAL_KEY_BYTES];
    private int keyLength;
    private int commonPrefix;
    private boolean closed;

    /** Makes a cursor; the caller holds a guard. */
    ShardCursor(
        final MemtableState state, final MemtableShard shard, final long visible, final boolean heads) {
        this.state = state;
        this.shard = shard;
        this.index = shard.cursor(visible);
        this.visible = visible;
        this.heads = heads;
        this.window = new TombstoneWindow(state.rangeTombstones(), visible);
        this.run = new EntryRun(shard);
    }

    /** Where {@link #position} goes. */
    private enum Place { FIRST, LAST, AT_OR_ABOVE, BELOW, NEXT, PREVIOUS }

    @Override
    public boolean first() {
        return position(Place.FIRST, null, 0, 0);
    }

    @Override
    public boolean last() {
        return position(Place.LAST, null, 0, 0);
    }

    @Override
    public boolean seek(final byte[] target, final int offset, final int length) {
        return position(Place.AT_OR_ABOVE, target, offset, length);
    }

    @Override
    public boolean seekLowerThan(final byte[] target, final int offset, final int length) {
        return position(Place.BELOW, target, offset, length);
    }

    /** Goes to a place, in a guard that is left in any case: by stores, since a call may fail. */
    private boolean position(final Place place, final byte[] target, final int offset, final int length) {
        try {
            enterAnew();
            switch (place) {
                case FIRST:
                    return show(index.first(), true, 0);
                case LAST:
                    return show(index.last(), false, 0);
                case AT_OR_ABOVE:
                    return show(index.seek(target, offset, length), true, 0);
                case BELOW:
                    return show(index.seekLowerThan(target, offset, length), false, 0);
                case NEXT:
                    seekAgain();
                    return show(index.next(), true, Integer.MAX_VALUE);
                case PREVIOUS:
                    seekAgain();
                    return show(index.previous(), false, Integer.MAX_VALUE);
                default:
                    throw new AssertionError(place);
            }
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
            return position(goForward ? Place.NEXT : Place.PREVIOUS, null, 0, 0);
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
        if (closed) {
            throw new IllegalStateException("the cursor is closed");
        }
        valid = false; // stays so if something throws
        mostEntries = 1;
        guard = state.enter();
        // Read inside the guard and before the index: what is found from here on is unlinked in this epoch or
        // later.
        positionedEpoch = state.epochs().epoch();
    }

    private void exit() {
        final Claim held = guard;
        if (held != null) {
            guard = null;
            held.held = Claim.FREE;
        }
    }

    /** Moves the index's cursor from the last entry of the run on, inside a guard that was just entered. */
    private boolean advance() {
        final long epoch = state.epochs().epoch();
        if (epoch != positionedEpoch) {
            positionedEpoch = epoch;
            seekAgain();
        }
        return forward ? index.next() : index.previous();
    }

    /** Brings the index's cursor to the key in the buffer, which is in the index. */
    private void seekAgain() {
        if (!index.seek(key, 0, keyLength)
            || !Arrays.equals(key, 0, keyLength, index.keyBuffer(), 0, index.keyLength())) {
            throw new AssertionError(
                "a key has gone from the index: " + Arrays.toString(Arrays.copyOf(key, keyLength)));
        }
    }

    /**
     * Takes runs out of the index until there is an entry to be shown, in a guard for each.
     *
     * @param found whether the index's cursor stands on the first entry of the run
     * @param prefix bytes that all keys since the last entry shown have in common with it
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

    private void fill() {
        run.clear();
        at = -1;
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
        mostEntries = Math.min(2 * mostEntries, EntryRun.MAX_ENTRIES);
        run.resolve(visible);
    }

    /** Goes to the next entry of the run that is to be shown, if there is one; needs no guard. */
    private boolean take(final int prefixSoFar) {
        int prefix = prefixSoFar;
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
        if (run.record(at) == RecordLayout.NO_RECORD) {
            return false;
        }
        final long word = run.versionWord(at);
        final boolean deleted = RecordLayout.kind(word) == EntryKind.TOMBSTONE.code()
            || run.covering(at) > RecordLayout.sequence(word);
        return heads || !deleted;
    }

    @Override
    public byte[] keyBuffer() {
        checkValid();
        return key;
    }

    @Override
    public int keyLength() {
        checkValid();
        return keyLength;
    }

    @Override
    public int commonPrefix() {
        checkValid();
        return commonPrefix;
    }

    @Override
    public long payload() {
        checkValid();
        return heads
            ? (long) shard.number() << HEAD_SHARD_SHIFT | run.record(at) : super.payload();
    }

    /** Number of the shard that the payload of a head refers to. */
    static int headShard(final long payload) {
        return (int) (payload >>> HEAD_SHARD_SHIFT);
    }

    /** Pointer of the record that the payload of a head refers to. */
    static long headRecord(final long payload) {
        return payload & HEAD_RECORD_MASK;
    }

    @Override
    public int valueLength() {
        checkValid();
        return run.valueLength(at);
    }

    @Override
    public int copyValue(final byte[] destination, final int offset) {
        checkValid();
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
        return EntryKind.of(RecordLayout.kind(run.versionWord(at)));
    }

    @Override
    public void close() {
        valid = false;
        closed = true;
        index.close();
    }
}
