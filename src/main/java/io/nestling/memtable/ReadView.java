/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.index.EntryArguments;
import io.nestling.index.EntryCursor;
import io.nestling.index.HiddenLimitCursor;
import io.nestling.index.LookupResult;
import io.nestling.index.RangeSize;
import io.nestling.index.Versions;
import io.nestling.offheap.Claim;
import io.nestling.offheap.KeyScratch;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * The reads of a memtable: a {@link Memtable} itself shows for each of them what is visible at that moment, a {@link Snapshot}
 * what was visible when it was taken.
 * <p> Longer than 450 lines: half of them document the public methods.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. When the memtable or the snapshot is closed, they throw {@link IllegalStateException}.
 */
public abstract sealed class ReadView permits Memtable, Snapshot {
    /** Stands for the length of a value where a key has none. */
    public static final int NO_VALUE = -1;
    /** Result of {@link #lookup(byte[], MutableDirectBuffer, int)} for a key of which nothing is known. */
    public static final int ABSENT = -1;
    /** Result of {@link #lookup(byte[], MutableDirectBuffer, int)} for a deleted key. */
    public static final int DELETED = -2;
    /** Result of {@link #lookup(byte[], MutableDirectBuffer, int)} for a key with operands and nothing before them. */
    public static final int OPERANDS = -3;

    private final MemtableState state;
    private final ShardSet shards;

    ReadView(final MemtableState state, final ShardSet shards) {
        this.state = state;
        this.shards = shards;
    }

    /** Returns the greatest sequence number that a read sees. Called in the guard of the read. */
    abstract long visibleSequence();

    /** Returns the shared state. */
    final MemtableState state() {
        return state;
    }

    /** Returns the shards. */
    final ShardSet shards() {
        return shards;
    }

    // ---- one key ----

    /**
     * Returns the value of a key.
     *
     * @param key the key
     * @return a copy of the value; null if the key is absent or deleted
     */
    public final byte[] get(final byte[] key) {
        Limits.checkKey(key);
        return value(key, key.length);
    }

    /**
     * Returns the value of a key, which is a part of an array.
     *
     * @param key array that holds the key
     * @param keyOffset offset of the key in its array
     * @param keyLength length of the key in bytes
     * @return a copy of the value; null if the key is absent or deleted
     * @throws IndexOutOfBoundsException if the key is not within its array
     */
    public final byte[] get(final byte[] key, final int keyOffset, final int keyLength) {
        return get(part(key, keyOffset, keyLength));
    }

    /**
     * Returns the value of a key, which is the bytes between position and limit of a buffer. The buffer does not change.
     *
     * @param key buffer with the key
     * @return a copy of the value; null if the key is absent or deleted
     */
    public final byte[] get(final ByteBuffer key) {
        final KeyScratch scratch = KeyScratch.POOL.take();
        try {
            return value(copyKey(key, scratch), key.remaining());
        } finally {
            scratch.release();
        }
    }

    /**
     * Copies the value of a key to a buffer, without allocation.
     *
     * @param key the key
     * @param destination buffer to copy to
     * @param offset offset of the first byte written
     * @return length of the value in bytes; {@link #NO_VALUE} if the key is absent or deleted
     * @throws IndexOutOfBoundsException if the value does not fit; nothing is copied then
     */
    public final int get(final byte[] key, final MutableDirectBuffer destination, final int offset) {
        Limits.checkKey(key);
        checkDestination(destination, offset);
        return copyValue(key, key.length, destination, offset, false);
    }

    /**
     * Copies the value of a key, which is a part of a buffer, to another buffer, without allocation.
     *
     * @param key buffer that holds the key
     * @param keyOffset offset of the key in its buffer
     * @param keyLength length of the key in bytes
     * @param destination buffer to copy to
     * @param offset offset of the first byte written
     * @return length of the value in bytes; {@link #NO_VALUE} if the key is absent or deleted
     * @throws IndexOutOfBoundsException if the key is not within its buffer, or the value does not fit; nothing is copied then
     */
    public final int get(
        final DirectBuffer key, final int keyOffset, final int keyLength,
        final MutableDirectBuffer destination, final int offset) {
        return copyValue(key, keyOffset, keyLength, destination, offset, false);
    }

    /**
     * Looks a key up and distinguishes a deleted key, for which older data must not be read, from one of which nothing is known.
     * If the key has operands and nothing before them, older data counts, too: {@link LookupResult#over}. Reads that give values
     * only, such as {@code get}, combine such operands with no value.
     *
     * @param key the key
     * @return a copy of the value, a tombstone, operands, or absent
     * @throws io.nestling.index.MergeFailedException if the merge operator fails, as from every read of such a key
     */
    public final LookupResult lookup(final byte[] key) {
        Limits.checkKey(key);
        return lookup(key, key.length);
    }

