/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.bytes.KeyHash;
import io.nestling.index.EntryCursor;
import io.nestling.index.MergingCursor;
import io.nestling.offheap.Claim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;

/**
 * The shards of a memtable.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread.
 */
final class ShardSet {
    private final Sharding sharding;
    private final KeyHash keyHash = KeyHash.secret();
    private final MemtableShard[] shards;
    private final List<ShardLock> locks;
    private final RangeEstimator estimator = new RangeEstimator(this);

    private ShardSet(final Sharding sharding, final MemtableShard[] shards) {
        this.sharding = sharding;
        this.shards = shards;
        this.locks = Arrays.stream(shards).map(MemtableShard::lock).toList();
    }

    /** Creates the shards that the options ask for. */
    static ShardSet open(final MemtableState state) {
        final MemtableShard[] shards = new MemtableShard[state.options().shards()];
        for (int i = 0; i < shards.length; i++) {
            try {
                shards[i] = new MemtableShard(state, i);
            } catch (final RuntimeException | Error e) {
                closeAll(shards, i, e);
                throw e;
            }
        }
        return new ShardSet(state.options().sharding(), shards);
    }

    /** Returns the hash of keys outside of the indexes. */
    KeyHash keyHash() {
        return keyHash;
    }

    int count() {
        return shards.length;
    }

    /** Returns the bytes that the order of keys takes beside indexes that have none. */
    long orderBytes() {
        long bytes = 0;
        for (final MemtableShard shard : shards) {
            bytes += shard.orderBytesUsed();
        }
        return bytes;
    }

    /** Returns the number of keys of all shards, deleted ones included. */
    long keys() {
        long keys = 0;
        for (final MemtableShard shard : shards) {
            keys += shard.counters().keys();
        }
        return keys;
    }

    RangeEstimator estimator() {
        return estimator;
    }

    MemtableShard shard(final int i) {
        return shards[i];
    }

    int shardOf(final byte[] key, final int offset, final int length) {
        return sharding.shardOf(key, offset, length, shards.length, keyHash);
    }

    /** Returns the shard of a key. */
    MemtableShard of(final byte[] key, final int offset, final int length) {
        return shards[shardOf(key, offset, length)];
    }

    /** Returns a cursor over all shards as of a sequence number, which is read in the guard in which the cursor is created. */
    EntryCursor cursor(final MemtableState state, final LongSupplier sequence, final ShardCursor.Content content) {
        final ShardCursor[] cursors = new ShardCursor[shards.length];
        final Claim guard = state.enter();
        try {
            final long visible = sequence.getAsLong();
            final long now = content.needsTime() ? state.now() : 0;
            for (int i = 0; i < shards.length; i++) {
                cursors[i] = new ShardCursor(state, shards[i], visible, now, content);
            }
        } catch (final Throwable e) {
            for (int i = 0; i < cursors.length && cursors[i] != null; i++) {
                cursors[i].close();
            }
            throw e;
        } finally {
            guard.held = Claim.FREE;
        }
        if (cursors.length == 1) {
            return cursors[0];
        }
        return sharding.isByRanges() ? new ConcatenatedCursor(sharding, cursors) : MergingCursor.of(cursors);
    }

    /** Returns the locks of some shards, in the order in which all threads take them. */
    List<ShardLock> locks(final IntPredicate wanted) {
        final List<ShardLock> some = new ArrayList<>(shards.length);
        for (int i = 0; i < shards.length; i++) {
            if (wanted.test(i)) {
                some.add(locks.get(i));
            }
        }
        return some;
    }

    /** Returns the locks of all shards, in that order. */
    List<ShardLock> locks() {
        return locks;
    }

    /** Returns whether a shard is still in its first, small structure. */
    boolean isAnySmall() {
        for (final MemtableShard shard : shards) {
            if (shard.isSmall()) {
                return true;
            }
        }
        return false;
    }

    /** Releases all memory. The caller has ended all other use. */
    void close() {
        final RuntimeException failure = new IllegalStateException("not all shards could be closed");
        closeAll(shards, shards.length, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    /** Closes the first shards; adds what they throw to a failure. */
    private static void closeAll(final MemtableShard[] shards, final int count, final Throwable failure) {
        for (int i = 0; i < count; i++) {
            try {
                shards[i].close();
            } catch (final Throwable e) {
                failure.addSuppressed(e);
            }
        }
    }
}