    /**
     * Looks a key up as {@link #lookup(byte[])} does. The key is a part of an array.
     *
     * @param key array that holds the key
     * @param keyOffset offset of the key in its array
     * @param keyLength length of the key in bytes
     * @return a copy of the value, a tombstone, or absent
     * @throws IndexOutOfBoundsException if the key is not within its array
     */
    public final LookupResult lookup(final byte[] key, final int keyOffset, final int keyLength) {
        return lookup(part(key, keyOffset, keyLength));
    }

    /**
     * Looks a key up as {@link #lookup(byte[])} does. The key is the bytes between position and limit of a buffer, which does not
     * change.
     *
     * @param key buffer with the key
     * @return a copy of the value, a tombstone, or absent
     */
    public final LookupResult lookup(final ByteBuffer key) {
        final KeyScratch scratch = KeyScratch.POOL.take();
        try {
            return lookup(copyKey(key, scratch), key.remaining());
        } finally {
            scratch.release();
        }
    }

    /**
     * Looks a key up as {@link #lookup(byte[])} does, and copies its value to a buffer, without allocation unless it has
     * operands.
     *
     * @param key the key
     * @param destination buffer to copy to
     * @param offset offset of the first byte written
     * @return length of the value in bytes; {@link #DELETED}, {@link #ABSENT} or {@link #OPERANDS} if there is none
     * @throws IndexOutOfBoundsException if the value does not fit; nothing is copied then
     */
    public final int lookup(final byte[] key, final MutableDirectBuffer destination, final int offset) {
        Limits.checkKey(key);
        checkDestination(destination, offset);
        return copyValue(key, key.length, destination, offset, true);
    }

    /**
     * Looks a key up, which is a part of a buffer, and copies its value to another buffer, without allocation unless it
     * has operands.
     *
     * @param key buffer that holds the key
     * @param keyOffset offset of the key in its buffer
     * @param keyLength length of the key in bytes
     * @param destination buffer to copy to
     * @param offset offset of the first byte written
     * @return length of the value in bytes; {@link #DELETED}, {@link #ABSENT} or {@link #OPERANDS} if there is none
     * @throws IndexOutOfBoundsException if the key is not within its buffer, or the value does not fit; nothing is copied then
     */
    public final int lookup(
        final DirectBuffer key, final int keyOffset, final int keyLength,
        final MutableDirectBuffer destination, final int offset) {
        return copyValue(key, keyOffset, keyLength, destination, offset, true);
    }

    /**
     * Looks a key up and shows its value where it lies, without a copy. The reader should be short: meanwhile no memory of this
     * memtable is used again. It may not write to this memtable, nor close it.
     *
     * @param key the key
     * @param reader is called once if the key has a value; what it throws is passed on
     * @return whether the key has a value, was deleted, is unknown, or has operands and nothing before them; the reader is called
     *     for a value only
     */
    public final LookupResult.Kind read(final byte[] key, final ValueReader reader) {
        Limits.checkKey(key);
        Objects.requireNonNull(reader, "reader");
        final Claim guard = state.enter();
        try {
            final long visible = visibleSequence();
            final MemtableShard shard = shards.of(key, 0, key.length);
            final long record = shard.find(key, 0, key.length, visible);
            final long now = state.now();
            if (shard.isValue(record, key, key.length, visible, now)) {
                if (OperandReader.isOperand(shard.records(), record)) {
                    final LookupResult found = shard.lookup(record, key, key.length, visible, now);
                    if (found.kind() == LookupResult.Kind.VALUE) {
                        reader.accept(ByteBuffer.wrap(found.value()).asReadOnlyBuffer(), found.sequence());
                    }
                    return found.kind();
                }
                reader.accept(shard.records().valueView(record).asReadOnlyBuffer(), shard.sequence(record));
                return LookupResult.Kind.VALUE;
            }
            return shard.deletion(record, key, key.length, visible) > 0 ? LookupResult.Kind.TOMBSTONE : LookupResult.Kind.ABSENT;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    private byte[] value(final byte[] key, final int length) {
        final Claim guard = state.enter();
        try {
            final long visible = visibleSequence();
            final MemtableShard shard = shards.of(key, 0, length);
            final long record = shard.find(key, 0, length, visible);
            return shard.value(record, key, length, visible, state.now());
        } finally {
            guard.held = Claim.FREE;
        }
    }

    private LookupResult lookup(final byte[] key, final int length) {
        final Claim guard = state.enter();
        try {
            final long visible = visibleSequence();
            final MemtableShard shard = shards.of(key, 0, length);
            return shard.lookup(shard.find(key, 0, length, visible), key, length, visible, state.now());
        } finally {
            guard.held = Claim.FREE;
        }
    }

    private int copyValue(
        final DirectBuffer key, final int keyOffset, final int keyLength,
        final MutableDirectBuffer destination, final int offset, final boolean tellsDeleted) {
        checkKeyPart(key, keyOffset, keyLength);
        checkDestination(destination, offset);
        final KeyScratch scratch = KeyScratch.POOL.take();
        try {
            final byte[] copy = scratch.ofLength(keyLength);
            key.getBytes(keyOffset, copy, 0, keyLength);
            return copyValue(copy, keyLength, destination, offset, tellsDeleted);
        } finally {
            scratch.release();
        }
    }

    private int copyValue(
        final byte[] key, final int length, final MutableDirectBuffer destination, final int offset,
        final boolean tellsDeleted) {
        final Claim guard = state.enter();
        try {
            final long visible = visibleSequence();
            final MemtableShard shard = shards.of(key, 0, length);
            final long record = shard.find(key, 0, length, visible);
            final long now = state.now();
            if (shard.isValue(record, key, length, visible, now)) {
                if (!OperandReader.isOperand(shard.records(), record)) {
                    return shard.records().copyValue(record, destination, offset);
                }
                final LookupResult found = shard.lookup(record, key, length, visible, now);
                return tellsDeleted && found.kind() == LookupResult.Kind.OPERANDS ? OPERANDS
                    : copy(found.overNothing(Arrays.copyOf(key, length), state.options().rules()).value(), destination, offset);
            }
            return tellsDeleted && shard.deletion(record, key, length, visible) > 0 ? DELETED : ABSENT;
        } finally {
            guard.held = Claim.FREE;
        }
    }

    /** Copies a value to a buffer and returns its length. */
    static int copy(final byte[] value, final MutableDirectBuffer destination, final int offset) {
        if (!destination.isExpandable() && value.length > destination.capacity() - offset) {
            throw new IndexOutOfBoundsException("expected a buffer with room for " + value.length + " bytes at " + offset
                + " but was one of " + destination.capacity() + " bytes");
        }
        destination.putBytes(offset, value);
        return value.length;
    }

    /** Returns a part of an array as a buffer. */
    static ByteBuffer part(final byte[] key, final int offset, final int length) {
        Objects.requireNonNull(key, "key");
        EntryArguments.checkPart("key", offset, length, key.length);
        return ByteBuffer.wrap(key, offset, length);
    }

    /** Returns an array that begins with the bytes between position and limit of a buffer. */
    static byte[] copyKey(final ByteBuffer key, final KeyScratch scratch) {
        Objects.requireNonNull(key, "key");
        final int length = key.remaining();
        Limits.checkKeyLength(length);
        final byte[] copy = scratch.ofLength(length);
        key.get(key.position(), copy, 0, length);
        return copy;
    }

    static void checkKeyPart(final DirectBuffer key, final int offset, final int length) {
        Objects.requireNonNull(key, "key");
        EntryArguments.checkPart("key", offset, length, key.capacity());
        Limits.checkKeyLength(length);
    }

    private static void checkDestination(final MutableDirectBuffer destination, final int offset) {
        Objects.requireNonNull(destination, "destination");
        if (offset < 0) {
            throw new IndexOutOfBoundsException("expected an offset of at least 0 but was " + offset);
        }
    }

    // ---- many keys ----

    /**
     * Looks up many keys as of one moment, with their memory accesses interleaved.
     *
     * @param keys the keys
     * @param values receives a copy of the value of key {@code i}, or null, at {@code i}
     * @return number of keys with a value
     * @throws IllegalArgumentException if {@code values} is shorter than {@code keys}
     */
    public final int getAll(final byte[][] keys, final byte[][] values) {
        return run(keys, Objects.requireNonNull(values, "values"), null, null, null, null);
    }

    /**
     * Looks up many keys as {@link #getAll(byte[][], byte[][])} does, and copies their values to a buffer, from its beginning and
     * in no particular order. Only operands that are combined allocate anything.
     *
     * @param keys the keys
     * @param destination receives the values; one that can expand does
     * @param offsets receives at {@code i} where the value of key {@code i} begins in the buffer
     * @param lengths receives at {@code i} the length of the value of key {@code i}, or {@link #NO_VALUE}
     * @return number of keys with a value
     * @throws IllegalArgumentException if {@code offsets} or {@code lengths} is shorter than {@code keys}
     * @throws IndexOutOfBoundsException if the values do not fit; the buffer and the arrays then have those of some of the keys
     */
    public final int getAll(
        final byte[][] keys, final MutableDirectBuffer destination, final int[] offsets, final int[] lengths) {
        Objects.requireNonNull(destination, "destination");
        Objects.requireNonNull(offsets, "offsets");
        Objects.requireNonNull(lengths, "lengths");
        return run(keys, null, null, destination, offsets, lengths);
    }

    /**
     * Looks up many keys as {@link #getAll(byte[][], byte[][])} does, and distinguishes deleted keys from those of which nothing
     * is known.
     *
     * @param keys the keys
     * @param results receives what is known of key {@code i} at {@code i}
     * @return number of keys with a value
     * @throws IllegalArgumentException if {@code results} is shorter than {@code keys}
     */
    public final int lookupAll(final byte[][] keys, final LookupResult[] results) {
        return run(keys, null, Objects.requireNonNull(results, "results"), null, null, null);
    }

    private int run(
        final byte[][] keys, final byte[][] values, final LookupResult[] results,
        final MutableDirectBuffer destination, final int[] offsets, final int[] lengths) {
        final MultiGet lookup = MultiGet.POOL.take();
        try {
            lookup.begin(keys, values, results, destination, offsets, lengths);
            final Claim guard = state.enter();
            try {
                return lookup.run(shards, visibleSequence(), state);
            } finally {
                guard.held = Claim.FREE;
            }
        } finally {
            lookup.finish();
        }
    }

    // ---- scans ----

    /**
     * Returns a cursor over the values, in key order. It does not show later writes, and stays usable when a snapshot that
     * returned it is closed.
     *
     * @return an unpositioned cursor, with values, sequence numbers and kinds; the caller closes it, since what it reads is kept
     */
    public final EntryCursor cursor() {
        state.checkOpen();
        return shards.cursor(state, this::visibleSequence, ShardCursor.Content.VALUES);
    }

    /**
     * Returns a cursor as {@link #cursor()} does, whose moves are bounded: a move that meets more than a number of hidden
     * entries ends there. It is then incomplete, and says where to go on: {@link EntryCursor#isIncomplete}. Hidden are deleted
     * keys, and keys without a version that the view shows; those of all shards count together.
     *
     * @param hiddenLimit hidden entries that a move may pass
     * @return an unpositioned cursor, with values, sequence numbers and kinds; the caller closes it, since what it reads is kept
     * @throws IllegalArgumentException if the limit is below 1
     */
    public final EntryCursor cursor(final int hiddenLimit) {
        state.checkOpen();
        HiddenLimitCursor.checkLimit(hiddenLimit);
        return HiddenLimitCursor.of(
            shards.cursor(state, this::visibleSequence, ShardCursor.Content.VALUES_AND_HIDDEN), hiddenLimit);
    }

    /**
     * Returns the versions as they are, with tombstones, to be read together with older data: see {@link
     * io.nestling.index.VisibleCursor}. They stay usable when a snapshot that returned them is closed.
     *
     * @return the newest version of each key, and the range tombstones; the caller closes them, since what they read is kept
     */
    public final Versions versions() {
        state.checkOpen();
        return new MemtableVersions(state, shards, this::visibleSequence);
    }

    /**
     * Estimates what a range of keys has: the newest version of each key, tombstones included. Up to 64 entries are counted,
     * and exact. Larger ranges are estimated from 256 to 512 keys, equally many entries apart: each end may be wrong by a
     * 512th of all entries, and more if many keys agree in their first 256 bytes. Keys that were put since these were taken
     * count as if they were distributed as the others, and values as if they had stayed as they were; so where all new keys
     * are in one place, the estimate may be too small by half there. These keys are taken from the newest state, also for a
     * snapshot.
     * <p>
     * Mostly it takes a short scan. The first call that needs them takes the keys in a pass over all entries, and so does one
     * behind which the memtable has twice the keys; other calls that need them wait meanwhile. They take up to 150 KiB of the
     * heap, and twice that while they are taken anew. If the index has no order, a call sorts the keys that were added since the
     * last scan, as a cursor does.
     *
     * @param fromInclusive first key of the range, or null for no lower bound
     * @param toExclusive first key after the range, or null for no upper bound
     * @return entries, and the bytes of their keys and values
     */
    public final RangeSize approximateSize(final byte[] fromInclusive, final byte[] toExclusive) {
        state.checkOpen();
        return shards.estimator().estimate(state, this::visibleSequence, fromInclusive, toExclusive);
    }
}
